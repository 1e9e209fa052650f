"""The notebooks run from top to bottom."""

import ast
import json
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "examples" / "notebooks"


def cells(name):
    """The code cells of a notebook."""
    content = json.loads((NOTEBOOKS / name).read_text("utf-8"))
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


def run(cell, names):
    """Runs a cell, and returns the value of its last line if it is an expression."""
    tree = ast.parse(cell)
    if not isinstance(tree.body[-1], ast.Expr):
        exec(compile(tree, "cell", "exec"), names)
        return None
    last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(last, "cell", "eval"), names)


def test_the_notebook_that_looks_into_a_file_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    values = [run(cell, names) for cell in cells("looking_into_a_file.ipynb")]
    assert "arrowfeed.Schema of 5 columns" in values[1]._repr_html_()
    assert "256 rows and 5 columns" in values[2]._repr_html_()
    assert values[4]["age_mean"].to_pylist()[0] != values[4]["age_mean"].to_pylist()[1]
    printed = capsys.readouterr().out
    assert printed.startswith("zstandard\n")
    assert "<arrowfeed.DenseTensor int64 [4]>" in printed


def test_notebooks_are_committed_without_outputs():
    for path in NOTEBOOKS.glob("*.ipynb"):
        content = json.loads(path.read_text("utf-8"))
        code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
        assert all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in code), path.name
