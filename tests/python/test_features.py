"""Features accept these arguments, and reject others."""

import copy
import dataclasses
import pickle
import sys

import numpy as np
import pytest

import arrowfeed as af
from arrowfeed import features
from conftest import run_script
from foreign_features import BOOL, FLOAT32, INT64, STRING, DType

ALL = [
    features.Dense([]),
    features.Dense([2, 3], "int32"),
    features.Dense((2,), float, [0, 1.5], key="a.b"),
    features.Dense([], default=np.float32(0.5)),
    features.Dense([], default=float("nan")),
    features.Dense([1, 2], "string", [["a", b"b\x00"]]),
    features.Dense([], bool, default=True),
    features.Dense([0], default=[]),
    features.Dense([2], "float32", 0, key="l[*]", lossy=True, truncate=True),
    features.Dense([2], "float32", 0, key="l[*]", lossy=None),
    features.FixedLenSequence([]),
    features.FixedLenSequence([None, -1, 3], "float16", 0, key="l[*]"),
    features.VarLen(),
    features.FixedLenSequence([2], lossy=True, truncate=True),
    features.VarLen("uint8", shape=[2, -1], key="l[*][*]"),
    features.VarLen("uint8", shape=[2], lossy=True, truncate=True),
    features.Sparse("id", "power", 10000),
    features.Sparse(
        ["@a", "b"], "v", [12, None], "float32", already_sorted=True, duplicates="error", key="sp"
    ),
    features.Sparse("id", "power", 10000, "float32", lossy=True),
    features.Ragged(),
    features.Ragged("int8", lossy=True),
    features.Ragged("bytes", inner_shape=[2, 3], row_splits_dtype="int32", key="l[*]"),
]
TEXTS = [
    "Dense(())",
    "Dense((2, 3), dtype='int32')",
    "Dense((2,), dtype='float64', default=(0.0, 1.5), key='a.b')",
    "Dense((), default=0.5)",
    "Dense((), default=nan)",
    "Dense((1, 2), dtype='bytes', default=((b'a', b'b\\x00'),))",
    "Dense((), dtype='bool', default=True)",
    "Dense((0,), default=())",
    "Dense((2,), dtype='float32', default=0.0, key='l[*]', lossy=True, truncate=True)",
    "Dense((2,), dtype='float32', default=0.0, key='l[*]', lossy=None)",
    "FixedLenSequence(())",
    "FixedLenSequence((None, None, 3), dtype='float16', default=0.0, key='l[*]')",
    "VarLen()",
    "FixedLenSequence((2,), lossy=True, truncate=True)",
    "VarLen(dtype='uint8', shape=(2, None), key='l[*][*]')",
    "VarLen(dtype='uint8', shape=(2,), lossy=True, truncate=True)",
    "Sparse(('id',), 'power', (10000,))",
    "Sparse(('@a', 'b'), 'v', (12, None), dtype='float32', already_sorted=True, duplicates='error',"
    " key='sp')",
    "Sparse(('id',), 'power', (10000,), dtype='float32', lossy=True)",
    "Ragged()",
    "Ragged(dtype='int8', lossy=True)",
    "Ragged(dtype='bytes', inner_shape=(2, 3), row_splits_dtype='int32', key='l[*]')",
]


@pytest.mark.parametrize(("feature", "text"), list(zip(ALL, TEXTS, strict=True)), ids=TEXTS)
def test_texts_pickles_and_copies_are_equal(feature, text):
    assert repr(feature) == text
    agains = [
        eval(text, {**vars(features), "nan": float("nan")}),
        copy.copy(feature),
        copy.deepcopy(feature),
        dataclasses.replace(feature),
        *(pickle.loads(pickle.dumps(feature, protocol)) for protocol in range(2, 6)),
    ]
    for again in agains:
        assert type(again) is type(feature)
        assert again == feature
        assert hash(again) == hash(feature)
        assert vars(again).keys() == vars(feature).keys()


def test_all_features_are_different():
    assert len(set(ALL)) == len(ALL)
    for one, feature in enumerate(ALL):
        assert [other == feature for other in ALL].index(True) == one
        assert feature != repr(feature)


def test_features_with_defaults_of_other_types_are_different():
    assert len({features.Dense([], default=zero) for zero in (0, 0.0, -0.0, False, b"0", b"")}) == 6


@pytest.mark.parametrize("feature", ALL, ids=TEXTS)
def test_features_are_frozen(feature):
    for field in dataclasses.fields(feature):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(feature, field.name, None)


BYTES = np.dtype(object)
DTYPES = {
    BYTES: ["string", "bytes", "str", "object", "S", "U5", bytes, str, object, np.bytes_, np.object_, STRING],
    np.dtype("int64"): ["int64", "<i8", ">i8", int, np.int64, np.dtype("int64"), INT64],
    np.dtype("float64"): ["float64", float, np.float64],
    np.dtype("float32"): ["float32", "f4", np.float32, FLOAT32],
    np.dtype("bool"): ["bool", "?", bool, np.bool_, BOOL],
    np.dtype("uint16"): ["uint16", np.uint16],
}


@pytest.mark.parametrize(
    ("given", "dtype"), [(given, dtype) for dtype, all_given in DTYPES.items() for given in all_given]
)
def test_types_may_be_given_as_numpy_python_and_tensorflow_do(given, dtype):
    for feature in (
        features.Dense([], given),
        features.FixedLenSequence([], given),
        features.VarLen(given),
        features.Sparse("i", "v", 3, given),
        features.Ragged(given),
    ):
        assert feature.dtype == dtype
        assert feature.dtype.isnative


def test_a_type_of_tensorflow_may_have_a_name_only():
    class Named:
        name = "string"

    assert features.VarLen(Named()).dtype == BYTES


def test_defaults_keep_the_zeros_at_their_ends():
    assert features.Dense([2], default=np.array([b"a\x00", b"\x00"], object)).default == (b"a\x00", b"\x00")
    assert features.Dense([], default=b"\x00").default == b"\x00"


def test_integers_are_floats_where_these_are_wanted():
    assert repr(features.Dense([2], "float32", [1, 2]).default) == "(1.0, 2.0)"
    assert repr(features.Dense([2], default=[1, 2]).default) == "(1, 2)"
    assert repr(features.Dense([2], default=np.array([1, 2], np.uint64)).default) == "(1, 2)"
    assert repr(features.Dense([], "int8", default=True).default) == "True"
    assert repr(features.Dense([], "uint8", 0).default) == "0"
    assert repr(features.Dense([], "float32", -(1 << 62)).default) == "-4.611686018427388e+18"
    assert repr(features.Dense([], bool, 1).default) == "1"


def test_shapes_may_be_anything_that_can_be_gone_through():
    for shape in ([2, 3], (2, 3), np.array([2, 3]), range(2, 4), (size for size in (2, 3))):
        assert features.Dense(shape).shape == (2, 3)
    assert features.Sparse(iter(["a", "b"]), "v", np.array([4, -1])).size == (4, None)


SIZES = "shape: expected a list or tuple of sizes (int)"
NAMES = "; the classes of representations take the name of a column"
OPEN_SIZES = "shape: expected a list or tuple of sizes (int, or None if unknown)"
SIZE = "shape: expected an integer of 0 or more"
VALUES = "default: expected numbers, bools or byte strings"
A_DTYPE = "dtype: expected a type of numbers, bool, or object for byte strings"
WRONG_TYPES = {
    "one_size": (lambda: features.Dense(3), f"{SIZES}, found int 3"),
    "a_string": (lambda: features.Dense("3"), f"{SIZES}{NAMES}, found str '3'"),
    "a_dict": (lambda: features.Dense({1: 1}), f"{SIZES}, found dict {{1: 1}}"),
    "no_dimension": (lambda: features.Dense(np.array(3)), f"{SIZES}, found ndarray array(3)"),
    "no_shape": (lambda: features.Dense(None), f"{SIZES}, found None"),
    "open_size": (lambda: features.Dense([None]), f"{SIZE}, found None"),
    "bool_size": (lambda: features.Dense([True]), f"{SIZE}, found bool True"),
    "float_size": (lambda: features.FixedLenSequence([1.0]), f"{SIZE}, found float 1.0"),
    "one_open_size": (lambda: features.FixedLenSequence(3), f"{OPEN_SIZES}, found int 3"),
    "one_size_of_varlen": (lambda: features.VarLen(shape=3), f"{OPEN_SIZES}, found int 3"),
    "key": (lambda: features.Ragged(key=3), "key: expected a key expression (str), found int 3"),
    "index_key": (
        lambda: features.Sparse([1], "v", 1),
        "index_key: expected a key expression (str), or several, found int 1",
    ),
    "index_keys": (
        lambda: features.Sparse(1, "v", 1),
        "index_key: expected a key expression (str), or several, found int 1",
    ),
    "value_key": (
        lambda: features.Sparse("i", None, 1),
        "value_key: expected a key expression (str), found None",
    ),
    "sorted": (
        lambda: features.Sparse("i", "v", 1, None, "no"),
        "already_sorted: expected a bool, found str 'no'",
    ),
    "splits": (
        lambda: features.Ragged(row_splits_dtype=int),
        'row_splits_dtype: expected "int32" or "int64", found type <class \'int\'>',
    ),
    "lossy": (
        lambda: features.Ragged("int8", lossy="yes"),
        "lossy: expected a bool or None, found str 'yes'",
    ),
    "truncate": (
        lambda: features.Dense([], truncate=None),
        "truncate: expected a bool, found None",
    ),
    "default": (lambda: features.Dense([], default={}), f"{VALUES}, found dict {{}}"),
    "null_in_default": (lambda: features.Dense([2], default=["a", None]), f"{VALUES}, found None"),
    "mixed_default": (lambda: features.Dense([2], default=["a", 1]), f"{VALUES}, found int 1"),
    "complex_default": (lambda: features.Dense([], default=1j), f"{VALUES}, found complex 1j"),
}


@pytest.mark.parametrize(("call", "message"), WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_arguments_of_a_wrong_type_say_what_was_expected(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


WRONG_VALUES = {
    "negative": (lambda: features.Dense([-1]), f"{SIZE}, found int -1"),
    "below_open": (lambda: features.VarLen(shape=[-2]), f"{SIZE}, found int -2"),
    "huge": (
        lambda: features.Dense([1 << 63]),
        "shape: expected an integer of 64 bits, found int 9223372036854775808",
    ),
    "size": (lambda: features.Sparse("i", "v", -2), "size: expected an integer of 0 or more, found int -2"),
    "name_of_no_type": (lambda: features.VarLen("number"), f"{A_DTYPE}, found str 'number'"),
    "class_of_no_type": (lambda: features.VarLen(dict), f"{A_DTYPE}, found type <class 'dict'>"),
    "complex": (lambda: features.VarLen("complex64"), f"{A_DTYPE}, found str 'complex64'"),
    "time": (lambda: features.VarLen("datetime64[s]"), f"{A_DTYPE}, found str 'datetime64[s]'"),
    "quantised": (
        lambda: features.VarLen(DType("qint8", np.dtype([("qint8", "i1")]))),
        f"{A_DTYPE}, found DType tf.qint8",
    ),
    "splits": (
        lambda: features.Ragged(row_splits_dtype="int8"),
        'row_splits_dtype: expected "int32" or "int64", found str \'int8\'',
    ),
    "duplicates": (
        lambda: features.Sparse("i", "v", 1, duplicates="sum"),
        'duplicates: expected "error" or "keep", found str \'sum\'',
    ),
    "shape_of_default": (
        lambda: features.Dense([1, 2], "string", [["a", "b"], ["c", "d"]]),
        "default: expected a scalar or the shape [1, 2], found the shape [2, 2]",
    ),
    "one_more_dimension": (
        lambda: features.Dense([], default=[0]),
        "default: expected a scalar, found the shape [1]",
    ),
    "uneven_default": (
        lambda: features.Dense([2, 2], default=[[1], [2, 3]]),
        "default: expected a scalar or the shape [2, 2], found list [[1], [2, 3]]",
    ),
    "sequence_default": (
        lambda: features.FixedLenSequence([2], default=[0, 0]),
        "default: expected a scalar, found the shape [2]",
    ),
    "float_for_integers": (
        lambda: features.Dense([], "int32", 1.5),
        "default: expected values of int32, found float 1.5",
    ),
    "integer_that_a_float_does_not_hold": (
        lambda: features.Dense([2], "float32", [0, 16_777_217]),
        "default: expected values that float32 holds exactly, found list [0, 16777217]",
    ),
    "integer_beyond_a_float": (
        lambda: features.Dense([], "float16", 65536),
        "default: expected values that float16 holds exactly, found int 65536",
    ),
    "text_for_floats": (
        lambda: features.Dense([], "float32", "x"),
        "default: expected values of float32, found str 'x'",
    ),
    "number_for_text": (
        lambda: features.Dense([], "string", 1),
        "default: expected values of bytes, found int 1",
    ),
    "float_for_bool": (
        lambda: features.Dense([], bool, 0.0),
        "default: expected values of bool, found float 0.0",
    ),
}


@pytest.mark.parametrize(("call", "message"), WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_arguments_of_a_wrong_value_say_what_was_expected(call, message):
    with pytest.raises(ValueError, match="expected") as caught:
        call()
    assert (type(caught.value), str(caught.value)) == (ValueError, message)


def test_the_module_is_an_attribute_that_is_imported_on_use():
    script = """
        import sys, arrowfeed
        assert not {"numpy", "dataclasses", "arrowfeed.features"} & set(sys.modules)
        print(arrowfeed.features.Ragged(), "tensorflow" in sys.modules)
    """
    done = run_script(script)
    assert (done.stdout, done.returncode) == ("Ragged() False\n", 0), done.stderr
    with pytest.raises(AttributeError, match="^module 'arrowfeed' has no attribute 'feature'$"):
        af.feature  # noqa: B018
    assert sys.modules["arrowfeed.features"] is af.features
