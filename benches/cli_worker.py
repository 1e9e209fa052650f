"""Benchmark worker for the command line: runs `arrowfeed` in a new process for each job, and drains its pipe.

Reads one JSON job per line, whose `way` is the command, and answers each with `{"seconds", "rows",
"peak_bytes"}` or `{"error"}`. The seconds begin with the start of the process, and end with its last line.
"""

import json
import subprocess
import sys
import time
from typing import Any

Job = dict[str, Any]

PIECE = 1 << 16


def command(job: Job) -> tuple[list[str], int]:
    """The arguments of a job, and the number of lines that it must print."""
    rows, name = job["limit"], job["way"]
    selected = ["--columns", ",".join(job["columns"]), job["file"]]
    if name == "cat":
        return ["cat", *selected], rows
    if name == "head --table":
        # The first line is the header.
        return ["head", "--table", "-n", str(rows), *selected], rows + 1
    return ["head", "-n", str(rows), *selected], rows


def drain(arguments: list[str], lines: int) -> tuple[float, int]:
    """Seconds until a command has printed this number of lines, or has ended; and the lines that it printed.

    A command that would print more finds its pipe closed.
    """
    start = time.perf_counter()
    program = [sys.executable, "-m", "arrowfeed", *arguments]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        found = 0
        while found < lines and (piece := process.stdout.read1(PIECE)):
            found += piece.count(b"\n")
        seconds = time.perf_counter() - start
        process.stdout.close()
        errors = process.stderr.read().decode()
    if process.returncode != 0:
        raise RuntimeError(errors.strip())
    return seconds, min(found, lines)


def answer(job: Job) -> dict[str, Any]:
    """Runs a job. An error of the command becomes the answer."""
    arguments, lines = command(job)
    try:
        seconds, found = drain(arguments, lines)
    except RuntimeError as error:
        return {"error": str(error)}
    return {"seconds": seconds, "rows": found - lines + job["limit"], "peak_bytes": 0}


def main() -> None:
    """Answers jobs until standard input ends."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
