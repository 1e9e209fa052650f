"""The notebook on TFX runs from top to bottom with the local orchestrator, and its model is blessed."""

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = (
    Path(__file__).resolve().parents[2] / "examples" / "notebooks" / "from_avro_to_a_validated_model.ipynb"
)
ROWS = 3628
"""The rides that are longer than 500 m."""


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names that the cells of the notebook define."""
    found: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("notebook"))
        for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), "cell", "exec"), found)
    return found


def test_the_model_is_blessed(names: dict[str, Any]) -> None:
    assert names["blessed"] is True


def test_both_splits_have_the_selected_columns_and_rows(names: dict[str, Any]) -> None:
    rows = {split: dataset.num_rows for split, dataset in names["splits"].items()}
    assert sum(rows.values()) == ROWS
    assert 0.3 < rows["eval"] / ROWS < 0.37
    for dataset in names["splits"].values():
        assert dataset.arrow_schema.names == ["distance", "driver.city", "payment", "tipped"]


def test_statistics_count_all_rows(names: dict[str, Any]) -> None:
    rows = names["splits"]["train"].num_rows
    assert names["statistics"].num_examples == rows
    table = names["table"].set_index("feature")
    assert table["examples"].to_dict() == dict.fromkeys(
        ["distance", "driver.city", "payment", "tipped"], rows
    )
    assert table["values"].dropna().to_dict() == {"driver.city": 3, "payment": 3}
    # A third of the labels are 1. TFX's executor would leave out the labels that are 0.
    assert 0.3 < table["mean"]["tipped"] < 0.4


def test_each_slice_has_metrics(names: dict[str, Any]) -> None:
    metrics = names["metrics"]
    assert sorted(metrics.index) == ["Lima", "Oslo", "Pune", "all cities"]
    assert metrics["example_count"]["all cities"] == names["splits"]["eval"].num_rows
    assert metrics["example_count"].drop("all cities").sum() == names["splits"]["eval"].num_rows
    assert (metrics["binary_accuracy"] > 0.9).all()
    assert (metrics["auc"] > 0.9).all()
