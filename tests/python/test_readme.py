"""The Python code of the README runs as it stands there. `cargo test` compiles its Rust code."""

import re
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def blocks(heading):
    """The Python blocks under a heading of the README."""
    text = README.read_text()
    start = re.search(rf"^##+ {heading}$", text, re.MULTILINE).end()
    section = re.split(r"^##+ ", text[start:], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def test_the_first_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    given = {}
    for heading in ("Quick start", "NumPy"):
        [block] = blocks(heading)
        exec(compile(block, f"README, {heading}", "exec"), given)
    assert capsys.readouterr().out == (
        "256 [0 1 2]\n256 [256 257 258]\n256 [512 513 514]\n232 [768 769 770]\n1000\n(104, 2) (99, 2)\n"
    )


def test_every_file_that_it_links_to_is_there():
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", README.read_text())
    assert len(links) > 20
    assert [link for link in links if not (README.parent / link).exists()] == []
