"""Helpers of all training loops: arguments, and a clock for the time spent waiting for data."""

import argparse
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[3] / "data" / "clicks"


@dataclass
class Report:
    """The results of an epoch."""

    loss: float
    examples: int
    seconds: float
    waiting: float

    def __str__(self) -> str:
        rate, part = self.examples / self.seconds, self.waiting / self.seconds
        return f"loss {self.loss:.4f}, {rate:,.0f} examples/s, {part:.0%} of the time spent waiting for data"


class Clock:
    """A clock for the time that a loop waits for its batches."""

    def __init__(self) -> None:
        self.waiting = 0.0
        self.start = time.perf_counter()

    def next(self, batches: Iterator[Any]) -> Any:
        """Returns the next batch; None after the last one."""
        before = time.perf_counter()
        batch = next(batches, None)
        self.waiting += time.perf_counter() - before
        return batch

    def waits(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yields the batches, and measures the waits for them."""
        iterator = iter(batches)
        while (batch := self.next(iterator)) is not None:
            yield batch

    def report(self, losses: list[float], examples: int) -> Report:
        """Returns the mean loss of the epoch and its speed."""
        seconds = time.perf_counter() - self.start
        return Report(sum(losses) / len(losses), examples, seconds, self.waiting)


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    return parser.parse_args()


def main(train: Any) -> None:
    """Trains with the arguments of the command line."""
    given = arguments()
    for epoch, report in enumerate(train(given.folder, given.rows, given.epochs, given.batch)):
        print(f"epoch {epoch}: {report}")
