"""The code of the README on TensorFlow and JAX runs as it stands there."""

from readme_code import run


def test_the_code_on_tensorflow_runs(tmp_path, monkeypatch):
    names = run("TensorFlow", tmp_path, monkeypatch)
    assert len(names["model"].history.history["loss"]) == 2


def test_the_code_on_jax_runs(tmp_path, monkeypatch, capsys):
    run("JAX", tmp_path, monkeypatch)
    assert capsys.readouterr().out.endswith("(128, 2)\n")
