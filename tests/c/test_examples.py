"""Compiles and runs the C and C++ programs of `examples` with a built library of `crates/arrowfeed-c`.

ARROWFEED_C is the directory of the library, and ARROWFEED_C_FLAGS has further flags of the compilers.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADER = ROOT / "crates" / "arrowfeed-c" / "include"
EXAMPLE = ROOT / "tests" / "data" / "example.avro"
LIBRARY = Path(os.environ.get("ARROWFEED_C", ROOT / "target" / "debug")).resolve()
FLAGS = shlex.split(os.environ.get("ARROWFEED_C_FLAGS", ""))
C = [os.environ.get("CC", "cc"), "-std=c11"]
CXX = [os.environ.get("CXX", "c++"), "-std=c++17"]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{HEADER}", *FLAGS]
NATIVE = ["-lpthread", "-ldl", "-lm", "-lrt", "-lutil"]
"""Libraries of the system that the static library needs, as `rustc --print native-static-libs` lists them."""


def compiled(compiler: list[str], source: Path, out: Path, *libraries: str) -> Path:
    """Compiles a program without warnings."""
    program = out / source.stem
    subprocess.run([*compiler, *STRICT, str(source), "-o", str(program), *libraries], check=True)
    return program


def shared() -> list[str]:
    """Flags that link the shared library."""
    return [f"-L{LIBRARY}", "-larrowfeed_c", f"-Wl,-rpath,{LIBRARY}", "-lpthread"]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C program that sums a column."""
    out = tmp_path_factory.mktemp("read")
    return compiled(C, ROOT / "examples" / "c" / "read.c", out, *shared())


def run(program: Path, *arguments: object) -> tuple[int, str, str]:
    """Runs a program. Returns its exit code and what it wrote."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_column_is_summed(read: Path, tmp_path: Path) -> None:
    for number, count in enumerate((1000, 10)):
        rows = "".join(f"{row},{row / 4 if row % 3 else ''}\n" for row in range(count))
        (tmp_path / f"part {number}.csv").write_text(f"id,x\n{rows}", encoding="utf-8")
    ids = sum(range(1000)) + sum(range(10))
    xs = sum(row / 4 for count in (1000, 10) for row in range(count) if row % 3)
    pattern = tmp_path / "part*.csv"
    assert run(read, "id", pattern) == (0, f"1010 rows, sum of id: {ids}\n", "")
    assert run(read, "x", pattern) == (0, f"1010 rows, sum of x: {xs:.17g}\n", "")


def test_an_error_is_shown_with_its_kind_and_place(read: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.avro"
    damaged.write_bytes(EXAMPLE.read_bytes()[:-30])
    code, out, error = run(read, "id", damaged)
    assert (code, out) == (1, "")
    assert re.fullmatch(
        r"truncated error in block 0, at byte (\d+): "
        + re.escape(str(damaged))
        + r": block 0 at byte \1: .*\n",
        error,
    )
    missing = tmp_path / "missing.avro"
    message = f"io error: {missing}: No such file or directory (os error 2)\n"
    assert run(read, "id", missing) == (1, "", message)
    code, _, error = run(read, "none", EXAMPLE)
    assert code == 1
    expected = f'schema error: {EXAMPLE}: expected a field of record "Example" ("id", "tags"), found "none"\n'
    assert error == expected


@pytest.mark.skipif(
    "-fsanitize=address" in FLAGS, reason="the runtimes of two compilers do not link statically"
)
def test_the_static_library_links(tmp_path: Path) -> None:
    static = LIBRARY / "libarrowfeed_c.a"
    program = compiled(C, ROOT / "examples" / "c" / "read.c", tmp_path, str(static), *NATIVE)
    code, out, error = run(program, "id", EXAMPLE)
    assert (code, error) == (0, "")
    assert out.startswith("3 rows, sum of id: ")


def test_tensors_are_handed_over(tmp_path: Path) -> None:
    program = compiled(C, ROOT / "examples" / "c" / "tensors.c", tmp_path, *shared())
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": 7, "tags": ["a", "bc"], "ok": true}\n{"id": 8, "tags": [], "ok": false}\n')
    expected = [
        "id: dense",
        "  values: int64 [2]",
        "tags: sparse",
        "  values: uint8 [3]",
        "  indices: int64 [2, 2]",
        "  dense shape: int64 [2]",
        "ok: dense",
        "  values: bool8 [2]",
    ]
    code, out, error = run(program, 10, rows)
    assert (code, sorted(out.splitlines()), error) == (0, sorted(expected), "")


def test_a_reading_of_cpp_is_cancelled(tmp_path: Path) -> None:
    program = compiled(CXX, ROOT / "examples" / "cpp" / "read.cpp", tmp_path, *shared())
    for milliseconds in (50, 500, 5000):
        code, out, error = run(program, milliseconds, EXAMPLE)
        assert (code, error) == (0, "")
        # On a busy machine, the first batch may come late.
        if out != "read until it was cancelled: no row\n":
            break
    assert out == "read until it was cancelled: some rows\n"
    code, out, error = run(program, 600_000, tmp_path / "missing.avro")
    assert (code, out) == (1, "")
    assert error.endswith("missing.avro: No such file or directory (os error 2)\n")


def test_the_programs_of_the_page_run(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "c.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```c\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(programs) == 2
    (tmp_path / "clicks-1.csv").write_text("user,page\n1,a\n2,b\n3,c\n", encoding="utf-8")
    expected = ["2 rows\n", ""]
    for number, (text, out) in enumerate(zip(programs, expected, strict=True)):
        source = tmp_path / f"program{number}.c"
        source.write_text(text.replace("clicks-*.avro", str(tmp_path / "clicks-*.csv")), encoding="utf-8")
        assert run(compiled(C, source, tmp_path, *shared())) == (0, out, "")


@pytest.mark.parametrize("compiler", [[*C[:1], "-std=c99"], C, CXX])
@pytest.mark.parametrize("before", ["", "#define ARROWFEED_DEFINE_DLPACK\n"])
def test_the_header_compiles_alone(compiler: list[str], before: str, tmp_path: Path) -> None:
    source = tmp_path / ("header.cpp" if compiler is CXX else "header.c")
    source.write_text(f"{before}#include <arrowfeed.h>\n#include <arrowfeed.h>\n")
    subprocess.run([*compiler, *STRICT, "-fsyntax-only", str(source)], check=True)


def test_structs_have_the_layout_of_the_library() -> None:
    source = ROOT / "crates" / "arrowfeed-c" / "tests" / "c" / "layout.c"
    subprocess.run([*C, *STRICT, "-fsyntax-only", str(source)], check=True)


def test_the_shared_library_exports_only_what_the_header_declares() -> None:
    shown = subprocess.run(
        ["nm", "--dynamic", "--defined-only", str(LIBRARY / "libarrowfeed_c.so")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    exported = {line.split()[-1] for line in shown.splitlines()}
    header = (HEADER / "arrowfeed.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"\b(arrowfeed_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)))
    assert exported == declared
