"""`AvroRecord` and tfx_bsl's `TFExampleRecord` return equal results for the same rows."""

import io

import fastavro
import pytest
from avro_record_cases import AVRO, ROWS, SCHEMA, all_same, example, pair
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.public import tfxio as theirs
from tfx_bsl.tfxio import tensor_representation_util

from arrowfeed import tfxio as ours

IN_ORDER = {"num_epochs": 1, "shuffle": False}


def batches(source: object, module: object, batch_size: int = 7, **options: object) -> list:
    """The record batches of a source."""
    return list(source.RecordBatches(module.RecordBatchesOptions(batch_size, **{**IN_ORDER, **options})))


def test_schemas_are_the_same(tmp_path):
    mine, other, _ = pair(tmp_path)
    assert mine.ArrowSchema().equals(other.ArrowSchema(), check_metadata=True)
    assert mine.TensorRepresentations() == other.TensorRepresentations()
    assert mine.TensorAdapter().TypeSpecs() == other.TensorAdapter().TypeSpecs()


def test_a_feature_that_is_declared_twice_is_the_first_one(tmp_path):
    schema = schema_pb2.Schema()
    for kind in (schema_pb2.INT, schema_pb2.BYTES):
        schema.feature.add(name="id", type=kind)
    mine, other, _ = pair(tmp_path, schema)
    assert mine.ArrowSchema().equals(other.ArrowSchema())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 1000},
        {"drop_final_batch": True},
        {"num_epochs": 3},
        {"num_epochs": 3, "drop_final_batch": True},
    ],
)
def test_record_batches_are_the_same(tmp_path, options):
    mine, other, _ = pair(tmp_path)
    found, expected = batches(mine, ours, **options), batches(other, theirs, **options)
    assert len(found) == len(expected)
    for one, another in zip(found, expected, strict=True):
        assert one.equals(another)
        one.validate(full=True)


def test_without_an_end_all_batches_are_full(tmp_path):
    mine, other, _ = pair(tmp_path)
    for source, module in ((mine, ours), (other, theirs)):
        endless = source.RecordBatches(module.RecordBatchesOptions(7, shuffle=False))
        found = [next(endless) for _ in range(20)]
        ids = [number for batch in found for number in batch.column("id").flatten().to_pylist()]
        assert ids == [number % ROWS for number in range(140)]


def test_tensors_of_batches_are_the_same(tmp_path):
    mine, other, _ = pair(tmp_path)
    adapters = mine.TensorAdapter(), other.TensorAdapter()
    for one, another in zip(batches(mine, ours), batches(other, theirs), strict=True):
        all_same(
            *(adapter.ToBatchTensors(batch) for adapter, batch in zip(adapters, (one, another), strict=True))
        )


@pytest.mark.parametrize(
    "names", [["id"], ["words", "weight"], ["sparse", "box"], ["pairs"], ["counts", "id", "id"]]
)
def test_projections_are_the_same(tmp_path, names):
    mine, other, _ = pair(tmp_path)
    # If a schema declares some representations, tfx_bsl projects only these, so all are declared.
    other = whole(other, tmp_path)
    one, another = mine.Project(names), other.Project(names)
    assert one.ArrowSchema().equals(another.ArrowSchema())
    assert one.TensorRepresentations() == another.TensorRepresentations()
    assert one.TensorAdapter().TypeSpecs() == another.TensorAdapter().TypeSpecs()
    assert one.TensorAdapter().OriginalTypeSpecs() == another.TensorAdapter().OriginalTypeSpecs()
    assert batches(one, ours)[0].equals(batches(another, theirs)[0])
    again = one.Project(names[:1])
    assert again.origin is mine
    assert list(again.TensorRepresentations()) == names[:1]


def whole(source: theirs.TFExampleRecord, folder: object) -> theirs.TFExampleRecord:
    """The source with all its representations declared."""
    schema = type(SCHEMA).FromString(SCHEMA.SerializeToString())
    tensor_representation_util.SetTensorRepresentationsInSchema(schema, source.TensorRepresentations())
    return theirs.TFExampleRecord(str(folder / "x.tfrecord"), schema=schema)


def test_unknown_tensors_are_refused_with_the_same_words(tmp_path):
    mine, other, _ = pair(tmp_path)
    with pytest.raises(ValueError, match="Unable to project") as expected:
        other.Project(["nobody", "pairs"])
    with pytest.raises(ValueError, match="Unable to project") as found:
        mine.Project(["nobody", "pairs"])
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize(
    "options",
    [
        {**IN_ORDER},
        {**IN_ORDER, "label_key": "id"},
        {**IN_ORDER, "drop_final_batch": True},
        {**IN_ORDER, "num_epochs": 2},
        {"num_epochs": None, "shuffle": False},
    ],
    ids=str,
)
def test_datasets_are_the_same(tmp_path, options):
    mine, other, _ = pair(tmp_path)
    found = mine.TensorFlowDataset(ours.TensorFlowDatasetOptions(7, **options))
    expected = other.TensorFlowDataset(theirs.TensorFlowDatasetOptions(7, **options))
    one, another = list(found.take(25)), list(expected.take(25))
    assert len(one) == len(another)
    for mine_, other_ in zip(one, another, strict=True):
        if "label_key" in options:
            all_same(mine_[0], other_[0])
            all_same({"": mine_[1]}, {"": other_[1]})
        else:
            all_same(mine_, other_)
    specs, others = found.element_spec, expected.element_spec
    if "label_key" in options:
        assert specs[1] == others[1]
        specs, others = specs[0], others[0]
    assert {name: spec.shape[0] for name, spec in specs.items()} == {
        name: spec.shape[0] for name, spec in others.items()
    }
    assert {name: spec.dtype for name, spec in specs.items()} == {
        name: spec.dtype for name, spec in others.items()
    }


def test_a_label_that_is_no_tensor_is_refused_with_the_same_words(tmp_path):
    mine, other, _ = pair(tmp_path)
    texts = []
    for source, module in ((mine, ours), (other, theirs)):
        with pytest.raises(ValueError, match="label_key") as caught:
            source.TensorFlowDataset(module.TensorFlowDatasetOptions(7, label_key="nobody"))
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_a_shuffle_has_every_row_once_in_each_epoch(tmp_path):
    mine, _, _ = pair(tmp_path)
    options = ours.TensorFlowDatasetOptions(7, num_epochs=1, shuffle_seed=-3)
    dataset = mine.TensorFlowDataset(options)
    first, second = ([n for batch in dataset for n in batch["id"].numpy().tolist()] for _ in range(2))
    again = [n for batch in mine.TensorFlowDataset(options) for n in batch["id"].numpy().tolist()]
    assert sorted(first) == sorted(second) == list(range(ROWS))
    assert first != list(range(ROWS))
    assert first != second
    assert first == again


@pytest.mark.parametrize("shuffle", [False, True])
def test_raw_records_are_beside_their_rows(tmp_path, shuffle):
    mine, other, rows = pair(tmp_path, raw_record_column_name="raw")
    assert mine.ArrowSchema().equals(other.ArrowSchema())
    found = batches(mine, ours, shuffle=shuffle)
    assert sum(batch.num_rows for batch in found) == ROWS
    for batch in found:
        assert batch.schema.equals(mine.ArrowSchema())
        for number, (raw,) in zip(
            batch.column("id").flatten().to_pylist(), batch.column("raw").to_pylist(), strict=True
        ):
            assert fastavro.schemaless_reader(io.BytesIO(raw), AVRO, None) == rows[number]
    assert [raw for batch in batches(other, theirs) for (raw,) in batch.column("raw").to_pylist()] == [
        example(row) for row in rows
    ]


def test_a_raw_record_column_that_collides_is_refused_with_the_same_words(tmp_path):
    mine, other, _ = pair(tmp_path, raw_record_column_name="id")
    with pytest.raises(ValueError, match="collided") as expected:
        other.ArrowSchema()
    with pytest.raises(ValueError, match="collided") as found:
        mine.ArrowSchema()
    assert str(found.value) == str(expected.value)


def test_options_have_the_same_fields_and_defaults():
    for name in ("RecordBatchesOptions", "TensorFlowDatasetOptions"):
        assert getattr(ours, name)(5)._asdict() == getattr(theirs, name)(5)._asdict()


def test_both_are_of_one_class(tmp_path):
    mine, _, _ = pair(tmp_path)
    assert isinstance(mine, theirs.TFXIO)
    assert isinstance(mine.Project(["id"]), theirs.TFXIO)
    assert isinstance(mine.TensorAdapterConfig(), theirs.TensorAdapterConfig)
