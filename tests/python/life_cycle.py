"""Runs scripts in separate interpreters, and returns their exit codes and outputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

AT_ONCE = 2
"""Interpreters that run at the same time."""

BATCHES = """
import itertools, json, os, signal, sys, threading, time
import arrowfeed as af


def batches_of(kind, path, **options):
    '''Endless batches of one kind. They hold threads, buffers and files.'''
    options = {"batch_size": 50, "threads": 2, **options}
    if kind == "reader":
        return af.read_avro([path] * 1000, **options)
    if kind == "file object":
        return af.read_avro([open(path, "rb") for _ in range(20)], **options)
    features = {"id": af.representations.Dense("id"), "vector": af.representations.Ragged("vector")}
    dataset = af.AvroDataset([path] * 3, representations=features)
    if kind.startswith("shuffled"):
        options["shuffle_buffer_size"] = 500
    make = dataset.tensors if kind.endswith("tensors") else dataset.record_batches
    return make(epochs=None, **options)
"""
"""The first lines of a script that uses `batches_of`."""

KINDS = ["reader", "file object", "records", "tensors", "shuffled records", "shuffled tensors"]


class Ended(NamedTuple):
    """The end of an interpreter. `code` is `None` if it hung and was killed."""

    code: int | None
    out: str
    err: str
    seconds: float


def run(script: str, arguments: dict[str, Any], *, limit: float = 60) -> Ended:
    """Runs a script, whose `sys.argv[1]` is the JSON of the arguments, for at most `limit` seconds."""
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script), json.dumps(arguments)]
    begun = time.monotonic()
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            out, err = process.communicate(timeout=limit)
            code = process.returncode
        except subprocess.TimeoutExpired:
            # The fault handler prints the stack of each thread.
            process.send_signal(6)
            out, err = process.communicate(timeout=limit)
            code = None
    return Ended(code, out, err, time.monotonic() - begun)


def run_all(script: str, arguments: Iterable[dict[str, Any]], *, limit: float = 60) -> list[Ended]:
    """Runs a script once for each set of arguments, two at a time. Results are in this order."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda each: run(script, each, limit=limit), arguments))


def count(name: str, default: int) -> int:
    """A count that an environment variable sets for longer runs."""
    return int(os.environ.get(name, default))
