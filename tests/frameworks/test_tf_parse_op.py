"""The op that parses records works in graphs, pipelines, a SavedModel and many threads."""

import json

import pytest
import tensorflow as tf
from tfio_rows import DEEP, INT, LIST, VARLEN, encoded, fixed, in_graph, parse, parts, schema

import arrowfeed as af
from arrowfeed import tfio
from conftest import printed

FORM = schema(x=LIST, y=INT, z="string", deep=DEEP)
FEATURES = {
    "x[*]": VARLEN(tf.int32),
    "y": fixed([]),
    "z": fixed([], tf.string, "none"),
    # A feature of arrowfeed, because tensorflow-io has no ragged features.
    "ragged": af.features.Ragged("int32", key="deep[*][*]"),
    "deep[*][*]": fixed([None, None], default=-1),
}
ROWS = [
    {
        "x": [1, 2],
        "y": 3,
        "z": "a text that is longer than a small string of TensorFlow",
        "deep": [[1], [2, 3]],
    },
    {"x": [], "y": -1, "z": "", "deep": []},
    {"x": [7], "y": 5, "z": "é", "deep": [[4]]},
]


def plain(tensors):
    def one(tensor):
        if isinstance(tensor, tf.SparseTensor):
            return parts(tensor)
        return tensor.to_list() if isinstance(tensor, tf.RaggedTensor) else tensor.numpy().tolist()

    return {name: one(tensor) for name, tensor in tensors.items()}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_graphs_return_the_results_of_eager_code(count):
    rows = ROWS[:count]
    assert plain(in_graph(FORM, rows, FEATURES)) == plain(parse(FORM, rows, FEATURES))


def test_no_records_are_no_rows():
    in_graphs, eager = in_graph(FORM, [], FEATURES), parse(FORM, [], FEATURES)
    for name, tensor in in_graphs.items():
        assert tensor.dtype == eager[name].dtype
        assert tensor.shape[0] == eager[name].shape[0] == 0
    assert in_graphs["ragged"].to_list() == eager["ragged"].to_list() == []


def test_threads_of_a_pipeline_share_one_op():
    records = encoded(FORM, ROWS * 200)
    batches = tf.data.Dataset.from_tensor_slices(records).batch(7)
    found = batches.map(
        lambda batch: tfio.parse_avro(batch, json.dumps(FORM), FEATURES), num_parallel_calls=4
    )
    given = [row for batch in found for row in batch["z"].numpy().tolist()]
    assert given == [row["z"].encode() for row in ROWS * 200]
    again = [row for batch in found for row in batch["ragged"].to_list()]
    assert again == [row["deep"] for row in ROWS * 200]


def test_after_an_error_the_op_goes_on():
    whole = encoded(FORM, ROWS)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def graph(records):
        return tfio.parse_avro(records, json.dumps(FORM), FEATURES)

    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"serialized\[1\]: y: expected an int"):
            graph(tf.constant([whole[0], whole[2][:3]]))
        assert plain(graph(tf.constant(whole))) == plain(parse(FORM, ROWS, FEATURES))


def test_a_saved_model_is_loaded_in_a_fresh_process(tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def serve(self, records):
            return tfio.parse_avro(records, json.dumps(FORM), FEATURES)

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "model"), signatures={"parts": scores(model)})
    records = tmp_path / "records.json"
    records.write_text(json.dumps([record.hex() for record in encoded(FORM, ROWS)]))
    program = """
        import json, sys
        import tensorflow as tf
        import arrowfeed.tensorflow

        model = tf.saved_model.load(sys.argv[1])
        records = [bytes.fromhex(record) for record in json.load(open(sys.argv[2]))]
        found = model.serve(tf.constant(records))
        print(json.dumps([found["ragged"].to_list(), tf.sparse.to_dense(found["x[*]"]).numpy().tolist()]))
        print(json.dumps(model.signatures["parts"](records=tf.constant(records))["y"].numpy().tolist()))
        try:
            model.serve(tf.constant([b"\\x02"]))
        except tf.errors.InvalidArgumentError as error:
            print("serialized[0]" in error.message)
    """
    tensors, served, refused = printed(program, tmp_path / "model", records).splitlines()
    assert json.loads(tensors) == [[row["deep"] for row in ROWS], [[1, 2], [0, 0], [7, 0]]]
    assert json.loads(served) == [3, -1, 5]
    assert refused == "True"


def scores(model):
    """A signature, whose outputs are plain tensors."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="records")])
    def signature(records):
        return {"y": model.serve(records)["y"]}

    return signature
