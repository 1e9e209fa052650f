"""The notebook on TFX runs from top to bottom with the local orchestrator, and its model is blessed."""

import json
from pathlib import Path
from typing import Any

import fastavro
import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
COLUMNS = ["distance", "driver.city", "payment", "tipped"]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names that the cells define, with the batches of the splits."""
    folder = tmp_path_factory.mktemp("notebook")
    notebook = json.loads((FOLDER / "from_avro_to_a_validated_model.ipynb").read_text("utf-8"))
    found: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), "cell", "exec"), found)
        batches = {
            split: list(dataset.record_batches(batch_size=4096)) for split, dataset in found["splits"].items()
        }
    return found | {"data": folder / found["data"], "batches": batches}


def test_the_model_is_blessed(names: dict[str, Any]) -> None:
    assert names["blessed"] is True


def test_the_splits_have_the_selected_columns_and_rows(names: dict[str, Any]) -> None:
    rides = [
        (np.float32(row["distance"]), row["driver"]["city"].encode(), row["payment"].encode(), row["tipped"])
        for path in names["data"].iterdir()
        for row in fastavro.reader(path.open("rb"))
        if row["distance"] > 0.5
    ]
    batches = [batch.to_pyarrow() for split in names["batches"].values() for batch in split]
    assert [batch.schema.names for batch in batches] == [COLUMNS] * len(batches)
    rows = [tuple(row[name][0] for name in COLUMNS) for batch in batches for row in batch.to_pylist()]
    assert len(rows) > 3000
    assert sorted(rows) == sorted(rides)
    assert 0.3 < names["splits"]["eval"].num_rows / len(rows) < 0.37


def test_statistics_of_the_notebook_count_all_rows(names: dict[str, Any]) -> None:
    rows = names["splits"]["train"].num_rows
    assert names["statistics"].num_examples == rows
    table = names["table"].set_index("feature")
    assert table["examples"].to_dict() == dict.fromkeys(COLUMNS, rows)
    assert table["values"].dropna().to_dict() == {"driver.city": 3, "payment": 3}
    # The labels that are 0 are not missing.
    assert 0.3 < table["mean"]["tipped"] < 0.4


def test_each_slice_has_metrics(names: dict[str, Any]) -> None:
    metrics, rows = names["metrics"], names["splits"]["eval"].num_rows
    assert list(metrics.index) == ["Lima", "Oslo", "Pune", "all cities"]
    assert list(metrics["example_count"])[-1] == sum(list(metrics["example_count"])[:-1]) == rows
    assert (metrics["binary_accuracy"] > 0.9).all()
    assert (metrics["auc"] > 0.9).all()
