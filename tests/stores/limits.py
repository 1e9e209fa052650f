"""Calls with a time limit, so that a test that hangs fails."""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


class Overdue(AssertionError):
    """A call did not end in its time."""


def all_within(seconds: float, calls: Sequence[Callable[[], T]]) -> list[T]:
    """The results of calls that run at the same time, each in a thread. The first error is raised."""
    results: dict[int, Any] = {}
    errors: dict[int, BaseException] = {}

    def run(number: int) -> None:
        try:
            results[number] = calls[number]()
        except BaseException as error:
            errors[number] = error

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(len(calls))]
    until = time.monotonic() + seconds
    for thread in threads:
        thread.start()
    for number, thread in enumerate(threads):
        thread.join(max(0.0, until - time.monotonic()))
        if thread.is_alive():
            stack = sys._current_frames().get(thread.ident or 0)
            where = "".join(traceback.format_stack(stack)) if stack else ""
            raise Overdue(f"call {number} did not end within {seconds} s\n{where}")
    for number in sorted(errors):
        raise errors[number]
    return [results[number] for number in range(len(calls))]


def within(seconds: float, call: Callable[[], T]) -> T:
    """The result of a call, which runs in a thread."""
    return all_within(seconds, [call])[0]


measures = pytest.mark.parametrize("measure", ["order", pytest.param("clock", marks=pytest.mark.night)])
"""The measures of `is_soon`."""


def is_soon(measure: str, seconds: float, took: Callable[[], float]) -> None:
    """Asserts that a call ends soon, for example before an answer of the server. `took` asserts this order.

    On a machine that does nothing else, the call also takes less than this time.
    """
    readings = [took() for _ in range(3 if measure == "clock" else 1)]
    assert measure == "order" or min(readings) < seconds, readings


def wait_until(holds: Callable[[], Any], seconds: float = 60) -> None:
    """Wait until something holds."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            raise Overdue(f"expected something within {seconds} s, found that it does not hold")
        time.sleep(0.01)


def thread_names() -> Counter[str]:
    """The names of the threads of this process, except those that send requests for all readers."""
    names: Counter[str] = Counter()
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm") as file:
                names[file.read().strip()] += 1
        except FileNotFoundError:
            continue
    del names["arrowfeed-store"]
    return names


def wait_for_threads(before: Counter[str], seconds: float = 60) -> None:
    """Waits until all new threads have ended."""
    wait_until(lambda: not thread_names() - before, seconds)
