"""DLPack capsules of both versions describe the memory of a tensor and own it until they are freed."""

import ctypes
import gc
import threading

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense
from session_seed import SEED

ROWS = 1000
TYPES = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "bool"),
]


def dense(values, shape=()):
    batch = pa.record_batch({"x": values if isinstance(values, pa.Array) else pa.array(values)})
    return af.TensorAdapter(batch.schema, {"x": Dense("x", shape)}).convert(batch)["x"]


@pytest.fixture
def tensor():
    """A tensor over memory of pyarrow."""
    return dense(np.arange(ROWS))


def name(capsule):
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get_name(capsule).decode()


class Consumer:
    """Passes a capsule to `numpy.from_dlpack`."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("version", [None, (1, 0)])
def test_every_type_is_handed_over_in_both_forms(kind, version):
    given = np.arange(ROWS).astype(kind)
    tensor = dense(given).aligned()
    array = np.from_dlpack(Consumer(tensor.__dlpack__(max_version=version)))
    assert array.dtype == given.dtype
    np.testing.assert_array_equal(array, given)
    assert np.shares_memory(array, tensor.values)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (3, 1, 2)])
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_shapes_are_handed_over(shape, rows):
    size = int(np.prod(shape))
    values = pa.array(np.arange(rows * size, dtype=np.float32))
    tensor = dense(pa.FixedSizeListArray.from_arrays(values, size) if shape else values, shape)
    array = np.from_dlpack(tensor)
    assert array.shape == tensor.shape == (rows, *shape)
    np.testing.assert_array_equal(array, tensor.values)


def test_max_version_selects_the_form(tensor):
    for version, expected in (
        (None, "dltensor"),
        ((0, 8), "dltensor"),
        ((1, 0), "dltensor_versioned"),
        ((2, 7), "dltensor_versioned"),
    ):
        assert name(tensor.__dlpack__(max_version=version)) == expected


def test_the_versioned_form_is_read_only_unless_it_is_a_copy(tensor):
    shared = np.from_dlpack(tensor)
    assert not shared.flags.writeable
    assert shared.ctypes.data == tensor.values.ctypes.data
    copied = np.from_dlpack(tensor, copy=True)
    assert copied.flags.writeable
    assert not np.shares_memory(copied, tensor.values)
    assert copied.ctypes.data % 64 == 0
    copied[0] = -1
    assert tensor.values[0] == 0


def test_the_old_form_copies_memory_that_is_not_aligned(tensor):
    numbers = pa.array(np.arange(ROWS + 1))[1:]
    unaligned = dense(numbers)
    address = unaligned.values.ctypes.data
    assert address % 64 != 0
    copied = np.from_dlpack(Consumer(unaligned.__dlpack__()))
    assert copied.ctypes.data % 64 == 0
    assert copied.tolist() == numbers.to_pylist()
    for options in ({"copy": False}, {"max_version": (1, 0)}):
        assert np.from_dlpack(Consumer(unaligned.__dlpack__(**options))).ctypes.data == address
    aligned = tensor.aligned()
    shared = np.from_dlpack(Consumer(aligned.__dlpack__()))
    assert shared.ctypes.data == aligned.values.ctypes.data


def test_the_device_is_the_processor(tensor):
    assert tensor.__dlpack_device__() == (1, 0)
    assert name(tensor.__dlpack__(dl_device=(1, 0), stream=None)) == "dltensor"


def test_bools_are_copied_unless_that_is_refused():
    tensor = dense([True, False])
    assert np.from_dlpack(tensor).tolist() == [True, False]
    with pytest.raises(BufferError) as caught:
        tensor.__dlpack__(copy=False)
    assert str(caught.value) == (
        "expected values that need no copy, found bools, which Arrow stores as bits: use copy=None"
    )


REFUSED = {
    "strings": (
        lambda: dense(["a"]).__dlpack__(),
        BufferError,
        "expected numbers or bools, found byte strings, which DLPack does not have",
    ),
    "stream": (
        lambda: dense([1]).__dlpack__(stream=1),
        TypeError,
        "stream: expected None for CPU memory, found int 1",
    ),
    "device": (
        lambda: dense([1]).__dlpack__(dl_device=(2, 0)),
        BufferError,
        "dl_device: expected (1, 0), the CPU, found tuple (2, 0)",
    ),
    "device_type": (
        lambda: dense([1]).__dlpack__(dl_device="cpu"),
        TypeError,
        "dl_device: expected a tuple of two integers, found str 'cpu'",
    ),
    "version": (
        lambda: dense([1]).__dlpack__(max_version=1),
        TypeError,
        "max_version: expected a tuple of two integers, found int 1",
    ),
}


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_impossible_arguments_say_what_was_expected(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_capsule_is_taken_once(tensor, version):
    capsule = tensor.__dlpack__(max_version=version)
    array = np.from_dlpack(Consumer(capsule))
    assert name(capsule).startswith("used_")
    with pytest.raises(ValueError, match="^PyCapsule_GetPointer called with incorrect name$"):
        np.from_dlpack(Consumer(capsule))
    np.testing.assert_array_equal(array, np.arange(ROWS))


class Watched:
    """Batches that report when their memory is freed."""

    def __init__(self):
        gc.collect()
        self.before = pa.total_allocated_bytes()

    def tensor(self):
        values = pa.concat_arrays([pa.array(np.arange(ROWS)), pa.array(np.arange(ROWS))])
        return dense(values)

    def held(self):
        gc.collect()
        return pa.total_allocated_bytes() - self.before


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_capsule_without_a_consumer_frees_its_memory(version):
    watched = Watched()
    tensor = watched.tensor()
    capsule = tensor.__dlpack__(max_version=version)
    del tensor
    assert watched.held() > 0
    del capsule
    assert watched.held() == 0


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_consumer_outlives_the_producer(version):
    watched = Watched()
    tensor = watched.tensor()
    array = np.from_dlpack(Consumer(tensor.__dlpack__(max_version=version)))
    del tensor
    assert watched.held() > 0
    np.testing.assert_array_equal(array[:ROWS], np.arange(ROWS))
    del array
    assert watched.held() == 0


def test_a_producer_outlives_the_consumer():
    watched = Watched()
    tensor = watched.tensor()
    for _ in range(3):
        array = np.from_dlpack(tensor)
        del array
    np.testing.assert_array_equal(tensor.values[:ROWS], np.arange(ROWS))
    del tensor
    assert watched.held() == 0


def test_a_consumer_in_another_thread_frees_the_memory_there():
    watched = Watched()
    sums = []

    def consume(array):
        sums.append(int(array.sum()))

    for _ in range(20):
        arrays = [np.from_dlpack(watched.tensor())]
        thread = threading.Thread(target=lambda arrays=arrays: consume(arrays.pop()))
        thread.start()
        thread.join()
        del arrays, thread
    assert sums == [ROWS * (ROWS - 1)] * 20
    assert watched.held() == 0


def test_threads_make_take_and_drop_capsules_of_one_tensor(tensor):
    failed = []

    def work(seed):
        random = np.random.default_rng(SEED + seed)
        held = []
        for _ in range(300):
            dropped = tensor.__dlpack__(copy=bool(random.random() < 0.5))
            held.append(np.from_dlpack(tensor))
            if random.random() < 0.1:
                failed.extend(array for array in held if array[-1] != ROWS - 1)
                held.clear()
            del dropped

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    np.testing.assert_array_equal(tensor.values, np.arange(ROWS))


class Managed(ctypes.Structure):
    """The fields of `DLManagedTensor` up to its deleter."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("dimensions", ctypes.c_int32),
        ("data_type", ctypes.c_uint32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    )


def test_the_deleter_needs_no_interpreter_and_the_struct_is_that_of_the_header():
    watched = Watched()
    tensor = watched.tensor()
    address = tensor.values.ctypes.data
    capsule = tensor.__dlpack__()
    del tensor
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    set_name = ctypes.pythonapi.PyCapsule_SetName
    set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer = get_pointer(capsule, b"dltensor")
    used = b"used_dltensor"
    set_name(capsule, used)
    managed = Managed.from_address(pointer)
    assert (managed.data, list(managed.device), managed.dimensions) == (address, [1, 0], 1)
    assert managed.data_type == 1 << 16 | 64 << 8
    assert (managed.shape[0], managed.strides[0], managed.byte_offset) == (2 * ROWS, 1, 0)
    del capsule
    assert watched.held() > 0
    # A function of ctypes is called without the interpreter's lock.
    managed.deleter(pointer)
    assert watched.held() == 0
