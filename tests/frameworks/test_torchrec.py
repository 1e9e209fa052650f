"""Tensors become `KeyedJaggedTensor`s of TorchRec. Run by `make test-torch`."""

import os
import pickle
import sys
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from feature_files import FEATURES, ROWS, write
from jagged_batches import TYPES, jagged
from training_rows import sections

import arrowfeed as af
from arrowfeed.representations import VarLenRagged
from arrowfeed.torch import keyed_jagged, to_torch

torch = pytest.importorskip("torch", reason="expected PyTorch, found it not installed")
torchrec = pytest.importorskip(
    "torchrec",
    reason="expected TorchRec with fbgemm-gpu-cpu, found it not installed: `make test-torch` has it",
    exc_type=ImportError,
)

from torch.utils.data import DataLoader  # noqa: E402
from torchrec.sparse.jagged_tensor import JaggedTensor, KeyedJaggedTensor  # noqa: E402

sys.path.append(str(Path(__file__).parents[1] / "python"))
from docstring_examples import examples_of, failures  # noqa: E402

CASES = int(os.environ.get("ARROWFEED_CASES", "200"))
KINDS = {"id": FEATURES["id"], "scores": af.features.Ragged(key="user.scores[*]")}


def of_torchrec(rows, kind):
    """TorchRec's own tensor of lists of tensors."""
    dtype = getattr(torch, kind)
    lists = {name: [torch.tensor(row, dtype=dtype) for row in values] for name, values in rows.items()}
    return KeyedJaggedTensor.from_jt_dict({name: JaggedTensor.from_dense(row) for name, row in lists.items()})


def test_random_tensors_are_those_of_torchrec():
    random = Random("keyed jagged")
    for _ in range(CASES):
        kind = random.choice(TYPES)
        given, rows = jagged(random, random.randint(1, 5), kind)
        keys = random.sample(list(rows), len(rows))
        found = keyed_jagged(given, keys)
        if not rows[keys[0]]:
            assert (found.stride(), found.values().tolist(), found.lengths().tolist()) == (0, [], [])
            continue
        expected = of_torchrec({key: rows[key] for key in keys}, kind)
        assert found.keys() == expected.keys() == keys
        assert found.values().equal(expected.values())
        assert found.values().dtype == expected.values().dtype
        assert found.lengths().equal(expected.lengths())
        assert found.lengths().dtype == expected.lengths().dtype
        assert found.offsets().equal(expected.offsets())
        assert found.stride() == expected.stride()
        assert found.length_per_key() == expected.length_per_key()
        assert found.offset_per_key() == expected.offset_per_key()
        for key, tensor in found.to_dict().items():
            assert [row.tolist() for row in tensor.to_dense()] == rows[key]


def test_an_embedding_bag_collection_takes_the_batches_of_a_dataset(tmp_path):
    source = af.AvroDataset(write(tmp_path), features=KINDS)
    rows = pickle.loads(
        pickle.dumps(source.to_torch(batch_size=64, keyed_jagged={"sparse": ["scores", "id"]}))
    )
    tables = [
        torchrec.EmbeddingBagConfig(name=name, embedding_dim=4, num_embeddings=ROWS, feature_names=[name])
        for name in ("id", "scores")
    ]
    bags = torchrec.EmbeddingBagCollection(tables=tables)
    for workers in (0, 2):
        seen = []
        for batch in DataLoader(rows, batch_size=None, num_workers=workers):
            assert list(batch) == ["sparse"]
            assert bags(batch["sparse"]).values().shape == (batch["sparse"].stride(), 8)
            ids = batch["sparse"]["id"].values().tolist()
            assert batch["sparse"]["scores"].values().tolist() == [row for row in ids for _ in range(row % 3)]
            seen += ids
        assert sorted(seen) == [*range(ROWS)]


def test_other_tensors_keep_their_form():
    ragged = af.RaggedTensor([1, 2, 3], [[0, 1, 3]])
    given = {"a": ragged, "b": ragged, "x": af.DenseTensor([0.5, 1.5])}
    found = to_torch(given, ragged="lengths", keyed_jagged={"sparse": ["b"]})
    assert list(found) == ["a", "x", "sparse"]
    assert found["a"].lengths.tolist() == [1, 2]
    assert found["sparse"].keys() == ["b"]


def test_names_and_tensors_that_do_not_fit_are_errors(tmp_path):
    given = {"a": af.RaggedTensor([1], [[0, 1]]), "b": af.DenseTensor([0.5])}
    with pytest.raises(
        ValueError, match=r"^keys: expected names of tensors, one of \['a', 'b'\], found 'c'$"
    ):
        keyed_jagged(given, ["a", "c"])
    with pytest.raises(ValueError, match="^keys: expected at least one name of a tensor, found none$"):
        keyed_jagged(given, [])
    with pytest.raises(af.ConversionError) as caught:
        keyed_jagged(given, ["a", "b"])
    assert str(caught.value) == 'tensor "b": expected int64 as in the first tensor, found float64'
    source = af.AvroDataset(write(tmp_path), features=KINDS)
    with pytest.raises(ValueError, match="^keyed_jagged: expected each tensor once, found 'id' twice$"):
        source.to_torch(batch_size=8, keyed_jagged={"one": ["id"], "two": ["id"]})


def test_the_code_of_sequences_in_torchrec_runs(tmp_path):
    parts, given = sections("sequences.md"), {"path": str(tmp_path / "sequences.avro")}
    for block in parts[None] + parts["TorchRec"]:
        exec(compile(block, "sequences.md", "exec"), given)


def test_the_example_of_the_docstring_of_torchrec_runs():
    batch = pa.record_batch({"user": [[1]] * 3, "words": [[2, 3], [], [4]]})
    kinds = {name: VarLenRagged(name) for name in ("user", "words")}
    names = {"adapter": af.TensorAdapter(batch.schema, kinds), "batch": batch, "keyed_jagged": keyed_jagged}
    (one,) = examples_of("torchrec")
    assert failures(one, names, compares=True) == ""
