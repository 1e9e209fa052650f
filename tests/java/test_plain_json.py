"""The converter is correct on handmade columns; a defect in it could hide one of the reader."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from plain_json import Plain, difference, plain, rows


def _uuids(*values: bytes | None) -> pa.Array:
    return pa.ExtensionArray.from_storage(pa.uuid(), pa.array(values, pa.binary(16)))


def _union() -> pa.Array:
    """Both of its kinds of null: that of a null branch, which is not the first, and one inside a branch."""
    children = [pa.array(["x", None]), pa.array([7, 8], pa.int32()), pa.nulls(1)]
    codes, offsets = pa.array([2, 1, 0, 1, 0], pa.int8()), pa.array([0, 0, 0, 1, 1], pa.int32())
    return pa.UnionArray.from_dense(codes, offsets, children, ["a", "b", "c"])


def _branches(*pairs: tuple[int, Plain]) -> list[Plain]:
    return [{"branch": branch, "value": value} for branch, value in pairs]


def _lists_of(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, 2, 2, 5], pa.int32()), values)


_ENUM = pa.dictionary(pa.int32(), pa.string())
_MAP = pa.map_(pa.string(), pa.int32())
_STRUCT = pa.struct([("b", pa.int32()), ("a", pa.string())])
_WIDE = Decimal("-" + "9" * 76)

CASES: dict[str, tuple[pa.Array, list[Plain]]] = {
    "null": (pa.nulls(2), [None, None]),
    "boolean": (pa.array([True, None, False]), [True, None, False]),
    "long": (pa.array([2**63 - 1, None]), [2**63 - 1, None]),
    "float": (pa.array([0.1, None, float("nan")], pa.float32()), [0.10000000149011612, None, "NaN"]),
    "double": (pa.array([0.1, -0.0, float("inf"), -float("inf")]), [0.1, -0.0, "Infinity", "-Infinity"]),
    "string": (pa.array(["", "€", None]), ["", "€", None]),
    "bytes": (pa.array([b"\x00\xff", None]), ["\x00\xff", None]),
    "fixed": (pa.array([b"\x80a", None], pa.binary(2)), ["\x80a", None]),
    "enum": (pa.array(["A", None, "B"]).cast(_ENUM), ["A", None, "B"]),
    "array": (pa.array([[1, None], None, []], pa.list_(pa.int32())), [[1, None], None, []]),
    "map": (pa.array([[("b", 1), ("a", None)], None, []], _MAP), [[["a", None], ["b", 1]], None, []]),
    "record": (pa.array([{"b": 1, "a": "x"}, None], _STRUCT), [{"b": 1, "a": "x"}, None]),
    "record without fields": (pa.array([{}, None], pa.struct([])), [{}, None]),
    "union": (_union(), _branches((2, None), (1, 7), (0, "x"), (1, 8), (0, None))),
    "array of unions": (
        _lists_of(_union()),
        [_branches((2, None), (1, 7)), [], _branches((0, "x"), (1, 8), (0, None))],
    ),
    "record of unions": (
        pa.StructArray.from_arrays([_union().slice(2)], ["u"]),
        [{"u": branch} for branch in _branches((0, "x"), (1, 8), (0, None))],
    ),
    "array of arrays": (
        pa.array([[[1], None], [], [[2, 3]]], pa.list_(pa.list_(pa.int32()))),
        [[[1], None], [], [[2, 3]]],
    ),
    "date": (pa.array([-(2**31), None], pa.int32()).cast(pa.date32()), [-(2**31), None]),
    "time": (pa.array([86_399_999], pa.int32()).cast(pa.time32("ms")), [86_399_999]),
    "timestamp": (pa.array([-(2**63), None]).cast(pa.timestamp("us", "UTC")), [-(2**63), None]),
    "decimal": (pa.array([Decimal("-1.50"), None], pa.decimal128(5, 2)), ["-150", None]),
    "decimal of 76 digits": (pa.array([_WIDE, Decimal(0)], pa.decimal256(76, 0)), [str(_WIDE), "0"]),
    "uuid": (_uuids(bytes(range(16)), None), ["000102030405060708090a0b0c0d0e0f", None]),
    "duration": (pa.array([(1, 2, 3_000_000), None], pa.month_day_nano_interval()), [[1, 2, 3], None]),
}


@pytest.mark.parametrize("name", CASES)
def test_each_arrow_type_has_its_plain_form(name: str) -> None:
    array, expected = CASES[name]
    assert difference(plain(array), expected) is None


@pytest.mark.parametrize("name", CASES)
def test_a_slice_has_the_plain_form_of_its_own_rows(name: str) -> None:
    array, expected = CASES[name]
    assert difference(plain(array.slice(1)), expected[1:]) is None


def test_a_type_outside_the_native_mapping_is_an_error() -> None:
    with pytest.raises(AssertionError, match="expected a type of the native mapping, found uint8"):
        plain(pa.array([1], pa.uint8()))


def test_a_root_that_is_not_a_record_is_its_column() -> None:
    table = pa.table({"value": pa.array([1, 2], pa.int32())})
    assert rows(table, record_root=False) == [1, 2]
    assert rows(table, record_root=True) == [{"value": 1}, {"value": 2}]


@pytest.mark.parametrize(
    ("found", "expected", "text"),
    [
        ([1], [1.0], "rows[0]: expected 1.0, found 1"),
        ([0.0], [-0.0], "rows[0]: expected -0.0, found 0.0"),
        ([True], [1], "rows[0]: expected 1, found True"),
        ([], [None], "rows: expected [None], found []"),
        ([{"a": [1, 2]}], [{"a": [1, 3]}], "rows[0].a[1]: expected 3, found 2"),
        (
            [{"a": 1, "b": 2}],
            [{"b": 2, "a": 1}],
            "rows[0]: expected {'b': 2, 'a': 1}, found {'a': 1, 'b': 2}",
        ),
    ],
)
def test_a_difference_names_its_place(found: Plain, expected: Plain, text: str) -> None:
    assert difference(found, expected) == text
