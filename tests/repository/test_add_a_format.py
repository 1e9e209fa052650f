"""The pages on additions name files that exist. `docs/add-a-format.md` has every file that a format needs."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "add-a-format.md").read_text("utf-8")
ADDING = (
    (ROOT / "docs" / "development.md").read_text("utf-8").partition("## Adding\n")[2].partition("\n## ")[0]
)

PATH = re.compile(r"[\w.-]+(/[\w.-]+)+|[\w-]+\.(rs|py|pyi|md|toml|yml)")


def named_files(page: str) -> list[str]:
    """The files and folders in the code of a page. A line may name files `in` a folder."""
    found = []
    for line in page.splitlines():
        code = re.findall(r"`([^`\s]+)`", line)
        paths = [name for name in code if PATH.fullmatch(name)]
        inside = re.search(r"` in `([^`]+)`", line)
        folder = f"{inside[1]}/" if inside and (ROOT / inside[1]).is_dir() else ""
        found += [name if "/" in name or not folder else folder + name for name in paths]
    return found


@pytest.mark.parametrize("page", [ADDING, PAGE])
def test_the_files_that_a_page_on_additions_names_exist(page):
    names = named_files(page)
    assert len(names) > 20
    assert [name for name in names if not (ROOT / name).exists()] == []


EXAMPLE = re.compile(r"json[ _]?lines|jsonl|arrowfeed[-_/]text", re.IGNORECASE)
"""The names of an existing format, JSON lines, and of its crate in code."""

OWN = (
    "crates/arrowfeed-text/",
    "docs/csv-and-json-lines.md",
    "fuzz/corpus/",
    "fuzz/src/targets/csv_file.rs",
    "fuzz/src/targets/json_grammar.rs",
    "fuzz/src/targets/json_lines_file.rs",
    "python/arrowfeed/_stubs/text.pyi",
    "python/src/formats/json_lines.rs",
    "tests/cases/text/",
    "tests/python/test_csv_options.py",
    "tests/python/test_merged_text_schemas.py",
    "tests/python/test_text_datasets.py",
    "tests/python/test_text_values.py",
    "tests/toy_format/",
)
"""The files of the example itself. The page describes those of a new format."""

EXEMPT = {
    "Programs write these files.": ["Cargo.lock", "python/src/generated/docs.rs"],
    "The page and its test.": ["docs/add-a-format.md", "tests/repository/test_add_a_format.py"],
    "The name is that of a file of results, which is no input.": [
        "Makefile",
        "benches/README.md",
        "benches/run.py",
        "benches/tests/test_results.py",
        "tests/frameworks/test_tfio_parity.py",
    ],
    "JSON lines are the output of a command, or of a function that writes text.": [
        "benches/bars.toml",
        "python/arrowfeed/_rendering/text.py",
        "python/arrowfeed/cli/_write_text.py",
        "python/arrowfeed/cli/cat.py",
        "python/arrowfeed/cli/head.py",
        "python/arrowfeed/cli/schema.py",
        "tests/python/test_cli_cat_count.py",
        "tests/python/test_cli_head.py",
        "tests/python/test_cli_hostile_text.py",
        "tests/python/test_cli_schema.py",
        "tests/python/test_merged_avro_schemas.py",
        "tests/python/test_real_size_convert.py",
        "tests/python/test_unions.py",
        "tests/stores/test_command_line.py",
    ],
    "A table on the folders of tests names the cases of texts.": ["tests/README.md"],
    "The comment or the page is about texts and numbers, and a new format changes nothing in it.": [
        "crates/arrowfeed-source/src/schema_merge/arrow.rs",
        "docs/decisions.md",
        "docs/development.md",
    ],
    "The example reads JSON lines with a source of its own.": [
        "examples/python/json_lines.py",
        "tests/python/test_tfxio.py",
    ],
    "Some formats are enough for what the test checks.": [
        "crates/arrowfeed-c/tests/it/errors.rs",
        "crates/arrowfeed-c/tests/it/tensors.rs",
        "crates/arrowfeed-datafusion/tests/it/listing.rs",
        "crates/arrowfeed-datafusion/tests/it/stores.rs",
        "crates/arrowfeed-datafusion/tests/it/tables.rs",
        "tests/c/test_examples.py",
        "tests/python/test_cli_doctor.py",
        "tests/python/test_cli_trace.py",
        "tests/python/test_column_paths.py",
        "tests/python/test_describe.py",
        "tests/python/test_filters.py",
        "tests/stores/test_cancel.py",
        "tests/stores/test_requests.py",
    ],
}
"""The files that name the example and need no change for a new format, by the reason."""


def tracked_files() -> list[str]:
    """The files of the repository, without those that git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode()
    return [name for name in names.split("\0") if name and (ROOT / name).is_file()]


def names_the_example(name: str) -> bool:
    """Whether the path or the text of a file names the example."""
    return bool(EXAMPLE.search((ROOT / name).read_text("utf-8", errors="replace")))


@pytest.fixture(scope="module")
def naming():
    """The files outside of the crate and of the example that name the example."""
    return {name for name in tracked_files() if not name.startswith(OWN) and names_the_example(name)}


def test_the_page_has_every_file_that_names_an_existing_format(naming):
    exempt = {name for names in EXEMPT.values() for name in names}
    assert len(naming) > 100
    assert sorted(naming - exempt - set(named_files(PAGE))) == []


def test_no_exemption_is_out_of_date(naming):
    exempt = [name for names in EXEMPT.values() for name in names]
    assert len(exempt) == len({*exempt})
    assert sorted({*exempt} - naming) == []
    allowed = {"docs/add-a-format.md"}
    assert sorted({*exempt} & {*named_files(PAGE)} - allowed) == []


def test_the_files_of_the_example_exist():
    files = tracked_files()
    assert [own for own in OWN if not any(name.startswith(own) for name in files)] == []


TOY = ROOT / "tests" / "toy_format" / "toy.patch"
WRITTEN = {"Cargo.lock", "python/src/generated/docs.rs"}
"""Programs write these files."""


def test_the_patch_of_the_toy_format_applies():
    """`make test-toy-format` compiles it. `git apply --3way` and `git diff` renew it."""
    command = ["git", "apply", "--check", str(TOY)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_a_format_touches_at_most_22_files_outside_of_its_crate():
    command = ["git", "apply", "--numstat", str(TOY)]
    numbers = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = {line.split("\t")[2] for line in numbers.splitlines()} | WRITTEN
    assert len(files) <= 22
    assert f"{len(files)} files outside of the crate" in PAGE


SIZES = [
    ("crates/arrowfeed-ipc/src", r"`crates/arrowfeed-ipc` is a complete example in about ([\d,]+) lines"),
    ("crates/arrowfeed-source/tests/it/toy.rs", r"smallest format on it.*?has about ([\d,]+)\s+lines"),
    ("crates/arrowfeed-tfrecord/src/file", r"`crates/arrowfeed-tfrecord/src/file`, has about ([\d,]+) lines"),
]


@pytest.mark.parametrize(("path", "sentence"), SIZES)
def test_the_page_states_the_sizes_of_its_examples(path, sentence):
    found = re.search(sentence, PAGE, re.DOTALL)
    assert found
    place = ROOT / path
    files = [place] if place.is_file() else place.rglob("*.rs")
    lines = sum(len(file.read_text("utf-8").splitlines()) for file in files)
    assert int(found[1].replace(",", "")) == pytest.approx(lines, rel=0.1)
