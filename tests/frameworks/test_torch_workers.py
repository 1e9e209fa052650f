"""Workers of a `DataLoader` send batches in one block of shared memory. Run by `make test-torch`."""

import itertools
import pickle
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
from feature_files import ROWS, dataset

from arrowfeed.torch import RaggedParts, to_torch

torch = pytest.importorskip(
    "torch", reason="expected PyTorch, found it not installed: `make test-torch` has it"
)

from torch.utils.data import DataLoader  # noqa: E402

from arrowfeed._frameworks.torch_shared import SharedBatch  # noqa: E402

DTYPES = [torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16]
DTYPES += [torch.float32, torch.float64]


def sent(batch):
    """The batch after the way of a batch from a worker."""
    return pickle.loads(ForkingPickler.dumps(SharedBatch(batch)))


def blocks(tensors):
    return {tensor.untyped_storage().data_ptr() for tensor in tensors}


def random_tensor(rng):
    shape = tuple(int(n) for n in rng.integers(0, 4, rng.integers(0, 4)))
    tensor = torch.from_numpy(rng.integers(0, 2, shape)).to(DTYPES[rng.integers(len(DTYPES))])
    return tensor.t() if tensor.dim() == 2 and rng.random() < 0.5 else tensor


def test_random_tensors_are_sent_in_one_block():
    rng = np.random.default_rng(5)
    for _ in range(200):
        batch = {str(number): random_tensor(rng) for number in range(rng.integers(0, 9))}
        found = sent(batch)
        assert type(found) is dict
        assert list(found) == list(batch)
        for tensor, expected in zip(found.values(), batch.values(), strict=True):
            assert tensor.dtype == expected.dtype
            assert tensor.shape == expected.shape
            assert tensor.equal(expected)
            assert tensor.is_contiguous()
        assert len(blocks(tensor for tensor in found.values() if tensor.numel())) <= 1


def test_other_objects_are_sent_with_their_tensors_in_the_block():
    x = torch.arange(3)
    indices = torch.tensor([[0, 1], [2, 0]])
    coo = torch.sparse_coo_tensor(indices, torch.tensor([1.5, 2.5]), (2, 3), check_invariants=True)
    jagged = torch.nested.nested_tensor_from_jagged(torch.arange(4.0), torch.tensor([0, 1, 4]))
    batch = {
        "parts": RaggedParts(x, (torch.tensor([0, 3]),)),
        "again": x,
        "coo": coo,
        "jagged": jagged,
        "text": np.array([b"a", "ü"], object),
        "fields": {"name": "ada", "x": x},
    }
    found = sent(batch)
    assert isinstance(found["parts"], RaggedParts)
    assert found["parts"].flat_values is found["again"] is found["fields"]["x"]
    assert found["coo"].to_dense().equal(coo.to_dense())
    assert [row.tolist() for row in found["jagged"].unbind()] == [[0.0], [1.0, 2.0, 3.0]]
    assert found["text"].tolist() == [b"a", "ü"]
    tensors = [found["again"], *found["parts"].row_splits, found["coo"]._values(), found["jagged"].values()]
    assert len(blocks(tensors)) == 1


def test_large_tensors_are_not_copied_twice():
    large = torch.arange(1 << 17)
    found = sent({"a": torch.ones(3), "large": large, "b": torch.ones(3, 2), "large_too": large.t()})
    assert found["large"].equal(large)
    assert found["large_too"].equal(large)
    assert len(blocks([found["a"], found["b"]])) == 1
    assert len(blocks([found["a"], found["large"]])) == 2


def test_tensors_with_gradients_are_sent_as_by_pytorch():
    leaf = torch.ones(2, requires_grad=True)
    found = sent({"leaf": leaf, "x": torch.zeros(2)})
    assert found["leaf"].requires_grad
    assert found["leaf"].equal(leaf)


def test_workers_hand_over_whole_tensors(tmp_path):
    source = dataset(tmp_path)
    loader = DataLoader(source.to_torch(batch_size=64), batch_size=None, num_workers=2)
    shards = [source.tensors(batch_size=64, shard=(number, 2)) for number in range(2)]
    expected = [to_torch(next(shard)) for _ in range(ROWS // 64 // 2) for shard in shards]
    found = [*itertools.islice(loader, len(expected))]
    assert len(expected) == 14
    for batch, tensors in zip(found, expected, strict=True):
        for name in ("id", "x", "flag", "long"):
            assert batch[name].equal(tensors[name])
        assert batch["hot"].to_dense().equal(tensors["hot"].to_dense())
        assert batch["name"].values.tolist() == tensors["name"].values.tolist()
        assert batch["tags"].indices.tolist() == tensors["tags"].indices.tolist()
        assert batch["words"].flat_values.tolist() == tensors["words"].flat_values.tolist()
        assert batch["words"].row_splits[0].tolist() == tensors["words"].row_splits[0].tolist()
        assert len(blocks(batch[name] for name in ("id", "x", "flag", "long"))) == 1


def test_labels_are_a_block_of_their_own(tmp_path):
    rows = dataset(tmp_path).project(["id", "x", "flag"]).to_torch(batch_size=64, label=["x", "flag"])
    features, labels = next(iter(DataLoader(rows, batch_size=None, num_workers=1)))
    assert (list(features), list(labels)) == (["id"], ["x", "flag"])
    assert len(blocks(labels.values())) == 1


def _names(batch):
    assert isinstance(batch, dict)
    return sorted(batch), batch["id"] + 1


def test_a_collate_function_gets_a_dict(tmp_path):
    rows = dataset(tmp_path).project(["id", "x"]).to_torch(batch_size=64)
    plain = next(iter(rows))
    names, ids = next(iter(DataLoader(rows, batch_size=None, num_workers=1, collate_fn=_names)))
    assert names == ["id", "x"]
    assert ids.equal(plain["id"] + 1)
