"""The command line: `arrowfeed schema|head|cat|count|stats|splits|explain|convert FILE...`.

A subcommand is a file with `add`, which declares its options, and `run`. `import arrowfeed` imports nothing
of this package; docs/command-line.md is its page.
"""

from arrowfeed.cli._main import main

__all__ = ["main"]
