"""A dataset knows its schema, tensors, rows and projection before any batch."""

import json
import pickle

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import Dense, VarLenSparse
from conftest import users, write
from dataset_files import all_ids, person

FEATURES = {
    "id": features.Dense([]),
    "name.last": features.Dense([], default=b"?"),
    "weight": features.Dense([], "float64", -1.0),
    "vector[*]": features.Dense([2]),
    "friends[*].name.first": features.Ragged(),
    "ages": features.VarLen("int32", key="friends[*].age"),
    "last friend": features.Dense([], default=b"none", key="friends[-1].name.first"),
    "counts['clicks']": features.FixedLenSequence([], "int32", 0, key="counts[*]"),
}
REPRESENTATIONS = {
    "id": Dense("id"),
    "vector": Dense("vector", [2]),
    "first": Dense("name.first"),
    "ages": VarLenSparse("friends.age"),
}


def six(dataset):
    """The tensors of the first six people."""
    return next(dataset.tensors(batch_size=6))


def test_features_are_tensors_of_keys(people):
    dataset = af.AvroDataset(people, features=FEATURES)
    assert dataset.tensor_representations == FEATURES
    assert list(dataset.specs) == list(FEATURES)
    tensors = six(dataset)
    assert list(tensors) == list(FEATURES)
    expected = [person(number) for number in range(6)]
    assert tensors["id"].values.tolist() == list(range(6))
    last = [(row["name"]["last"] or "?").encode() for row in expected]
    assert tensors["name.last"].values.tolist() == last
    weights = [-1.0 if row["weight"] is None else row["weight"] for row in expected]
    assert tensors["weight"].values.tolist() == weights
    assert tensors["vector[*]"].values.tolist() == [row["vector"] for row in expected]
    names = [[friend["name"]["first"].encode() for friend in row["friends"]] for row in expected]
    assert tensors["friends[*].name.first"].to_list() == names
    ages = [[row, place] for row in range(6) for place in range(row % 3)]
    assert tensors["ages"].indices.tolist() == ages
    assert tensors["ages"].values.tolist() == [n + 1 + place for n, place in ages]
    assert tensors["last friend"].values.tolist() == [row[-1] if row else b"none" for row in names]
    assert tensors["counts['clicks']"].values.tolist() == [[n % 7] for n in range(6)]


def test_features_read_only_the_columns_of_their_keys(people):
    dataset = af.AvroDataset(people, features={"f": features.Ragged(key="friends[*].name.first")})
    schema = pa.schema(dataset.arrow_schema)
    assert schema.names == ["friends"]
    friend = schema.field("friends").type.value_type
    assert [field.name for field in friend] == ["name"]
    assert [field.name for field in friend.field("name").type] == ["first"]


def test_representations_are_tensors_of_columns(people):
    dataset = af.AvroDataset(people, representations=REPRESENTATIONS)
    assert dataset.tensor_representations == REPRESENTATIONS
    assert pa.schema(dataset.arrow_schema).names == ["id", "vector", "name", "friends"]
    tensors = six(dataset)
    assert tensors["first"].values.tolist() == [f"first {n}".encode() for n in range(6)]
    assert tensors["ages"].values.tolist() == [n + 1 + place for n in range(6) for place in range(n % 3)]
    messages = {name: representation.to_proto() for name, representation in REPRESENTATIONS.items()}
    assert af.AvroDataset(people, representations=messages).tensor_representations == REPRESENTATIONS


def test_without_either_representations_are_inferred(people):
    dataset = af.AvroDataset(people, columns=["id", "vector"])
    inferred = af.infer_representations(dataset.arrow_schema)
    assert dataset.tensor_representations == inferred
    assert list(inferred) == list(dataset.specs) == ["id", "vector"]
    assert six(dataset)["id"].values.tolist() == list(range(6))


def test_columns_are_read_beside_those_of_tensors(people):
    columns = ["weight", "id", "name.last"]
    dataset = af.AvroDataset(people, columns=columns, representations={"id": Dense("id")})
    batch = pa.record_batch(next(dataset.record_batches(batch_size=6)))
    assert batch.schema == pa.schema(dataset.arrow_schema)
    expected = [person(number) for number in range(6)]
    assert batch.to_pylist() == [
        {"weight": row["weight"], "id": row["id"], "name": {"last": row["name"]["last"]}} for row in expected
    ]
    assert list(six(dataset)) == ["id"]


def test_record_batches_have_the_columns_of_read_avro(people):
    dataset = af.AvroDataset(people, columns=["id", "friends", "counts"])
    batches = dataset.record_batches(batch_size=300)
    whole = pa.Table.from_batches([pa.record_batch(batch) for batch in batches])
    assert whole == pa.table(af.read_avro(people, columns=["id", "friends", "counts"])).combine_chunks()


@pytest.mark.parametrize("encoding", ["native", "feature", "tfx"])
def test_the_encoding_is_that_of_read_avro(people, encoding):
    dataset = af.AvroDataset(people, columns=["id", "vector", "paid"], encoding=encoding)
    with af.read_avro(people, columns=["id", "vector", "paid"], encoding=encoding) as reader:
        assert dataset.arrow_schema == reader.schema
        assert pa.record_batch(next(dataset.record_batches(batch_size=110))) == pa.record_batch(next(reader))


OLD = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}]}
NEW = {
    "type": "record",
    "name": "R",
    "fields": [{"name": "id", "type": "long"}, {"name": "extra", "type": "string", "default": "none"}],
}


@pytest.mark.parametrize("encoding", ["native", "feature", "tfx"])
def test_tensors_of_the_entries_of_maps_are_inferred(people, encoding):
    dataset = af.AvroDataset(people, encoding=encoding)
    assert list(dataset.specs)[-2:] == ["counts.key", "counts.value"]
    projected = dataset.project(["counts.value"])
    assert pa.schema(projected.arrow_schema).names == ["counts"]
    counts = six(projected)["counts.value"]
    assert counts.flat_values.ravel().tolist() == list(range(6))


def test_a_reader_schema_makes_one_dataset_of_files_of_two(tmp_path):
    write(tmp_path / "a.avro", [{"id": n} for n in range(5)], OLD)
    write(tmp_path / "b.avro", [{"id": n, "extra": str(n)} for n in range(5, 9)], NEW)
    for schema in (NEW, af.avro_schema(tmp_path / "b.avro")):
        dataset = af.AvroDataset(tmp_path, reader_schema=schema)
        [batch] = map(pa.record_batch, dataset.record_batches(batch_size=100))
        assert batch.to_pydict() == {
            "id": list(range(9)),
            "extra": ["none"] * 5 + [str(n) for n in range(5, 9)],
        }
    wanted = {"extra": features.Dense([])}
    dataset = af.AvroDataset(tmp_path, reader_schema=NEW, features=wanted)
    assert next(dataset.tensors(batch_size=9))["extra"].values.tolist() == [b"none"] * 5 + [
        str(n).encode() for n in range(5, 9)
    ]
    batches = af.AvroDataset(tmp_path).record_batches(batch_size=5)
    next(batches)
    with pytest.raises(af.SchemaError) as caught:
        next(batches)
    assert str(caught.value) == (
        f"{tmp_path}/b.avro: expected the columns of {tmp_path}/a.avro: "
        'column "id" to be Int32, found "id" as Int64; '
        "set `reader_schema`, or merge the schemas of the files, to read both"
    )


def test_rows_are_those_of_the_blocks_heads(people, tmp_path):
    assert af.AvroDataset(people).num_rows == 300
    path = write(tmp_path / "a.avro", users(50), sync_interval=200)
    data = bytearray(path.read_bytes())
    data[-100:-17] = bytes(83)
    path.write_bytes(data)
    dataset = af.AvroDataset(path)
    assert dataset.num_rows == 50
    path.write_bytes(data[:-1])
    with pytest.raises(af.TruncatedError):
        _ = af.AvroDataset(path).num_rows


def test_the_fingerprint_is_of_files_and_columns(people, tmp_path):
    dataset = af.AvroDataset(people)
    assert len(dataset.fingerprint) == 16
    int(dataset.fingerprint, 16)
    assert af.AvroDataset(people).fingerprint == dataset.fingerprint
    others = [people[:3], people[::-1], [*people, people[0]], write(tmp_path / "a.avro", users(1))]
    prints = [af.AvroDataset(source).fingerprint for source in others]
    prints += [dataset.fingerprint, af.AvroDataset(people, columns=["id"]).fingerprint]
    assert len(set(prints)) == 6


def test_a_projection_has_some_tensors_and_the_same_rows(people):
    dataset = af.AvroDataset(people, features=FEATURES)
    names = ["weight", "id"]
    projected = dataset.project(names)
    assert list(projected.specs) == list(projected.tensor_representations) == names
    assert all(projected.specs[name] == dataset.specs[name] for name in names)
    assert pa.schema(projected.arrow_schema).names == names
    options = {"batch_size": 40, "shuffle_buffer_size": 60, "seed": 3}
    assert all_ids(projected.tensors(**options)) == all_ids(dataset.tensors(**options))
    assert list(dataset.specs) == list(FEATURES)
    twice = projected.project(("id",))
    assert list(twice.specs) == ["id"]
    with pytest.raises(af.RepresentationError) as caught:
        projected.project(["id", "ages"])
    assert str(caught.value) == 'expected the name of a tensor, one of ["weight", "id"], found "ages"'
    with pytest.raises(TypeError) as caught:
        dataset.project("id")
    assert str(caught.value) == "names: expected a list or tuple of names of tensors (str), found str 'id'"


def test_the_adapter_makes_the_tensors_of_the_batches(people):
    dataset = af.AvroDataset(people, representations=REPRESENTATIONS)
    adapter = dataset.tensor_adapter()
    assert adapter.specs == dataset.specs
    made = [adapter.convert(batch) for batch in dataset.record_batches(batch_size=128)]
    given = list(dataset.tensors(batch_size=128))
    assert len(made) == len(given) == 3
    for ours, theirs in zip(made, given, strict=True):
        assert np.array_equal(ours["vector"].values, theirs["vector"].values)
        assert np.array_equal(ours["ages"].indices, theirs["ages"].indices)


def test_the_classes_can_be_named_in_annotations():
    assert af.BatchIterator[af.RecordBatch].__args__ == (af.RecordBatch,)
    for made in (af.AvroDataset, af.BatchIterator):
        assert (made.__module__, made.__doc__ is not None) == ("arrowfeed", True)


def test_explain_says_what_is_read_and_shared(people):
    dataset = af.AvroDataset(people, representations={"v": Dense("vector", [2])})
    assert dataset.explain() == ("4 files, columns: vector\nv: dense float32 [?, 2]\n  values: shared")
    assert repr(dataset) == "<arrowfeed.AvroDataset of 1 tensor>\n  v: dense float32 [?, 2]"


def test_arguments_may_change_afterwards(people):
    wanted, columns = dict(FEATURES), ["id", "weight"]
    dataset = af.AvroDataset(people, features=wanted)
    of_columns = af.AvroDataset(people, columns=columns)
    of_generator = af.AvroDataset(people, columns=(name for name in columns))
    of_schema = af.AvroDataset(people, reader_schema=(schema := json.loads(af.avro_schema(people[0]).json)))
    wanted.clear()
    columns.clear()
    schema["fields"].clear()
    assert dataset.tensor_representations == FEATURES
    for made, names in ((of_columns, ["id", "weight"]), (of_generator, ["id", "weight"])):
        assert pa.schema(pickle.loads(pickle.dumps(made)).arrow_schema).names == names
    assert pickle.loads(pickle.dumps(of_schema)).arrow_schema == of_schema.arrow_schema
