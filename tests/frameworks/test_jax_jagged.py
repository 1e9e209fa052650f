"""Ragged tensors in the forms that JAX takes: padded with a mask, and values with the rows of each."""

import os
from random import Random

import jax
import numpy as np
import pytest
from feature_files import FEATURES, write
from jagged_batches import jagged

import arrowfeed as af
from arrowfeed.jax import Padded, Segments, to_jax
from conftest import tensors

CASES = int(os.environ.get("ARROWFEED_CASES", "200"))


def test_random_tensors_are_padded_and_have_segments():
    random = Random("jax jagged")
    for _ in range(CASES):
        given, rows = jagged(random, 1, random.choice(["int32", "float32"]))
        if isinstance(given["c0"], af.DenseTensor):
            continue
        expected = rows["c0"]
        longest = max(map(len, expected), default=0)
        padded = to_jax(given, ragged="padded")["c0"]
        assert padded.values.shape == padded.mask.shape == (len(expected), longest)
        assert padded.values.tolist() == [row + [0] * (longest - len(row)) for row in expected]
        assert padded.mask.tolist() == [[place < len(row) for place in range(longest)] for row in expected]
        segments = to_jax(given, ragged={"c0": "segments"})["c0"]
        sums = jax.ops.segment_sum(*segments, num_segments=len(expected))
        assert sums.tolist() == [sum(row) for row in expected]


def test_forms_of_jax_that_do_not_exist_and_tensors_that_do_not_fit_are_errors(tmp_path):
    with pytest.raises(ValueError, match=r'^ragged: expected one of "parts", "padded", "segments"'):
        to_jax({}, ragged="nested")
    with pytest.raises(af.ConversionError, match="^tensor 'ragged': expected one ragged dimension, found 2$"):
        to_jax(tensors(), ragged="padded")
    source = af.AvroDataset(write(tmp_path), features={"id": FEATURES["id"]})
    with pytest.raises(ValueError, match="^ragged: expected names of tensors"):
        source.to_jax(batch_size=8, ragged={"ids": "padded"})


def test_padded_memory_is_shared():
    given = af.RaggedTensor(np.arange(1000, dtype=np.float32), [[0, 1, 1000]])
    values, _ = given.padded()
    array = to_jax({"x": values})["x"]
    assert array.unsafe_buffer_pointer() == values.values.ctypes.data


def test_a_dataset_yields_the_form_and_resumes(tmp_path):
    kinds = {"id": FEATURES["id"], "scores": af.features.Ragged(key="user.scores[*]")}
    source = af.AvroDataset(write(tmp_path), features=kinds)
    batches = source.to_jax(batch_size=64, ragged="padded")
    first = next(batches)
    assert isinstance(first["scores"], Padded)
    resumed = source.to_jax(batch_size=64, ragged="segments")
    resumed.load_state_dict(batches.state_dict())
    second = next(resumed)
    assert isinstance(second["scores"], Segments)
    assert second["id"].tolist() == [*range(64, 128)]
    ids = second["id"].tolist()
    assert second["scores"].values.tolist() == [row for row in ids for _ in range(row % 3)]
