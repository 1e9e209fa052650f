"""Runs a subcommand, and converts its errors to a message and an exit code."""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
import warnings
from typing import TYPE_CHECKING

from arrowfeed import ArrowfeedError, SkippedWarning, __version__
from arrowfeed._rendering.text import printable, printable_lines
from arrowfeed.cli import (
    bench,
    cat,
    completion,
    convert,
    count,
    doctor,
    explain,
    head,
    schema,
    splits,
    stats,
    trace,
)
from arrowfeed.cli._exit_codes import FAILED, INTERRUPTED, USAGE
from arrowfeed.cli._options import UsageError, without_values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

DEBUG = "ARROWFEED_DEBUG"

_DATA_AND_SYSTEM = (
    ArrowfeedError,
    OSError,
    ValueError,
    ImportError,
    MemoryError,
    # pyarrow raises it if a format does not support a type.
    NotImplementedError,
)


def run(arguments: Sequence[str] | None, *, interrupted: Callable[[], bool]) -> int:
    """Runs one command, like `main`, and raises `KeyboardInterrupt` for Ctrl-C.

    Args:
        arguments: As in `main`.
        interrupted: Whether Ctrl-C has come. Errors that follow it are not printed.
    """
    _write_utf8()
    options, unknown = _parser().parse_known_args(arguments)
    if unknown:
        # The usage of the command, not that of the program.
        options.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        with warnings.catch_warnings():
            # The commands report skipped parts themselves.
            warnings.simplefilter("ignore", SkippedWarning)
            options.run(options)
        _flush()
    except BrokenPipeError:
        _forget_standard_output()
    except Exception as error:
        if interrupted():
            raise KeyboardInterrupt from error
        if options.debug or os.environ.get(DEBUG):
            print(printable_lines(traceback.format_exc()), end="", file=sys.stderr)
            return FAILED
        return _failed(error)
    return 0


class _Parser(argparse.ArgumentParser):
    """The parser of the program. argparse uses the same class for subcommands."""

    def error(self, message: str) -> NoReturn:
        """Escapes the quoted arguments in the message, and removes values of storage options."""
        super().error(printable(without_values(message)))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="arrowfeed",
        description="Inspects and converts files of training data.",
        epilog=f"Exit codes: 0 success, {FAILED} error in the data or the system, {USAGE} invalid arguments,"
        f" {INTERRUPTED} Ctrl-C. {DEBUG}=1 shows tracebacks.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"arrowfeed {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    every = (schema, head, cat, count, stats, splits, trace, explain, bench, convert, doctor, completion)
    for command in every:
        command.add(commands, common)
    for subparser in commands.choices.values():
        subparser.set_defaults(parser=subparser, program=parser)
    return parser


def _failed(error: Exception) -> int:
    """Prints the error after all preceding rows."""
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
    return f"a defect of this program, please report it with the output of --debug: {what}"


def _flush() -> None:
    """Flushes standard output if it exists."""
    print(end="", flush=True)


def _write_utf8() -> None:
    """Sets the encoding of the output to UTF-8 for any locale. Paths that are not text are escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _forget_standard_output() -> None:
    """Redirects standard output after a broken pipe, so that the final flush of Python does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
