"""The Python examples of the documentation run, in the order of their page."""

import re
from pathlib import Path

import pytest

from dataset_files import people_files

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(("page", "count"), [("datasets.md", 3)])
def test_the_examples_of_a_page_run(tmp_path, monkeypatch, page, count):
    (tmp_path / "data").mkdir()
    people_files(tmp_path / "data", [110, 0, 77, 113])
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)
    assert len(examples) == count
    names = {}
    for number, example in enumerate(examples):
        exec(compile(example, f"{page}, example {number}", "exec"), names)
