"""Writes Avro files with arrowfeed, for Java to read: ``write_files.py OUT``.

Each file of ``OUT/files`` is written twice, under the schema that it has and under the one that arrowfeed
derives from Arrow's types. ``arrow_types`` has columns of types and layouts that no Avro file is read as.
"""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import arrowfeed as af
import pyarrow as pa

from plain_json import Plain

NOT_DERIVED = {"names_of_writers"}
"""A union of strings and an enum whose symbols are not Avro names, so both would become strings."""
CODECS = ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"]


def _text(kind: pa.DataType) -> pa.Array:
    return pa.array(["a b", None, "€"]).cast(kind)


def _number(kind: pa.DataType, least: int, most: int) -> tuple[pa.Array, list[Plain]]:
    return pa.array([least, None, most], kind), [least, None, most]


def _lists(kind: pa.DataType) -> tuple[pa.Array, list[Plain]]:
    return pa.array([[1, None], None, [3, 4]], kind), [[1, None], None, [3, 4]]


def _entries(keys: pa.DataType, values: pa.DataType) -> pa.Array:
    kind = pa.map_(pa.string(), pa.string())
    return pa.array([[("b", "x"), ("a", None)], None, []], kind).cast(pa.map_(keys, values))


def _sparse_union() -> pa.Array:
    children = [pa.array(["x", "-", "-"]), pa.array([0, 7, 0], pa.int32()), pa.nulls(3)]
    return pa.UnionArray.from_sparse(pa.array([0, 1, 2], pa.int8()), children, ["a", "b", "c"])


def _unsigned(value: int) -> str:
    """The form of a decimal, which is what an unsigned integer of 64 bits becomes."""
    return str(value)


TEXTS: list[Plain] = ["a b", None, "€"]
BYTES: list[Plain] = ["a b", None, "\xe2\x82\xac"]
DAY = 86_400_000

ARROW_TYPES: dict[str, tuple[pa.Array, list[Plain]]] = {
    "int8": _number(pa.int8(), -(2**7), 2**7 - 1),
    "int16": _number(pa.int16(), -(2**15), 2**15 - 1),
    "uint8": _number(pa.uint8(), 0, 2**8 - 1),
    "uint16": _number(pa.uint16(), 0, 2**16 - 1),
    "uint32": _number(pa.uint32(), 0, 2**32 - 1),
    "uint64": (pa.array([0, None, 2**64 - 1], pa.uint64()), [_unsigned(0), None, _unsigned(2**64 - 1)]),
    "float16": (pa.array([0.5, None, -2.0], pa.float32()).cast(pa.float16()), [0.5, None, -2.0]),
    "large_string": (_text(pa.large_string()), TEXTS),
    "string_view": (_text(pa.string_view()), TEXTS),
    "large_binary": (_text(pa.binary()).cast(pa.large_binary()), BYTES),
    "binary_view": (_text(pa.binary()).cast(pa.binary_view()), BYTES),
    "names in a dictionary": (pa.array(["a", None, "b"]).dictionary_encode(), ["a", None, "b"]),
    "texts in a dictionary": (_text(pa.string()).dictionary_encode(), TEXTS),
    "numbers in a dictionary": (pa.array([7, None, 8], pa.int32()).dictionary_encode(), [7, None, 8]),
    "runs": (pa.RunEndEncodedArray.from_arrays([1, 3], pa.array(["x", None])), ["x", None, None]),
    "large_list": _lists(pa.large_list(pa.int32())),
    "list_view": _lists(pa.list_view(pa.int32())),
    "fixed_size_list": _lists(pa.list_(pa.int32(), 2)),
    "map of views": (_entries(pa.string_view(), pa.string_view()), [[["a", None], ["b", "x"]], None, []]),
    "sparse union": (
        _sparse_union(),
        [{"branch": 0, "value": "x"}, {"branch": 1, "value": 7}, {"branch": 2, "value": None}],
    ),
    "decimal32": (pa.array([Decimal("-1.5"), None], pa.decimal32(5, 1)), ["-15", None]),
    "decimal64": (pa.array([Decimal("-1.5"), None], pa.decimal64(12, 1)), ["-15", None]),
    "date64": (pa.array([-DAY, None, DAY], pa.int64()).cast(pa.date64()), [-1, None, 1]),
    "time32(s)": (pa.array([1, None, 86_399], pa.int32()).cast(pa.time32("s")), [1000, None, 86_399_000]),
    "timestamp(s)": (pa.array([-1, None, 1], pa.int64()).cast(pa.timestamp("s", "UTC")), [-1000, None, 1000]),
    "interval": (pa.array([(1, 2, 3_000_000), None], pa.month_day_nano_interval()), [[1, 2, 3], None]),
}
"""Columns by the name of a type, and their values in the plain form of Java."""


def arrow_types() -> tuple[pa.Table, list[Plain]]:
    """All columns of one table: their rows from 0 on, where each has three."""
    columns, values = {}, {}
    for name, (array, expected) in ARROW_TYPES.items():
        missing = 3 - len(array)
        # A column that begins inside its buffers, and one that is cut into chunks.
        whole = (
            pa.concat_arrays([array.slice(len(array)), array, pa.nulls(missing, array.type)])
            if missing
            else array
        )
        columns[name] = pa.chunked_array([whole.slice(0, 1), whole.slice(1)])
        values[name] = expected + [None] * missing
    return pa.table(columns), [{name: values[name][row] for name in values} for row in range(3)]


def _write(folder: Path, name: str, batches: Any, **options: Any) -> None:
    rows = af.write_avro(batches, folder / f"{name}.avro", **options)
    print(f"{name}: {rows} rows")


def main() -> None:
    """Writes the files, and ``expected.json``: the values of each by its name."""
    out = Path(sys.argv[1])
    folder = out / "written"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    expected: dict[str, Any] = {}
    for at, path in enumerate(sorted((out / "files").glob("*.avro"))):
        facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
        columns, values = facts.get("columns"), facts["values"]
        codec = CODECS[at % len(CODECS)]
        if path.stem not in NOT_DERIVED:
            _write(folder, f"{path.stem}.derived", af.read_avro(path, columns=columns), codec=codec)
            derived = values if facts["record_root"] else [{"value": value} for value in values]
            expected[f"{path.stem}.derived"] = {"codec": codec, "values": derived}
        if columns is None and facts["record_root"]:
            schema = af.avro_schema(path).json
            _write(folder, f"{path.stem}.given", af.read_avro(path), codec=codec, schema=schema, threads=2)
            expected[f"{path.stem}.given"] = {"codec": codec, "values": values}
    table, values = arrow_types()
    for codec in CODECS:
        _write(folder, f"arrow_types.{codec}", table, codec=codec)
        expected[f"arrow_types.{codec}"] = {"codec": codec, "values": values}
    (folder / "expected.json").write_text(json.dumps(expected), "utf-8")


if __name__ == "__main__":
    main()
