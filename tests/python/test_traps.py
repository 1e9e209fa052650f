"""Mistakes that users make: an error with the way out, or what they expect."""

import gzip
import io

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features

FLOATS = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "price", "type": "float"},
        {"name": "other", "type": ["null", "float"]},
        {"name": "list", "type": {"type": "array", "items": "float"}},
        {
            "name": "part",
            "type": {"type": "record", "name": "P", "fields": [{"name": "x", "type": "double"}]},
        },
    ],
}
ROW = {"price": 0.1, "other": None, "list": [1, 0.1], "part": {"x": 1}}
NEAREST = 0.10000000149011612


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("traps") / "rows.avro"
    af.write_avro(pa.table({"id": range(300), "name": ["a"] * 300}), path)
    return path


@pytest.mark.parametrize("how", ["record_batches", "tensors"])
def test_a_closed_iterator_is_no_complete_one(path, how):
    batches = getattr(af.AvroDataset(path, columns=["id"]), how)(batch_size=100)
    next(batches)
    state = batches.state_dict()
    batches.close()
    for _ in range(2):
        with pytest.raises(ValueError, match="^expected an open iterator, found it closed$"):
            next(batches)
    assert batches.report()["rows"] == 100
    assert batches.state_dict() == state
    batches.load_state_dict(state)
    assert len(list(batches)) == 2
    assert list(batches) == []


class Stopping(af.ChunkSource):
    """A source whose second chunk raises `StopIteration`."""

    name, version, chunk_rows = "stopping", "1", [2, 2]
    arrow_schema = pa.schema({"id": pa.int64()})

    def read_chunk(self, number, columns):
        if number == 1:
            next(iter(()))
        return pa.table({"id": [1, 2]})


def test_stop_iteration_of_a_callback_is_an_error():
    batches = af.ChunkDataset([Stopping()]).record_batches(batch_size=2, threads=1)
    assert next(batches).num_rows == 2
    with pytest.raises(
        RuntimeError, match="^Python code that arrowfeed called raised StopIteration$"
    ) as caught:
        next(batches)
    assert isinstance(caught.value.__cause__, StopIteration)

    class File(io.BytesIO):
        def read(self, *_arguments):
            raise StopIteration

    with pytest.raises(RuntimeError, match="^Python code that arrowfeed called raised StopIteration$"):
        af.read_avro(File())


def test_datasets_and_iterators_are_no_sequences(path):
    dataset = af.AvroDataset(path)
    with pytest.raises(TypeError) as caught:
        len(dataset)
    assert str(caught.value) == (
        "a dataset has no length: num_rows is the number of rows, and num_batches(batch_size=...) that of "
        "batches; a DataLoader takes dataset.to_torch(...) or dataset.samples()"
    )
    assert dataset
    with pytest.raises(TypeError) as caught:
        dataset.tensors(batch_size=10)[0]
    assert str(caught.value) == (
        "an iterator has no batches by number: iterate over it, or pass dataset.to_torch(...) to a "
        "DataLoader, or dataset.samples() for rows by number"
    )


def test_other_names_have_hints(path):
    with pytest.raises(TypeError) as caught:
        af.read_avro(path, filter="id > 3")
    assert str(caught.value) == "read_avro() got an unexpected keyword argument 'filter': use where="
    with pytest.raises(AttributeError) as caught:
        features.normalized  # noqa: B018 - the access is the test
    assert str(caught.value) == (
        "module 'arrowfeed.features' has no attribute 'normalized': did you mean normalised?"
    )


def test_an_unknown_scheme_is_named():
    pytest.importorskip("fsspec")
    with pytest.raises(af.OptionError) as caught:
        af.read_avro("s4://user:secret@bucket/x.avro?secret")
    assert str(caught.value) == (
        "s4://bucket/x.avro: expected a URL of s3, gs, az, http, https, hdfs or another scheme of fsspec, "
        "found the scheme s4"
    )


def test_numbers_of_dicts_become_floats_of_the_schema(tmp_path):
    expected = {"price": NEAREST, "other": None, "list": [1.0, NEAREST], "part": {"x": 1.0}}
    infinite = {**expected, "price": float("inf")}
    rows = [ROW, {**ROW, "price": float("inf")}]
    path = tmp_path / "rows.avro"
    af.write_avro(rows, path, schema=FLOATS)
    af.write_avro(rows, path, append=True)
    assert af.read_avro(path).to_pyarrow().to_pylist() == 2 * [expected, infinite]
    with af.AvroWriter(path, schema=FLOATS) as writer:
        writer.write([ROW])
    assert af.read_avro(path).to_pyarrow().to_pylist() == [expected]
    [message] = af.encode_avro_records([ROW], FLOATS)
    decoded = af.AvroRecordDecoder(FLOATS).decode([message])
    assert pa.table(decoded).to_pylist() == [expected]


@pytest.mark.parametrize(
    ("column", "row"),
    [
        ("price", {**ROW, "price": 1e39}),
        ("other", {**ROW, "other": -1e300}),
        ("list", {**ROW, "list": [1e39]}),
    ],
)
def test_a_number_beyond_the_largest_float_is_an_error(column, row):
    found = "-1e+300" if column == "other" else "1e+39"
    with pytest.raises(af.ConversionError) as caught:
        af.write_avro([ROW, row], io.BytesIO(), schema=FLOATS)
    assert str(caught.value) == (
        f"batches: {column}: expected a number of at most 3.4028235e+38, the largest of the Avro type float, "
        f"found {found}"
    )
    assert caught.value.field == column
    # A column of an Arrow library is never rounded.
    with pytest.raises(af.SchemaError):
        af.write_avro(pa.Table.from_pylist([ROW]), io.BytesIO(), schema=FLOATS)


@pytest.mark.parametrize("end", ["cut", "damaged", "checksum"])
def test_a_damaged_vocabulary_is_an_error_with_its_path(tmp_path, end):
    data = gzip.compress("".join(f"token {number}\n" for number in range(1000)).encode())
    content = {
        "cut": data[:-5],
        "damaged": data[:200] + bytes(50) + data[250:],
        "checksum": data[:-8] + bytes(8),
    }
    path = tmp_path / "tokens.txt.gz"
    path.write_bytes(content[end])
    with pytest.raises(af.CodecError) as caught:
        features.vocabulary(path)
    expected = f"{path}: expected a whole file of gzip, found one that is cut or damaged: "
    assert str(caught.value).startswith(expected)
    assert caught.value.path == str(path)


def test_a_dataset_has_the_string_types_of_a_reader(path):
    for name in ("utf8", "large_utf8", "utf8_view"):
        dataset = af.AvroDataset(path, string_type=name, representations={})
        assert pa.schema(dataset.arrow_schema) == pa.schema(af.read_avro(path, string_type=name).schema)
        [tensors] = af.AvroDataset(path, string_type=name).tensors(batch_size=300)
        assert tensors["name"].values.tolist() == [b"a"] * 300


def test_a_table_of_iceberg_is_no_scan():
    iceberg = pytest.importorskip("arrowfeed.iceberg")

    class Table:
        def scan(self):
            raise NotImplementedError

    with pytest.raises(
        TypeError, match=r"^scan: expected a scan of a table, found a Table: pass table.scan\(\)$"
    ):
        iceberg.dataset(Table())
