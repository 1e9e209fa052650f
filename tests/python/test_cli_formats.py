"""Every reading command works on files of every format."""

import io
import json
import shutil
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed._formats import BY_NAME
from cli_formats import WRITERS, as_csv, frame, having, held, random_rows, raw_records, table, write_as
from command_line import process
from conftest import users, write

EVIDENCE = {
    "avro": "it begins with the bytes 4f 62 6a 01",
    "parquet": "it begins with the bytes PAR1",
    "arrow": "it begins with ARROW1, or with the schema message of a stream",
    "tfrecord": "its first TFRecord record is a tf.Example",
    "jsonl": "its first line is a JSON object",
    "csv": "it is text, and its name ends in .csv or .tsv",
}
ARROW = {
    "avro": "n: Int64\nx: Float32\nt: Utf8\nl: List(non-null Int64)\n",
    "arrow": "n: Int64\nx: Float32\nt: Utf8\nl: List(non-null Int64)\n",
    "parquet": "n: Int64\nx: Float32\nt: Utf8\nl: List(non-null Int64, field: 'element')\n",
    "tfrecord": (
        "l: LargeList(Int64)\nn: LargeList(Int64)\nt: LargeList(LargeBinary)\nx: LargeList(Float32)\n"
    ),
    "jsonl": "l: List(Int64)\nn: Int64\nt: Utf8\nx: Float64\n",
    "csv": "n: Int64\nx: Float64\nt: Utf8\n",
}


@pytest.fixture(params=WRITERS)
def file(request, tmp_path):
    """Name and format of a file of 50 rows."""
    write_as(request.param, tmp_path, random_rows(1, 50))
    return request.param, WRITERS[request.param][0]


def rows_of(arrowfeed, *arguments):
    ran = arrowfeed("head", *arguments)
    assert (ran.code, ran.err) == (0, "")
    return [json.loads(line) for line in ran.out.splitlines()]


def as_float32(value):
    """The number that a decimal stands for, in a list or alone."""
    if isinstance(value, list):
        return [float(np.float32(item)) for item in value]
    return None if value is None else float(np.float32(value))


def as_features(row):
    """A row as `tf.Example` stores it. `head` shows bytes as characters."""
    lists = {
        name: value if value is None or isinstance(value, list) else [value] for name, value in row.items()
    }
    if row["t"] is not None:
        lists["t"] = [row["t"].encode().decode("latin-1")]
    return dict(sorted(lists.items()))


def test_schema_says_the_format_and_why(arrowfeed, file):
    name, kind = file
    assert arrowfeed("schema", "--detect", name) == (0, f"format {kind}: {EVIDENCE[kind]}\n", "")
    assert arrowfeed("schema", "--detect", "--format", kind, name).out == f"format {kind}: --format says so\n"
    found = json.loads(arrowfeed("schema", "--json", name).out)
    assert (found["file"], found["format"], found["detected_by"]) == (name, kind, EVIDENCE[kind])
    if kind != "avro":
        shown = f"format {kind}: {EVIDENCE[kind]}\n{ARROW[kind]}"
        assert arrowfeed("schema", name) == (0, shown, "")
        assert set(found) == {"file", "format", "detected_by", "arrow"}
        for part in ("canonical", "fingerprint", "codec", "metadata"):
            message = f"--{part}: expected a file of avro, found {name} of {kind}, which has no such part"
            assert arrowfeed("schema", f"--{part}", name) == (2, "", f"arrowfeed: {message}\n")


def test_the_arrow_schema_of_every_format(arrowfeed, file):
    name, kind = file
    assert arrowfeed("schema", "--arrow", name) == (0, ARROW[kind], "")


def test_the_name_does_not_matter_where_the_content_says_the_format(arrowfeed, file, tmp_path):
    name, kind = file
    if kind != "csv":
        shutil.copy(tmp_path / name, tmp_path / "rows.avro.csv")
        assert arrowfeed("schema", "--detect", "rows.avro.csv").out.startswith(f"format {kind}: ")


def test_head_prints_the_rows_of_every_format(arrowfeed, file):
    name, kind = file
    wanted = held(random_rows(1, 50), kind)
    if kind == "tfrecord":
        wanted = [as_features(row) for row in wanted]
    found = rows_of(arrowfeed, "-n", 50, name)
    assert [{**row, "x": as_float32(row["x"])} for row in found] == wanted
    assert rows_of(arrowfeed, "-n", 3, "--threads", 2, name) == found[:3]
    columns = [{"t": row["t"], "n": row["n"]} for row in found]
    assert rows_of(arrowfeed, "-n", 50, "--columns", "t,n", name) == columns
    assert rows_of(arrowfeed, "-n", 50, "--exclude", "x", name) == [
        {key: value for key, value in row.items() if key != "x"} for row in found
    ]
    lines = arrowfeed("head", "--table", "-n", 2, name).out.splitlines()
    assert lines[0].split() == list(found[0])
    assert len(lines) == 3


def test_standard_input_of_every_format(arrowfeed, file, tmp_path, monkeypatch):
    name, kind = file
    data = (tmp_path / name).read_bytes()

    def with_input(*arguments):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return arrowfeed(*arguments)

    # Any text is CSV, and standard input has no name that gives the format.
    said = as_csv(name) if kind == "csv" else []
    expected = arrowfeed("head", "-n", 5, name)
    assert with_input("head", "-n", 5, *said, "-") == expected
    if name in ("rows.avro", "rows.csv.gz"):
        done = process("head", "-n", 5, *said, "-", input=data)
        assert (done.returncode, done.stdout.decode(), done.stderr) == (0, expected.out, b"")
    if kind != "csv":
        assert with_input("schema", "--detect", "-").out == f"format {kind}: {EVIDENCE[kind]}\n"
    ran = with_input("convert", *said, "-", "-o", "copy.arrow")
    assert (ran.code, ran.err) == (0, "")
    assert pa.ipc.open_file(tmp_path / "copy.arrow").read_all().num_rows == 50


def test_stats_count_the_same_in_every_format(arrowfeed, file):
    name, kind = file
    rows = random_rows(1, 50)
    ran = arrowfeed("stats", "--json", name)
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert (found["format"], found["rows"], found["codecs"]) == (
        kind,
        50,
        ["zstandard"] if kind == "avro" else [],
    )
    fields = {field["path"]: field for field in found["fields"]}
    for column in held(rows, kind)[0]:
        assert fields[column]["count"] == 50
        assert fields[column]["nulls"] == sum(row[column] is None for row in rows)
    texts = fields["t[*]" if kind == "tfrecord" else "t"]
    assert texts["distinct"] == {"count": len({row["t"] for row in rows} - {None}), "exact": True}
    assert f"\nformat           {kind}\n" in arrowfeed("stats", name).out
    assert ("\ncodecs " in arrowfeed("stats", name).out) == (kind == "avro")
    if kind == "csv":
        return
    lists = [row["l"] for row in rows if row["l"] is not None]
    assert fields["l"]["lengths"]["max"] == max(map(len, lists))
    items = fields["l[*]"]
    assert (items["type"], items["count"]) == ("int64", sum(map(len, lists)))
    assert (items["min"], items["max"]) == (
        min(map(min, filter(None, lists))),
        max(map(max, filter(None, lists))),
    )


def test_splits_of_every_format_read_every_row_once(arrowfeed, file):
    name, _ = file
    ran = arrowfeed("splits", "--json", "--target-bytes", 200, name)
    assert (ran.code, ran.err) == (0, "")
    splits = [af.Split(**json.loads(line)) for line in ran.out.splitlines()]
    dataset = af.open_dataset(name)
    assert splits == dataset.plan_splits(target_bytes=200)
    assert sum(batch.num_rows for split in splits for batch in dataset.read_split(split)) == 50
    assert arrowfeed("splits", name).out.splitlines()[0].split() == ["path", "start", "end", "bytes"]


def test_explain_of_every_format(arrowfeed, file, tmp_path):
    name, _ = file
    (tmp_path / "spec.json").write_text('{"n": {"dense": "n", "default": 0}}')
    ran = arrowfeed("explain", "--representations", "spec.json", name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("1 file, columns: n\nn: dense int64 [?]\n")


def test_records_that_are_no_examples_are_bytes(arrowfeed, tmp_path):
    raw_records(tmp_path, [b"\xff\xffab", b"", b"c"])
    name = "records.tfrecord"
    evidence = "its first TFRecord record is not a tf.Example"
    assert arrowfeed("schema", name) == (
        0,
        f"format tfrecord-raw: {evidence}\nrecord: LargeBinary not null\n",
        "",
    )
    assert rows_of(arrowfeed, name) == [{"record": "ÿÿab"}, {"record": ""}, {"record": "c"}]
    message = f"expected a file of {having('columns')}, found records.tfrecord of tfrecord-raw"
    for option in ("--columns", "--exclude"):
        assert arrowfeed("head", option, "record", name) == (
            2,
            "",
            f"arrowfeed: {option}: {message}, which has no such option\n",
        )
    ran = arrowfeed("head", "--format", "tfrecord", name)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("arrowfeed: records.tfrecord: ")
    assert arrowfeed("convert", name, "-o", "b.avro").code == 0
    assert rows_of(arrowfeed, "b.avro")[0] == {"record": "ÿÿab"}


def test_format_takes_records_of_examples_as_bytes(arrowfeed, tmp_path):
    write_as("rows.tfrecord", tmp_path, random_rows(1, 2))
    found = rows_of(arrowfeed, "--format", "tfrecord-raw", "rows.tfrecord")
    records = pa.table(af.read_tfrecord("rows.tfrecord", format="raw"))["record"].to_pylist()
    assert [row["record"].encode("latin-1") for row in found] == records


def test_options_that_a_format_does_not_have_are_errors(arrowfeed, tmp_path):
    write_as("rows.parquet", tmp_path, random_rows(1, 2))
    (tmp_path / "s.avsc").write_text('"string"')
    end = "found rows.parquet of parquet, which has no such option\n"
    for command in (("head",), ("stats",), ("convert", "-o", "x.avro")):
        ran = arrowfeed(*command, "--reader-schema", "s.avsc", "rows.parquet")
        assert ran == (2, "", f"arrowfeed: --reader-schema: expected a file of avro, {end}")
    for command in (("head",), ("schema",), ("explain",), ("stats",)):
        ran = arrowfeed(*command, "--sample", 3, "rows.parquet")
        assert ran == (2, "", f"arrowfeed: --sample: expected a file of {having('sample')}, {end}")


def test_sample_is_the_number_of_records_that_are_read_for_the_columns(arrowfeed, tmp_path):
    af.write_tfrecord(pa.table({"a": [1, 2], "b": pa.array([None, 3], pa.int64())}), tmp_path / "r.tfrecord")
    assert arrowfeed("schema", "--arrow", "r.tfrecord").out == "a: LargeList(Int64)\nb: LargeList(Int64)\n"
    assert arrowfeed("schema", "--arrow", "--sample", 1, "r.tfrecord").out == "a: LargeList(Int64)\n"
    assert rows_of(arrowfeed, "--sample", 1, "r.tfrecord") == [{"a": [1]}, {"a": [2]}]


def test_on_error_skips_records_of_a_tfrecord_file(arrowfeed, tmp_path):
    path = write_as("rows.tfrecord", tmp_path, random_rows(1, 3))
    path.write_bytes(path.read_bytes() + frame(b"\xff") + path.read_bytes())
    ran = arrowfeed("head", "--sample", 1, "rows.tfrecord")
    assert (ran.code, len(ran.out.splitlines())) == (1, 3)
    ran = arrowfeed("head", "--sample", 1, "--on-error", "skip_block", "rows.tfrecord")
    assert (ran.code, len(ran.out.splitlines())) == (0, 6)
    assert ran.err.startswith("arrowfeed: skipped: rows.tfrecord: ")


def test_a_file_of_another_format_behind_the_first_is_an_error(arrowfeed, tmp_path):
    write_as("rows.parquet", tmp_path, random_rows(1, 3))
    write(tmp_path / "users.avro", users(1))
    ran = arrowfeed("stats", "rows.parquet", "users.avro")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("arrowfeed: users.avro: expected ")
    both = arrowfeed("schema", "--detect", "rows.parquet", "users.avro").out
    assert both == (
        f"==> rows.parquet <==\nformat parquet: {EVIDENCE['parquet']}\n\n"
        f"==> users.avro <==\nformat avro: {EVIDENCE['avro']}\n"
    )


def test_a_directory_and_a_glob_have_the_format_of_their_first_file(arrowfeed, tmp_path):
    for number in range(2):
        pq.write_table(table(random_rows(number, 5)), tmp_path / f"{number}.parquet")
    for name in (".", "*.parquet"):
        assert json.loads(arrowfeed("stats", "--json", name).out)["rows"] == 10


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.avro", "a.avro: expected an Avro object container file, found an empty file\n"),
        ("a.parquet", "a.parquet: expected a Parquet file"),
        ("a.arrow", "a.arrow: expected an Arrow IPC file or stream"),
        ("a.ndjson", "expected records with keys to make columns from"),
        ("a.tsv", "a.tsv: expected a line with the names of the columns"),
    ],
)
def test_the_suffix_names_the_format_of_an_empty_file(arrowfeed, tmp_path, name, start):
    (tmp_path / name).write_bytes(b"")
    assert arrowfeed("schema", "--detect", name).out.endswith(": the suffix of its name says so\n")
    ran = arrowfeed("head", name)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"arrowfeed: {start}")


def test_a_file_of_no_known_format_is_an_error_with_the_names_of_all(arrowfeed, tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    formats = f"select one with --format: {', '.join(BY_NAME)}"
    message = f"arrowfeed: empty: expected a file of a known format, found an empty file; {formats}\n"
    assert arrowfeed("head", "empty") == (1, "", message)
    (tmp_path / "notes.txt").write_text("some words, and no records")
    ran = arrowfeed("stats", "notes.txt")
    message = (
        "expected the content of an Avro, Parquet, Arrow IPC, TFRecord or JSON lines file, or the name of a "
        'CSV file, which ends with .csv or .tsv, found "some words, and " at its start'
    )
    assert ran == (1, "", f"arrowfeed: notes.txt: {message}; {formats}\n")


PARQUET_TYPES = {
    "small": pa.array([1, None], pa.uint8()),
    "large": pa.array([2**64 - 1, None], pa.uint64()),
    "half": pa.array([0.5, None], pa.float16()),
    "text": pa.array(["a", None], pa.large_string()),
    "bytes": pa.array([b"\xff", None], pa.large_binary()),
    "pair": pa.array([[1, 2], None], pa.list_(pa.int64(), 2)),
    "lists": pa.array([[[1], []], None], pa.large_list(pa.large_list(pa.int64()))),
    "span": pa.array([5, None], pa.duration("ms")),
    "day": pa.array([1, None], pa.date32()),
    "time": pa.array([1, None], pa.timestamp("us", "UTC")),
    "price": pa.array(["1.50", None], pa.string()).cast(pa.decimal128(5, 2)),
}
PARQUET_VALUES = {
    "small": 1,
    "large": 2**64 - 1,
    "half": 0.5,
    "text": "a",
    "bytes": "ÿ",
    "pair": [1, 2],
    "lists": [[1], []],
    "span": "5 ms",
    "day": "1970-01-02",
    "time": "1970-01-01T00:00:00.000001Z",
    "price": "1.50",
}


def test_types_that_avro_does_not_have(arrowfeed, tmp_path):
    pq.write_table(pa.table(PARQUET_TYPES), tmp_path / "a.parquet")
    assert rows_of(arrowfeed, "a.parquet") == [PARQUET_VALUES, dict.fromkeys(PARQUET_TYPES)]
    ran = arrowfeed("stats", "--json", "a.parquet")
    assert (ran.code, ran.err) == (0, "")
    fields = {field["path"]: field for field in json.loads(ran.out)["fields"]}
    assert all(fields[name]["nulls"] == 1 for name in PARQUET_TYPES)
    compared = ("small", "large", "half", "text", "day", "time", "price")
    assert [fields[name]["max"] for name in compared] == [PARQUET_VALUES[name] for name in compared]
    assert fields["span"]["max"] is None
    assert fields["bytes"]["lengths"] == {"min": 1, "mean": 1.0, "max": 1}
    assert fields["pair[*]"]["count"] == 2
    assert fields["lists[*][*]"]["count"] == 1
    # An offset of 8 bytes for each row, a byte of validity, and the text.
    assert fields["text"]["bytes"] == 2 * 8 + 1 + 1


def test_commands_have_the_options_of_csv(arrowfeed, tmp_path):
    (tmp_path / "a.csv").write_text("1;x\n2;y\n")
    rows = rows_of(arrowfeed, "--delimiter", ";", "--no-header", "a.csv")
    assert [list(row.values()) for row in rows] == [[1, "x"], [2, "y"]]
    assert arrowfeed("count", "--json", "--no-header", "a.csv").out == '{"path": "a.csv", "rows": 2}\n'
    assert arrowfeed("count", "--json", "a.csv").out == '{"path": "a.csv", "rows": 1}\n'
    assert arrowfeed("schema", "--arrow", "--delimiter", ";", "a.csv").out == "1: Int64\nx: Utf8\n"
    assert rows_of(arrowfeed, "--type", "1=string", "--type", "x=string", "--delimiter", ";", "a.csv") == [
        {"1": "2", "x": "y"}
    ]
    assert arrowfeed("count", "--json", "--type", "z=string", "a.csv").out == '{"path": "a.csv", "rows": 1}\n'
    write(tmp_path / "users.avro", users(1))
    for option in (["--delimiter", ";"], ["--no-header"]):
        for command in ("head", "count", "schema", "splits", "explain"):
            message = (
                f"{option[0]}: expected a file of csv, found users.avro of avro, which has no such option"
            )
            assert arrowfeed(command, *option, "users.avro") == (2, "", f"arrowfeed: {message}\n")


def test_format_takes_any_text_as_csv(arrowfeed, tmp_path):
    (tmp_path / "notes.txt").write_text("a,b\n1,2\n")
    assert rows_of(arrowfeed, "--format", "csv", "notes.txt") == [{"a": 1, "b": 2}]
    done = process("head", "--format", "csv", "-", input=b"a,b\n1,2\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"a": 1, "b": 2}\n', b"")


STEPS = [{"a": [[1, 2], [3]]}, {"a": []}, {"a": [[4]]}]


def test_sequence_examples_have_their_feature_lists(arrowfeed, tmp_path):
    rows = pa.table({"id": [1, 2, 3], "##SEQUENCE##": STEPS})
    af.write_tfrecord(rows, tmp_path / "s.tfrecord", format="sequence_example")
    evidence = "its first TFRecord record is a tf.SequenceExample"
    assert arrowfeed("schema", "--detect", "s.tfrecord").out == f"format tfrecord-sequence: {evidence}\n"
    found = rows_of(arrowfeed, "s.tfrecord")
    assert [row["id"] for row in found] == [[1], [2], [3]]
    assert [row["##SEQUENCE##"] for row in found] == STEPS
    stats = json.loads(arrowfeed("stats", "--json", "s.tfrecord").out)
    assert (stats["format"], stats["rows"]) == ("tfrecord-sequence", 3)
    assert arrowfeed("count", "--json", "s.tfrecord").out == '{"path": "s.tfrecord", "rows": 3}\n'
    assert arrowfeed("splits", "--json", "s.tfrecord").out.count("\n") == 1
    for name in ("s.parquet", "s.arrow", "s.avro"):
        ran = arrowfeed("convert", "s.tfrecord", "-o", name, "--scalars", "id")
        assert (ran.code, ran.err) == (0, "")
    assert [row["##SEQUENCE##"] for row in pq.read_table("s.parquet").to_pylist()] == STEPS
    assert [row["id"] for row in pq.read_table("s.parquet").to_pylist()] == [1, 2, 3]
    ran = arrowfeed("convert", "s.tfrecord", "-o", "t.tfrecord")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith('arrowfeed: column "##SEQUENCE##": expected numbers, text or bytes, or lists')
    assert not (tmp_path / "t.tfrecord").exists()
