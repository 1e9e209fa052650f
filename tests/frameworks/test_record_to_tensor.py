"""Records that a saved decoder converts have the batches and tensors of tfx_bsl's sources."""

import apache_beam as beam
import pyarrow as pa
import pytest
import tensorflow as tf
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from tfx_bsl.tfxio import record_to_tensor_tfxio as theirs

import arrowfeed as af
from arrowfeed import tfxio

RECORDS = [b",".join(b"%d" % number for number in range(row % 4)) for row in range(50)]
IN_ORDER = {"num_epochs": 1, "shuffle": False}


class Numbers(tfxio.TFGraphRecordDecoder):
    """One row for each record, with a tensor of each kind."""

    def decode_record(self, records):
        words = tf.strings.split(records, ",")
        sparse = words.to_sparse()
        depth = tf.sparse.expand_dims(sparse, 2)
        return {
            "length": tf.strings.length(records),
            "pair": tf.stack([records, records], axis=1),
            "words": words,
            "narrow": words.with_row_splits_dtype(tf.int32),
            "sparse": sparse,
            "deep": tf.SparseTensor(depth.indices, depth.values, depth.dense_shape),
        }


class Words(tfxio.TFGraphRecordDecoder):
    """A row for each word, so records have no rows, or several."""

    def decode_record(self, records):
        words = tf.strings.split(records, ",")
        rows = tf.cast(words.value_rowids(), tf.int64)
        return {
            "word": words.flat_values,
            "record": tf.RaggedTensor.from_row_lengths(rows, tf.ones_like(rows)),
        }

    @property
    def record_index_tensor_name(self):
        return "record"


DECODERS = {"numbers": Numbers(), "words": Words()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("decoders")
    for name, decoder in DECODERS.items():
        decoder.save(str(made / name))
    with tf.io.TFRecordWriter(str(made / "records.tfrecord")) as file:
        for record in RECORDS:
            file.write(record)
    return made


def sources(folder, name, **options):
    """Our source of the files, and that of tfx_bsl."""
    arguments = (str(folder / "records.tfrecord"), str(folder / name), ["test"])
    modules = (tfxio, theirs)
    return [module.TFRecordToTensorTFXIO(*arguments, **options) for module in modules]


def representations(source):
    """Representations by name. A message may have an empty shape, or none."""
    found = source.TensorRepresentations().items()
    return {name: af.Representation.from_proto(one.SerializeToString()) for name, one in found}


COLLECTED = []


def collect(batch):
    COLLECTED.append(batch)


def batches_of(*transforms, given=None):
    """The batches of a pipeline that runs in this process, as one table with sorted rows."""
    COLLECTED.clear()
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        batches = pipeline if given is None else pipeline | beam.Create(given)
        for number, transform in enumerate(transforms):
            batches = batches | str(number) >> transform
        batches | beam.Map(collect)
    table = pa.Table.from_batches(COLLECTED)
    return table.schema, sorted(map(repr, table.to_pylist()))


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("raw", [None, "raw"])
def test_columns_and_tensors_are_those_of_tfx_bsl(folder, name, raw):
    ours, original = sources(folder, name, raw_record_column_name=raw)
    assert ours.ArrowSchema() == original.ArrowSchema()
    assert representations(ours) == representations(original)
    assert ours.TensorAdapter().TypeSpecs() == original.TensorAdapter().TypeSpecs()
    assert ours.raw_record_column_name == raw
    assert ours.telemetry_descriptors == ["test"]


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("raw", [None, "raw"])
def test_batches_are_those_of_tfx_bsl(folder, name, raw):
    ours, original = sources(folder, name, raw_record_column_name=raw)
    expected = batches_of(original.BeamSource(16))
    assert len(expected[1]) == (50 if name == "numbers" else sum(max(row % 4, 1) for row in range(50)))
    assert batches_of(ours.BeamSource(16)) == expected
    assert batches_of(ours.RawRecordBeamSource(), ours.RawRecordToRecordBatch(16)) == expected
    options = tfxio.RecordBatchesOptions(16, **IN_ORDER)
    table = pa.Table.from_batches(ours.RecordBatches(options))
    assert (table.schema, sorted(map(repr, table.to_pylist()))) == expected
    records = tfxio.BeamRecordToTensorTFXIO(str(folder / name), ["test"], "kafka", raw)
    assert batches_of(records.BeamSource(16), given=RECORDS) == expected


@pytest.mark.parametrize("name", DECODERS)
def test_tensors_are_those_of_tfx_bsl(folder, name):
    ours, original = sources(folder, name)
    options = tfxio.TensorFlowDatasetOptions(16, **IN_ORDER)
    datasets = [source.TensorFlowDataset(options) for source in (ours, original)]
    assert datasets[0].element_spec == datasets[1].element_spec
    both = [[values(tensors) for tensors in dataset] for dataset in datasets]
    assert both[0] == both[1]
    adapter = ours.TensorAdapter()
    batches = ours.RecordBatches(tfxio.RecordBatchesOptions(16, **IN_ORDER))
    assert [values(adapter.ToBatchTensors(batch)) for batch in batches] == both[0]


def values(tensors):
    return {name: value_of(tensor) for name, tensor in tensors.items()}


def value_of(tensor):
    if isinstance(tensor, tf.RaggedTensor):
        return tensor.to_list()
    if isinstance(tensor, tf.SparseTensor):
        return tensor.indices.numpy().tolist(), tensor.values.numpy().tolist()
    return tensor.numpy().tolist()


def test_a_label_and_a_projection(folder):
    ours, original = (source.Project(["length", "words"]) for source in sources(folder, "numbers"))
    assert representations(ours) == representations(original)
    assert ours.TensorAdapter().OriginalTypeSpecs() == original.TensorAdapter().OriginalTypeSpecs()
    dataset = ours.TensorFlowDataset(tfxio.TensorFlowDatasetOptions(50, **IN_ORDER, label_key="length"))
    ((tensors, label),) = dataset
    assert label.numpy().tolist() == [len(record) for record in RECORDS]
    assert tensors["words"].to_list() == [record.split(b",") for record in RECORDS]
    assert list(tensors) == ["words"]


def test_the_function_of_the_decoder(folder):
    for source in sources(folder, "numbers"):
        assert source.DecodeFunction()(tf.constant([b"a", b"bc"]))["length"].numpy().tolist() == [1, 2]


def error_of(call):
    with pytest.raises((AssertionError, ValueError)) as error:
        call()
    return type(error.value), str(error.value)


def test_a_column_of_records_with_the_name_of_another_is_the_error_of_tfx_bsl(folder):
    calls = [
        lambda module=module: module.BeamRecordToTensorTFXIO(str(folder / "numbers"), ["a"], "kafka", "pair")
        for module in (tfxio, theirs)
    ]
    expected = "raw record column name: pair collided with an existing column."
    assert [error_of(call) for call in calls] == [(ValueError, expected)] * 2


def test_a_dense_tensor_of_record_indices_is_an_error(tmp_path):
    class Dense(tfxio.TFGraphRecordDecoder):
        record_index_tensor_name = "index"

        def decode_record(self, records):
            return {"index": tf.range(tf.size(records, tf.int64))}

    Dense().save(str(tmp_path))
    kind, text = error_of(lambda: tfxio.BeamRecordToTensorTFXIO(str(tmp_path), None, "kafka", None))
    expected = (
        "The record index tensor must be a RaggedTensor or a VarLenSparseTensor, but got: Dense('index')"
    )
    assert (kind, text) == (ValueError, expected)
    kind, _ = error_of(lambda: theirs.BeamRecordToTensorTFXIO(str(tmp_path), ["a"], "kafka", None))
    assert kind is ValueError


def test_rows_without_a_known_record_are_errors(tmp_path):
    class Twice(tfxio.TFGraphRecordDecoder):
        def decode_record(self, records):
            return {"record": tf.concat([records, records], axis=0)}

    Twice().save(str(tmp_path))
    source = tfxio.BeamRecordToTensorTFXIO(str(tmp_path), ["test"], "kafka", "raw")
    decode = source._decoder()
    kind, text = error_of(lambda: list(decode([b"a", b"b"])))
    assert (kind, text) == (AssertionError, "num_rows: 4 vs len raw_records: 2")


def test_the_time_to_load_the_decoder_is_a_metric(folder):
    ours, original = sources(folder, "numbers")
    found = [metric_names(source.BeamSource()) for source in (ours, original)]
    assert found[0] == found[1] - {("tfx.test.io", RAW_SIZE)}
    assert ("tfx.test", "record_to_tensor_tfxio_decoder_load_seconds") in found[0]


RAW_SIZE = "LogicalFormat[tensor]-PhysicalFormat[tfrecords_gzip]-raw_record_byte_size"


def metric_names(transform):
    pipeline = beam.Pipeline(runner=FnApiRunner())
    pipeline | transform
    result = pipeline.run()
    result.wait_until_finish()
    queried = result.metrics().query()
    keys = {one.key.metric for one in queried["counters"] + queried["distributions"]}
    # tfx_bsl samples the others.
    sampled = ("num_columns", "num_feature_values")
    return {
        (key.namespace, key.name)
        for key in keys
        if key.namespace.startswith("tfx.") and not any(name in key.name for name in sampled)
    }
