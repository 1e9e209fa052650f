"""The examples of the README on TensorFlow and JAX, and of the first page, run unchanged."""

import re

from readme_code import README, people, run


def test_the_code_on_tensorflow_runs(tmp_path, monkeypatch):
    names = run("TensorFlow", tmp_path, monkeypatch)
    assert len(names["model"].history.history["loss"]) == 2


def test_all_code_of_the_first_page_runs(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    people.write(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    text = (README.parent / "docs" / "index.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "index.md", "exec"), names)
    assert len(names["model"].history.history["loss"]) == 1


def test_the_code_on_jax_runs(tmp_path, monkeypatch, capsys):
    run("JAX", tmp_path, monkeypatch)
    assert capsys.readouterr().out.endswith("\n(128, 2) (128,)\n")
