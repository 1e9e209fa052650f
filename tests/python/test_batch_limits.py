"""Shared values (reader defaults, enum symbols) count towards `batch_bytes` once per row."""

import json

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import Dense, VarLenRagged, VarLenSparse
from conftest import write

MEBIBYTE = 1 << 20


def record(*fields):
    return {"type": "record", "name": "R", "fields": list(fields)}


def field(name, kind, **more):
    return {"name": name, "type": kind, **more}


def batches(path, **options):
    return [pa.record_batch(batch) for batch in af.read_avro(path, **options)]


@pytest.fixture
def numbers(tmp_path):
    return write(tmp_path / "numbers.avro", [{"i": i} for i in range(10_000)], record(field("i", "long")))


DEFAULTS = {
    "text": ("string", "x" * 1000),
    "list": ({"type": "array", "items": "long"}, [1] * 120),
    "map": ({"type": "map", "values": "long"}, {f"{i:040}": i for i in range(20)}),
    "nulls": ({"type": "array", "items": "null"}, [None] * 1000),
    "record": (record(field("a", "string")) | {"name": "D"}, {"a": "x" * 1000}),
    "union": (["string", "long", "null"], "x" * 1000),
}


@pytest.mark.parametrize("encoding", ["native", "feature", "tfx"])
@pytest.mark.parametrize("default", DEFAULTS)
def test_a_batch_is_cut_before_its_defaults_are_too_large(numbers, default, encoding):
    if default == "union" and encoding != "native":
        pytest.skip("unions are refused")
    kind, value = DEFAULTS[default]
    schema = json.dumps(record(field("i", "long"), field("d", kind, default=value)))
    options = {"reader_schema": schema, "encoding": encoding, "batch_size": 10_000}
    found = batches(numbers, max_batch_bytes=MEBIBYTE, **options)
    assert len(found) > 8
    assert max(batch.num_rows for batch in found) < 1200
    assert pa.Table.from_batches(found).equals(
        pa.Table.from_batches(batches(numbers, **options)).combine_chunks()
    )
    assert (
        pa.Table.from_batches(batches(numbers, max_batch_bytes=MEBIBYTE, threads=2, **options)).num_rows
        == 10_000
    )


def test_defaults_in_items_count_with_their_array(tmp_path):
    item = record(field("i", "long")) | {"name": "I"}
    rows = [{"a": [{"i": i} for i in range(100)]} for _ in range(100)]
    path = write(tmp_path / "items.avro", rows, record(field("a", {"type": "array", "items": item})))
    new = record(field("i", "long"), field("d", "string", default="x" * 1000)) | {"name": "I"}
    schema = json.dumps(record(field("a", {"type": "array", "items": new})))
    assert [batch.num_rows for batch in batches(path, reader_schema=schema, max_batch_bytes=MEBIBYTE)] == [
        10
    ] * 10
    with pytest.raises(af.LimitError) as caught:
        batches(path, reader_schema=schema, limits=af.Limits(batch_bytes=50_000))
    assert (caught.value.limit, caught.value.block) == ("batch_bytes", 0)
    assert str(caught.value).endswith("a record is over the limit batch_bytes of 50,000")


@pytest.fixture
def symbols(tmp_path):
    enum = {"type": "enum", "name": "E", "symbols": ["S" * 100_000, "T"]}
    schema = record(field("e", enum), field("n", ["null", "E"]), field("i", "long"))
    rows = [{"e": "S" * 100_000, "n": None, "i": i} for i in range(4096)]
    return write(tmp_path / "symbols.avro", rows, schema, "deflate")


def test_symbols_that_tfx_writes_out_count_for_each_row(symbols):
    found = [
        batch.num_rows
        for batch in batches(symbols, encoding="tfx", max_batch_bytes=4 * MEBIBYTE, columns=["e", "i"])
    ]
    assert (sum(found), max(found)) == (4096, 41)
    assert [batch.num_rows for batch in batches(symbols, batch_size=4096)] == [4096]


LIMIT = (
    "expected at most 1048576 bytes of copied values (the limit batch_bytes), "
    "found more: convert fewer rows at a time"
)


def refused(convert, place):
    with pytest.raises(af.LimitError) as caught:
        convert()
    assert (str(caught.value), caught.value.limit) == (f"{place}: {LIMIT}", "batch_bytes")


@pytest.mark.parametrize("make", [Dense, VarLenSparse, VarLenRagged])
def test_symbols_of_tensors_count_for_each_row(symbols, make):
    batch = batches(symbols, batch_size=4096)[0]
    adapter = af.TensorAdapter(batch.schema, {"e": make("e")}, limits=af.Limits(batch_bytes=MEBIBYTE))
    refused(lambda: adapter.convert(batch), 'tensor "e", column "e"')
    assert (
        len(
            adapter.convert(batch.slice(0, 10))["e"].values
            if make is not VarLenRagged
            else adapter.convert(batch.slice(0, 10))["e"].flat_values
        )
        == 10
    )


def test_symbols_of_features_count_for_each_row(symbols):
    batch = batches(symbols, batch_size=4096)[0]
    limits = af.Limits(batch_bytes=MEBIBYTE)
    adapter = af.TensorAdapter.from_features(batch.schema, {"e": features.Dense([])}, limits=limits)
    refused(lambda: adapter.convert(batch), 'key "e"')
    assert len(adapter.convert(batch.slice(0, 10))["e"].values) == 10


def test_symbols_of_a_dataset_count_for_each_row(symbols):
    limits = af.Limits(batch_bytes=MEBIBYTE)
    for tensors in ({"representations": {"e": Dense("e")}}, {"features": {"e": features.Dense([])}}):
        dataset = af.AvroDataset(symbols, limits=limits, **tensors)
        with pytest.raises(af.LimitError) as caught:
            next(dataset.tensors(batch_size=4096, threads=1))
        assert caught.value.limit == "batch_bytes"
        assert len(next(dataset.tensors(batch_size=10, threads=1))["e"].values) == 10


def test_values_that_occur_once_are_not_limited():
    names = pa.array([f"{i:01000}" for i in range(3000)])

    def convert(indices):
        batch = pa.record_batch({"e": pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), names)})
        limits = af.Limits(batch_bytes=MEBIBYTE)
        return af.TensorAdapter(batch.schema, {"e": Dense("e")}, limits=limits).convert(batch)["e"]

    assert len(convert(range(3000)).values) == 3000
    with pytest.raises(af.LimitError) as caught:
        convert([*range(3000), 0])
    assert str(caught.value) == f'tensor "e", column "e": {LIMIT.replace("1048576", "3000000")}'


def varlong(number):
    number = (number << 1) ^ (number >> 63)
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def test_lists_of_more_items_than_offsets_reach_cannot_be_joined(tmp_path):
    path = write(tmp_path / "nulls.avro", [], record(field("a", {"type": "array", "items": "null"})))
    header = path.read_bytes()
    rows = (varlong(9_000_000) + b"\0") * 250
    path.write_bytes(header + varlong(250) + varlong(len(rows)) + rows + header[-16:])
    dataset = af.AvroDataset(path, columns=["a"], representations={})
    assert next(dataset.record_batches(batch_size=230, threads=1)).num_rows == 230
    with pytest.raises(af.LimitError) as caught:
        next(dataset.record_batches(batch_size=250, threads=1))
    expected = (
        "expected 250 rows to fit into one batch, found more than a column can hold: use a smaller batch_size"
    )
    assert (str(caught.value), caught.value.limit) == (expected, "batch_bytes")
