"""`arrowfeed bench`: how fast this machine reads files into tensors, and where the time goes."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

from arrowfeed._engines.planner import files_of
from arrowfeed._rendering.table import table
from arrowfeed._rendering.text import json_text
from arrowfeed._urls import redacted
from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import add_files, add_text, positive, stores_of, text_options
from arrowfeed.cli._tensors import add_tensors, tensors

if TYPE_CHECKING:
    import argparse

    from arrowfeed import Dataset, LoaderStats
    from arrowfeed.types import LoaderFigures

_READ_BYTES = 1 << 20
"""Bytes of a plain read."""

_SHOWN_STAGES = 3


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "bench",
        parents=[common],
        allow_abbrev=False,
        help="how fast this machine reads files into tensors, and where the time goes",
        description="Reads files into tensors with 1, 2 and all threads, for some seconds each, and prints"
        " the speed, the stages that took most of the time, and the speeds that the disk and the codec allow."
        " Without --features and --representations, the schema determines the tensors.",
    )
    add_files(parser, standard_input=False)
    parser.add_argument("--json", action="store_true", help="print a JSON object, not a table")
    parser.add_argument(
        "--seconds",
        type=positive,
        default=3,
        metavar="N",
        help="duration of each measurement; files that end earlier are read again (default: %(default)s)",
    )
    parser.add_argument(
        "--threads",
        type=positive,
        action="append",
        metavar="N",
        help="number of threads; may be repeated (default: 1, 2 and one per core)",
    )
    parser.add_argument(
        "--batch-size",
        type=positive,
        default=1024,
        metavar="N",
        help="rows of a batch (default: %(default)s)",
    )
    parser.add_argument("--batches", action="store_true", help="read record batches, and make no tensors")
    add_tensors(parser)
    add_format(parser)
    add_text(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Measures the files, then prints the figures."""
    files = opened(options.files, options.format, stores_of(options))
    given = {**tensors(options), **files.accepted(text_options(options))}
    dataset = files.dataset(**given)
    disk = _disk(dataset, options.seconds)
    counts: list[int] = options.threads or [1]
    runs = {counts[0]: _read(dataset, counts[0], options)}
    figures = runs[counts[0]].to_dict()
    others = counts[1:] if options.threads else sorted({2, figures["cores"]} - {1})
    runs |= {count: _read(dataset, count, options) for count in others}
    if options.json:
        shown = {
            "files": [redacted(name) for name in options.files],
            "format": files.format.name,
            "batch_size": options.batch_size,
            "disk_bytes_per_second": disk,
            "codec_bytes_per_second": _codec(figures),
            "runs": [stats.to_dict() for stats in runs.values()],
        }
        print(json_text(shown))
        return
    print(_table(disk, figures, runs, "batches" if options.batches else "tensors"), end="")
    threads, last = list(runs.items())[-1]
    print(f"with {threads} {'thread' if threads == 1 else 'threads'}: {last.verdict}")


def _disk(dataset: Dataset, seconds: int) -> float | None:
    """Bytes per second of plain reads of the local files. None: there are none."""
    buffer, read, start = bytearray(_READ_BYTES), 0, time.perf_counter()
    for path in files_of(dataset, {}):
        # A URL is no file.
        with contextlib.suppress(OSError, TypeError), open(path, "rb", buffering=0) as file:  # noqa: PTH123
            while (count := file.readinto(buffer)) and time.perf_counter() < start + seconds:
                read += count
    return read / (time.perf_counter() - start) if read else None


def _read(dataset: Dataset, threads: int, options: argparse.Namespace) -> LoaderStats:
    """Reads for some seconds, in one or more passes."""
    iterate: Any = dataset.record_batches if options.batches else dataset.tensors
    end = time.perf_counter() + options.seconds
    with iterate(batch_size=options.batch_size, threads=threads, epochs=None) as batches:
        for _ in batches:
            if time.perf_counter() > end:
                break
    return batches.stats()


def _codec(figures: LoaderFigures) -> dict[str, float]:
    """Bytes of files per second of each codec alone, on one thread."""
    seconds = figures["codec_seconds"]
    return {name: figures["bytes"] / own for name, own in seconds.items()} if len(seconds) == 1 else {}


def _table(disk: float | None, first: LoaderFigures, runs: dict[int, LoaderStats], made: str) -> str:
    lines: list[list[str]] = []
    if disk is not None:
        lines.append(["bytes of the files", "1", "", _megabytes(disk), ""])
    lines += [[f"{name} alone", "1", "", _megabytes(speed), ""] for name, speed in _codec(first).items()]
    for threads, stats in runs.items():
        rows, speed = f"{stats.rows_per_second:,.0f}", _megabytes(stats.bytes_per_second)
        lines.append([made, str(threads), rows, speed, _stages(stats.to_dict())])
    return table(["reading", "threads", "rows/s", "MB/s", "time of all threads"], lines, right={1, 2, 3})


def _megabytes(speed: float) -> str:
    return f"{speed / 1e6:,.1f}"


def _stages(figures: LoaderFigures) -> str:
    """The stages that took most of the time, with their shares."""
    seconds = {**figures["stage_seconds"], **figures["codec_seconds"]}
    del seconds["decompress"]
    total = sum(seconds.values())
    longest = sorted(seconds, key=lambda name: -seconds[name])[:_SHOWN_STAGES]
    return ", ".join(f"{name} {seconds[name] / total:.0%}" for name in longest if seconds[name])
