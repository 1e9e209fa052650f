"""`arrowfeed bench` measures the speed of reading, and says where the time goes."""

import json
import re
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.types import LoaderFigures
from conftest import cores_used

ROWS = 20_000
NUMBER = r"[\d,]+"
SPEED = rf"{NUMBER}\.\d"
STAGES = r"\w+ \d+%(?:, \w+ \d+%){0,2}"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file whose null strings have no tensor without a default."""
    table = pa.table({"id": range(ROWS), "name": [None, *[f"name {row}" for row in range(ROWS - 1)]]})
    af.write_avro(table, tmp_path / "x.avro", codec="zstandard", block_bytes=16_000)
    (tmp_path / "spec.json").write_text('{"id": {"dense": [], "dtype": "int64"}}')
    monkeypatch.chdir(tmp_path)
    return tmp_path / "x.avro"


def test_bench_prints_a_table(arrowfeed, file):
    ran = arrowfeed("bench", "--seconds", 1, "--threads", 1, "--threads", 3, "--batches", "x.avro")
    assert (ran.code, ran.err) == (0, "")
    header, disk, codec, one, three, verdict = ran.out.splitlines()
    assert re.fullmatch(r"reading +threads +rows/s +MB/s  time of all threads", header)
    assert re.fullmatch(rf"bytes of the files +1 +{SPEED}", disk)
    assert re.fullmatch(rf"zstandard alone +1 +{SPEED}", codec)
    for line, threads in ((one, 1), (three, 3)):
        assert re.fullmatch(rf"batches +{threads} +{NUMBER} +{SPEED}  {STAGES}", line)
    assert verdict.startswith("with 3 threads: the loader is the bottleneck: ")


def test_json(arrowfeed, file):
    command = ["bench", "--json", "--seconds", 1, "--threads", 2, "--features", "spec.json", "*.avro"]
    ran = arrowfeed(*command)
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    disk, codec = found.pop("disk_bytes_per_second"), found["codec_bytes_per_second"].pop("zstandard")
    assert disk > 0
    assert codec > 0
    [run] = found.pop("runs")
    assert found == {
        "files": ["*.avro"],
        "format": "avro",
        "batch_size": 1024,
        "codec_bytes_per_second": {},
    }
    assert list(run) == list(LoaderFigures.__annotations__)
    assert run["threads"] == 2
    assert run["stage_seconds"]["convert"] > 0
    assert run["seconds"] > 0.9
    # A file that ends earlier is read again.
    assert run["rows"] > ROWS


@pytest.mark.night
def test_the_disk_is_faster_than_the_codec(arrowfeed, file):
    found = json.loads(arrowfeed("bench", "--json", "--seconds", 1, "--batches", "x.avro").out)
    assert found["disk_bytes_per_second"] > found["codec_bytes_per_second"]["zstandard"]


def test_the_default_numbers_of_threads(arrowfeed, file):
    table = pa.table({"id": [[row] for row in range(10)]})
    af.write_tfrecord(table, file.with_suffix(".tfrecord"))
    ran = arrowfeed("bench", "--json", "--seconds", 1, "--batches", "x.tfrecord")
    found = json.loads(ran.out)
    assert [run["threads"] for run in found["runs"]] == sorted({1, 2, found["runs"][0]["cores"]})
    assert (found["format"], found["codec_bytes_per_second"]) == ("tfrecord", {})


def test_rows_without_a_tensor_are_an_error(arrowfeed, file):
    ran = arrowfeed("bench", "--seconds", 1, "x.avro")
    message = (
        'tensor "name", column "name", row 0: expected 1 value, found null: give the tensor a `default`, '
        "which fills nulls"
    )
    assert ran == (1, "", f"arrowfeed: {message}\n")


def test_an_empty_file_has_no_speed(arrowfeed, file):
    af.write_avro(pa.table({"id": pa.array([], pa.int64())}), file)
    ran = arrowfeed("bench", "--seconds", 1, "--threads", 1, "x.avro")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "with 1 thread: there is no verdict before 2 batches, found 0"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_the_measurement(file):
    command = [sys.executable, "-m", "arrowfeed", "bench", "--seconds", "100", "--batches", "x.avro"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        time.sleep(2)
        # Until the commands are imported, which handle Ctrl-C.
        while cores_used(running.pid) < 2:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
