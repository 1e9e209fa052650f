"""The model of each training example learns in a few epochs of a few rows."""

import importlib
import math
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "python" / "clicks"
ROWS, BATCH = 6000, 100


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch"])
def test_the_loss_falls(framework, tmp_path, monkeypatch):
    pytest.importorskip(framework, reason=f"expected {framework}, found it not installed")
    monkeypatch.syspath_prepend(str(FOLDER))
    module = importlib.import_module(f"train_{framework}")
    reports = list(module.train(tmp_path, ROWS, 3, BATCH))
    losses = [report.loss for report in reports]
    assert losses[2] < losses[1] < losses[0] < math.log(2) + 0.05
    assert losses[2] < 0.9 * losses[0]
    for report in reports:
        assert report.examples == ROWS
        assert 0 < report.waiting < report.seconds
