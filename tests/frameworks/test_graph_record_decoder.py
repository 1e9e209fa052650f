"""Decoders that arrowfeed saves load in tfx_bsl, and the reverse, with the results and errors of tfx_bsl."""

import pytest
import tensorflow as tf
from tfx_bsl.coders import tf_graph_record_decoder as theirs

from arrowfeed import tfxio
from arrowfeed.tfxio import tf_graph_record_decoder as ours
from conftest import run_script

MODULES = {"ours": ours, "theirs": theirs}
RECORDS = [b"a,b", b"", b"c"]


def decoder_of(module, index=None):
    """A decoder with a tensor of each kind, as a subclass of the class of a module."""

    class Words(module.TFGraphRecordDecoder):
        def decode_record(self, records):
            words = tf.strings.split(records, ",")
            return {
                "dense": tf.strings.length(records),
                "pair": tf.stack([records, records], axis=1),
                "ragged": words,
                "sparse": words.to_sparse(),
                "record": tf.RaggedTensor.from_row_lengths(
                    tf.range(tf.size(records)), tf.ones_like(records, tf.int64)
                ),
            }

        @property
        def record_index_tensor_name(self):
            return index

    return Words()


def specs(decoder):
    """Type specs, without the names that tensors get in a graph."""
    return {
        name: tf.TensorSpec(spec.shape, spec.dtype) if isinstance(spec, tf.TensorSpec) else spec
        for name, spec in decoder.output_type_specs().items()
    }


def values(tensors):
    return {name: value_of(tensor) for name, tensor in tensors.items()}


def value_of(tensor):
    if isinstance(tensor, tf.RaggedTensor):
        return tensor.to_list()
    dense = tf.sparse.to_dense(tensor) if isinstance(tensor, tf.SparseTensor) else tensor
    return dense.numpy().tolist()


EXPECTED = {
    "dense": [3, 0, 1],
    "pair": [[b"a,b"] * 2, [b""] * 2, [b"c"] * 2],
    "ragged": [[b"a", b"b"], [b""], [b"c"]],
    "sparse": [[b"a", b"b"], [b"", b""], [b"c", b""]],
    "record": [[0], [1], [2]],
}


@pytest.mark.parametrize(
    ("class_of", "saved_by", "loaded_by", "index"),
    [
        ("ours", "ours", "theirs", "record"),
        ("ours", "ours", "theirs", None),
        ("theirs", "theirs", "ours", "record"),
        ("theirs", "theirs", "ours", None),
        ("ours", "theirs", "ours", "record"),
        ("theirs", "ours", "theirs", "record"),
    ],
)
def test_a_decoder_of_each_module_is_saved_and_loaded_by_each(tmp_path, class_of, saved_by, loaded_by, index):
    decoder = decoder_of(MODULES[class_of], index)
    MODULES[saved_by].save_decoder(decoder, str(tmp_path))
    loaded = MODULES[loaded_by].load_decoder(str(tmp_path))
    assert loaded.record_index_tensor_name == index
    assert specs(loaded) == specs(decoder) == specs(decoder_of(theirs))
    assert values(loaded.decode_record(tf.constant(RECORDS))) == EXPECTED
    assert values(loaded.decode_record(RECORDS)) == EXPECTED


def test_the_method_saves_too(tmp_path):
    decoder = decoder_of(ours, "record")
    decoder.save(str(tmp_path))
    loaded = theirs.load_decoder(str(tmp_path))
    assert loaded.record_index_tensor_name == "record"
    assert isinstance(ours.load_decoder(str(tmp_path)), ours.LoadedDecoder)


def test_a_decoder_without_an_index_has_the_name_none():
    class Lengths(tfxio.TFGraphRecordDecoder):
        def decode_record(self, records):
            return {"length": tf.strings.length(records)}

    assert Lengths().record_index_tensor_name is None
    assert specs(Lengths()) == {"length": tf.TensorSpec([None], tf.int32)}
    assert isinstance(Lengths(), theirs.TFGraphRecordDecoder)


def test_the_class_is_abstract():
    texts = []
    for module in MODULES.values():
        with pytest.raises(TypeError) as error:
            module.TFGraphRecordDecoder()
        texts.append(str(error.value))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("index", ["", "missing"])
def test_invalid_names_are_the_errors_of_tfx_bsl(tmp_path, index):
    texts = []
    for module in MODULES.values():
        with pytest.raises(AssertionError) as error:
            module.save_decoder(decoder_of(module, index), str(tmp_path))
        texts.append(str(error.value))
    assert texts[0] == texts[1]
    known = "Invalid (empty) record_index_tensor_name"
    names = ["dense", "pair", "ragged", "sparse", "record"]
    unknown = "Invalid decoder: record_index_tensor_name: missing not in output tensors: "
    assert texts[0] == known if index == "" else texts[0].startswith(unknown)
    assert index == "" or all(f"'{name}'" in texts[0] for name in names)


def test_another_model_is_the_error_of_tfx_bsl(tmp_path):
    tf.saved_model.save(tf.Module(), str(tmp_path))
    for module in MODULES.values():
        with pytest.raises(AssertionError) as error:
            module.load_decoder(str(tmp_path))
        assert str(error.value) == "the SavedModel is not a TFGraphRecordDecoder"


def test_an_empty_name_in_a_model_is_the_error_of_tfx_bsl(tmp_path):
    module = tf.Module()
    module.decode_fun = tf.function(
        lambda records: {"records": records}, input_signature=[tf.TensorSpec([None], tf.string)]
    ).get_concrete_function()
    constant = tf.function(lambda: tf.constant(""), input_signature=[]).get_concrete_function()
    tf.saved_model.save(module, str(tmp_path), signatures={"__record_index_tensor_name__:": constant})
    for each in MODULES.values():
        with pytest.raises(AssertionError) as error:
            each.load_decoder(str(tmp_path))
        assert str(error.value) == "Invalid (empty) record_index_tensor_name"


def test_a_decoder_is_loaded_in_graph_mode(tmp_path):
    decoder_of(ours, "record").save(str(tmp_path))
    with tf.Graph().as_default():
        assert ours.load_decoder(str(tmp_path)).record_index_tensor_name == "record"


def test_decoders_do_not_need_tfx_bsl(tmp_path):
    done = run_script(f"""
import sys
sys.modules["tfx_bsl"] = None
import tensorflow as tf
from arrowfeed import tfxio
from arrowfeed.tfxio import tf_graph_record_decoder as decoders

class Lengths(tfxio.TFGraphRecordDecoder):
    def decode_record(self, records):
        return {{"length": tf.strings.length(records)}}

Lengths().save("{tmp_path}")
print(decoders.load_decoder("{tmp_path}").decode_record(["a", "bc"])["length"].numpy().tolist())
""")
    assert done.stdout == "[1, 2]\n", done.stderr
    assert theirs.load_decoder(str(tmp_path)).decode_record(RECORDS)["length"].numpy().tolist() == [3, 0, 1]
