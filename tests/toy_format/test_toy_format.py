"""A format is added to a copy of the repository as `docs/add-a-format.md` says. All languages then read it.

`arrowfeed-toy` is the crate of the format, and `toy.patch` has the changes outside of it.
ARROWFEED_TOY_TARGET is the folder of builds. It must not be that of the working tree: cargo gives the crates
of both trees the same names.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
COPY = ROOT / "target" / "toy-format" / "tree"
TARGET = Path(os.environ.get("ARROWFEED_TOY_TARGET", ROOT / "target" / "toy-format" / "target"))
CARGO = {**os.environ, "CARGO_TARGET_DIR": str(TARGET), "PYO3_PYTHON": sys.executable}


def run(*command: object, where: Path = COPY, **environment: str) -> str:
    """Runs a command that must succeed. Returns what it wrote."""
    command = [str(part) for part in command]
    done = subprocess.run(
        command, cwd=where, env={**CARGO, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module", autouse=True)
def tree():
    """The copy with the format, and its builds of the Python package and of the C library."""
    shutil.rmtree(COPY, ignore_errors=True)
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode()
    for name in names.split("\0"):
        if name and (ROOT / name).is_file() and not name.startswith("fuzz/corpus/"):
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)
    # Git must not treat the copy as a part of this repository.
    run("git", "init", "--quiet")
    run("git", "apply", HERE / "toy.patch")
    run(sys.executable, "tools/native_docs.py")
    run("cargo", "build", "--package", "arrowfeed-python", "--package", "arrowfeed-c")
    library = "lib_arrowfeed.dylib" if sys.platform == "darwin" else "lib_arrowfeed.so"
    shutil.copy2(TARGET / "debug" / library, COPY / "python" / "arrowfeed" / "_arrowfeed.abi3.so")


@pytest.fixture
def files(tmp_path):
    """A folder with two files."""
    (tmp_path / "a.toy").write_text("toy:one\ntoy:three\n")
    (tmp_path / "b.toy").write_text("toy:\n")
    return tmp_path


def python(*arguments: object) -> str:
    return run(sys.executable, *arguments, PYTHONPATH=str(COPY / "python"))


def test_rust_and_sql_read_the_format():
    assert "2 passed" in run("cargo", "test", "--package", "arrowfeed-toy", "--test", "doors")


PROGRAM = """
import sys
import pyarrow as pa
import arrowfeed as af

path = sys.argv[1]
print(pa.table(af.read_toy(path, upper=True, where="length > 3")).to_pylist())
dataset = af.open_dataset(path, exclude=["text"])
print(type(dataset).__name__, dataset.num_rows)
print([batch["length"].values.tolist() for batch in dataset.tensors(batch_size=3)])
try:
    af.read_toy(path, upper="yes")
except TypeError as error:
    print(error)
"""


def test_python_reads_the_format(files):
    assert python("-c", PROGRAM, files).splitlines() == [
        "[{'text': 'THREE', 'length': 5}]",
        "ToyDataset 3",
        "[[3, 5, 0]]",
        "upper: expected True or False, found str 'yes'",
    ]


def test_the_command_line_reads_the_format(files):
    program = ("-m", "arrowfeed")
    assert python(*program, "count", files).split()[-2:] == ["total", "3"]
    found = python(*program, "count", "--where", "text == 'one'", files / "a.toy")
    assert found.split()[-2:] == ["total", "1"]
    assert python(*program, "schema", files / "a.toy").splitlines() == [
        "format toy: it begins with toy:",
        "text: Utf8 not null",
        "length: Int64 not null",
    ]
    assert python(*program, "head", files / "b.toy") == '{"text": "", "length": 0}\n'


def test_c_reads_the_format(files):
    compiler, library = os.environ.get("CC", "cc"), TARGET / "debug"
    program = files / "read"
    include = COPY / "crates" / "arrowfeed-c" / "include"
    link = [f"-L{library}", "-larrowfeed_c", f"-Wl,-rpath,{library}", "-lpthread"]
    run(compiler, "-std=c11", f"-I{include}", COPY / "examples" / "c" / "read.c", "-o", program, *link)
    assert run(program, "length", files / "a.toy") == "2 rows, sum of length: 8\n"
