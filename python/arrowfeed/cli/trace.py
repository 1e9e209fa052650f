"""`arrowfeed trace`: the rows that an iteration had returned when its state was saved."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import arrowfeed
from arrowfeed._rendering import parts
from arrowfeed._rendering.table import table
from arrowfeed._rendering.text import json_text
from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import (
    FILES,
    STANDARD_INPUT,
    UsageError,
    add_files,
    add_partitioning,
    add_reader_schema,
    add_text,
    reader_schema_of,
    stores_of,
    text_options,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed import Dataset

_OPTIONS = ("batch_size", "drop_remainder", "shuffle_buffer_size", "shard", "on_error")
"""The options of an iteration in a state that have the names of `record_batches`."""

_END = (1 << 64) - 1
"""The end of a range of rows that has all rows from its start on."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "trace",
        parents=[common],
        allow_abbrev=False,
        help="the rows that a checkpoint saw",
        description="Prints which rows of the files an iteration had returned when its state was saved. The"
        " options, the seed and the filter are those of the state. Decodes no values but those of a filter.",
    )
    state: Any = parser.add_argument(
        "state", metavar="STATE", help="JSON file of a state, which state_dict() returns"
    )
    state.complete = FILES
    add_files(parser, standard_input=False)
    parser.add_argument(
        "--row",
        dest="rows",
        action="append",
        type=_row,
        metavar="FILE:NUMBER",
        help="only this row, which is counted from the first row of its file; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object for each row, not a table")
    add_format(parser)
    add_text(parser)
    add_partitioning(parser)
    add_reader_schema(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints the epochs, or the batches of some rows."""
    if STANDARD_INPUT in options.files:
        raise UsageError("expected paths or URLs, found - for standard input")
    if options.json or options.rows is not None:
        parts.arrow()
    saved = _saved(options.state)
    dataset = _dataset(options, saved)
    epochs = list(_epochs(dataset, saved))
    if options.rows is not None:
        _print_rows(list(_seen(dataset, options.rows, epochs, saved)), is_json=options.json)
        return
    if options.json:
        for epoch in epochs:
            found = dataset.rows_of(range(epoch.seen), epoch=epoch.number, **saved.options)
            for batch, path, row in _records(found, "batch", "file", "row"):
                print(json_text({"epoch": epoch.number, "batch": batch, "path": path, "row": row}))
        return
    lines: list[list[str]] = []
    for epoch in epochs:
        rows = dataset.rows_of(range(epoch.seen), epoch=epoch.number, **saved.options).num_rows
        lines.append([f"{epoch.number}", f"{epoch.seen:,} of {epoch.batches:,}", f"{rows:,}"])
    print(table(["epoch", "batches", "rows"], lines, right={0, 1, 2}), end="")


class _Saved(NamedTuple):
    """A state, and what is read of it."""

    state: dict[str, Any]
    options: dict[str, Any]
    """The options of the iteration, without its epochs."""
    column: str | None
    """The column of `ByLength`."""
    first: int
    """The number of the first epoch."""
    epoch: int
    """The number of the epoch of the position."""
    filter: str | None
    """The predicate of the rows."""
    rows: tuple[int, int] | None
    """The rows that `skip` and `take` selected: the first one, and the one after the last."""


class _Epoch(NamedTuple):
    """An epoch that the iteration had begun."""

    number: int
    batches: int
    """Number of its batches."""
    seen: int
    """Number of the batches that were returned."""


def _row(text: str) -> tuple[str, int]:
    """The file and the number of a row."""
    path, separator, number = text.rpartition(":")
    if not path or not separator or not number.isdecimal():
        raise argparse.ArgumentTypeError(f"expected FILE:NUMBER, found {text}")
    return path, int(number)


class _SeenRow(NamedTuple):
    """A row of a file, and the batch that had it. None: no batch."""

    path: str
    row: int
    epoch: int | None
    batch: int | None


def _saved(path: str) -> _Saved:
    """Reads the state in a JSON file, perhaps inside of the state of a framework.

    Raises:
        UsageError: The file has no state, or several, or one that the options of the command cannot repeat.
    """
    expected = f"{path}: expected the state of one iteration"
    try:
        states = list(_states(json.loads(Path(path).read_text("utf-8"))))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{expected} as JSON, found other data: {error}") from error
    if len(states) != 1:
        raise UsageError(f"{expected}, found {len(states) or 'none'}")
    [state] = states
    try:
        return _parsed(state)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{expected}, found one without the right fields: {error!r}") from error


def _states(value: Any) -> Iterator[dict[str, Any]]:
    """The states of iterations in a value of JSON."""
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _states(item)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        names = fields.keys()
        if {"version", "options", "position"} <= names:
            yield fields
        else:
            yield from _states(list(fields.values()))


def _parsed(state: dict[str, Any]) -> _Saved:
    """What is read of a state. A wrong field raises an error of any kind."""
    if "weights" in state or len(state["sources"]) > 1:
        raise _refused("the state of a dataset of files", "that of a mixture")
    saved, position, column = state["options"], state["position"], None
    options = {name: saved[name] for name in _OPTIONS if name in saved} | {"seed": state["seed"]}
    if saved["by_length"] is not None:
        by_length = dict(saved["by_length"])
        if by_length.pop("takes_turns"):
            raise _refused("a state whose epochs are separate", 'ByLength with even="drop"')
        position, column = position["window"], by_length["column"]
        by_length["boundaries"] = by_length["boundaries"] or None
        options |= {"batches": arrowfeed.ByLength(**by_length), "even": None}
    if saved["global"] is not None:
        batches = dict(saved["global"])
        options |= {"global_batch_size": batches.pop("size"), **batches}
    if saved["across_epochs"]:
        raise _refused("a state whose epochs are separate", "across_epochs")
    [source] = state["sources"]
    predicate = source.get("restrictions")
    if predicate is not None:
        if not predicate.startswith("filter(") or "), " in predicate:
            raise _refused("a state of all rows or of a filter", predicate)
        predicate = predicate.removeprefix("filter(").removesuffix(")")
    rows = source.get("rows")
    return _Saved(
        state,
        options,
        column,
        int(saved["start_epoch"]),
        int(position["epoch"]),
        predicate,
        None if rows is None else (int(rows[0]), int(rows[1])),
    )


def _refused(expected: str, found: str) -> UsageError:
    return UsageError(f"expected {expected}, found {found}: use Dataset.rows_of")


def _dataset(options: argparse.Namespace, saved: _Saved) -> Dataset:
    """The rows of the iteration."""
    file = opened(options.files, options.format, stores_of(options), options.partitioning)
    given = text_options(options) | {
        "partitioning": options.partitioning,
        "reader_schema": reader_schema_of(options),
    }
    dataset = file.with_columns([] if saved.column is None else [saved.column], **given)
    if saved.filter is not None:
        dataset = dataset.filter(saved.filter)
    if saved.rows is not None:
        start, end = saved.rows
        dataset = dataset.skip(start)
        dataset = dataset if end == _END else dataset.take(end - start)
    return dataset


def _epochs(dataset: Dataset, saved: _Saved) -> Iterator[_Epoch]:
    """The epochs that the iteration had begun.

    Raises:
        ArrowfeedError: The state belongs to other files, or is not valid.
    """
    first, last, options = saved.first, saved.epoch, saved.options
    batches = dataset.record_batches(**options, start_epoch=first, epochs=max(last - first + 1, 1))
    batches.load_state_dict(saved.state)
    left = sum(1 for _ in batches)
    for number in range(first, last + 1):
        count = sum(1 for _ in dataset.record_batches(**options, start_epoch=number))
        seen = count - left if number == last else count
        if seen:
            yield _Epoch(number, count, seen)


def _seen(
    dataset: Dataset, rows: list[tuple[str, int]], epochs: list[_Epoch], saved: _Saved
) -> Iterator[_SeenRow]:
    """The batches that had the rows. One pass of an epoch finds all rows of a file."""
    found: dict[tuple[str, int], list[_SeenRow]] = {row: [] for row in rows}
    for path in dict.fromkeys(path for path, _ in rows):
        numbers = [row for of, row in found if of == path]
        for epoch in epochs:
            batches = dataset.batches_of(path, numbers, start_epoch=epoch.number, **saved.options)
            for batch, row in _records(batches, "batch", "row"):
                if batch < epoch.seen:
                    found[path, row].append(_SeenRow(path, row, epoch.number, batch))
    for path, row in rows:
        yield from found[path, row] or [_SeenRow(path, row, None, None)]


def _print_rows(found: list[_SeenRow], *, is_json: bool) -> None:
    """Prints the batches of rows."""
    if is_json:
        for seen in found:
            print(json_text(seen._asdict()))
        return
    shown = [
        [path, f"{row:,}", *(["not seen", ""] if batch is None else [f"{epoch}", f"{batch:,}"])]
        for path, row, epoch, batch in found
    ]
    print(table(["path", "row", "epoch", "batch"], shown, right={1, 2, 3}, paths={0}), end="")


def _records(batch: arrowfeed.RecordBatch, *names: str) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, row by row."""
    columns = [batch[name].to_pyarrow().to_pylist() for name in names]
    return zip(*columns, strict=True)
