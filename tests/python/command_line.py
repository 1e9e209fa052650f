"""Runs the command line in this process or in a separate one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from arrowfeed.cli import main

if TYPE_CHECKING:
    import pytest


class Ran(NamedTuple):
    """The exit code and the outputs of a command."""

    code: int
    out: str
    err: str


class Commands:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ran:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code
        out, err = self._capsys.readouterr()
        return Ran(code, out, err)


def process(*arguments: object, env: dict[str, str] | None = None, **options) -> subprocess.CompletedProcess:
    """Runs the command in a separate process. Outputs are bytes."""
    command = [sys.executable, "-m", "arrowfeed", *map(str, arguments)]
    environment = os.environ | (env or {})
    return subprocess.run(command, capture_output=True, timeout=60, check=False, env=environment, **options)


def lines_on_a_terminal(columns: int, *arguments: object) -> list[str]:
    """The lines that the command prints on a terminal of this width. Standard error is a pipe."""
    terminal, output = os.openpty()
    command = [sys.executable, "-W", "ignore", "-m", "arrowfeed", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": str(columns)}
    with subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE, env=environment) as running:
        os.close(output)
        shown = b""
        # Linux reports the end of a terminal as an error.
        with contextlib.suppress(OSError):
            while piece := os.read(terminal, 1 << 16):
                shown += piece
        os.close(terminal)
        assert (running.wait(60), running.stderr.read()) == (0, b"")
    return shown.decode().replace("\r\n", "\n").splitlines()
