"""Starts processes of one program, each with its own environment, as launchers do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pyarrow as pa

import arrowfeed as af

ROWS = 101


def write(directory):
    """Writes a file whose column `x` has the numbers below `ROWS`."""
    path = directory / "rows.avro"
    af.write_avro(pa.record_batch({"x": range(ROWS)}), path)
    return path


def free_address():
    """An address of this machine with a free port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{taken.getsockname()[1]}"


def python(program, *arguments):
    """The command that runs a program with arguments."""
    return [sys.executable, "-c", program, *map(str, arguments)]


def numbers_of(command, environments):
    """The numbers on the last line that each process prints. All processes run at the same time."""
    running = [
        subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for environment in environments
    ]
    found = []
    try:
        for process in running:
            output, errors = process.communicate(timeout=240)
            assert process.returncode == 0, errors
            found.append([int(number) for number in output.splitlines()[-1].split()])
    finally:
        for process in running:
            process.kill()
    return found


def assert_shards(found):
    """Checks that the processes together have each row once, and that shares differ by at most one row."""
    assert sorted(number for part in found for number in part) == list(range(ROWS))
    lengths = [len(part) for part in found]
    assert max(lengths) - min(lengths) <= 1
