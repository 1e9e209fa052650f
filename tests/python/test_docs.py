"""The Python examples of the documentation run, and its reference has every public name."""

import re
from pathlib import Path

import pytest

import arrowfeed as af
from dataset_files import people_files

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "count"),
    [("avro-to-arrow.md", 5), ("datasets.md", 7), ("parquet.md", 3), ("csv-and-json-lines.md", 5)],
)
def test_the_examples_of_a_page_run(tmp_path, monkeypatch, page, count):
    (tmp_path / "data").mkdir()
    people_files(tmp_path / "data", [110, 0, 77, 113])
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)
    assert len(examples) == count
    names = {}
    for number, example in enumerate(examples):
        exec(compile(example, f"{page}, example {number}", "exec"), names)


def test_the_reference_has_every_public_name():
    pages = "".join(page.read_text() for page in (DOCS / "api").glob("*.md"))
    entries = re.findall(r"^::: (arrowfeed\.\S+)$", pages, re.MULTILINE)
    public = {f"arrowfeed.{name}" for name in af.__all__} - {"arrowfeed.__version__", "arrowfeed.features"}
    public |= {f"arrowfeed.features.{name}" for name in af.features.__all__}
    assert len(entries) == len(set(entries))
    assert public - set(entries) == set()
