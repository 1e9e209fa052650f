"""`arrowfeed convert` keeps the rows between any two formats, or names the column of the error."""

import csv
import gzip
import io
import json
import os
import zlib

import fastavro
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed.cli._targets import BY_NAME
from cli_formats import SCALARS, WRITERS, held, random_rows, write_as
from session_seed import seeds

CASES = int(os.environ.get("ARROWFEED_CASES", "60")) // 200 or 1
"""Random tables for each pair."""


def plain(value):
    """A value without the differences between formats: text as bytes, and the width of floats."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return float(np.float32(value)) if isinstance(value, float) else value


def read_avro(path):
    with path.open("rb") as file:
        return list(fastavro.reader(file))


def read_arrow(path):
    with pa.ipc.open_file(path) as file:
        return file.read_all().to_pylist()


def read_tfrecord(path, kind="example"):
    """The rows. A feature of one value is that value, except in list columns."""
    rows = pa.table(af.read_tfrecord(path, format=kind)).to_pylist()
    for row in rows:
        for name in SCALARS:
            if row[name] is not None:
                [row[name]] = row[name]
    return rows


def read_csv(path):
    """The rows by Python's own parser, without lists."""
    text = uncompressed(path).decode()
    types = {"n": int, "x": float, "t": str}
    return [
        {name: types[name](cell) if cell else None for name, cell in row.items()}
        for row in csv.DictReader(io.StringIO(text, newline=""))
    ]


def read_json_lines(path):
    return [json.loads(line) for line in uncompressed(path).decode().split("\n")[:-1]]


def uncompressed(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


READERS = {
    "b.avro": read_avro,
    "b.parquet": lambda path: pq.read_table(path).to_pylist(),
    "b.arrow": read_arrow,
    "b.tfrecord": read_tfrecord,
    "b.tfrecord.gz": read_tfrecord,
    "b.tfrecord-sequence": lambda path: read_tfrecord(path, "sequence_example"),
    "b.csv": read_csv,
    "b.csv.gz": read_csv,
    "b.jsonl": read_json_lines,
    "b.jsonl.gz": read_json_lines,
}
"""Names of files that are written, with readers that share no code with the writer, where there are any."""


def call(source, target):
    """The options for a pair of formats: examples have lists of one value, and CSV has no lists."""
    options = ["convert", source, "-o", target, "--force", "--batch-size", 7]
    if ".tfrecord" in source:
        options += ["--scalars", ",".join(SCALARS)]
    if ".csv" in target and source.split(".")[1] not in ("csv", "tsv"):
        options += ["--exclude", "l"]
    if ".tfrecord" in target and source.split(".")[1] in ("csv", "tsv", "jsonl"):
        options += ["--double-as-float"]
    if target.endswith(".tfrecord-sequence"):
        options += ["--to", "tfrecord-sequence"]
    return options


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def sorted_rows(rows):
    return [{name: plain(row[name]) for name in sorted(row)} for row in rows]


@pytest.mark.parametrize("target", READERS)
@pytest.mark.parametrize("source", WRITERS)
def test_every_pair_of_formats_has_the_same_rows(arrowfeed, tmp_path, source, target):
    for seed in seeds(0, CASES):
        rows = random_rows(seed)
        write_as(source, tmp_path, rows)
        ran = arrowfeed(*call(source, target))
        path = tmp_path / target
        assert ran == (0, f"{target}: {len(rows)} rows, {path.stat().st_size} bytes\n", "")
        wanted = held(rows, WRITERS[source][0], target.split(".")[1])
        assert sorted_rows(READERS[target](path)) == sorted_rows(wanted), f"seed {seed}"


READABLE = [
    name for name in READERS if name.removeprefix("b") in {name.removeprefix("rows") for name in WRITERS}
]


@pytest.mark.parametrize("between", READABLE)
@pytest.mark.parametrize("source", WRITERS)
def test_a_round_trip_returns_the_same_rows(arrowfeed, tmp_path, source, between):
    assert len(READABLE) >= 4
    for seed in seeds(0, CASES):
        rows = random_rows(seed)
        write_as(source, tmp_path, rows)
        assert arrowfeed(*call(source, between)).code == 0
        assert arrowfeed(*call(between, "end.arrow")).code == 0
        wanted = held(rows, WRITERS[source][0], between.split(".")[1])
        assert sorted_rows(read_arrow(tmp_path / "end.arrow")) == sorted_rows(wanted), f"seed {seed}"


CODECS = [
    (name, codec)
    for name, target in BY_NAME.items()
    for codec in (*target.codecs, "none")
    if name != "tfrecord-raw"
]


@pytest.mark.parametrize(("target", "codec"), CODECS)
def test_every_codec_of_every_format(arrowfeed, tmp_path, target, codec):
    rows = random_rows(3, 200)
    write_as("rows.avro", tmp_path, rows)
    exclude = ["--exclude", "l"] if target == "csv" else []
    ran = arrowfeed("convert", "rows.avro", "-o", "b.bin", "--to", target, "--compression", codec, *exclude)
    assert (ran.code, ran.err) == (0, "")
    path = tmp_path / "b.bin"
    wanted = [{name: row[name] for name in row if name != "l" or not exclude} for row in rows]
    if (target, codec) == ("tfrecord", "zlib"):
        assert zlib.decompress(path.read_bytes())[8:12]
    found = READERS[f"b.{target}"](path)
    assert sorted_rows(found) == sorted_rows(wanted)
    is_gzip = path.read_bytes()[:2] == b"\x1f\x8b"
    assert is_gzip == (codec == "gzip" and target != "parquet")


def test_other_names_of_codecs(arrowfeed, tmp_path):
    write_as("rows.avro", tmp_path, random_rows(3, 20))
    for name, codec in (("zstd", "zstandard"), ("none", "null"), ("gzip", "deflate")):
        assert arrowfeed("convert", "rows.avro", "-o", "b.avro", "--force", "--codec", name).code == 0
        assert af.avro_schema("b.avro").codec == codec


def test_the_same_rows_are_the_same_bytes_of_gzip(arrowfeed, tmp_path):
    write_as("rows.avro", tmp_path, random_rows(3, 20))
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        assert arrowfeed("convert", "rows.avro", "-o", name).code == 0
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


TYPES = {
    "list": (pa.array([[1]]), "list<item: int64>"),
    "record": (pa.array([{"a": 1}]), "struct<a: int64>"),
    "map": (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())), "map<string, int64>"),
    "double": (pa.array([0.1]), "double"),
    "doubles": (pa.array([[0.1]]), "list<item: double>"),
    "lists": (pa.array([[[1]]]), "list<item: list<item: int64>>"),
    "time": (pa.array([1], pa.timestamp("ms")), "timestamp[ms]"),
    "price": (pa.array(["1.5"]).cast(pa.decimal128(4, 1)), "decimal128(4, 1)"),
    "nothing": (pa.nulls(1), "null"),
}
CELL = "expected single values, which a cell of CSV can hold, found "
EXAMPLE = "expected numbers, text or bytes, or lists of these, which a tf.Example can hold, found "
FLOAT = "expected numbers that a float of 32 bits holds, found "
OUT = "leave the column out with --exclude"
REFUSED = {
    ("list", "csv"): f"{CELL}{{}}: write lists of one value with --scalars, or {OUT}",
    ("record", "csv"): f"{CELL}{{}}: {OUT}",
    ("map", "csv"): f"{CELL}{{}}: {OUT}",
    ("record", "tfrecord"): f"{EXAMPLE}{{}}: {OUT}",
    ("map", "tfrecord"): f"{EXAMPLE}{{}}: {OUT}",
    ("lists", "tfrecord"): f"{EXAMPLE}{{}}: {OUT}",
    ("time", "tfrecord"): f"{EXAMPLE}{{}}: {OUT}",
    ("price", "tfrecord"): f"{EXAMPLE}{{}}: {OUT}",
    ("nothing", "tfrecord"): f"{EXAMPLE}{{}}: {OUT}",
    ("double", "tfrecord"): f"{FLOAT}{{}}: round them with --double-as-float, or {OUT}",
    ("doubles", "tfrecord"): f"{FLOAT}{{}}: round them with --double-as-float, or {OUT}",
}


@pytest.mark.parametrize(("name", "target"), REFUSED)
def test_a_type_that_the_format_does_not_have_is_an_error_before_a_byte_is_written(
    arrowfeed, tmp_path, monkeypatch, name, target
):
    array, shown = TYPES[name]
    pq.write_table(pa.table({"id": [1], name: array}), tmp_path / "a.parquet")
    monkeypatch.setattr("arrowfeed.cli._write_text.new_file", None)
    monkeypatch.setattr("arrowfeed.write_tfrecord", None)
    message = f'column "{name}": {REFUSED[name, target].format(shown)}'
    ran = arrowfeed("convert", "a.parquet", "-o", f"b.{target}")
    assert (ran.code, ran.out) == (1, "")
    # Parquet has names of its own for the fields inside of lists and maps.
    found = ran.err.replace("element:", "item:").replace(" ('map')", "")
    assert found == f"arrowfeed: {message}\n"
    assert names(tmp_path) == ["a.parquet"]


@pytest.mark.parametrize(("name", "target"), REFUSED)
def test_without_the_column_it_is_written(arrowfeed, tmp_path, name, target):
    pq.write_table(pa.table({"id": [1], name: TYPES[name][0]}), tmp_path / "a.parquet")
    assert arrowfeed("convert", "a.parquet", "-o", f"b.{target}", "--exclude", name).code == 0


def test_a_union_in_an_example_is_an_error(arrowfeed, tmp_path):
    schema = {"type": "record", "name": "R", "fields": [{"name": "u", "type": ["int", "string"]}]}
    with (tmp_path / "a.avro").open("wb") as file:
        fastavro.writer(file, schema, [{"u": 1}])
    ran = arrowfeed("convert", "a.avro", "-o", "b.tfrecord")
    union = "dense_union<int: int32 not null=0, string: string not null=1>"
    assert ran == (1, "", f'arrowfeed: column "u": {EXAMPLE}{union}: {OUT}\n')
    ran = arrowfeed("convert", "a.avro", "-o", "b.jsonl")
    assert (ran.code, (tmp_path / "b.jsonl").read_text()) == (0, '{"u": {"int": 1}}\n')


def test_widening_to_the_kinds_of_an_example(arrowfeed, tmp_path):
    columns = {
        "small": pa.array([1, None], pa.int8()),
        "flag": pa.array([True, False]),
        "half": pa.array([0.5, None], pa.float16()),
        "text": pa.array(["ü", ""], pa.large_string()),
        "pair": pa.array([[1, 2], [3, 4]], pa.list_(pa.int32(), 2)),
        "double": pa.array([0.1, 1e38]),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    assert arrowfeed("convert", "a.parquet", "-o", "b.tfrecord", "--double-as-float").code == 0
    first, second = pa.table(af.read_tfrecord("b.tfrecord")).to_pylist()
    assert first == {
        "double": [float(np.float32(0.1))],
        "flag": [1],
        "half": [0.5],
        "pair": [1, 2],
        "small": [1],
        "text": ["ü".encode()],
    }
    assert second == {
        "double": [float(np.float32(1e38))],
        "flag": [0],
        "half": None,
        "pair": [3, 4],
        "small": None,
        "text": [b""],
    }


def test_a_number_beyond_the_floats_of_an_example_is_an_error(arrowfeed, tmp_path):
    pq.write_table(pa.table({"double": [0.1, 1e300]}), tmp_path / "a.parquet")
    ran = arrowfeed("convert", "a.parquet", "-o", "b.tfrecord", "--double-as-float")
    message = "double: expected a number that fits into a float of 32 bits, found 1e300"
    assert (ran.code, ran.err) == (1, f"arrowfeed: {message}\n")
    assert not (tmp_path / "b.tfrecord").exists()


def test_values_that_an_example_cannot_hold_are_errors_and_leave_nothing(arrowfeed, tmp_path):
    pq.write_table(pa.table({"u": pa.array([2**63], pa.uint64())}), tmp_path / "a.parquet")
    ran = arrowfeed("convert", "a.parquet", "-o", "b.tfrecord")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("arrowfeed: ")
    assert "u: expected values that a feature can hold" in ran.err
    pq.write_table(pa.table({"l": [[1, None]]}), tmp_path / "a.parquet")
    ran = arrowfeed("convert", "a.parquet", "-o", "b.tfrecord")
    assert (
        "l: expected lists without null values, which a feature cannot have, found one with a null" in ran.err
    )
    assert names(tmp_path) == ["a.parquet"]


def test_scalars_are_lists_of_one_value_or_an_error_with_the_row(arrowfeed, tmp_path):
    lists = pa.table({"a": [[1], None, [2]], "b": [[1], [], [2, 3]]})
    af.write_tfrecord(lists, tmp_path / "a.tfrecord")
    assert arrowfeed("convert", "a.tfrecord", "-o", "b.parquet", "--scalars", "a").code == 0
    assert pq.read_table("b.parquet").to_pydict() == {"a": [1, None, 2], "b": [[1], [], [2, 3]]}
    for size in (1, 2, 3):
        ran = arrowfeed("convert", "a.tfrecord", "-o", "c.csv", "--scalars", "*", "--batch-size", size)
        message = 'column "b": row 1: expected a list of one value for --scalars, found one of 0'
        assert ran == (1, "", f"arrowfeed: {message}\n")
    assert names(tmp_path) == ["a.tfrecord", "b.parquet"]


def test_scalars_of_slices_and_of_lists_with_null_items(arrowfeed, tmp_path):
    pq.write_table(pa.table({"a": [[1], None, [None], [4], None]}), tmp_path / "a.parquet")
    for size in (1, 2, 5):
        call = ("convert", "a.parquet", "-o", "b.arrow", "--force", "--scalars", "*", "--batch-size", size)
        assert arrowfeed(*call).code == 0
        assert read_arrow(tmp_path / "b.arrow") == [{"a": value} for value in (1, None, None, 4, None)]


def test_bytes_that_are_no_text_are_an_error_of_text_formats(arrowfeed, tmp_path):
    pq.write_table(pa.table({"a": [b"ok", b"\xff"]}), tmp_path / "a.parquet")
    for name in ("b.csv", "b.jsonl", "b.jsonl.gz"):
        ran = arrowfeed("convert", "a.parquet", "-o", name)
        message = 'column "a": rows 0 to 1: expected UTF-8, found other bytes'
        assert ran == (1, "", f"arrowfeed: {message}: leave the column out with --exclude\n")
    assert names(tmp_path) == ["a.parquet"]


def test_json_lines_keep_values_that_csv_cannot(arrowfeed, tmp_path):
    nested = {"s": [{"b": b"x", "l": [b"y", None]}, None], "d": pa.array(["p", None]).dictionary_encode()}
    pq.write_table(pa.table(nested), tmp_path / "a.parquet")
    assert arrowfeed("convert", "a.parquet", "-o", "b.jsonl").code == 0
    assert read_json_lines(tmp_path / "b.jsonl") == [
        {"s": {"b": "x", "l": ["y", None]}, "d": "p"},
        {"s": None, "d": None},
    ]


def test_an_empty_text_is_no_null_in_csv(arrowfeed, tmp_path):
    pq.write_table(pa.table({"a": ["", None, "x"], "b": [1, 2, None]}), tmp_path / "a.parquet")
    assert arrowfeed("convert", "a.parquet", "-o", "b.csv").code == 0
    assert (tmp_path / "b.csv").read_text() == '"a","b"\n"",1\n,2\n"x",\n'


def test_a_null_in_a_file_of_one_column_is_an_error_in_csv(arrowfeed, tmp_path):
    pq.write_table(pa.table({"a": [1, None]}), tmp_path / "a.parquet")
    ran = arrowfeed("convert", "a.parquet", "-o", "b.csv")
    message = (
        'column "a": row 1: expected a value, found null: in a CSV file of one column'
        " it would be an empty line, which readers skip"
    )
    assert ran == (1, "", f"arrowfeed: {message}\n")
    assert names(tmp_path) == ["a.parquet"]


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".jsonl", ".jsonl.gz", ".tfrecord", ".tfrecord.gz"])
def test_a_broken_file_replaces_no_file_of_another_format(arrowfeed, tmp_path, suffix):
    path = write_as("rows.avro", tmp_path, random_rows(5, 2000))
    path.write_bytes(path.read_bytes()[:-1])
    kept = tmp_path / f"b{suffix}"
    kept.write_bytes(b"kept")
    options = ("--exclude", "l,t", "--force", "--batch-size", 10)
    ran = arrowfeed("convert", "rows.avro", "-o", kept.name, *options)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("arrowfeed: rows.avro: block ")
    assert (kept.read_bytes(), names(tmp_path)) == (b"kept", sorted([kept.name, "rows.avro"]))


def test_row_groups_are_gathered_from_small_ones(arrowfeed, tmp_path):
    pq.write_table(pa.table({"a": range(20_000)}), tmp_path / "a.parquet", row_group_size=100)
    assert arrowfeed("convert", "a.parquet", "-o", "b.parquet", "--batch-size", 9000).code == 0
    groups = pq.ParquetFile("b.parquet").metadata
    assert [groups.row_group(at).num_rows for at in range(groups.num_row_groups)] == [9000, 9000, 2000]
    assert pq.read_table("b.parquet").equals(pq.read_table("a.parquet"))


def test_raw_records_become_a_column_of_any_format(arrowfeed, tmp_path):
    write_as("rows.tfrecord", tmp_path, random_rows(2, 9))
    records = pa.table(af.read_tfrecord("rows.tfrecord", format="raw")).to_pylist()
    for name in ("b.avro", "b.parquet", "b.arrow"):
        assert arrowfeed("convert", "--format", "tfrecord-raw", "rows.tfrecord", "-o", name).code == 0
        assert READERS[name](tmp_path / name) == records


def test_raw_records_are_written_from_any_format(arrowfeed, tmp_path):
    records = [b"", b"\xff\x00", "größe".encode()]
    af.write_avro(pa.table({"id": [1, 2, 3], "record": records}), tmp_path / "a.avro")
    ran = arrowfeed("convert", "a.avro", "--columns", "record", "-o", "b.tfrecord.gz", "--to", "tfrecord-raw")
    assert (ran.code, ran.err) == (0, "")
    assert pa.table(af.read_tfrecord("b.tfrecord.gz", format="raw"))["record"].to_pylist() == records
    assert (tmp_path / "b.tfrecord.gz").read_bytes()[:2] == b"\x1f\x8b"
    refused = {
        (): "expected one column of records, found 2: choose one with --columns",
        ("--columns", "id"): 'column "id": expected bytes or text, found int64',
    }
    for options, message in refused.items():
        ran = arrowfeed("convert", "a.avro", *options, "-o", "c.bin", "--to", "tfrecord-raw")
        assert (ran.code, ran.out, ran.err) == (1, "", f"arrowfeed: {message}\n")
    assert not (tmp_path / "c.bin").exists()


SEQUENCES = {
    "number": ([1, 2], "expected a struct of feature lists, found int64"),
    "field": ([{"a": 1}, {"a": 2}], "expected a list of steps, found int64"),
    "step": ([{"a": [{"x": 1}]}, None], f"{EXAMPLE}struct<x: int64>: {OUT}"),
    "double": (
        [{"a": [[0.5]]}, None],
        f"{FLOAT}list<item: double>: round them with --double-as-float, or {OUT}",
    ),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_value_beyond_feature_lists_is_an_error_before_a_byte_is_written(arrowfeed, tmp_path, name):
    column, message = SEQUENCES[name]
    pq.write_table(pa.table({"id": [1, 2], "##SEQUENCE##": column}), tmp_path / "a.parquet")
    convert = ("convert", "a.parquet", "-o", "b.tfrecord", "--to", "tfrecord-sequence")
    ran = arrowfeed(*convert)
    path = "##SEQUENCE##" if name == "number" else "##SEQUENCE##.a"
    found = ran.err.replace("element:", "item:")
    assert (ran.code, ran.out, found) == (1, "", f'arrowfeed: column "{path}": {message}\n')
    assert names(tmp_path) == ["a.parquet"]
    if name == "double":
        assert arrowfeed(*convert, "--double-as-float").code == 0


def test_sequences_go_through_parquet_and_back(arrowfeed, tmp_path):
    steps = [{"a": [[1, 2], [3]]}, {"a": []}, {"a": [[4]]}]
    rows = pa.table({"id": [1, 2, 3], "##SEQUENCE##": steps})
    af.write_tfrecord(rows, tmp_path / "s.tfrecord", format="sequence_example")
    assert arrowfeed("convert", "s.tfrecord", "-o", "s.parquet").code == 0
    assert arrowfeed("convert", "s.parquet", "-o", "t.tfrecord", "--to", "tfrecord-sequence").code == 0
    assert (tmp_path / "t.tfrecord").read_bytes() == (tmp_path / "s.tfrecord").read_bytes()
