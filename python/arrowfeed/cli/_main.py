"""The entry: arguments to a subcommand, and whatever it raises to a message and an exit code."""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
from typing import TYPE_CHECKING

from arrowfeed import ArrowfeedError, __version__
from arrowfeed.cli import cat, convert, count, explain, head, schema, splits, stats
from arrowfeed.cli._options import UsageError, without_values
from arrowfeed.cli._text import printable, printable_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

FAILED, USAGE, INTERRUPTED = 1, 2, 130
DEBUG = "ARROWFEED_DEBUG"

_DATA_AND_SYSTEM = (
    ArrowfeedError,
    OSError,
    ValueError,
    ImportError,
    MemoryError,
    # pyarrow's, where a format does not have a type.
    NotImplementedError,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: Without the program's name. None: those of the process.

    Returns:
        The exit code: 0 good, 1 an error of the data or the system, 2 a wrong call, 130 Ctrl-C.
    """
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    _write_utf8()
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        _flush()
    except BrokenPipeError:
        _forget_standard_output()
    except Exception as error:  # noqa: BLE001
        if options.debug or os.environ.get(DEBUG):
            print(printable_lines(traceback.format_exc()), end="", file=sys.stderr)
            return FAILED
        return _failed(error)
    return 0


class _Parser(argparse.ArgumentParser):
    """The parser of the program; argparse makes the subcommands' of the same class."""

    def error(self, message: str) -> NoReturn:
        """Escapes the arguments that the message quotes, and leaves out values of storage options."""
        super().error(printable(without_values(message)))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="arrowfeed",
        description="Looks into files of training data and converts them.",
        epilog=f"Exit codes: 0 good, {FAILED} an error of the data or the system, {USAGE} a wrong call,"
        f" {INTERRUPTED} Ctrl-C. {DEBUG}=1 shows tracebacks.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"arrowfeed {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (schema, head, cat, count, stats, splits, explain, convert):
        command.add(commands, common)
    return parser


def _failed(error: Exception) -> int:
    """Tells the error after all rows that came before it."""
    try:
        _flush()
    except OSError:
        _forget_standard_output()
    print(f"arrowfeed: {printable(without_values(_message(error)))}", file=sys.stderr)
    return USAGE if isinstance(error, UsageError) else FAILED


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    if isinstance(error, (*_DATA_AND_SYSTEM, UsageError)):
        return str(error) or type(error).__name__
    what = f"{type(error).__name__}: {error}"
    return f"a defect of this program, please report it with what --debug shows: {what}"


def _flush() -> None:
    """Writes what is still buffered, if there is a standard output at all."""
    print(end="", flush=True)


def _write_utf8() -> None:
    """Whatever the locale. Paths that are no text are shown with escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _forget_standard_output() -> None:
    """Who read it has had enough: what is left in its buffer must not fail once more when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
