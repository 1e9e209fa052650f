"""`arrowfeed.tfxio` has the classes of tfx_bsl, with the same names, members and arguments."""

import inspect

import pytest
from tfx_bsl.public import tfxio as theirs
from tfx_bsl.tfxio import parquet_tfxio, raw_tf_record

from arrowfeed import tfxio

# It runs a TensorFlow graph on records of any format. It is not a source.
MISSING = {"TFGraphRecordDecoder"}

CLASSES = {name: getattr(theirs, name) for name in theirs.__all__ if isinstance(getattr(theirs, name), type)}
CLASSES |= {"ParquetTFXIO": parquet_tfxio.ParquetTFXIO}
CLASSES |= {name: getattr(raw_tf_record, name) for name in ("RawBeamRecordTFXIO", "RawTfRecordTFXIO")}


def arguments(function):
    """The names, kinds and defaults of the arguments, in order."""
    found = inspect.signature(function).parameters.values()
    return [(argument.name, argument.kind, argument.default) for argument in found]


def test_every_name_is_here():
    assert set(theirs.__all__) - set(tfxio.__all__) == MISSING


@pytest.mark.parametrize("name", sorted(CLASSES.keys() - MISSING))
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
