"""`Dataset.to_keras` trains with all backends of Keras. Run by `make test-frameworks`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from keras.utils import PyDataset

import arrowfeed as af
from arrowfeed import features

SCRIPT = Path(__file__).with_name("keras_backends.py")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1_050, 4)).astype("f4")
    columns = {
        "x": list(x),
        "y": (x[:, 0] > 0).astype("f4"),
        "w": rng.random(1_050).astype("f4"),
        "name": [f"row {row}" for row in range(1_050)],
    }
    found = tmp_path_factory.mktemp("keras") / "rows.avro"
    af.write_avro(pa.table(columns), found, block_bytes=2_000)
    return found


def numbers(path):
    found = {"x": features.Dense([4], key="x[*]")}
    found |= {name: features.Dense([]) for name in ("name", "y", "w")}
    return af.AvroDataset(path, features=found)


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])  # `make test-torch` runs that of PyTorch.
def test_every_way_trains_the_same_model(path, backend):
    environment = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, SCRIPT, path], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["backend"] == backend
    losses = found["losses"]
    assert len(losses) == {"tensorflow": 4, "torch": 2, "jax": 3}[backend]
    first, second = losses.pop("to_keras")
    assert second < first < 0.7
    for others in losses.values():
        assert others == pytest.approx([first, second], rel=1e-5)


def test_batches_of_keras_are_those_of_tensors(path):
    dataset = numbers(path)
    rows = dataset.to_keras(batch_size=100)
    assert isinstance(rows, PyDataset)
    assert repr(rows) == "<arrowfeed.KerasDataset of tensors x, name, y, w>"
    assert len(rows) == 11
    for index, tensors in reversed([*enumerate(dataset.tensors(batch_size=100))]):
        batch = rows[index]
        assert list(batch) == list(tensors)
        for name, array in batch.items():
            assert isinstance(array, np.ndarray)
            assert array.tolist() == tensors[name].values.tolist()
    assert len(dataset.to_keras(batch_size=100, drop_remainder=True)) == 10
    with pytest.raises(IndexError, match="^expected a batch from 0 to 10, found 11$"):
        rows[11]


def test_labels_and_weights_of_keras_are_apart(path):
    dataset = numbers(path)
    tensors = next(dataset.tensors(batch_size=10))
    found, label, weight = dataset.to_keras(batch_size=10, label="y", weight="w")[0]
    assert list(found) == ["x", "name"]
    assert label.tolist() == tensors["y"].values.tolist()
    assert weight.tolist() == tensors["w"].values.tolist()
    found, labels = dataset.to_keras(batch_size=10, label=["y", "w"])[0]
    assert (list(found), list(labels)) == (["x", "name"], ["y", "w"])


def test_what_not_every_backend_takes_is_refused(path):
    dataset = af.AvroDataset(path)
    with pytest.raises(af.ConversionError) as raised:
        dataset.to_keras(batch_size=10)
    expected = "x: expected a dense tensor, which every backend of Keras takes, found "
    assert str(raised.value) == f"{expected}{dataset.specs['x']}: give it a shape, or use to_tf or to_torch"
    with pytest.raises(ValueError, match="^batch_size: expected an integer of 1 or more, found int 0$"):
        numbers(path).to_keras(batch_size=0)
    with pytest.raises(TypeError, match="batch_size"):
        numbers(path).to_keras()
