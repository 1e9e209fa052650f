"""`arrowfeed convert` writes the same rows to another file, or leaves no file."""

import json
import os
import signal
import subprocess
import sys
import time

import fastavro
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import arrowfeed as af
from cli_formats import having
from conftest import users, write
from random_avro import Generator
from session_seed import seeds

CODECS = ("null", "deflate", "snappy", "zstandard", "bzip2", "xz")


def rows_of(path):
    with path.open("rb") as file:
        return list(fastavro.reader(file))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def said(path, rows):
    return (0, f"{path.name}: {rows} rows, {path.stat().st_size} bytes\n", "")


@pytest.mark.parametrize("codec", CODECS)
def test_avro_with_another_codec_has_the_same_rows_and_schema(arrowfeed, users_file, tmp_path, codec):
    out = tmp_path / "out.avro"
    ran = arrowfeed("convert", "users.avro", "-o", "out.avro", "--codec", codec)
    assert ran == said(out, 100)
    assert rows_of(out) == users(100)
    header, before = af.avro_schema(out), af.avro_schema(users_file)
    assert (header.codec, header.canonical) == (codec, before.canonical)
    assert names(tmp_path) == ["out.avro", "users.avro"]


def test_avro_keeps_the_metadata_of_the_first_file(arrowfeed, users_file, tmp_path):
    entries = {"source": b"sensor 7", "raw": bytes(range(256))}
    af.write_avro(af.read_avro(users_file), tmp_path / "first.avro", metadata=entries)
    arrowfeed("convert", "first.avro", "users.avro", "-o", "out.avro", "--codec", "null")
    metadata = af.avro_schema(tmp_path / "out.avro").metadata
    assert {key: value for key, value in metadata.items() if not key.startswith("avro.")} == entries
    assert metadata["avro.codec"] == b"null"


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "zstandard"])
def test_parquet_has_the_same_table(arrowfeed, users_file, tmp_path, codec):
    ran = arrowfeed("convert", "users.avro", "--codec", codec, "-o", "out.parquet")
    assert ran == said(tmp_path / "out.parquet", 100)
    assert parquet.read_table("out.parquet").equals(pa.table(af.read_avro(users_file)))
    used = parquet.ParquetFile("out.parquet").metadata.row_group(0).column(0).compression
    assert used == {"null": "UNCOMPRESSED", "deflate": "GZIP", "snappy": "SNAPPY", "zstandard": "ZSTD"}[codec]


@pytest.mark.parametrize("codec", ["null", "zstandard"])
@pytest.mark.parametrize("suffix", [".arrow", ".feather", ".ARROW"])
def test_arrow_files_have_the_same_table(arrowfeed, users_file, tmp_path, codec, suffix):
    out = tmp_path / f"out{suffix}"
    ran = arrowfeed("convert", "users.avro", "--codec", codec, "-o", out.name, "--batch-size", 30)
    assert ran == said(out, 100)
    assert feather.read_table(out).equals(pa.table(af.read_avro(users_file)))
    with pa.ipc.open_file(out) as file:
        assert [file.get_batch(at).num_rows for at in range(file.num_record_batches)] == [30, 30, 30, 10]


@pytest.mark.parametrize("batch_rows", [500, 65_536])
def test_convert_joins_the_batches_of_small_files(arrowfeed, tmp_path, batch_rows):
    for number in range(60):
        first = number * 20
        af.write_avro([{"a": row} for row in range(first, first + 20)], tmp_path / f"{number:02}.avro")
    for out in ("all.parquet", "all.arrow"):
        assert arrowfeed("convert", "*.avro", "-o", out, "--batch-size", batch_rows).code == 0
    groups = parquet.ParquetFile("all.parquet").metadata
    sizes = [groups.row_group(at).num_rows for at in range(groups.num_row_groups)]
    with pa.ipc.open_file(tmp_path / "all.arrow") as file:
        batches = [file.get_batch(at).num_rows for at in range(file.num_record_batches)]
    assert sizes == batches == ([500, 500, 200] if batch_rows == 500 else [1200])
    for table in (parquet.read_table("all.parquet"), feather.read_table("all.arrow")):
        assert table["a"].to_pylist() == list(range(1200))


def test_convert_joins_wide_rows_up_to_a_number_of_bytes(arrowfeed, tmp_path):
    for number in range(4):
        af.write_avro(pa.table({"t": [f"{number}" * 100_000] * 300}), tmp_path / f"{number}.avro")
    assert arrowfeed("convert", "*.avro", "-o", "all.parquet").code == 0
    groups = parquet.ParquetFile("all.parquet").metadata
    assert (groups.num_rows, groups.num_row_groups) == (1200, 2)
    assert [text[0] for text in parquet.read_table("all.parquet")["t"].to_pylist()] == [
        str(number) for number in range(4) for _ in range(300)
    ]


def test_random_files_survive_conversions(arrowfeed, tmp_path):
    for number, seed in enumerate(seeds(0, 120)):
        generator = Generator(seed)
        schema = generator.root()
        path = write(tmp_path / "a.avro", [generator.value(schema) for _ in range(number % 20)], schema)
        is_record = isinstance(schema, dict) and schema["type"] == "record"
        assert arrowfeed("convert", "a.avro", "-o", "b.avro", "--force").code == 0
        wanted = [row if is_record else {"value": row} for row in rows_of(path)]
        assert repr(rows_of(tmp_path / "b.avro")) == repr(wanted), f"seed {seed}: {schema}"
        assert arrowfeed("convert", "a.avro", "-o", "b.arrow", "--force").code == 0
        assert repr(feather.read_table("b.arrow").to_pylist()) == repr(
            pa.table(af.read_avro(path)).to_pylist()
        )


def test_several_files_columns_and_a_reader_schema(arrowfeed, tmp_path):
    write(tmp_path / "1.avro", users(5))
    write(tmp_path / "2.avro", users(5, first=5), codec="deflate")
    ran = arrowfeed("convert", "1.avro", "2.avro", "-o", "c.avro", "--columns", "home.zip,id", "--threads", 1)
    assert ran == said(tmp_path / "c.avro", 10)
    assert rows_of(tmp_path / "c.avro") == [{"home": {"zip": at}, "id": at} for at in range(10)]
    schema = {"type": "record", "name": "New", "doc": "kept", "fields": [{"name": "id", "type": "double"}]}
    (tmp_path / "r.avsc").write_text(json.dumps(schema))
    assert arrowfeed("convert", "1.avro", "-o", "r.avro", "--reader-schema", "r.avsc").code == 0
    assert json.loads(af.avro_schema("r.avro").json) == schema
    assert rows_of(tmp_path / "r.avro") == [{"id": float(at)} for at in range(5)]


def test_parts_that_on_error_skips_are_reported(arrowfeed, tmp_path):
    path = write(tmp_path / "a.avro", users(20), sync_interval=100)
    path.write_bytes(path.read_bytes()[:-1])
    ran = arrowfeed("convert", "a.avro", "-o", "b.parquet", "--on-error", "skip_block")
    rows = parquet.read_table("b.parquet").num_rows
    assert 0 < rows < 20
    assert ran.code == 0
    assert ran.out.startswith(f"b.parquet: {rows} rows, ")
    assert ran.err.startswith("arrowfeed: skipped: a.avro: block ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("suffix", [".avro", ".arrow", ".parquet"])
def test_a_broken_file_leaves_nothing_and_replaces_nothing(arrowfeed, tmp_path, suffix):
    path = write(tmp_path / "a.avro", users(1000), sync_interval=100)
    path.write_bytes(path.read_bytes()[:-1])
    ran = arrowfeed("convert", "a.avro", "-o", f"b{suffix}", "--batch-size", 10)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("arrowfeed: a.avro: block ")
    assert names(tmp_path) == ["a.avro"]
    kept = tmp_path / f"b{suffix}"
    kept.write_bytes(b"kept")
    assert arrowfeed("convert", "a.avro", "-o", kept.name, "--force") == ran
    assert (kept.read_bytes(), names(tmp_path)) == (b"kept", ["a.avro", kept.name])


@pytest.mark.parametrize("suffix", [".avro", ".arrow", ".parquet"])
def test_force_replaces_even_the_input(arrowfeed, tmp_path, suffix):
    out = tmp_path / f"a{suffix}"
    write(out, users(100))
    message = f"arrowfeed: a{suffix}: expected no file of this name, found one: --force replaces it\n"
    assert arrowfeed("convert", out.name, "-o", out.name) == (2, "", message)
    assert arrowfeed("convert", out.name, "-o", out.name, "--force", "--codec", "null") == said(out, 100)
    assert names(tmp_path) == [out.name]


SUFFIXES = (
    ".parquet, .arrow, .feather, .avro, .tfrecord, .tfrecord.gz, .tfrecords, .tfrecords.gz, .csv, .csv.gz,"
    " .jsonl, .jsonl.gz, .ndjson, .ndjson.gz"
)
REFUSED = {
    ("-o", "b.txt"): f"b.txt: expected a name that ends in {SUFFIXES}, or --to",
    ("-o", "b.avro.gz"): f"b.avro.gz: expected a name that ends in {SUFFIXES}, or --to",
    ("-o", "-"): f"-: expected a name that ends in {SUFFIXES}, or --to",
    ("-o", "b.arrow", "--codec", "xz"): "--codec: expected null, zstandard for arrow, found xz",
    ("-o", "b.parquet", "--codec", "xz"): (
        "--codec: expected null, gzip, snappy, zstandard for parquet, found xz"
    ),
    ("-o", "b.csv", "--compression", "zstd"): "--codec: expected null, gzip for csv, found zstd",
    ("-o", "b.csv.gz", "--codec", "none"): "--codec: expected gzip for a name that ends in .gz, found none",
    (
        "-o",
        "b.tfrecord.gz",
        "--codec",
        "zlib",
    ): "--codec: expected gzip for a name that ends in .gz, found zlib",
    ("-o", "b.avro", "--double-as-float"): (
        "--double-as-float: expected an output of tf.Example or tf.SequenceExample, found avro"
    ),
    ("-o", "b.avro", "--scalars", "id"): (
        '--scalars: expected a list column (available: "scores"), found "id"'
    ),
    ("-o", "b.avro", "--sample", "3"): (
        f"--sample: expected a file of {having('sample')}, found users.avro of avro, which has no such option"
    ),
    ("-o", "b.avro", "--exclude", "x"): (
        '--exclude: expected a column, one of "id", "name", "scores", "home", found "x"'
    ),
    ("-o", "b.avro", "--exclude", "id", "--columns", "id"): (
        "--exclude: expected either --exclude or --columns, found both"
    ),
}


@pytest.mark.parametrize("options", REFUSED)
def test_wrong_calls_of_convert(arrowfeed, users_file, tmp_path, options):
    assert arrowfeed("convert", "users.avro", *options) == (2, "", f"arrowfeed: {REFUSED[options]}\n")
    assert names(tmp_path) == ["users.avro"]


def test_places_that_cannot_be_written(arrowfeed, users_file, tmp_path):
    (tmp_path / "d.avro").mkdir()
    assert arrowfeed("convert", "users.avro", "-o", "d.avro", "--force") == (
        1,
        "",
        "arrowfeed: d.avro: Is a directory\n",
    )
    assert arrowfeed("convert", "users.avro", "-o", "no/b.avro") == (
        1,
        "",
        "arrowfeed: no: expected an existing directory to write to\n",
    )


def test_types_that_parquet_does_not_have_are_named(arrowfeed, tmp_path):
    fields = [{"name": "u", "type": ["int", "string"]}, {"name": "id", "type": "int"}]
    write(tmp_path / "a.avro", [{"u": 1, "id": 2}], {"type": "record", "name": "R", "fields": fields})
    ran = arrowfeed("convert", "a.avro", "-o", "b.parquet")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        'arrowfeed: column "u": expected a type that Parquet can hold, found'
        " dense_union<int: int32 not null=0, string: string not null=1>:"
        " leave the column out with --exclude, or convert unions with --unions struct or --unions json\n"
    )
    assert names(tmp_path) == ["a.avro"]
    assert arrowfeed("convert", "a.avro", "-o", "b.parquet", "--columns", "id").code == 0


@pytest.fixture(scope="module")
def long_file(tmp_path_factory):
    """A file whose conversion takes seconds."""
    path = tmp_path_factory.mktemp("long") / "a.avro"
    af.write_avro(pa.table({"id": range(3_000_000), "text": ["x" * 50] * 3_000_000}), path, codec="deflate")
    return path


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("suffix", [".avro", ".arrow", ".parquet"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_nothing(tmp_path, long_file, suffix, number, code):
    path = tmp_path / "a.avro"
    path.symlink_to(long_file)
    command = [sys.executable, "-m", "arrowfeed", "convert", path, "-o", tmp_path / f"b{suffix}"]
    with subprocess.Popen([*command, "--threads", "1"], stdout=-1, stderr=-1) as running:
        while running.poll() is None and len(names(tmp_path)) == 1:
            time.sleep(0.01)
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (code, b"", b"")
    assert names(tmp_path) == ["a.avro"]
