"""The Python examples of the documentation run, and the reference has every public name."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import arrowfeed as af
import arrowfeed.tfx
from example_programs import BLOCK, people

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "tools"))
import markdown_links  # noqa: E402
import site_hooks  # noqa: E402

sys.path.remove(str(ROOT / "tools"))


@pytest.mark.parametrize(
    ("page", "count"),
    [
        ("avro-to-arrow.md", 5),
        ("csv-and-json-lines.md", 6),
        ("datasets.md", 11),
        ("map.md", 2),
        ("elastic-training.md", 2),
        ("errors.md", 1),
        ("evolution.md", 5),
        ("filters.md", 2),
        ("limits.md", 1),
        ("parquet.md", 4),
        ("transforms.md", 2),
        ("which-rows.md", 3),
    ],
)
def test_the_examples_of_a_page_run(tmp_path, monkeypatch, page, count):
    (tmp_path / "data").mkdir()
    people.write(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    examples = BLOCK.findall((DOCS / page).read_text("utf-8"))
    assert len(examples) == count
    names = {}
    for number, example in enumerate(examples):
        exec(compile(example, f"{page}, example {number}", "exec"), names)


def test_each_page_says_what_writes_the_files_that_it_reads():
    pages = {page.name: page.read_text("utf-8") for page in DOCS.glob("*.md")}
    readers = [
        name for name, text in pages.items() if re.search(r'"data/[^"]*"', "".join(BLOCK.findall(text)))
    ]
    assert len(readers) > 7
    assert [name for name in readers if "`make demo`" not in pages[name]] == []


def test_a_page_of_the_site_loads_nothing_from_another_server():
    found = site_hooks.loaded_from_elsewhere(
        '<a href="https://a.b"></a><script src="https://c.d/e.js"></script><script src="f.js"></script>'
        '<link rel="stylesheet" href="http://g.h"/><link href="i.css"><img alt="" src=//j.k/l.png>'
    )
    assert found == ["https://c.d/e.js", "http://g.h", "//j.k/l.png"]
    site_hooks.on_post_page('<script src="f.js"></script>', page=None, config=None)
    with pytest.raises(
        ValueError, match=r"^expected a page without files of other servers, found https://c\.d/e\.js$"
    ):
        site_hooks.on_post_page('<script src="https://c.d/e.js"></script>', page=None, config=None)


def test_a_page_of_the_site_has_formatted_signatures():
    signature = '<div class="doc-signature highlight"><pre><span>{}</span>\n)</pre></div>'.format
    site_hooks.on_post_page(signature("read(\n    path: str,"), page=None, config=None)
    line = f"read({', '.join(f'option_{number}' for number in range(12))})"
    with pytest.raises(
        ValueError, match=rf"^expected signatures that ruff has formatted, found {re.escape(line)}$"
    ):
        site_hooks.on_post_page(signature(line), page=None, config=None)


def test_a_page_of_the_site_has_all_of_its_headings():
    text = "# A\n\n```rust,no_run\n# b\n```\n\n## C\n"
    files = SimpleNamespace(get_file_from_path=lambda _: None)
    page = SimpleNamespace(markdown=text, file=SimpleNamespace(src_uri="a.md"))
    assert site_hooks.on_page_markdown(text, page, None, files).splitlines()[2] == "```rust"
    assert site_hooks.headings(text) == ["A", "C"]
    site_hooks.on_page_content("<h1>A</h1><h2>C</h2>", page, None, files)
    with pytest.raises(ValueError, match=r"^a\.md: expected 2 headings, found 1$"):
        site_hooks.on_page_content("<h1>A</h1>", page, None, files)


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
    public = {f"arrowfeed.{name}" for name in af.__all__ if name != "__version__"}
    for module in (af.features, af.representations):
        public.remove(module.__name__)
        public |= {f"{module.__name__}.{name}" for name in module.__all__}
    public |= {f"arrowfeed.tfx.{name}" for name in arrowfeed.tfx.__all__}
    assert len(entries) == len(set(entries))
    assert public - set(entries) == set()
