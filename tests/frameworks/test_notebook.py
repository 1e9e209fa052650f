"""The notebook on Keras runs from top to bottom, and its model learns."""

import json
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "notebooks" / "from_avro_to_a_keras_model.ipynb"


def test_the_model_of_the_notebook_learns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "cell", "exec"), names)
    history = names["history"].history
    assert len(names["train"]) == 20
    assert history["loss"][-1] < history["loss"][0] / 2
    assert history["accuracy"][-1] > 0.9
