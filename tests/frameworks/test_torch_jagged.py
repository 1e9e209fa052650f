"""Ragged tensors in the forms that PyTorch takes. Run by `make test-torch`."""

import json
import os
import pickle
from random import Random

import numpy as np
import pytest
from feature_files import FEATURES, ROWS, flat, write
from jagged_batches import jagged, nulls_and_slices

import arrowfeed as af
from arrowfeed.torch import ValuesAndLengths, ValuesAndOffsets, lengths, nested, offsets, to_torch
from conftest import tensors

torch = pytest.importorskip(
    "torch", reason="expected PyTorch, found it not installed: `make test-torch` has it"
)

from torch.utils.data import DataLoader  # noqa: E402

CASES = int(os.environ.get("ARROWFEED_CASES", "200"))
NUMBERS = {"id": FEATURES["id"], "scores": af.features.Ragged(key="user.scores[*]")}


def test_random_tensors_are_those_of_pytorch():
    random = Random("torch jagged")
    for _ in range(CASES):
        given, rows = jagged(random, 1)
        if isinstance(given["c0"], af.DenseTensor):
            continue
        tensor, expected = given["c0"], rows["c0"]
        found = nested(tensor)
        assert found.layout == torch.jagged
        if expected:
            dtype = found.dtype
            wanted = torch.nested.nested_tensor(
                [torch.tensor(row, dtype=dtype) for row in expected], layout=torch.jagged
            )
            assert found.values().equal(wanted.values())
            assert found.offsets().equal(wanted.offsets())
        assert [row.tolist() for row in found.unbind()] == expected
        parts = lengths(tensor)
        assert parts.lengths.tolist() == [len(row) for row in expected]
        assert parts.values.tolist() == flat(expected)
        parts = offsets(tensor)
        assert parts.values.tolist() == flat(expected)
        assert parts.offsets.tolist() == [0, *np.cumsum([len(row) for row in expected])][: len(expected)]


@pytest.mark.parametrize("splits", ["int32", "int64"])
def test_embedding_bags_take_values_and_offsets(splits):
    given = af.RaggedTensor(np.array([1, 2, 3]), [np.array([0, 1, 1, 3], splits)])
    bag = torch.nn.EmbeddingBag(10, 4, mode="sum")
    found = bag(*offsets(given))
    assert found.shape == (3, 4)
    assert found[1].eq(0).all()
    torch.testing.assert_close(found[2], bag.weight[2] + bag.weight[3])
    whole = torch.nn.EmbeddingBag.from_pretrained(bag.weight.detach(), mode="sum", include_last_offset=True)
    parts = to_torch({"x": given})["x"]
    torch.testing.assert_close(whole(parts.flat_values, parts.row_splits[0]), found.detach())


def test_values_are_shared():
    given = af.RaggedTensor(np.arange(5.0), [[0, 2, 5]])
    address = given.flat_values.ctypes.data
    assert nested(given).values().data_ptr() == address
    assert offsets(given).values.data_ptr() == address
    assert offsets(given).offsets.data_ptr() == given.row_splits[0].ctypes.data
    assert lengths(given).values.data_ptr() == address


def test_null_lists_and_slices_are_empty_rows():
    [tensor] = nulls_and_slices().values()
    assert [row.tolist() for row in nested(tensor).unbind()] == [[1, 2], [], [3]]
    assert lengths(tensor).lengths.tolist() == [2, 0, 1]
    assert offsets(tensor).offsets.tolist() == [0, 2, 2]


def test_a_form_is_for_all_ragged_tensors_or_for_some():
    given = tensors()
    plain = {name: given[name] for name in ("narrow", "inner", "dense", "words")}
    found = to_torch(plain, ragged="lengths")
    assert isinstance(found["narrow"], ValuesAndLengths)
    assert found["inner"].values.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert found["words"] is given["words"]
    found = to_torch(given, ragged={"narrow": "offsets"})
    assert isinstance(found["narrow"], ValuesAndOffsets)
    assert len(found["ragged"].row_splits) == 2
    batch = af.RaggedTensor([1, 2], [[0, 2]])
    structured = {"user": af.StructuredTensor({"tags": batch})}
    assert to_torch(structured, ragged={"user.tags": "lengths"})["user"]["tags"].lengths.tolist() == [2]


def test_forms_of_torch_that_do_not_exist_and_tensors_that_do_not_fit_are_errors(tmp_path):
    with pytest.raises(ValueError, match=r'^ragged: expected one of "parts", "nested", "offsets", "lengths"'):
        to_torch({}, ragged="padded")
    with pytest.raises(af.ConversionError) as caught:
        to_torch(tensors(), ragged="nested")
    assert str(caught.value) == "tensor 'ragged': expected one ragged dimension, found 2"
    assert caught.value.tensor == "ragged"
    for convert in (nested, offsets, lengths):
        with pytest.raises(af.ConversionError, match="^expected one ragged dimension, found 2$"):
            convert(tensors()["ragged"])
    source = af.AvroDataset(write(tmp_path), features=NUMBERS)
    with pytest.raises(ValueError, match=r"^ragged: expected names of tensors, one of \['id', 'scores'\]"):
        source.to_torch(batch_size=8, ragged={"score": "nested"})


@pytest.mark.parametrize("form", ["nested", "offsets", "lengths"])
@pytest.mark.parametrize("workers", [0, 2])
def test_a_dataset_yields_the_form_in_workers_and_after_a_state(tmp_path, form, workers):
    source = af.AvroDataset(write(tmp_path), features=NUMBERS)
    rows = pickle.loads(pickle.dumps(source.to_torch(batch_size=64, ragged=form)))
    seen = 0
    for batch in DataLoader(rows, batch_size=None, num_workers=workers):
        ids = batch["id"].tolist()
        expected = [row for row in ids for _ in range(row % 3)]
        scores = batch["scores"]
        assert (scores.values() if form == "nested" else scores.values).tolist() == expected
        seen += len(ids)
    assert seen == ROWS
    next(iter(rows))
    state = json.loads(json.dumps(rows.state_dict()))
    resumed = source.to_torch(batch_size=64, ragged=form)
    resumed.load_state_dict(state)
    assert next(iter(resumed))["id"].tolist() == [*range(64, 128)]
