"""`docs/architecture.md` has every crate, and the tables of `lib.rs` and `mod.rs` have every module."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
CRATES = sorted(path.name for path in (ROOT / "crates").iterdir() if (path / "src").is_dir())
CONSUMERS = {"arrowfeed"}
"""Crates whose row has a sentence in place of the list of dependencies."""


def cells(row: str) -> list[str]:
    """The cells of a row of a table."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def rows_of_crates() -> dict[str, list[str]]:
    """The rows of the table of crates, by the name of the crate."""
    rows = [cells(line) for line in PAGE.splitlines() if line.startswith("| [`crates/")]
    return {re.findall(r"`crates/([^`]+)`", row[0])[0]: row for row in rows}


def test_the_table_of_crates_has_every_crate_with_a_link_to_its_modules():
    rows = rows_of_crates()
    assert sorted(rows) == CRATES
    for name, row in rows.items():
        assert row[0] == f"[`crates/{name}`](../crates/{name}/src/lib.rs)"
    assert "](../python/src/lib.rs)" in PAGE
    assert "](../python/arrowfeed/__init__.py)" in PAGE


@pytest.mark.parametrize("crate", [name for name in CRATES if name not in CONSUMERS])
def test_the_table_of_crates_has_the_dependencies_of_a_crate(crate):
    manifest = (ROOT / "crates" / crate / "Cargo.toml").read_text("utf-8")
    section = re.search(r"^\[dependencies\]\n(.*?)(?=^\[|\Z)", manifest, re.MULTILINE | re.DOTALL)
    assert section
    expected = re.findall(r"^(arrowfeed[\w-]*)", section[1], re.MULTILINE)
    named = re.findall(r"`(arrowfeed[\w-]*)`", rows_of_crates()[crate][2])
    assert sorted(named) == sorted(expected)


FILES = {"file", "files", "module", "modules"}
"""Headings of the columns that name modules."""


def named_modules(text: str, mark: str) -> list[str]:
    """The names in the columns of modules of the tables in the comments of a file."""
    return [name for line in tables(text, mark) for name in re.findall(r"`(\w+)`", line)]


def tables(text: str, mark: str) -> Iterator[str]:
    """The cells of the columns of modules of the tables in the comments that begin with a mark."""
    columns: list[int] | None = None
    for line in text.splitlines():
        if not line.startswith(f"{mark} |"):
            columns = None
            continue
        row = cells(line.removeprefix(mark))
        if columns is None:
            columns = [index for index, heading in enumerate(row) if heading in FILES]
            continue
        yield from (row[index] for index in columns)


def modules(folder: Path, ending: str) -> list[str]:
    """The names of the modules in a folder, files or folders."""
    found = {path.stem for path in folder.iterdir() if path.suffix == ending or path.is_dir()}
    return sorted(found - {"lib", "mod", "__init__", "__pycache__"})


@pytest.mark.parametrize("crate", CRATES)
def test_the_tables_of_a_crate_have_every_module(crate):
    source = ROOT / "crates" / crate / "src"
    text = (source / "lib.rs").read_text("utf-8")
    expected = modules(source, ".rs")
    # A table for users also names the crates that the crate exports.
    for_users = [name for name in named_modules(text, "//!") if name in expected]
    assert sorted({*named_modules(text, "//"), *for_users}) == expected


def test_the_table_of_the_package_has_every_module():
    package = ROOT / "python" / "arrowfeed"
    named = named_modules((package / "__init__.py").read_text("utf-8"), "#")
    assert sorted(named) == sorted([*modules(package, ".py"), "_arrowfeed"])


def test_the_table_of_the_bindings_has_every_module():
    source = ROOT / "python" / "src"
    named = named_modules((source / "lib.rs").read_text("utf-8"), "//!")
    assert sorted(named) == modules(source, ".rs")


FOLDERS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("crates/*/src/**/mod.rs", "python/src/**/mod.rs")
    for path in ROOT.glob(pattern)
)
TESTS = re.compile(r"(\w+_)?tests|testing")


@pytest.mark.parametrize("path", FOLDERS)
def test_the_first_comments_of_a_folder_name_every_file(path):
    """A folder has a table or a list of its files. A folder of up to three files needs neither."""
    text = (ROOT / path).read_text("utf-8")
    expected = [name for name in modules((ROOT / path).parent, ".rs") if not TESTS.fullmatch(name)]
    found = {*named_modules(text, "//"), *named_modules(text, "//!")} - {"mod"}
    if not found:
        comments = [line for line in text.splitlines() if line.startswith("//")]
        found = {*re.findall(r"`(\w+)", "\n".join(comments)), *(expected if len(expected) <= 3 else [])}
        found &= set(expected)
    assert sorted(found) == expected


@pytest.mark.parametrize(
    ("text", "mark", "expected"),
    [
        ("// | topic | files |\n// |---|---|\n// | `x` | `a`, `b` (`C::d`) |\n", "//", ["a", "b"]),
        ("//! | module | content |\n//! |---|---|\n//! | [`a`] | `b` |\n", "//!", ["a"]),
        ("//! | type | kernel |\n//! |---|---|\n//! | `a` | `b` |\n", "//!", []),
        ("//! | module | content |\n//! |---|---|\n//! | `a` | b |\n", "//", []),
    ],
)
def test_the_names_in_a_table_are_those_of_the_columns_of_modules(text, mark, expected):
    assert named_modules(text, mark) == expected
