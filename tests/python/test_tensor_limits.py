"""Tensors beyond the memory or the limits of numpy raise errors with a location. None ends the process."""

import sys

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from conftest import run_script

# Padded, a row has 2^33 values.
WIDTH = 1 << 33
COLUMNS = {
    "numbers": "pa.int64(), 1, 0",
    "bools": "pa.bool_(), True, False",
    "strings": "pa.utf8(), 'a', 'long default'",
    "large_strings": "pa.large_utf8(), 'a', 'long default'",
    "binaries": "pa.binary(), b'a', b''",
    "large_binaries": "pa.large_binary(), b'a', b''",
    "fixed_binaries": "pa.binary(4), b'abcd', b'wxyz'",
}
"""The type of a column of lists, a value, and a default."""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_a_shape_without_memory_is_an_error():
    columns = ", ".join(f"({column})" for column in COLUMNS.values())
    script = f"""
        import resource
        import pyarrow as pa
        import arrowfeed as af

        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 29),) * 2)
        for kind, value, default in [{columns}]:
            batch = pa.record_batch({{"x": pa.array([[value]], pa.list_(kind))}})
            tensors = {{"t": af.representations.Dense("x", [{WIDTH}], default=default, pad=True)}}
            adapter = af.TensorAdapter(batch.schema, tensors)
            try:
                adapter.convert(batch)
            except af.ConversionError as error:
                print(error, error.tensor, error.field, sep="|")
    """
    done = run_script(script)
    reason = "memory allocation failed because the memory allocator returned an error"
    message = f'tensor "t", column "x": expected values that fit in one array, found {WIDTH} values: {reason}'
    assert (done.stdout, done.stderr, done.returncode) == (f"{message}|t|x\n" * len(COLUMNS), "", 0)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
@pytest.mark.parametrize("kind", ["sparse", "varlen", "bools", "objects", "aligned"])
def test_parts_without_memory_are_errors(kind):
    script = """
        import resource, sys
        import pyarrow as pa
        import arrowfeed as af
        from arrowfeed.representations import Dense, Sparse, VarLenSparse

        n, kind = 1 << 24, sys.argv[1]
        if kind in ("sparse", "varlen"):
            batch = pa.record_batch({"i": pa.array([[0] * 8] * (n >> 3), pa.list_(pa.int8()))})
            made = Sparse(["i"], "i", [1]) if kind == "sparse" else VarLenSparse("i")
        elif kind == "bools":
            batch, made = pa.record_batch({"i": pa.nulls(8 * n, pa.bool_()).fill_null(True)}), Dense("i")
        elif kind == "objects":
            batch, made = pa.record_batch({"i": pa.nulls(n, pa.binary()).fill_null(b"")}), Dense("i")
        else:
            batch = pa.record_batch({"i": pa.nulls(8 * n + 1, pa.int8()).fill_null(1)}).slice(1)
            made = Dense("i")
        adapter = af.TensorAdapter(batch.schema, {"t": made})
        tensor = None if kind in ("sparse", "varlen") else adapter.convert(batch)["t"]
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 26),) * 2)
        try:
            tensor.aligned() if kind == "aligned" else tensor.values if tensor else adapter.convert(batch)
        except af.ConversionError as error:
            print(error)
    """
    done = run_script(script, kind)
    reason = "memory allocation failed because the memory allocator returned an error\n"
    array = 'tensor "t": expected values that fit in a numpy array, found '
    expected = {
        "sparse": f'tensor "t", column "i": expected values that fit in one array, found {1 << 24} values: ',
        "varlen": f'tensor "t", column "i": expected values that fit in one array, found {1 << 24} values: ',
        "bools": f"{array}bool [{1 << 27}]: ",
        "objects": f"{array}bytes [{1 << 24}]: ",
        "aligned": f"{array}int8 [{1 << 27}]: ",
    }
    assert (done.stdout, done.stderr, done.returncode) == (expected[kind] + reason, "", 0)


def test_values_of_too_many_dimensions_for_numpy_are_reported_with_the_tensor():
    batch = pa.record_batch({"x": pa.array([1, 2]), "s": pa.array(["a", "b"])})
    adapter = af.TensorAdapter(
        batch.schema,
        {"n": af.representations.Dense("x", [1] * 70), "s": af.representations.Dense("s", [1] * 70)},
    )
    tensors = adapter.convert(batch)
    for name, dtype in (("n", "int64"), ("s", "bytes")):
        with pytest.raises(af.ConversionError) as caught:
            _ = tensors[name].values
        start = f'tensor "{name}": expected values that fit in a numpy array, found {dtype} [2, 1, '
        assert str(caught.value).startswith(start)
        assert "dimension" in str(caught.value).rpartition("]: ")[2]
        assert caught.value.tensor == name
    assert tensors["n"].shape == (2, *[1] * 70)


def nested(value, depth):
    """A value inside this many lists, and its type."""
    kind = pa.int64()
    for _ in range(depth):
        value, kind = [value], pa.list_(kind, 1)
    return value, kind


def test_errors_of_flat_values_and_fields_name_their_tensor():
    value, kind = nested(1, 70)
    batch = pa.record_batch(
        {"x": pa.array([value], kind), "u": pa.array([{"v": value}], pa.struct({"v": kind}))}
    )
    representations = {"r": af.representations.VarLenRagged("x"), "u": af.representations.Structured(["u"])}
    tensors = af.TensorAdapter(batch.schema, representations).convert(batch)
    with pytest.raises(af.ConversionError, match='^tensor "r": expected values that fit in a numpy array, '):
        _ = tensors["r"].flat_values
    field = tensors["u"].fields["u"].fields["v"]
    with pytest.raises(af.ConversionError, match='^tensor "u": expected values that fit in a numpy array, '):
        _ = field.values


def test_a_shape_too_big_for_numpy_is_reported_even_without_values():
    shape = [1 << 31, 1 << 30]
    batch = pa.record_batch({"x": pa.array([[]], pa.list_(pa.list_(pa.int64())))}).slice(1)
    adapter = af.TensorAdapter(batch.schema, {"t": af.representations.Dense("x", shape)})
    tensor = adapter.convert(batch)["t"]
    assert tensor.shape == (0, *shape)
    with pytest.raises(af.ConversionError) as caught:
        _ = tensor.values
    start = f'tensor "t": expected values that fit in a numpy array, found int64 {[0, *shape]}: '
    assert str(caught.value).startswith(start)


def test_values_of_a_limit_that_numpy_has_are_arrays():
    batch = pa.record_batch({"x": pa.array([1, 2])})
    adapter = af.TensorAdapter(batch.schema, {"t": af.representations.Dense("x", [1] * 31)})
    assert adapter.convert(batch)["t"].values.shape == (2, *[1] * 31)
    assert np.asarray(adapter.convert(batch)["t"]).sum() == 3
