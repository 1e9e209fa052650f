"""The examples of the README and of the first page run unchanged. `cargo test` compiles the Rust code.

The code that needs TensorFlow, PyTorch or JAX runs in `tests/frameworks`.
"""

import re
import shlex
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from example_programs import people

README = Path(__file__).resolve().parents[2] / "README.md"
INDEX = README.parent / "docs" / "index.md"


def blocks(heading, language="python", page=README):
    """The code blocks under a heading of a page."""
    text = page.read_text("utf-8")
    start = re.search(rf"^##+ {heading}$", text, re.MULTILINE).end()
    section = re.split(r"^##+ ", text[start:], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


@pytest.fixture
def clicks(tmp_path, monkeypatch, capsys):
    """The file that the first example writes, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    [block] = blocks("Quick start")
    exec(compile(block, "README, Quick start", "exec"), {})
    capsys.readouterr()
    return tmp_path / "clicks.avro"


def test_the_first_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    given = {}
    for heading in ("Quick start", "NumPy"):
        [block] = blocks(heading)
        exec(compile(block, f"README, {heading}", "exec"), given)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == ["256 [0 1 2]", "256 [256 257 258]", "256 [512 513 514]", "232 [768 769 770]", "1000"]
    assert [line.partition(")")[0] for line in lines[5:]] == 2 * (7 * ["(128, 2"] + ["(104, 2"])
    assert lines[-1] == "(104, 2) (99, 2)"


def test_the_commands_run(clicks, arrowfeed):
    [block] = blocks("Command line", "sh")
    ran = {}
    for line in block.splitlines():
        program, *arguments = shlex.split(line)
        ran[arguments[0]] = arrowfeed(*arguments)
        assert (program, ran[arguments[0]].code, ran[arguments[0]].err) == ("arrowfeed", 0, ""), line
    assert list(ran) == ["schema", "head", "stats", "convert"]
    assert '"name": "clicked"' in ran["schema"].out
    assert ran["head"].out == (
        "user  clicked  scores        tags\n"
        "   0      1.0  [0.0, 1.0]    []\n"
        '   1      0.0  [0.001, 1.0]  ["new"]\n'
        '   2      0.0  [0.002, 1.0]  ["new", "paid"]\n'
    )
    assert clicks.with_suffix(".html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert pq.read_table(clicks.with_suffix(".parquet")).num_rows == 1000


def test_the_code_of_the_first_page_runs(tmp_path, monkeypatch, capsys):
    (tmp_path / "data").mkdir()
    people.write(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    names = {}
    [block] = blocks("From files to batches", page=INDEX)
    exec(compile(block, "index.md, batches", "exec"), names)
    assert capsys.readouterr().out.startswith("25 ")
    assert names["frame"].shape == (300, 7)


def table(heading, rows):
    """The figures of a table of the page on speed, by the first cell of the row."""
    text = (README.parent / "docs" / "speed.md").read_text("utf-8")
    _, _, section = text.partition(f"\n| {heading} |")
    lines = section.splitlines()[2 : 2 + rows]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first.partition(":")[0].strip("`"): [float(cell) for cell in others] for first, *others in cells}


def test_the_plot_and_the_texts_have_the_figures_of_the_table():
    figures = table("file", 4)
    columns = [" null", " deflate", " snappy", " zstandard", ", a few columns"]
    stated = {
        name + column: f for name, row in figures.items() for column, f in zip(columns, row, strict=True)
    }
    plot = (README.parent / "docs" / "images" / "speed-peers.svg").read_text("utf-8")
    comments = re.findall("<!-- (.*?) -->", plot)
    names = [comment for comment in comments if comment.partition(" ")[0].partition(",")[0] in figures]
    labels = [float(comment) for comment in comments if re.fullmatch(r"\d+\.\d", comment)]
    assert stated == dict(zip(names, labels, strict=True))
    tensors = [figure for row in table("rows per step", 3).values() for figure in row]
    text = " ".join(README.read_text("utf-8").split())
    assert f"columns, {min(labels)} to {max(labels)} times as fast as with arrow-avro." in text
    assert f"makes tensors {min(tensors)} to {max(tensors):.0f} times as fast as with tensorflow-io" in text
    linkedin = figures["linkedin"]
    assert f"arrow-avro (Rust) | {min(linkedin)} to {max(linkedin)} |" in text
    assert f"tensorflow-io | {min(tensors)} to {max(tensors)} |" in text


def test_the_readme_has_the_range_of_the_page_on_tensorflow_io():
    page = (README.parent / "docs" / "from-tensorflow-io.md").read_text("utf-8")
    rows = re.findall(r"^\| 1,024, \w+, 1 \| (.*) \| (.*) \| .* \|$", page, re.MULTILINE)
    figures = [float(figure) for row in rows for figure in row]
    assert len(figures) == 4
    assert f"reads {min(figures)} to {max(figures)} times as fast" in README.read_text("utf-8")


def test_every_linked_file_exists():
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", README.read_text())
    assert len(links) > 20
    assert [link for link in links if not (README.parent / link).exists()] == []
