"""`docs/architecture.md` names every module of every crate and of the package, and no other.

All files that the pages on additions name exist.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
CRATES = sorted(path.name for path in (ROOT / "crates").iterdir() if (path / "src").is_dir())


def first_cells(table: str) -> str:
    """The first cells of the rows of a table."""
    return " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("|"))


def names(table: str) -> list[str]:
    """The names in the first column of a table."""
    return re.findall(r"`([^`]+)`", first_cells(table))


def table(name: str) -> str:
    """The text from `Inside name:` to the end of the table."""
    found = re.search(rf"^Inside `{name}`[^\n]*:\n\n((?:\|[^\n]*\n)+)", PAGE, re.MULTILINE)
    assert found, f"expected a table after 'Inside `{name}`:'"
    return found[1]


def modules(folder: Path, ending: str) -> list[str]:
    """The names of the modules in a folder, files or folders."""
    found = {path.stem for path in folder.iterdir() if path.suffix == ending or path.is_dir()}
    return sorted(found - {"lib", "mod", "__init__", "__pycache__"})


def test_the_table_of_crates_has_every_crate():
    found = [name for name in names(PAGE) if name.startswith("crates/")]
    assert sorted(found) == [f"crates/{name}" for name in CRATES]


@pytest.mark.parametrize("crate", CRATES)
def test_the_modules_of_a_crate_are_those_of_its_table(crate):
    found = {name.split("::")[0] for name in names(table(crate))}
    assert sorted(found) == modules(ROOT / "crates" / crate / "src", ".rs")


def test_the_modules_of_the_package_are_those_of_its_table():
    found = {name.removeprefix("arrowfeed/").removesuffix(".py") for name in names(table("python"))}
    expected = {*modules(ROOT / "python" / "arrowfeed", ".py"), "src", "_arrowfeed.pyi"}
    assert sorted(found) == sorted(expected)


def test_the_table_of_the_bindings_has_every_file():
    library = (ROOT / "python" / "src" / "lib.rs").read_text("utf-8")
    rows = [line for line in library.splitlines() if line.startswith("//! | ")]
    found = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert sorted(found) == modules(ROOT / "python" / "src", ".rs")


PATH = re.compile(r"[\w.-]+(/[\w.-]+)+|[\w-]+\.(rs|py|pyi|md|toml|yml)")


def named_files(page: str) -> list[str]:
    """The files and folders in the code of a page. A line may name files `in` a folder."""
    found = []
    for line in page.splitlines():
        code = re.findall(r"`([^`\s]+)`", line)
        paths = [name for name in code if PATH.fullmatch(name)]
        inside = re.search(r"` in `([^`]+)`", line)
        folder = f"{inside[1]}/" if inside and "/" in inside[1] else ""
        found += [name if "/" in name or not folder else folder + name for name in paths]
    return found


ADDING = (
    (ROOT / "docs" / "development.md").read_text("utf-8").partition("## Adding\n")[2].partition("\n## ")[0]
)


@pytest.mark.parametrize("page", [ADDING, (ROOT / "docs" / "add-a-format.md").read_text("utf-8")])
def test_the_files_that_a_page_on_additions_names_exist(page):
    names = named_files(page)
    assert len(names) > 20
    assert [name for name in names if not (ROOT / name).exists()] == []
