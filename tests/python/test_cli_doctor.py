"""`arrowfeed doctor` prints what is installed, and finds a format or codec that does not work."""

import json
import platform
import re
from importlib import metadata

import pytest

import arrowfeed as af
import arrowfeed.cli._installed as installed
from arrowfeed._formats import FORMATS
from arrowfeed.cli import _self_test
from conftest import run_script

CHECKS = [f"{name} {codec}" for name, (codecs, _) in _self_test._WRITERS.items() for codec in codecs]


def test_all_checks_pass(arrowfeed):
    ran = arrowfeed("doctor", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert found["self_test"] == [{"name": name, "result": "ok", "message": ""} for name in CHECKS]
    assert found["arrowfeed"] == af.__version__
    assert found["python"] == f"{platform.python_implementation()} {platform.python_version()}"
    assert found["build_features"] == ["hdfs", "stores", "tensorflow"]
    assert found["formats"] == [known.name for known in FORMATS]
    assert found["avro_codecs"] == ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"]
    assert 1 <= found["cores"] < 10_000
    assert found["libraries"]["numpy"] == metadata.version("numpy")
    assert list(found["libraries"]) == list(installed._LIBRARIES)


def test_every_format_of_rows_is_checked():
    tested = {name.split()[0] for name in CHECKS}
    # The other two are TFRecord files with other messages.
    assert tested == {known.name for known in FORMATS} - {"tfrecord-raw", "tfrecord-sequence"}
    assert len(CHECKS) == len(set(CHECKS)) == 22


def test_the_tables_have_the_same(arrowfeed):
    found = json.loads(arrowfeed("doctor", "--json").out)
    ran = arrowfeed("doctor")
    assert (ran.code, ran.err) == (0, "")
    facts, libraries, checks = ran.out.split("\n\n")
    assert dict(re.split(r"  +", line, maxsplit=1) for line in facts.split("\n")) == {
        "arrowfeed": found["arrowfeed"],
        "Python": found["python"],
        "system": found["system"],
        "cores": str(found["cores"]),
        "build features": "hdfs, stores, tensorflow",
        "formats": ", ".join(found["formats"]),
        "codecs of Avro": ", ".join(found["avro_codecs"]),
    }
    assert dict(re.split(r"  +", line) for line in libraries.split("\n")[1:]) == {
        name: version or "not installed" for name, version in found["libraries"].items()
    }
    assert [re.split(r"  +", line) for line in checks.splitlines()] == [
        ["self-test", "result", "reason"],
        *([name, "ok"] for name in CHECKS),
    ]


def test_a_failed_check_is_the_exit_code(arrowfeed, monkeypatch):
    def snappy_fails(rows, path, *, codec):
        if codec == "snappy":
            raise af.CodecError("no snappy")
        if codec == "xz":
            rows = af.read_json_lines(b'{"id": 1, "value": 0.5, "name": "Ada"}\n')
        write(rows, path, codec=codec)

    write = af.write_avro
    monkeypatch.setattr(af, "write_avro", snappy_fails)
    ran = arrowfeed("doctor", "--json")
    assert (ran.code, ran.err) == (
        1,
        "arrowfeed: self-test: expected no failed check, found 2 of 22\n",
    )
    results = {
        check["name"]: (check["result"], check["message"]) for check in json.loads(ran.out)["self_test"]
    }
    assert [name for name in CHECKS if results[name] != ("ok", "")] == ["avro snappy", "avro xz"]
    assert results["avro snappy"] == ("failed", "CodecError: no snappy")
    one = [{"id": 1, "value": 0.5, "name": "Ada"}]
    message = f"expected the rows {_self_test.ROWS}, found {one}"
    assert results["avro xz"] == ("failed", message)


def test_a_check_without_its_library_is_skipped():
    hidden = "sys.modules.update(dict.fromkeys(['pyarrow', 'pyarrow.parquet', 'pyarrow.ipc']))"
    script = f"import sys; {hidden}; import arrowfeed.cli as c; sys.exit(c.main(['doctor', '--json']))"
    done = run_script(script)
    assert (done.returncode, done.stderr) == (0, "")
    results = {check["name"]: check for check in json.loads(done.stdout)["self_test"]}
    for name in CHECKS:
        is_skipped = name.startswith(("parquet", "arrow"))
        message = "pyarrow, which writes the file, is not installed" if is_skipped else ""
        result = "skipped" if is_skipped else "ok"
        assert results[name] == {"name": name, "result": result, "message": message}


def test_the_libraries_are_not_imported():
    script = (
        "import sys, arrowfeed.cli as c; c.main(['doctor']);"
        "heavy = {'pandas', 'polars', 'duckdb', 'tensorflow', 'torch', 'jax', 'fsspec'};"
        "sys.exit(sorted(heavy & set(sys.modules)) or 0)"
    )
    done = run_script(script)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("distributions", "expected"),
    [([], None), (["numpy"], "1"), (["other", "numpy"], "1"), (["NumPy"], "1"), (["other"], "2")],
)
def test_a_module_has_the_version_of_its_distribution(monkeypatch, distributions, expected):
    versions = {"numpy": "1", "NumPy": "1", "other": "2"}
    monkeypatch.setattr(installed.metadata, "version", versions.__getitem__)
    assert installed._version("numpy", distributions) == expected
