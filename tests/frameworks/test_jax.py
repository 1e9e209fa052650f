"""Tensors become JAX arrays that share memory, and no integer is truncated."""

import jax
import numpy as np
import pyarrow as pa
import pytest
from jax.experimental import sparse

import arrowfeed as af
from arrowfeed.jax import RaggedParts, to_jax
from conftest import BATCH, NUMBERS, aligned, dense, tensors


def test_each_kind_becomes_jaxs():
    given = tensors()
    found = to_jax(given)
    assert isinstance(found["dense"], jax.Array)
    np.testing.assert_array_equal(found["dense"], np.array([[1, 2], [3, 4], [5, 6]], np.float32))
    assert isinstance(found["sparse"], sparse.BCOO)
    assert found["sparse"].todense().tolist() == [[1, 2, 3], [0, 0, 0], [4, 0, 0]]
    ragged = found["ragged"]
    assert isinstance(ragged, RaggedParts)
    assert ragged.flat_values.tolist() == [1, 2, 3]
    assert [splits.tolist() for splits in ragged.row_splits] == [[0, 2, 2, 3], [0, 1, 3, 3]]
    assert found["inner"].flat_values.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert found["user"]["user"]["age"].tolist() == [0, 1, 2]
    for name in ("text", "words", "sparse_words"):
        assert found[name] is given[name]


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("wide", [False, True])
def test_jax_has_every_type_of_numbers_at_every_alignment(kind, start, wide):
    values = (np.arange(100) % 7).astype(kind)
    with jax.enable_x64(wide):
        array = to_jax({"x": dense(values, start)})["x"]
    narrow = {"int64": "int32", "uint64": "uint32", "float64": "float32"}
    assert array.dtype == (kind if wide else narrow.get(kind, kind))
    np.testing.assert_array_equal(np.asarray(array), values[start:])


def test_aligned_memory_is_shared_with_jax():
    _, column = aligned(np.arange(1000, dtype=np.float32))
    tensor = dense(column)
    array = to_jax({"x": tensor})["x"]
    assert array.unsafe_buffer_pointer() == tensor.values.ctypes.data


def test_integers_are_never_cut_off():
    for value, kind in ((2**31, "int64"), (-(2**31) - 1, "int64"), (2**32, "uint64")):
        tensor = dense(np.array([0, value], kind))
        with pytest.raises(af.ConversionError) as caught:
            to_jax({"x": tensor})
        assert str(caught.value) == (
            f"tensor 'x': expected 32-bit integers, because jax_enable_x64 is not set, found {value}"
        )
        assert caught.value.tensor == "x"
        with jax.enable_x64(True):  # noqa: FBT003 - the name of JAX
            assert to_jax({"x": tensor})["x"].tolist() == [0, value]
    edges = [-(2**31), 2**31 - 1]
    assert to_jax({"x": dense(pa.array(edges))})["x"].tolist() == edges


def test_empty_batches_are_handed_over_to_jax():
    found = to_jax(tensors(BATCH.slice(0, 0)))
    assert found["dense"].shape == (0, 2)
    assert found["sparse"].shape == (0, 0)
    assert found["ragged"].row_splits[0].tolist() == [0]


def test_jit_accepts_the_arrays():
    total = jax.jit(lambda found: found["dense"].sum() + found["ragged"].flat_values.sum())
    found = to_jax(tensors())
    assert total({"dense": found["dense"], "ragged": found["ragged"]}) == 27
