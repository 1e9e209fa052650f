"""Tensors become PyTorch tensors that share memory. Run by `make test-torch`."""

import numpy as np
import pytest

from arrowfeed.torch import RaggedParts, to_torch
from conftest import BATCH, NUMBERS, aligned, dense, tensors

torch = pytest.importorskip(
    "torch", reason="expected PyTorch, found it not installed: `make test-torch` has it"
)


def test_each_kind_becomes_pytorchs():
    given = tensors()
    found = to_torch(given)
    assert found["dense"].tolist() == [[1, 2], [3, 4], [5, 6]]
    assert found["sparse"].is_sparse
    assert found["sparse"].to_dense().tolist() == [[1, 2, 3], [0, 0, 0], [4, 0, 0]]
    assert isinstance(found["ragged"], RaggedParts)
    assert found["ragged"].flat_values.tolist() == [1, 2, 3]
    assert [splits.tolist() for splits in found["ragged"].row_splits] == [[0, 2, 2, 3], [0, 1, 3, 3]]
    assert found["user"]["user"]["age"].tolist() == [0, 1, 2]
    for name in ("text", "words", "sparse_words"):
        assert found[name] is given[name]


def test_ragged_parts_make_nested_tensors():
    parts = to_torch(tensors())["narrow"]
    nested = torch.nested.nested_tensor_from_jagged(parts.flat_values, parts.row_splits[0].long())
    assert [row.tolist() for row in nested.unbind()] == [[1, 2, 3], [], [4]]


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("start", [0, 1])
def test_torch_has_every_type_of_numbers_at_every_alignment(kind, start):
    values = (np.arange(100) % 7).astype(kind)
    tensor = to_torch({"x": dense(values, start)})["x"]
    np.testing.assert_array_equal(tensor.numpy(), values[start:])


def test_memory_is_shared():
    memory, column = aligned(np.arange(1000, dtype=np.float32))
    tensor = to_torch({"x": dense(column, 1)})["x"]
    assert tensor.data_ptr() == memory.ctypes.data + 4


def test_empty_batches_are_handed_over_to_torch():
    found = to_torch(tensors(BATCH.slice(0, 0)))
    assert found["dense"].shape == (0, 2)
    assert found["sparse"].shape == (0, 0)
