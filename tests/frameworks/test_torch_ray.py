"""`iter_torch_batches` of `arrowfeed.ray.read_dataset`: the tensors that Ray Data makes of tensor columns.

Run by `make test-torch`.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense

REASON = "expected PyTorch and Ray, found them not installed: `make test-torch` has them"
torch = pytest.importorskip("torch", reason=REASON)
ray = pytest.importorskip("ray", reason=REASON)
pytest.importorskip("ray.data", reason=REASON)

import arrowfeed.ray  # noqa: E402

sys.path.append(str(Path(__file__).parents[1] / "engines"))
import clusters  # noqa: E402 - in the directory above

ROWS = 1000
SPLITS = 8
REPRESENTATIONS = {
    "image": Dense("image", [2, 3]),
    "mask": Dense("mask", [2]),
    "label": Dense("label"),
    "weight": Dense("weight"),
}
DTYPES = {"image": torch.float32, "mask": torch.bool, "label": torch.int64, "weight": torch.float64}
SHAPES = {"image": (2, 3), "mask": (2,), "label": (), "weight": ()}


def expected():
    """The tensors of all rows, in the order of `label`."""
    numbers = np.arange(ROWS)
    return {
        "image": (numbers[:, None] + np.arange(6) / 8).astype(np.float32).reshape(ROWS, 2, 3),
        "mask": np.stack([numbers % 2 == 0, numbers % 3 == 0], axis=1),
        "label": numbers,
        "weight": numbers / 4,
    }


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """A cluster of two workers, which ends with the tests of this module."""
    with clusters.ray_cluster():
        yield


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """An Avro file with many blocks, whose rows have the values of `expected`."""
    values = expected()
    columns = {name: values[name].reshape(ROWS, -1).tolist() for name in ("image", "mask")}
    table = pa.table(
        {
            "image": pa.array(columns["image"], pa.list_(pa.float32())),
            "mask": columns["mask"],
            "label": values["label"],
            "weight": values["weight"],
        }
    )
    file = tmp_path_factory.mktemp("rows") / "rows.avro"
    af.write_avro(table, file, block_bytes=512)
    return file


def dataset(path):
    """The rows, which several tasks read."""
    found = arrowfeed.ray.read_dataset(
        path, representations=REPRESENTATIONS, split_bytes=path.stat().st_size // SPLITS
    )
    assert len(af.AvroDataset(path).plan_splits(target_bytes=path.stat().st_size // SPLITS)) >= SPLITS
    return found


def assert_rows(batches):
    """Asserts that each row occurs once, with the values of `expected`."""
    for batch in batches:
        assert set(batch) == set(REPRESENTATIONS)
        for name, tensor in batch.items():
            assert isinstance(tensor, torch.Tensor)
            assert tensor.dtype == DTYPES[name]
            assert tuple(tensor.shape) == (len(batch["label"]), *SHAPES[name])
    joined = {name: torch.cat([batch[name] for batch in batches]).numpy() for name in REPRESENTATIONS}
    order = joined["label"].argsort()
    for name, values in expected().items():
        np.testing.assert_array_equal(joined[name][order], values)


def test_all_rows_are_tensors_of_their_shapes_and_types(path):
    batches = list(dataset(path).iter_torch_batches(batch_size=128))
    assert [len(batch["label"]) for batch in batches] == [128] * 7 + [104]
    assert_rows(batches)


def test_the_workers_of_a_training_have_each_row_once(path):
    """`ray.train` gives each worker one of these iterators."""
    iterators = dataset(path).streaming_split(2, equal=True)

    def read(iterator):
        return list(iterator.iter_torch_batches(batch_size=100))

    # Each iterator waits for the other one before its first batch.
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(read, iterators)
    assert [sum(len(batch["label"]) for batch in batches) for batches in (first, second)] == [ROWS // 2] * 2
    assert_rows(first + second)


def test_the_types_that_the_caller_asks_for(path):
    dtypes = {**DTYPES, "image": torch.float16, "label": torch.int32}
    for batch in dataset(path).iter_torch_batches(batch_size=250, dtypes=dtypes):
        assert {name: tensor.dtype for name, tensor in batch.items()} == dtypes
        assert tuple(batch["image"].shape) == (250, 2, 3)


def test_a_projection_has_only_its_tensors(path):
    selected = dataset(path).select_columns(["image", "label"])
    rows = 0
    for batch in selected.iter_torch_batches(batch_size=250):
        assert {name: tuple(tensor.shape) for name, tensor in batch.items()} == {
            "image": (250, 2, 3),
            "label": (250,),
        }
        rows += len(batch["label"])
    assert rows == ROWS
