"""Exit codes of the command line, besides 0 for success."""

FAILED, USAGE, INTERRUPTED = 1, 2, 130
