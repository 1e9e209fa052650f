"""`arrowfeed cat` prints all rows, and `arrowfeed count` their number."""

import io
import json
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from cli_formats import WRITERS, as_csv, random_rows, raw_records, write_as
from command_line import process
from conftest import BIG_ROWS, run_script, users, write
from test_cli_progress import on_a_terminal


@pytest.mark.parametrize("name", WRITERS)
def test_cat_prints_the_rows_that_convert_writes(arrowfeed, tmp_path, name):
    write_as(name, tmp_path, random_rows(4, 300))
    kind = WRITERS[name][0]
    scalars = ["--scalars", "n,t,x"] if kind == "tfrecord" else []
    for options, out in (([], "b.jsonl"), ([] if kind == "csv" else ["--exclude", "l"], "b.csv")):
        assert arrowfeed("convert", name, "-o", out, *scalars, *options).code == 0
        form = ["--csv"] if out == "b.csv" else []
        ran = arrowfeed("cat", *form, *scalars, *options, name)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.encode() == (tmp_path / out).read_bytes()
        assert ran.out.count("\n") >= 300


def test_cat_prints_the_same_in_a_separate_process(arrowfeed, tmp_path):
    write_as("rows.avro", tmp_path, random_rows(4, 300))
    for form in ([], ["--csv", "--exclude", "l"]):
        ran = process("cat", *form, "rows.avro", cwd=tmp_path)
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert ran.stdout == arrowfeed("cat", *form, "rows.avro").out.encode()


def test_cat_reads_with_the_options_of_the_others(arrowfeed, tmp_path):
    path = write(tmp_path / "a.avro", users(20), sync_interval=100)
    path.write_bytes(path.read_bytes()[:-1])
    ran = process("cat", "--columns", "id", "--on-error", "skip_block", "a.avro", cwd=tmp_path)
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert rows == [{"id": number} for number in range(len(rows))]
    assert 0 < len(rows) < 20
    assert ran.stderr.startswith(b"arrowfeed: skipped: a.avro: block ")
    ran = process("cat", "--columns", "id", "a.avro", cwd=tmp_path)
    assert ran.returncode == 1
    assert [json.loads(line) for line in ran.stdout.splitlines()] == rows


@pytest.mark.parametrize("form", [[], ["--csv"]])
def test_a_closed_pipe_ends_cat_quietly(big_file, form):
    command = [sys.executable, "-m", "arrowfeed", "cat", *form, "--columns", "id,name", big_file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


def test_columns_that_csv_does_not_have_are_errors_before_the_first_line(tmp_path):
    write(tmp_path / "a.avro", users(3))
    ran = process("cat", "--csv", "a.avro", cwd=tmp_path)
    message = (
        'column "scores": expected single values, which a cell of CSV can hold, found list<item: float>:'
        " write lists of one value with --scalars, or leave the column out with --exclude"
    )
    found = ran.stderr.decode().replace("list<item: float not null>", "list<item: float>")
    assert (ran.returncode, ran.stdout, found) == (1, b"", f"arrowfeed: {message}\n")


def test_csv_is_not_printed_to_a_terminal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.avro", users(3))
    code, shown = on_a_terminal("cat", "--csv", "a.avro")
    message = "arrowfeed: --csv: expected standard output to be a pipe or a file, found a terminal"
    assert (code, shown.strip()) == (2, message)


@pytest.mark.parametrize("name", WRITERS)
def test_count_is_the_number_of_rows_of_every_format(arrowfeed, tmp_path, monkeypatch, name):
    write_as(name, tmp_path, random_rows(1, 1234))
    shown = f"{'path':{len(name)}}   rows\n{name}  1,234\n{'total':{len(name)}}  1,234\n"
    assert arrowfeed("count", name) == (0, shown, "")
    assert arrowfeed("count", "--json", name).out == f'{{"path": "{name}", "rows": 1234}}\n'
    said = as_csv(name) if WRITERS[name][0] == "csv" else []
    data, expected = (tmp_path / name).read_bytes(), '{"path": null, "rows": 1234}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert arrowfeed("count", "--json", *said, "-") == (0, expected, "")
    if name == "rows.avro":
        done = process("count", "--json", "-", input=data)
        assert (done.returncode, done.stdout) == (0, expected.encode())


def test_count_of_directories_globs_and_files_of_several_formats(arrowfeed, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for number in range(3):
        pq.write_table(
            pa.table({"a": pa.array(range(number * 10), pa.int64())}), folder / f"{number}.parquet"
        )
    write(tmp_path / "users.avro", users(7))
    raw_records(tmp_path, [b"\xff", b"\xfe"])
    ran = arrowfeed("count", "--json", "parts", "users.avro", "records.tfrecord", "parts/*2.parquet")
    found = [(row["path"], row["rows"]) for row in map(json.loads, ran.out.splitlines())]
    one, two = os.path.join("parts", "1.parquet"), os.path.join("parts", "2.parquet")  # noqa: PTH118
    assert found == [(one, 10), (two, 20), ("users.avro", 7), ("records.tfrecord", 2), (two, 20)]
    assert arrowfeed("count", "parts").out.splitlines()[-1].split() == ["total", "30"]


@pytest.mark.parametrize("name", WRITERS)
def test_count_with_a_filter_is_the_number_of_rows_that_head_prints(arrowfeed, tmp_path, name):
    write_as(name, tmp_path, random_rows(3, 200))
    where = "x is null" if WRITERS[name][0] != "tfrecord" else "list_length(n) == 1"
    for predicate in (where, f"not ({where})"):
        shown = arrowfeed("head", "-n", 1000, name, "--where", predicate)
        ran = arrowfeed("count", "--json", name, "--where", predicate)
        assert (shown.code, ran.code, ran.err) == (0, 0, "")
        assert json.loads(ran.out)["rows"] == len(shown.out.splitlines())


@pytest.mark.parametrize(
    ("name", "text", "predicate"),
    [
        ("a.csv", "x\n1\n2.5\n", "x > 2"),
        ("a.csv", "zip\n53111\nK1A\n", 'zip == "K1A"'),
        ("a.csv", "x,y\n,1\n5,1\n", "x == 5"),
        ("a.jsonl", '{"y": 1}\n{"x": 5}\n', "x == 5"),
        ("a.jsonl", '{"x": null}\n{"x": 5}\n', "x is null"),
    ],
)
def test_a_filter_of_count_compares_values_of_the_types_of_head(arrowfeed, tmp_path, name, text, predicate):
    (tmp_path / name).write_text(text)
    assert len(arrowfeed("head", name, "--where", predicate).out.splitlines()) == 1
    ran = arrowfeed("count", "--json", name, "--where", predicate)
    assert ran == (0, f'{{"path": "{name}", "rows": 1}}\n', "")


def test_count_of_files_with_different_schemas(arrowfeed, tmp_path):
    for day, rows in (("x", [{"a": n} for n in range(10)]), ("y", [{"a": 9, "b": n} for n in range(5)])):
        folder = tmp_path / "parts" / f"d={day}"
        folder.mkdir(parents=True)
        af.write_avro(rows, folder / "[1].avro")
    paths = [os.path.join("parts", f"d={day}", "[1].avro") for day in "xy"]  # noqa: PTH118
    for call, counts in (
        (("parts/*/*.avro",), {paths[0]: 10, paths[1]: 5}),
        (("parts", "--partitioning", "hive"), {paths[0]: 10, paths[1]: 5}),
        (("parts/*/*.avro", "--where", "a >= 8"), {paths[0]: 2, paths[1]: 5}),
        (("parts", "--partitioning", "hive", "--where", "d == 'x' and a >= 7"), {paths[0]: 3}),
    ):
        ran = arrowfeed("count", "--json", *call)
        assert (ran.code, ran.err) == (0, "")
        assert {row["path"]: row["rows"] for row in map(json.loads, ran.out.splitlines())} == counts


def test_the_delimiter_of_tsv_holds_whoever_finds_the_file(arrowfeed, tmp_path):
    for number in range(2):
        write_as("rows.tsv", tmp_path, random_rows(number, 500))
        (tmp_path / "rows.tsv").rename(tmp_path / f"{number}.tsv")
    for call in (("*.tsv",), ("0.tsv", "1.tsv"), ("--format", "csv", "*.tsv")):
        ran = arrowfeed("count", "--json", *call)
        assert [json.loads(line)["rows"] for line in ran.out.splitlines()] == [500, 500]
        assert json.loads(arrowfeed("stats", "--json", *call).out)["rows"] == 1000


def test_count_reads_no_rows(arrowfeed, tmp_path, big_file):
    # The last bytes of the data are damaged. Only a decoder notices this.
    data = bytearray(big_file.read_bytes())
    data[-40:-20] = bytes(20)
    (tmp_path / "a.avro").write_bytes(data)
    assert json.loads(arrowfeed("count", "--json", "a.avro").out)["rows"] == BIG_ROWS
    assert arrowfeed("stats", "a.avro").code == 1


def test_count_of_a_broken_file_is_an_error(arrowfeed, tmp_path):
    path = write_as("rows.avro", tmp_path, random_rows(1, 50))
    path.write_bytes(path.read_bytes()[:-20])
    ran = arrowfeed("count", "rows.avro")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("arrowfeed: rows.avro: block ")
    assert af.avro_schema("rows.avro").codec == "zstandard"


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in /proc")
def test_memory_of_cat_does_not_grow_with_the_file(tmp_path):
    peaks = []
    for rows in (4000, 10_000):
        path = tmp_path / f"{rows}.avro"
        af.write_avro(pa.table({"id": range(rows), "text": ["x" * 30_000] * rows}), path, codec="null")
        done = run_script(PEAK, path, timeout=180)
        assert (done.returncode, len(done.stdout)) == (0, 0), done.stderr
        peaks.append(int(done.stderr.split()[-2]) // 1024)
    assert path.stat().st_size > 250 << 20
    assert peaks[1] - peaks[0] < 100, f"MiB of 4,000 and 10,000 rows: {peaks}"


PEAK = """
    import os, sys
    from arrowfeed.cli import main

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    assert main(["cat", "--csv", "--threads", "2", sys.argv[1]]) == 0
    peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")][0]
    print(peak.removeprefix("VmHWM:"), file=sys.stderr)
"""


def test_views_of_parquet_are_text_and_bytes(arrowfeed, tmp_path):
    table = pa.table({"v": pa.array([b"a"], pa.binary_view()), "s": pa.array(["x"], pa.string_view())})
    pq.write_table(table, tmp_path / "views.parquet")
    ran = process("cat", "views.parquet", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b'{"v": "a", "s": "x"}\n', b"")
    for out in ("views.csv", "views.tfrecord"):
        assert arrowfeed("convert", "views.parquet", "-o", out).code == 0
    [row] = pa.table(af.read_tfrecord(tmp_path / "views.tfrecord")).to_pylist()
    assert row == {"v": [b"a"], "s": [b"x"]}
