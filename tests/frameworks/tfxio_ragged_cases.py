"""Random batches and representations of ragged tensors. `tfxio_cases` has those of the other kinds."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import tensor_oracle as oracle
from random_columns import INTEGERS, Column, Make
from tensorflow_metadata.proto.v0.schema_pb2 import TensorRepresentation
from tfxio_cases import COMMON, SLICES, Case, Draw, refused

NESTED = (*COMMON, "null struct", "missing field", "no lists", "a struct", "fixed size")


def nested(seed: int, scenario: str) -> Case:
    """Lists and structs of any depth, and a path through them."""
    draw = Draw(seed, scenario)
    draw.columns.nulls = 0.4 if scenario == "null struct" else draw.columns.nulls
    structs = draw.random.randint(1 if scenario in ("null struct", "missing field", "a struct") else 0, 2)
    lists = [draw.random.randint(0, 2) for _ in range(structs + 1)]
    if scenario == "no lists":
        lists = [0] * len(lists)
    elif not any(lists):
        lists[-1] = 1
    path = [draw.name("x"), *(["y"] * structs)]
    fixed = scenario == "fixed size"
    column = tree(draw, lists, fixed=fixed)(draw.all_rows)
    wrong = {"missing field": ["z"], "a struct": []}
    message = TensorRepresentation()
    message.ragged_tensor.feature_path.step.extend([*path[:-1], *wrong.get(scenario, path[-1:])])
    splits = set_splits(draw, message)

    def expected(x: list) -> tuple:
        if scenario in ("missing field", "a struct", "no lists"):
            return refused()
        rows = [oracle.along(row, path[1:], lists) for row in x]
        return oracle.ragged(rows, sum(lists), [2] if fixed else [], draw.dtype, splits)

    return draw.case({"x": column}, message, expected)


def tree(draw: Draw, lists: list[int], *, fixed: bool) -> Make:
    """`lists[0]` lists, of structs with the rest as their field `y`; the last, of values."""
    if len(lists) > 1:
        make = draw.columns.structs(y=tree(draw, lists[1:], fixed=fixed), other=draw.columns.values("int8"))
    else:
        make = pairs(draw) if fixed else draw.values()
    for _ in range(lists[0]):
        make = draw.columns.lists(make, draw.columns.lengths(3))
    return make


def pairs(draw: Draw) -> Make:
    """Fixed-size lists of two values."""

    def make(count: int) -> Column:
        values = draw.values()(2 * count)
        rows = [values.rows[2 * i : 2 * i + 2] for i in range(count)]
        return Column(rows, pa.FixedSizeListArray.from_arrays(values.array, 2))

    return make


def set_splits(draw: Draw, message: TensorRepresentation) -> str:
    """Draws the width of the row splits, and returns it."""
    dtype = draw.random.choice(["UNSPECIFIED", "INT64", "INT32"])
    message.ragged_tensor.row_partition_dtype = TensorRepresentation.RowPartitionDType.Value(dtype)
    return "int32" if dtype == "INT32" else "int64"


LENGTH_FAULTS = ("lengths add up", "wrong length", "negative length", "null length")
UNFIT = ("no length", "nested lengths", "lengths of floats")
DIVIDED = (
    *("plain", "no rows", "null rows", "hidden", "null struct", "inner nulls", *SLICES, "missing column"),
    *LENGTH_FAULTS,
    *UNFIT,
    "odd blocks",
)


def divided(seed: int, scenario: str) -> Case:
    """Lists that partitions divide, at the top or in structs."""
    draw = Draw(seed, scenario)
    draw.columns.nulls = 0.4 if scenario == "null struct" else draw.columns.nulls
    around = draw.random.choice(["nothing", "struct", "list of structs"])
    partitions = some_partitions(draw)
    columns = groups(draw, draw.all_rows, partitions)
    if around != "nothing":
        make = draw.columns.structs_of(lambda count: groups(draw, count, partitions))
        make = make if around == "struct" else draw.columns.lists(make, draw.columns.lengths(3))
        columns = {"s": make(draw.all_rows)}
    path = ["x"] if around == "nothing" else ["s", "x"]
    message = TensorRepresentation()
    message.ragged_tensor.feature_path.step.extend([draw.name(path[0]), *path[1:]])
    for partition in partitions:
        named = isinstance(partition, str)
        message.ragged_tensor.partition.add(**{"row_length" if named else "uniform_row_length": partition})
    splits = set_splits(draw, message)

    def expected(**columns: list) -> tuple:
        if scenario in UNFIT:
            return refused()
        return divided_rows(columns, partitions, around, draw.dtype, splits)

    return draw.case(columns, message, expected)


def some_partitions(draw: Draw) -> list[Any]:
    """Up to three partitions, with those that the scenario needs."""
    partitions = draw.random.sample(["n", "m", 1, 2, 3], draw.random.randint(1, 3))
    needed = {"odd blocks": 3, "no length": 0, **dict.fromkeys((*LENGTH_FAULTS, *UNFIT[1:]), "n")}
    if draw.scenario in needed and needed[draw.scenario] not in partitions:
        partitions.append(needed[draw.scenario])
    return partitions


def groups(draw: Draw, count: int, partitions: list[Any]) -> dict[str, Column]:
    """Values `x`, and the row lengths of each partition that is a name, in step."""
    lengths: dict[str, list] = {name: [] for name in partitions if isinstance(name, str)}
    sizes = []
    for _ in range(count):
        groups = draw.random.randint(0, 3)
        for partition in partitions:
            if isinstance(partition, str):
                row = [draw.random.randint(0, 3) for _ in range(groups)]
                lengths[partition].append(row or draw.random.choice([row, None]))
                groups = sum(row)
            else:
                groups *= partition
        groups += draw.scenario == "odd blocks"
        sizes.append(groups or draw.random.choice([0, None]))
    innermost = [name for name in partitions if isinstance(name, str)][-1:]
    if draw.scenario in LENGTH_FAULTS and innermost:
        break_lengths(draw, lengths[innermost[0]])
    stored = iter(sizes)
    columns = {"x": draw.columns.lists(draw.values(), lambda: next(stored))(count)}
    for name, rows in lengths.items():
        kind = "float32" if draw.scenario == "lengths of floats" else draw.random.choice(INTEGERS[:4])
        columns[name] = draw.columns.given(rows, kind)
        if draw.scenario == "nested lengths":
            items = columns[name]
            columns[name] = draw.columns.lists(lambda _, items=items: items, lambda: 1)(count)
    return columns


def break_lengths(draw: Draw, rows: list[list | None]) -> None:
    """Puts the fault of the scenario into the row lengths, if there are enough."""
    some = [row for row in rows if row]
    more = [row for row in some if len(row) > 1 and row[0] + row[1] > 0]
    full = [row for row in some if row[0]]
    match draw.scenario:
        case "null length" if some:
            some[0][0] = None
        case "wrong length" if some:
            some[-1][-1] += 1
        case "negative length" if more:
            more[0][:2] = [more[0][0] + more[0][1] + 1, -1]
        case "lengths add up" if full and len(some) > 1:
            full[0][0] -= 1
            next(row for row in some if row is not full[0])[0] += 1


def divided_rows(columns: dict[str, list], partitions: list, around: str, dtype: Any, splits: str) -> tuple:
    """The tensor of the oracle."""

    def group(item: dict | None) -> list:
        lists = {name: row or [] for name, row in (item or {"x": []}).items()}
        lists = {**{name: [] for name in partitions if isinstance(name, str)}, **lists}
        return oracle.divided(lists["x"], partitions, lists)

    if around == "nothing":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    else:
        rows = columns["s"]
    nested = [
        [group(item) for item in row or []] if around == "list of structs" else group(row) for row in rows
    ]
    inner: list[int] = []
    for partition in reversed(partitions):
        if isinstance(partition, str):
            break
        inner.insert(0, partition)
    rank = 1 + (around == "list of structs") + len(partitions) - len(inner)
    return oracle.ragged(nested, rank, inner, dtype, splits)
