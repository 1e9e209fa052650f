"""`arrowfeed completion`: the script that completes commands, options and files in a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._libraries import needed

if TYPE_CHECKING:
    import argparse

_SHELLS = ("bash", "zsh", "fish", "tcsh")


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "completion",
        parents=[common],
        help="a shell script that completes commands, options and files",
        description="Prints a shell script that completes commands, options and files.",
        allow_abbrev=False,
    )
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help=", ".join(_SHELLS))
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints the script.

    Raises:
        ImportError: shtab is not installed.
    """
    print(needed("shtab", "to complete commands").complete(options.program, options.shell))
