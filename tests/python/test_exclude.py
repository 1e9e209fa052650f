"""`exclude=` leaves columns out in every function that reads."""

import io
import itertools
import json
import pickle
import random

import fastavro
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed._engines.splits import SplitSource
from arrowfeed._formats import FORMATS
from random_avro import Generator
from session_seed import seeds

ROWS = pa.table({"id": [1, 2], "s.t": [3, 4], "name": ["a", "b"]})
NAMES = ["id", "s.t", "name"]


class Rows(af.ChunkSource):
    """A source of `ROWS`."""

    arrow_schema = ROWS.schema
    chunk_rows = (2,)

    def read_chunk(self, number, columns):
        return ROWS.select(columns).to_batches()[0]


def written(kind):
    """The bytes of a file with `ROWS`."""
    out = io.BytesIO()
    if kind == "avro":
        # The names of Avro have no dots, so the reader names the columns.
        plain = ROWS.rename_columns(["id", "t", "name"])
        af.write_avro(plain, out)
    elif kind == "parquet":
        pq.write_table(ROWS, out)
    elif kind == "arrow":
        with pa.ipc.new_file(out, ROWS.schema) as writer:
            writer.write_table(ROWS)
    elif kind == "jsonl":
        out.write("".join(json.dumps(row) + "\n" for row in ROWS.to_pylist()).encode())
    elif kind == "csv":
        out.write(b"id,s.t,name\n1,3,a\n2,4,b\n")
    else:
        out.write(af.encode_tfrecord(af.encode_examples(ROWS)))
    return out.getvalue()


KINDS = {
    "avro": (af.AvroDataset, af.read_avro, ["id", "t", "name"]),
    "parquet": (af.ParquetDataset, af.read_parquet, NAMES),
    "arrow": (af.ArrowDataset, af.read_arrow_ipc, NAMES),
    "jsonl": (af.JsonLinesDataset, af.read_json_lines, sorted(NAMES)),
    "csv": (af.CsvDataset, af.read_csv, NAMES),
    "tfrecord": (af.ExampleDataset, af.read_tfrecord, sorted(NAMES)),
}


def names_of(schema):
    return pa.schema(schema).names


def read(kind, source, **options):
    """The names of the columns of both the dataset and the reader, which are the same."""
    dataset, function, _ = KINDS[kind]
    opened = dataset(source, **options)
    batches = list(opened.record_batches(batch_size=2))
    with function(source, **options) as reader:
        rows = pa.table(reader)
    assert rows.num_rows == sum(batch.num_rows for batch in batches) == 2
    assert rows.column_names == names_of(opened.arrow_schema) == names_of(batches[0].schema)
    return rows.column_names


@pytest.mark.parametrize("kind", KINDS)
def test_the_other_columns_are_read_in_their_order(kind):
    data, names = written(kind), KINDS[kind][2]
    for count in range(3):
        for excluded in itertools.permutations(names, count):
            assert read(kind, data, exclude=list(excluded)) == [
                name for name in names if name not in excluded
            ]
    quoted = [f"['{names[0]}']", names[0]]
    assert read(kind, data, exclude=tuple(quoted)) == names[1:]


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_column_is_an_error(kind):
    data, (dataset, function, names) = written(kind), KINDS[kind]
    known = ", ".join(f'"{name}"' for name in names)
    for call in (dataset, function):
        for wrong in ("x", "id.x", ""):
            with pytest.raises(af.SchemaError) as error:
                call(data, exclude=["id", wrong])
            message = f"expected the name of a column to exclude, one of {known}, found none"
            file = f"<{len(data):,} bytes>: " if kind == "avro" else ""
            assert str(error.value) == f"{file}{wrong}: {message}"


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_selected_or_excluded(kind):
    data, (dataset, function, _) = written(kind), KINDS[kind]
    for call in (dataset, function):
        with pytest.raises(af.OptionError) as error:
            call(data, columns=["id"], exclude=["name"])
        assert str(error.value) == "exclude: expected either columns or exclude, found both"
        with pytest.raises(TypeError) as error:
            call(data, exclude="name")
        assert str(error.value) == "exclude: expected a list of field paths (str), found str 'name'"


def test_every_class_with_columns_has_exclude():
    kinds = {known.dataset for known in FORMATS} | {af.ChunkDataset, af.AvroRecordDecoder}
    for made in [*kinds, *{known.read for known in FORMATS}]:
        signature = made.__text_signature__
        assert ("exclude=None" in signature) == ("columns=None" in signature), made


def test_a_chunk_source_is_not_asked_for_excluded_columns():
    assert names_of(af.ChunkDataset(Rows(), exclude=["s.t"]).arrow_schema) == ["id", "name"]
    with pytest.raises(af.SchemaError) as error:
        af.ChunkDataset(Rows(), exclude=["x"])
    message = 'expected the name of a column to exclude, one of "id", "s.t", "name", found none'
    assert str(error.value) == f"Rows: x: {message}"


def test_added_columns_can_be_excluded(tmp_path):
    for day in ("a", "b"):
        (tmp_path / f"day={day}").mkdir()
        pq.write_table(ROWS, tmp_path / f"day={day}" / "0.parquet")
        (tmp_path / f"day={day}" / "0.csv").write_bytes(written("csv"))
    for kind in (af.ParquetDataset, af.CsvDataset):
        added = {"partitioning": "hive", "file_column": "file", "row_column": "row"}
        dataset = kind(tmp_path, exclude=["day", "s.t", "['file']"], **added)
        assert names_of(dataset.arrow_schema) == ["id", "name", "row"]
        copy = pickle.loads(pickle.dumps(dataset))
        assert names_of(copy.arrow_schema) == ["id", "name", "row"]
        assert dataset.num_rows == sum(batch.num_rows for batch in copy.record_batches(batch_size=3)) == 4


@pytest.mark.parametrize("kind", KINDS)
def test_copies_and_engines_exclude_the_same(kind, tmp_path):
    names = KINDS[kind][2]
    path = tmp_path / f"rows.{kind}"
    path.write_bytes(written(kind))
    dataset = af.open_dataset(path, exclude=["name"])
    kept = [name for name in names if name != "name"]
    assert names_of(pickle.loads(pickle.dumps(dataset)).arrow_schema) == kept
    assert names_of(dataset.project(list(dataset.specs)[:1]).arrow_schema) == kept[:1]
    reader = SplitSource(path, {"exclude": ["name"]}).reader()
    assert reader.schema.names == kept
    [batch, *_] = reader.select(["id"]).read_all(batch_size=2)
    assert batch.schema.names == ["id"]
    assert af.scan_dataset(path, exclude=["name"]).collect().columns == kept


def test_a_filter_may_use_an_excluded_column():
    for kind, (dataset, function, names) in KINDS.items():
        if kind == "tfrecord":
            continue
        data = written(kind)
        kept = [name for name in names if name != "id"]
        rows = pa.table(function(data, exclude=["id"], where="id = 2"))
        assert (rows.column_names, rows["name"].to_pylist()) == (kept, ["b"])
        found = dataset(data, exclude=["id"]).filter("id = 2")
        assert (found.num_rows, names_of(found.arrow_schema)) == (1, kept)


TREE = {
    "type": "record",
    "name": "Tree",
    "fields": [
        {"name": "value", "type": "int"},
        {"name": "next", "type": ["null", "Tree"]},
        {"name": "label", "type": "string"},
    ],
}


def test_recursive_columns_can_be_excluded():
    out = io.BytesIO()
    fastavro.writer(out, TREE, [{"value": 1, "next": None, "label": "a"}])
    data = out.getvalue()
    for call in (
        lambda **options: pa.table(af.read_avro(data, **options)),
        # A stream is read once.
        lambda **options: pa.table(af.read_avro(io.BytesIO(data), where="value = 1", **options)),
        lambda **options: af.scan_avro(data, **options).collect().to_arrow(),
        lambda **options: pa.table(next(af.AvroDataset(data, **options).record_batches(batch_size=1))),
    ):
        assert call(exclude=["next"]).column_names == ["value", "label"]
        assert call(exclude=["next", "value"]).column_names == ["label"]
        with pytest.raises(af.SchemaError) as error:
            call(exclude=["value"])
        message = (
            'next: record "Tree" is recursive and cannot become an Arrow column; '
            "leave it out with `exclude` or `columns`"
        )
        assert str(error.value).split(": ", 1)[1] == message


@pytest.mark.parametrize("seed", seeds(0, 30))
def test_random_columns_are_excluded_as_pyarrow_drops_them(seed):
    generator, rng = Generator(seed), random.Random(seed)
    schema = generator.root()
    out = io.BytesIO()
    fastavro.writer(out, schema, [generator.value(schema) for _ in range(20)])
    whole = pa.table(af.read_avro(out.getvalue()))
    excluded = [name for name in whole.column_names if rng.random() < 0.5]
    found = pa.table(af.read_avro(out.getvalue(), exclude=excluded))
    kept = [name for name in whole.column_names if name not in excluded]
    assert found.column_names == kept
    assert found.num_rows == whole.num_rows
    # NaN differs from itself.
    assert repr(found.to_pylist()) == repr(whole.select(kept).to_pylist())


def test_a_decoder_of_records_leaves_columns_out():
    fields = [{"name": name, "type": "int"} for name in ("a", "b", "c")]
    first = {"type": "record", "name": "R", "fields": fields}
    # The second writer does not have the excluded column.
    second = {"type": "record", "name": "R", "fields": [fields[0], fields[2]]}
    decoder = af.AvroRecordDecoder(json.dumps(first), exclude=["b"])
    assert names_of(decoder.schema) == ["a", "c"]
    writer = decoder.add_writer(json.dumps(second))
    decoder.append(b"\x02\x04\x06")
    decoder.append(b"\x02\x06", writer=writer)
    assert pa.table(decoder.flush()).to_pylist() == [{"a": 1, "c": 3}] * 2


def test_a_lazy_frame_without_some_columns(tmp_path):
    path = tmp_path / "rows.avro"
    path.write_bytes(written("avro"))
    frame = af.scan_avro(path, exclude=["t"], file_column="file")
    assert frame.collect_schema().names() == ["id", "name", "file"]
    assert frame.filter(pl.col("id") > 1).select("name").collect().to_series().to_list() == ["b"]
