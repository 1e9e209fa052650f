"""The command line: `arrowfeed COMMAND`.

The commands are schema, head, cat, count, stats, splits, trace, explain, bench, convert, doctor, completion.

Each subcommand is a module with `add`, which declares its options, and `run`. `import arrowfeed` does not
import this package. docs/command-line.md documents it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arrowfeed.cli._ctrl_c import CtrlC
from arrowfeed.cli._exit_codes import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: Arguments without the program name. None: the arguments of the process.

    Returns:
        The exit code: 0 for success, 1 for an error of the data or the system, 2 for a wrong call, 130 for
        Ctrl-C.
    """
    ctrl_c = CtrlC()
    try:
        with ctrl_c:
            # Ctrl-C may come during the import.
            from arrowfeed.cli._main import run  # noqa: PLC0415

            return run(arguments, interrupted=lambda: ctrl_c.came)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        if ctrl_c.came:
            return INTERRUPTED
        raise
