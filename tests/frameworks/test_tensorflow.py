"""Tensors become TensorFlow tensors that share memory, and none of them crashes the process."""

import gc
import signal

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf

import arrowfeed as af
from arrowfeed.tensorflow import to_tensorflow
from conftest import BATCH, NUMBERS, aligned, dense, run_script, tensors


def test_each_kind_becomes_tensorflows():
    found = to_tensorflow(tensors())
    np.testing.assert_array_equal(found["dense"], np.array([[1, 2], [3, 4], [5, 6]], np.float32))
    sparse = found["sparse"]
    assert isinstance(sparse, tf.SparseTensor)
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [[1, 2, 3], [0, 0, 0], [4, 0, 0]]
    assert isinstance(found["ragged"], tf.RaggedTensor)
    assert found["ragged"].to_list() == [[[1], [2, 3]], [], [[]]]
    assert (found["ragged"].dtype, found["ragged"].row_splits.dtype) == (tf.int16, tf.int64)
    assert found["narrow"].to_list() == [[1, 2, 3], [], [4]]
    assert found["narrow"].row_splits.dtype == tf.int32
    assert found["inner"].to_list() == [[[1, 2], [3, 4]], [], [[5, 6]]]
    assert found["inner"].shape.as_list() == [3, None, 2]
    assert found["text"].numpy().tolist() == [b"a", b"", "cé".encode()]
    assert found["words"].to_list() == [[b"x", b"yz"], [], [b"w"]]
    assert found["sparse_words"].values.numpy().tolist() == [b"x", b"yz", b"w"]
    assert found["user"]["user"]["age"].numpy().tolist() == [0, 1, 2]
    assert found["user"]["user"]["tags"].to_list() == [[], [1], [2, 2]]


def test_the_specs_hold():
    adapter_specs = af.TensorAdapter(
        pa.schema({"x": pa.list_(pa.float16(), 3)}), {"x": af.representations.Dense("x", [3])}
    ).specs
    spec = adapter_specs["x"]
    batch = pa.record_batch({"x": pa.array([np.arange(1, 4, dtype=np.float16)], pa.list_(pa.float16(), 3))})
    tensor = to_tensorflow(tensors(batch, {"x": af.representations.Dense("x", [3])}))["x"]
    assert tf.TensorSpec(spec.shape, tf.as_dtype(spec.dtype)).is_compatible_with(tensor)


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("start", [0, 1, 5])
@pytest.mark.parametrize("rows", [5, 6, 200])
def test_tensorflow_has_every_type_of_numbers_at_every_alignment(kind, start, rows):
    values = (np.arange(rows) % 7).astype(kind)
    tensor = to_tensorflow({"x": dense(values, start)})["x"]
    assert tensor.dtype == tf.as_dtype(np.dtype(kind))
    np.testing.assert_array_equal(tensor.numpy(), values[start:])
    np.testing.assert_array_equal((tensor[1:]).numpy(), values[start + 1 :])


def test_aligned_memory_is_shared_with_tensorflow():
    memory, column = aligned(np.arange(1000, dtype=np.float32))
    tensor = to_tensorflow({"x": dense(column)})["x"]
    memory[7] = -1
    assert tensor[7].numpy() == -1


def test_other_memory_is_copied():
    memory, column = aligned(np.arange(1000, dtype=np.float32))
    tensor = to_tensorflow({"x": dense(column, 1)})["x"]
    memory[7] = -1
    assert tensor[6].numpy() == 7


def test_operations_do_not_write_to_the_batch():
    memory, column = aligned(np.full(1000, -1, np.float32))

    @tf.function
    def compute(tensor):
        return tf.nn.relu(tensor) * 2 + 1

    for _ in range(3):
        assert tf.reduce_sum(tf.nn.relu(to_tensorflow({"x": dense(column)})["x"])).numpy() == 0
        assert tf.reduce_sum(compute(to_tensorflow({"x": dense(column)})["x"])).numpy() == 1000
        variable = tf.Variable(to_tensorflow({"x": dense(column)})["x"])
        variable.assign_add(tf.ones(1000))
    assert (memory == -1).all()


def test_tensors_outlive_their_batch():
    gc.collect()
    before = pa.total_allocated_bytes()
    column = pa.concat_arrays([pa.array(np.arange(10_000))] * 2)
    tensor = to_tensorflow({"x": dense(column)})["x"]
    del column
    gc.collect()
    assert tf.reduce_sum(tensor).numpy() == 2 * sum(range(10_000))
    del tensor
    gc.collect()
    assert pa.total_allocated_bytes() == before


ABORTS = """
    import os
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import numpy as np, pyarrow as pa, tensorflow as tf, arrowfeed as af
    from arrowfeed.tensorflow import to_tensorflow
    batch = pa.record_batch({{"x": pa.array(np.arange(1000, dtype=np.float32))}}).slice(1)
    tensor = af.TensorAdapter(batch.schema, {{"x": af.representations.Dense("x")}}).convert(batch)["x"]
    assert tensor.values.ctypes.data % 64
    tensor = {hand_over}
    print(tf.reduce_sum(tf.reshape(tensor, [27, 37])[::2, 1:30:3] * 2 + tf.ones([14, 10])).numpy())
"""


def test_without_the_copy_the_process_would_end():
    handed = "tf.experimental.dlpack.from_dlpack(tensor.__dlpack__(copy=False))"
    done = run_script(ABORTS.format(hand_over=handed))
    assert "Check failed: IsAligned()" in done.stderr
    assert done.returncode == -signal.SIGABRT


@pytest.mark.parametrize(
    "handed",
    ['to_tensorflow({"x": tensor})["x"]', "tf.experimental.dlpack.from_dlpack(tensor.__dlpack__())"],
)
def test_memory_that_is_not_aligned_does_not_end_the_process(handed):
    done = run_script(ABORTS.format(hand_over=handed))
    assert done.returncode == 0, done.stderr
    values = np.arange(1, 1000, dtype=np.float32).reshape(27, 37)[::2, 1:30:3]
    assert float(done.stdout) == (values * 2 + 1).sum()


@pytest.mark.parametrize(
    "values",
    [
        [],
        [b""],
        [b"", b""],
        [b"a", b"", b"bc", b"\x00\xff" * 30],
        [bytes([byte]) for byte in range(256)],
        [bytes(range(256))] * 3,
        [b"long" * 1000, b"", b"\xff"],
    ],
    ids=["none", "empty", "empties", "binary", "all_bytes_once", "all_bytes", "long"],
)
def test_byte_strings_arrive_whole(values):
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        tensor = to_tensorflow({"x": dense(pa.array(values, kind))})["x"]
        assert (tensor.dtype, tensor.shape.as_list()) == (tf.string, [len(values)])
        assert tensor.numpy().tolist() == values


def test_byte_strings_in_tensorflow_have_the_shape_of_the_tensor():
    words = pa.array([["a", "b"], ["c", ""]], pa.list_(pa.string(), 2))
    batch = pa.record_batch({"x": words})
    tensor = to_tensorflow(tensors(batch, {"x": af.representations.Dense("x", [2, 1])}))["x"]
    assert tensor.numpy().tolist() == [[[b"a"], [b"b"]], [[b"c"], [b""]]]


def test_random_byte_strings_arrive_whole():
    random = np.random.default_rng(1)
    for most in (1, 3, 20, 600):
        lengths = random.integers(0, most, 2000)
        values = [random.integers(0, 256, length, np.uint8).tobytes() for length in lengths]
        tensor = to_tensorflow({"x": dense(pa.array(values, pa.binary()))})["x"]
        assert tensor.numpy().tolist() == values


def test_empty_batches_are_handed_over_to_tensorflow():
    found = to_tensorflow(tensors(BATCH.slice(0, 0)))
    assert found["dense"].shape.as_list() == [0, 2]
    assert found["sparse"].dense_shape.numpy().tolist() == [0, 0]
    assert found["ragged"].to_list() == []
    assert found["text"].shape.as_list() == [0]


def test_wrong_arguments_of_to_tensorflow_say_what_was_expected():
    with pytest.raises(TypeError) as caught:
        to_tensorflow(dense([1]))
    assert str(caught.value) == "tensors: expected a dict of names to tensors, found DenseTensor"
    with pytest.raises(TypeError) as caught:
        to_tensorflow({"x": np.zeros(3)})
    assert str(caught.value) == "tensors['x']: expected a tensor of arrowfeed, found ndarray"
