"""The Python examples of the documentation run, and its reference has every public name."""

import re
import sys
from pathlib import Path

import pytest

import arrowfeed as af
from dataset_files import people_files

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "tools"))
import markdown_links  # noqa: E402

sys.path.remove(str(ROOT / "tools"))


@pytest.mark.parametrize(
    ("page", "count"),
    [("avro-to-arrow.md", 5), ("datasets.md", 8), ("parquet.md", 3), ("csv-and-json-lines.md", 5)],
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


def test_every_fit_leaves_the_order_to_the_dataset():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.ipynb")]
    pages += [*ROOT.glob("examples/**/*.py"), *ROOT.glob("python/arrowfeed/**/*.py*")]
    texts = [page.read_text("utf-8") for page in pages if page.suffix in (".md", ".ipynb", ".py", ".pyi")]
    calls = [call for text in texts for call in re.findall(r"\bmodel\.fit\(\w.*", text)]
    assert len(calls) >= 6
    assert [call for call in calls if "shuffle=False" not in call] == []


def test_links_are_found_whatever_their_texts_contain():
    text = "[a](b.md) [`c`](d.md#e) ![The list [[1, 2], [], [3]]](f.svg) [![g](h.svg)](i.md) `[j](k.md)`"
    found = markdown_links.links(f"{text}\n```\n[l](m.md)\n```\n[[n]](o.md)")
    assert found == ["b.md", "d.md#e", "f.svg", "h.svg", "i.md", "o.md"]
    assert "images/layouts.svg" in markdown_links.links((DOCS / "tensors.md").read_text("utf-8"))


def test_the_reference_has_every_public_name():
    pages = "".join(page.read_text() for page in (DOCS / "api").glob("*.md"))
    entries = re.findall(r"^::: (arrowfeed\.\S+)$", pages, re.MULTILINE)
    public = {f"arrowfeed.{name}" for name in af.__all__} - {"arrowfeed.__version__", "arrowfeed.features"}
    public |= {f"arrowfeed.features.{name}" for name in af.features.__all__}
    assert len(entries) == len(set(entries))
    assert public - set(entries) == set()
