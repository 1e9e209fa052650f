"""The model of each training example learns in a few epochs of a few rows."""

import importlib
import math
from pathlib import Path

import numpy as np
import pytest

PROGRAMS = Path(__file__).resolve().parents[2] / "examples" / "python"
FOLDER = PROGRAMS / "clicks"
ROWS, BATCH = 6000, 100


@pytest.mark.filterwarnings("ignore")  # Lightning and Accelerate warn of their own options.
@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch", "torch_lightning", "torch_accelerate"])
def test_the_loss_falls(framework, tmp_path, monkeypatch):
    package = framework.removeprefix("torch_")
    pytest.importorskip(package, reason=f"expected {package}, found it not installed")
    monkeypatch.syspath_prepend(str(FOLDER))
    module = importlib.import_module(f"train_{package}")
    reports = list(module.train(tmp_path, ROWS, 3, BATCH))
    losses = [report.loss for report in reports]
    assert losses[2] < losses[1] < losses[0] < math.log(2) + 0.05
    assert losses[2] < 0.9 * losses[0]
    for report in reports:
        assert report.examples == ROWS
        assert 0 < report.waiting < report.seconds


@pytest.mark.parametrize(
    ("framework", "module"), [("torch", "torch"), ("jax", "jax"), ("keras", "tensorflow")]
)
def test_a_dlrm_learns_from_strings_in_one_epoch(framework, module, tmp_path, monkeypatch):
    pytest.importorskip(module, reason=f"expected {module}, found it not installed")
    monkeypatch.syspath_prepend(str(PROGRAMS / "dlrm"))
    train = importlib.import_module(f"dlrm_{framework}").train
    losses = np.array(list(train(tmp_path, ROWS, BATCH)))
    assert len(losses) == ROWS // BATCH
    first, *_, last = np.array_split(losses, 6)
    assert last.mean() < 0.9 * first.mean()


def test_the_batches_of_the_dlrms_are_the_same(tmp_path, monkeypatch):
    for module in ("torch", "jax", "tensorflow"):
        pytest.importorskip(module, reason=f"expected {module}, found it not installed")
    monkeypatch.syspath_prepend(str(PROGRAMS / "dlrm"))
    ads = importlib.import_module("ads")
    dataset, options = ads.dataset(tmp_path, ROWS), ads.options(BATCH)
    made = zip(dataset.to_torch(**options), dataset.to_jax(**options), dataset.to_tf(**options), strict=True)
    for batches in made:
        assert all(list(batch) == list(ads.FEATURES) for batch in batches)
        for name in ads.FEATURES:
            first, *others = (np.asarray(batch[name]) for batch in batches)
            for other in others:
                np.testing.assert_array_equal(first, other)
            assert name not in ads.CATEGORIES or (first.min() >= 0 and first.max() < ads.BUCKETS)
