"""The command line: `arrowfeed schema|head|cat|count|stats|splits|explain|convert FILE...`.

Each subcommand is a module with `add`, which declares its options, and `run`. `import arrowfeed` does not
import this package. docs/command-line.md documents it.
"""

from arrowfeed.cli._main import main

__all__ = ["main"]
