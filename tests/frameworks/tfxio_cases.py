"""Random batches and representations, with the tensors of the oracle.

Each scenario adds one difficulty for an adapter to otherwise random columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import tensor_oracle as oracle
from random_columns import INTEGERS, NUMBERS, OTHERS, TYPES, Column, Columns, Make
from tensorflow_metadata.proto.v0.schema_pb2 import TensorRepresentation

if TYPE_CHECKING:
    from collections.abc import Callable

SLICES = ("slice", "slice of the start")
COMMON = ("plain", "no rows", "null rows", "hidden", "inner nulls", *SLICES, "another type", "missing column")
"""Scenarios of every kind."""


@dataclass
class Case:
    """A batch, a representation, and the expected result."""

    batch: pa.RecordBatch
    representation: TensorRepresentation
    expected: Callable[[], tuple]
    """The parts of the tensor, or a `RefusedError` of the oracle."""
    type: str
    """The type of the values."""
    traits: set[str] = field(default_factory=set)
    """Names of the known differences of tfx_bsl that the batch or the representation may cause."""


def refused() -> tuple:
    """The representation does not fit the batch."""
    raise oracle.RefusedError("representation")


class Draw:
    """Draws the rows, columns and value type of one case, according to its scenario."""

    def __init__(self, seed: int, scenario: str) -> None:
        self.random, self.scenario = Random(seed), scenario
        self.rows = 0 if scenario == "no rows" else self.random.choice([1, 2, 3, 5, 8])
        self.before = self.random.randint(1, 3) if scenario == "slice" else 0
        self.after = self.random.randint(1, 3) if scenario in SLICES else 0
        self.columns = Columns(self.random)
        if scenario in ("null rows", "hidden"):
            self.columns.nulls = 0.4
        self.columns.hidden = scenario == "hidden"
        self.columns.inner_nulls = 0.3 if scenario == "inner nulls" else 0.0
        self.type = self.random.choice(OTHERS if scenario == "another type" else TYPES)
        integers = {"date32": np.int32, "timestamp": np.int64, "bool": np.bool_}
        self.dtype = np.dtype(integers.get(self.type, self.type if self.type in NUMBERS else object))

    @property
    def all_rows(self) -> int:
        """The rows, including those before and after the slice."""
        return self.before + self.rows + self.after

    def values(self) -> Make:
        """Values of the type."""
        return self.columns.values(self.type)

    def case(
        self,
        columns: dict[str, Column],
        representation: TensorRepresentation,
        expected: Callable[..., tuple],
    ) -> Case:
        """`expected` takes the rows of the columns, by name."""
        columns = {name: column.slice(self.before, self.rows) for name, column in columns.items()}
        traits = {self.scenario}.union(*(column.traits for column in columns.values()))
        if self.scenario == "missing column":
            expected = lambda **_: refused()  # noqa: E731
        batch = pa.record_batch({name: column.array for name, column in columns.items()})
        rows = {name: column.rows for name, column in columns.items()}
        return Case(batch, representation, lambda: expected(**rows), self.type, traits)

    def name(self, name: str) -> str:
        """The name of a column, or a name that no column has."""
        return "missing" if self.scenario == "missing column" else name

    def integer(self) -> str:
        """Some type of integers."""
        return self.random.choice(INTEGERS)


DENSE = (*COMMON, "empty rows", "wrong length", "lengths add up", "wrong default", "flat", "fixed size")


def dense(seed: int, scenario: str) -> Case:
    """Dense tensors, half of them with a default value."""
    draw = Draw(seed, scenario)
    shape = draw.random.choice([[], [1], [2], [3], [2, 2], [1, 3]] + ([[0]] if scenario == "plain" else []))
    shape = [] if scenario == "flat" else shape
    size = int(np.prod(shape, dtype=int))
    column = dense_column(draw, size)
    message = TensorRepresentation()
    message.dense_tensor.column_name = draw.name("x")
    message.dense_tensor.shape.SetInParent()
    for dim in shape:
        message.dense_tensor.shape.dim.add(size=dim)
    default = None
    if scenario == "wrong default" or (draw.random.random() < 0.5 and scenario != "another type"):
        default = set_default(draw, message.dense_tensor.default_value)

    def expected(x: list) -> tuple:
        if scenario == "wrong default":
            return refused()
        x = [[value] for value in x] if scenario == "flat" else x
        return oracle.dense(x, shape, draw.dtype, default)

    return draw.case({"x": column}, message, expected)


def dense_column(draw: Draw, size: int) -> Column:
    """Lists of `size` values, changed by the scenario."""
    if draw.scenario == "flat":
        return draw.values()(draw.all_rows)
    if draw.scenario == "fixed size":
        values = draw.values()(draw.all_rows * size)
        rows = [values.rows[row * size : (row + 1) * size] for row in range(draw.all_rows)]
        return Column(rows, pa.FixedSizeListArray.from_arrays(values.array, size))
    wanted = [draw.columns.lengths(size, size)() for _ in range(draw.all_rows)]
    changed = draw.random.sample(range(draw.all_rows), min(2, draw.all_rows))
    if draw.scenario == "empty rows":
        wanted[changed[0]] = 0
    if draw.scenario == "wrong length":
        wanted[changed[0]] = size + draw.random.choice([-1, 1])
    if draw.scenario == "lengths add up" and len(changed) == 2:
        wanted[changed[0]], wanted[changed[1]] = size + 1, size - 1
    lengths = iter(wanted)
    return draw.columns.lists(draw.values(), lambda: next(lengths))(draw.all_rows)


def set_default(draw: Draw, message: Any) -> Any:
    """Sets a default value, right or wrong, and returns it as in the tensor."""
    kind = draw.dtype.kind
    if draw.scenario == "wrong default":
        name, value = draw.random.choice(
            {
                "i": [
                    ("int_value", 2**63 - 1),
                    ("uint_value", 2**63),
                    ("float_value", 1),
                    ("bytes_value", b""),
                ],
                "u": [("int_value", -1), ("float_value", 1), ("bytes_value", b"")],
                "f": [("int_value", 1), ("uint_value", 1), ("bytes_value", b"")],
                "O": [("int_value", 1), ("uint_value", 1), ("float_value", 1), (None, None)],
            }[kind]
        )
        if draw.type == "int64" and value == 2**63 - 1:
            name, value = None, None
    else:
        integer = draw.random.choice(["int_value", "uint_value"])
        name = {"f": "float_value", "O": "bytes_value"}.get(kind, integer)
        value = {"f": 0.5, "O": b"none"}.get(kind, 100)
    message.SetInParent()
    if name is not None:
        setattr(message, name, value)
    return value


VARLEN = (*COMMON, "flat")


def varlen(seed: int, scenario: str) -> Case:
    """Lists of any length."""
    draw = Draw(seed, scenario)
    lists = draw.columns.lists(draw.values(), draw.columns.lengths(4))
    column = (draw.values() if scenario == "flat" else lists)(draw.all_rows)
    message = TensorRepresentation()
    message.varlen_sparse_tensor.column_name = draw.name("x")

    def expected(x: list) -> tuple:
        return oracle.varlen([[value] for value in x] if scenario == "flat" else x, draw.dtype)

    return draw.case({"x": column}, message, expected)


INDEX_FAULTS = ("index out of bounds", "negative index", "null index", "lengths add up", "wrong length")
SPARSE = (
    *COMMON,
    *INDEX_FAULTS,
    *("unsorted", "duplicates", "unknown size", "already sorted", "no index columns"),
    *("another number of sizes", "indices of floats"),
)


def sparse(seed: int, scenario: str) -> Case:
    """Values and their columns of indices."""
    draw = Draw(seed, scenario)
    least = 0 if scenario == "no index columns" else 1
    sizes = [draw.random.randint(3, 6) for _ in range(draw.random.randint(least, 3) if least else 0)]
    entries = [sparse_row(draw, sizes) for _ in range(draw.all_rows)]
    indices = [[[index[i] for index in row] for row in entries] for i in range(len(sizes))]
    if scenario in INDEX_FAULTS:
        break_indices(draw, indices[0], sizes[0])
    lengths = iter([len(row) or draw.random.choice([0, None]) for row in entries])
    columns = {"x": draw.columns.lists(draw.values(), lambda: next(lengths))(draw.all_rows)}
    kind = "float32" if scenario == "indices of floats" else draw.random.choice(["int8", "int64", "int32"])
    for i, rows in enumerate(indices):
        or_null = [row or draw.random.choice([row, None]) for row in rows]
        columns[f"i{i}"] = draw.columns.given(or_null, kind)
    if scenario == "unknown size" or draw.random.random() < 0.1:
        sizes[draw.random.randrange(len(sizes) or 1) :] = sizes and [-1]
        sizes += [-1] * (len(indices) - len(sizes))
    message = sparse_message(draw, sizes, len(indices))

    def expected(x: list, **others: list) -> tuple:
        if scenario in ("another number of sizes", "indices of floats"):
            return refused()
        keep_order = scenario == "already sorted"
        return oracle.sparse(x, list(others.values()), sizes, draw.dtype, keep_order=keep_order)

    case = draw.case(columns, message, expected)
    case.traits |= {"unknown size"} if -1 in sizes else set()
    return case


def sparse_row(draw: Draw, sizes: list[int]) -> list[tuple]:
    """Indices of the entries of a row, sorted unless the scenario shuffles them."""
    count = draw.random.randint(0, 4)
    row = [tuple(draw.random.randrange(size) for size in sizes) for _ in range(count if sizes else count % 2)]
    if draw.scenario == "duplicates":
        return sorted(row + row[:1])
    return row if draw.scenario in ("unsorted", "already sorted") else sorted(set(row))


def break_indices(draw: Draw, rows: list[list], size: int) -> None:
    """Puts the fault of the scenario into a row with an entry."""
    filled = [row for row in rows if row]
    if not filled:
        return
    row = draw.random.choice(filled)
    match draw.scenario:
        case "index out of bounds":
            row[-1] = size
        case "negative index":
            row[0] = -1
        case "null index":
            row[0] = None
        case "wrong length":
            row.append(0)
        case "lengths add up":
            rows[rows.index(row) - 1].append(row.pop())


def sparse_message(draw: Draw, sizes: list[int], columns: int) -> TensorRepresentation:
    """The message, with an extra size in one scenario."""
    message = TensorRepresentation()
    message.sparse_tensor.value_column_name = draw.name("x")
    message.sparse_tensor.index_column_names.extend(f"i{i}" for i in range(columns))
    message.sparse_tensor.dense_shape.SetInParent()
    for size in sizes + [1] * (draw.scenario == "another number of sizes"):
        message.sparse_tensor.dense_shape.dim.add(size=size)
    if draw.scenario == "already sorted":
        message.sparse_tensor.already_sorted = True
    return message
