"""Prints tables that compare arrowfeed with other readers. Builds nothing: `README.md` has the steps."""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from datasets import COLUMNS, GROWTH, SHAPES, SMALL_FOLDER, small_files
from generate import CODECS
from harness.machine import describe
from harness.session import BENCHES, Session
from manifest import Manifest
from suites import (
    adapter,
    batches,
    cli,
    columns,
    decode,
    dropin,
    filter,
    formats,
    growth,
    iceberg,
    ids,
    keys,
    memory,
    projection,
    python,
    readers,
    tensors,
    threads,
    write,
)

SUITES: dict[str, Callable[[Session], None]] = {
    "decode": decode.run,
    "projection": projection.run,
    "filter": filter.run,
    "threads": threads.run,
    "columns": columns.run,
    "batches": batches.run,
    "readers": readers.run,
    "iceberg": iceberg.run,
    "python": python.run,
    "memory": memory.run,
    "growth": growth.run,
    "adapter": adapter.run,
    "tensors": tensors.run,
    "dropin": dropin.run,
    "formats": formats.run,
    "ids": ids.run,
    "keys": keys.run,
    "write": write.run,
    "cli": cli.run,
}
LEAST_ROUNDS = 5
"""Do not quote the results of fewer rounds than this."""


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    names = [shape.name for shape in SHAPES]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that generate.py filled")
    parser.add_argument("--scale", type=float, default=1.0, help="the one that generate.py was given")
    parser.add_argument("--rounds", type=int, default=LEAST_ROUNDS, help="measured rounds, after one warm-up")
    parser.add_argument("--suite", nargs="+", choices=SUITES, default=list(SUITES))
    parser.add_argument("--schemas", nargs="+", choices=names, default=names)
    parser.add_argument("--codecs", nargs="+", choices=CODECS, default=list(CODECS))
    parsed = parser.parse_args()
    if parsed.rounds < 1:
        parser.error(f"expected at least 1 round, found {parsed.rounds}")
    return parsed


def missing_data(folder: Path, scale: float, schemas: list[str]) -> list[str]:
    """The datasets that `folder` does not contain at this scale."""
    needed = {dataset.name: dataset.scaled_rows(scale) for dataset in (*SHAPES, *GROWTH, *COLUMNS)}
    needed |= {SMALL_FOLDER: small_files(scale)}
    unused = {shape.name for shape in SHAPES} - set(schemas)
    manifest = Manifest(folder)
    return [name for name, rows in needed.items() if name not in unused and not manifest.holds(name, rows)]


def show_heading(session: Session) -> None:
    """Prints the facts on which the figures depend."""
    facts = describe(BENCHES)
    session.write({"suite": "heading", "scale": session.scale, "rounds": session.rounds, **facts})
    print("# arrowfeed benchmarks\n")
    print("\n".join(f"- {name}: {value}" for name, value in facts.items()))
    print(f"- median (fastest..slowest) of {session.rounds} rounds after one warm-up, round-robin")
    if session.scale != 1 or session.rounds < LEAST_ROUNDS:
        print(f"- **a trial: scale {session.scale:g}, {session.rounds} rounds; the bars mean scale 1**")


def run_suites(session: Session, suites: list[str]) -> None:
    """Prints the tables in order."""
    show_heading(session)
    for name in suites:
        SUITES[name](session)


def main() -> int:
    """Returns 1 if any figure could not be measured. A bar that is not met does not fail the run."""
    options = arguments()
    if missing := missing_data(options.data, options.scale, options.schemas):
        print(f"expected {', '.join(missing)} in {options.data}: run generate.py first", file=sys.stderr)
        return 1
    results = options.data / time.strftime("results-%Y%m%d-%H%M%S.jsonl", time.gmtime())
    with results.open("w") as log:
        session = Session(options.data, options.scale, options.rounds, options.schemas, options.codecs, log)
        try:
            run_suites(session, options.suite)
        finally:
            session.close()
    print(f"\nEvery round is in {results}.")
    session.show_failures()
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main())
