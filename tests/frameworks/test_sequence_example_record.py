"""`TFSequenceExampleRecord` returns the results of tfx_bsl for the same files."""

import pickle

import pytest

tf = pytest.importorskip("tensorflow")
beam = pytest.importorskip("apache_beam")
theirs = pytest.importorskip("tfx_bsl.public.tfxio")
schema_pb2 = pytest.importorskip("tensorflow_metadata.proto.v0.schema_pb2")

from apache_beam.runners.portability.fn_api_runner import FnApiRunner  # noqa: E402 - after the others
from apache_beam.testing import util  # noqa: E402
from google.protobuf import text_format  # noqa: E402

from arrowfeed import tfxio as ours  # noqa: E402

SEQUENCE = "##SEQUENCE##"
SCHEMA = text_format.Parse(
    """
    feature { name: "user" type: INT shape { dim { size: 1 } } presence { min_fraction: 1 } }
    feature { name: "tags" type: BYTES }
    feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
        feature { name: "token" type: INT }
        feature { name: "weight" type: FLOAT }
    } }
    tensor_representation_group { key: "" value {
        tensor_representation { key: "user" value {
            dense_tensor { column_name: "user" shape { dim { size: 1 } } } } }
        tensor_representation { key: "tags" value { varlen_sparse_tensor { column_name: "tags" } } }
        tensor_representation { key: "tokens" value { ragged_tensor {
            row_partition_dtype: INT64 feature_path { step: "##SEQUENCE##" step: "token" } } } }
        tensor_representation { key: "weights" value { ragged_tensor {
            row_partition_dtype: INT64 feature_path { step: "##SEQUENCE##" step: "weight" } } } }
    } }
    """,
    schema_pb2.Schema(),
)
ROWS = 200


def record(number):
    """A message whose values are computed from its number. Feature lists may be missing or empty."""
    pb = tf.train
    integers = [
        pb.Feature(int64_list=pb.Int64List(value=range(number, number + step))) for step in range(number % 4)
    ]
    floats = [pb.Feature(float_list=pb.FloatList(value=[number / 2])) for _ in range(number % 3)]
    lists = {"token": pb.FeatureList(feature=integers)}
    if number % 5:
        lists["weight"] = pb.FeatureList(feature=floats)
    context = {"user": pb.Feature(int64_list=pb.Int64List(value=[number]))}
    if number % 7:
        context["tags"] = pb.Feature(bytes_list=pb.BytesList(value=[b"t"] * (number % 3)))
    made = pb.SequenceExample(
        context=pb.Features(feature=context), feature_lists=pb.FeatureLists(feature_list=lists)
    )
    return made.SerializeToString()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("sequences") / "rows.tfrecord.gz"
    with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
        for number in range(ROWS):
            writer.write(record(number))
    return str(path)


def pair(path, **options):
    options = {"schema": SCHEMA, **options}
    return [kind.TFSequenceExampleRecord(path, ["tests"], **options) for kind in (ours, theirs)]


def in_a_pipeline(folder, *transforms):
    """The batches of pyarrow that a pipeline of some transforms gives."""
    target = folder / "batches"

    def keep(batches):
        target.write_bytes(pickle.dumps(batches))

    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        made = pipeline
        for number, transform in enumerate(transforms):
            made |= str(number) >> transform
        util.assert_that(made, keep)
    return pickle.loads(target.read_bytes())


def rows(batches):
    return sorted((row for batch in batches for row in batch.to_pylist()), key=lambda row: row["user"])


@pytest.mark.parametrize("raw", [None, "raw"])
def test_schemas_and_batches_are_the_same(path, raw, tmp_path):
    mine, other = pair(path, raw_record_column_name=raw)
    assert mine.ArrowSchema().equals(other.ArrowSchema())
    assert mine.TensorRepresentations() == other.TensorRepresentations()
    assert mine.TensorAdapter().TypeSpecs() == other.TensorAdapter().TypeSpecs()
    found, expected = (in_a_pipeline(tmp_path, source.BeamSource(batch_size=50)) for source in (mine, other))
    assert all(batch.schema.equals(mine.ArrowSchema()) for batch in found)
    assert rows(found) == rows(expected)
    assert len(rows(found)) == ROWS
    # Outside a pipeline, tfx_bsl has no batches.
    options = ours.RecordBatchesOptions(64, num_epochs=1, shuffle=False)
    batches = list(mine.RecordBatches(options))
    assert [batch.num_rows for batch in batches] == [64, 64, 64, 8]
    assert rows(batches) == rows(expected)


@pytest.mark.parametrize("names", [["tokens"], ["user"], ["weights", "tags"]])
def test_projections_of_sequences_are_the_same(path, names):
    mine, other = (source.Project(names) for source in pair(path))
    assert mine.ArrowSchema().equals(other.ArrowSchema())
    assert mine.TensorRepresentations() == other.TensorRepresentations()
    assert mine.TensorAdapter().TypeSpecs() == other.TensorAdapter().TypeSpecs()
    options = ours.RecordBatchesOptions(ROWS, num_epochs=1, shuffle=False)
    [batch] = mine.RecordBatches(options)
    assert batch.schema.equals(mine.ArrowSchema())
    with pytest.raises(ValueError, match="Unable to project"):
        mine.Project(["nothing"])


def same(one, other):
    """Whether two tensors have the same values in the same places."""
    if isinstance(one, tf.SparseTensor):
        return same(one.indices, other.indices) and same(one.values, other.values)
    if isinstance(one, tf.RaggedTensor):
        return one.to_list() == other.to_list()
    return one.numpy().tolist() == other.numpy().tolist()


@pytest.mark.parametrize("label", [None, "user"])
def test_datasets_of_sequences_are_the_same(path, label):
    mine, other = pair(path)
    options = {"num_epochs": 1, "shuffle": False, "label_key": label}
    found = list(mine.TensorFlowDataset(ours.TensorFlowDatasetOptions(64, **options)))
    expected = list(other.TensorFlowDataset(theirs.TensorFlowDatasetOptions(64, **options)))
    assert len(found) == len(expected) == 4
    for one, another in zip(found, expected, strict=True):
        if label is not None:
            assert same(one[1], another[1])
            one, another = one[0], another[0]  # noqa: PLW2901 - the features of the pair
        assert one.keys() == another.keys()
        assert all(same(one[name], another[name]) for name in one)


def test_records_of_a_pipeline_have_the_columns_of_the_schema(path, tmp_path):
    records = [record(number) for number in range(20)]
    for schema in (SCHEMA, None):
        source = ours.TFSequenceExampleBeamRecord("queue", ["tests"], schema=schema)
        found = in_a_pipeline(tmp_path, beam.Create(records), source.BeamSource(5))
        assert [row["user"] for row in rows(found)] == [[number] for number in range(20)]
        assert all(batch.schema.names[-1] == SEQUENCE for batch in found)
    with pytest.raises(NotImplementedError, match="TFSequenceExampleBeamRecord cannot read files"):
        source.RecordBatches(ours.RecordBatchesOptions(5))
    with pytest.raises(ValueError, match="Schema is undefined"):
        source.ArrowSchema()
    # Files without a schema have the features of all records.
    [mine, _] = pair(path, schema=None)
    assert mine.ArrowSchema().names == ["tags", "user", SEQUENCE]


def test_integers_of_steps_have_all_bits(tmp_path):
    path = tmp_path / "large.tfrecord"
    steps = tf.train.FeatureList(
        feature=[tf.train.Feature(int64_list=tf.train.Int64List(value=[1 << 40, -(1 << 63)]))]
    )
    lists = tf.train.FeatureLists(feature_list={"token": steps})
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(tf.train.SequenceExample(feature_lists=lists).SerializeToString())
    [mine, _] = pair(str(path))
    [batch] = mine.RecordBatches(ours.RecordBatchesOptions(1, num_epochs=1))
    assert batch.column(SEQUENCE).to_pylist()[0]["token"] == [[1 << 40, -(1 << 63)]]
