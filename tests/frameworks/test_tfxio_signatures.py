"""`arrowfeed.tfxio` has the classes of tfx_bsl, with the same names, members and arguments."""

import inspect

import pytest
from tfx_bsl.coders import tf_graph_record_decoder
from tfx_bsl.public import tfxio as theirs
from tfx_bsl.tfxio import parquet_tfxio, raw_tf_record, record_to_tensor_tfxio

from arrowfeed import tfxio

CLASSES = {name: getattr(theirs, name) for name in theirs.__all__ if isinstance(getattr(theirs, name), type)}
CLASSES |= {"ParquetTFXIO": parquet_tfxio.ParquetTFXIO}
CLASSES |= {name: getattr(raw_tf_record, name) for name in ("RawBeamRecordTFXIO", "RawTfRecordTFXIO")}
CLASSES |= {
    name: getattr(record_to_tensor_tfxio, name)
    for name in ("BeamRecordToTensorTFXIO", "TFRecordToTensorTFXIO")
}


def arguments(function):
    """The names, kinds and defaults of the arguments, in order."""
    found = inspect.signature(function).parameters.values()
    return [(argument.name, argument.kind, argument.default) for argument in found]


def test_every_name_is_here():
    assert set(theirs.__all__) <= set(tfxio.__all__)


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_class_has_the_arguments_and_the_members_of_tfx_bsls(name):
    ours, original = getattr(tfxio, name), CLASSES[name]
    # `limits` is an argument of ours, by keyword.
    own = ("limits", inspect.Parameter.KEYWORD_ONLY, None)
    assert [argument for argument in arguments(ours) if argument != own] == arguments(original)
    members = [member for member in dir(original) if not member.startswith("_")]
    assert [member for member in members if not hasattr(ours, member)] == []
    functions = [member for member in members if inspect.isfunction(getattr(original, member))]
    assert {member: arguments(getattr(ours, member)) for member in functions} == {
        member: arguments(getattr(original, member)) for member in functions
    }


def test_the_module_of_decoders_has_the_functions_of_tfx_bsls():
    ours = tfxio.tf_graph_record_decoder
    assert tfxio.TFGraphRecordDecoder is ours.TFGraphRecordDecoder
    assert ours.__all__ == ["LoadedDecoder", "TFGraphRecordDecoder", "load_decoder", "save_decoder"]
    for name in ours.__all__:
        assert arguments(getattr(ours, name)) == arguments(getattr(tf_graph_record_decoder, name))
    assert set(dir(tf_graph_record_decoder.LoadedDecoder)) <= set(dir(ours.LoadedDecoder))
