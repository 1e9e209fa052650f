"""The cases of ``tests/cases/text`` pass: values of CSV and JSON lines, see ``tests/README.md``."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import arrowfeed as af

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(__file__).parents[1] / "cases" / "text" / "values.toml"
CASES = tomllib.loads(FILE.read_text("utf-8"))["case"]


def type_of(name: str) -> pa.DataType:
    """The type of a notation that ``tests/README.md`` describes."""
    word, *parts = re.findall(r"[\w+:/]+", name)
    if word.startswith("decimal"):
        return getattr(pa, word)(*map(int, parts))
    return getattr(pa, word)(*parts)


def outcome(read: Any, file: str, column: pa.DataType) -> Any:
    """The only value in the notation of a case, or the message of the error."""
    try:
        [batch] = read(file.encode(), schema=pa.schema({"x": column}))
    except af.CorruptBlockError as error:
        return str(error)
    values = pa.record_batch(batch)["x"]
    if pa.types.is_list(column):
        values = values.flatten()
    if pa.types.is_temporal(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    [value] = values.to_pylist()
    return str(value) if pa.types.is_decimal(values.type) else value


def check(found: Any, expected: list[Any], message: str) -> None:
    if not expected:
        assert str(found).endswith(message)
    elif isinstance(expected[0], float):
        assert found == expected[0] or (math.isnan(found) and math.isnan(expected[0]))
    else:
        assert found == expected[0]


def test_the_cases_exist() -> None:
    assert len(CASES) > 20
    assert sum(len(case["texts"]) + len(case.get("numbers", ())) for case in CASES) > 250


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["type"])
def test_a_text_is_a_value_that_its_type_stores_or_an_error(case: dict[str, Any]) -> None:
    column = type_of(case["type"])
    for text, *expected in case["texts"]:
        message = f"found {json.dumps(text, ensure_ascii=False)}"
        cells = f'x,y\n"{text}",1\n'
        check(outcome(af.read_csv, cells, column), expected, message)
        check(outcome(af.read_csv, cells, pa.list_(column)), expected, message)
        line = json.dumps({"x": text})
        check(outcome(af.read_json_lines, line, column), expected, message)
    for number, *expected in case.get("numbers", ()):
        line = f'{{"x": {number}}}'
        check(outcome(af.read_json_lines, line, column), expected, f"found {number}")


@pytest.mark.parametrize(
    ("data_type", "value", "expected"),
    [
        (pa.binary(), '"0aFF"', b"\x0a\xff"),
        (pa.large_binary(), '""', b""),
        (pa.binary_view(), '"ab"', b"\xab"),
        (pa.binary(2), '"0aff"', b"\x0a\xff"),
        (pa.binary(), '"abc"', None),
        (pa.binary(2), '"abc"', None),
        (pa.binary_view(), '"a"', None),
        (pa.binary(), '"0x"', None),
        (pa.binary(), "12", None),
        (pa.binary(2), '"ab"', None),
        (pa.bool_(), "true", True),
        (pa.bool_(), '"true"', None),
        (pa.bool_(), "1", None),
        (pa.int64(), "true", None),
        (pa.float64(), "false", None),
        (pa.string(), "1.50", "1.50"),
        (pa.string(), "1e400", "1e400"),
        (pa.string_view(), "true", "true"),
        (pa.string(), "[]", None),
        (pa.list_(pa.decimal128(4, 1)), "[1.5, null]", [1.5, None]),
        (pa.list_(pa.decimal128(4, 1)), "[1.5, 1.25]", None),
        (pa.list_(pa.int8(), 2), "[1, 2]", [1, 2]),
        (pa.list_(pa.int8(), 2), "[1]", None),
        (pa.map_(pa.string(), pa.date32()), '{"a": "2024-02-29T01:00:00"}', None),
        (pa.struct({"t": pa.time32("s")}), '{"t": "12:34:56.5"}', None),
    ],
)
def test_values_of_json(data_type: pa.DataType, value: str, expected: Any) -> None:
    found = outcome_of_json(value, data_type)
    if expected is None:
        shown = value.replace(", ", ",").replace(": ", ":")
        assert found.startswith(
            f"<{len(value) + 6} bytes>: block 0 at byte 0, record 0: x: expected a value of "
        )
        assert found.endswith(f", found {shown}")
    else:
        assert found == expected


def outcome_of_json(value: str, data_type: pa.DataType) -> Any:
    try:
        [batch] = af.read_json_lines(f'{{"x":{value}}}'.encode(), schema=pa.schema({"x": data_type}))
    except af.CorruptBlockError as error:
        return str(error)
    return pa.record_batch(batch)["x"].to_pylist()[0]


@pytest.mark.parametrize("form", ["[%s]", '{"a":%s}'])
@pytest.mark.parametrize(
    "data_type", [pa.string(), pa.int64(), pa.list_(pa.int64()), pa.struct({"a": pa.int64()})]
)
def test_a_deep_value_is_an_error(form: str, data_type: pa.DataType) -> None:
    start, end = (form % "|").split("|")
    line = b'{"x":%s}\n{"x":null,"y":%s}\n'
    deep = (start * 30_000 + "1" + end * 30_000).encode()
    reader = af.read_json_lines(
        line % (deep, deep), schema=pa.schema({"x": data_type}), on_error="skip_block"
    )
    # The value of a key that is not read may be deep.
    assert [pa.record_batch(batch).to_pydict() for batch in reader] == [{"x": [None]}]
    [skipped] = reader.report()["skipped"]
    shown = (start * 100)[:100] + "…"
    assert re.search(r"record 0: x: expected a value of [^,]*, found (.*)", skipped["error"])[1] == shown
    deepest = (start * 99_999 + end * 99_999).encode().replace(b":}", b":1}")
    assert table_of(b'{"y":%s}' % deepest) == [{"x": None}]
    with pytest.raises(af.LimitError) as error:
        table_of(b'{"y":%s}' % (start * 200_000).encode())
    assert str(error.value).endswith(
        "record 0: expected a JSON object nested at most 100,000 deep, found a deeper one"
    )
    assert error.value.limit == "skipped_depth"
    with pytest.raises(af.LimitError):
        table_of(b'{"y":[[[1]]]}', limits=af.Limits(skipped_depth=3))
    assert table_of(b'{"y":[[1]]}', limits=af.Limits(skipped_depth=3)) == [{"x": None}]


def table_of(line: bytes, **options: Any) -> list[dict[str, Any]]:
    [batch] = af.read_json_lines(line, schema=pa.schema({"x": pa.int64()}), **options)
    return pa.record_batch(batch).to_pylist()
