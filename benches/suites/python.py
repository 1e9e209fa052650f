"""Overhead of Python: the import, and the transfer of batches from Rust."""

import statistics
import subprocess
import sys

from generate import file_name
from harness.rounds import ratio
from harness.session import Session
from harness.table import met, milliseconds, show, times
from harness.worker import Job

IMPORT = "import time, numpy; t = time.perf_counter(); import arrowfeed; print(time.perf_counter() - t)"
"""Imports numpy first: arrowfeed needs it, and its import must not count."""


def run(session: Session) -> None:
    """Prints both tables."""
    _show_import(session)
    headers = ["file", "Rust ms", "Python ms", "Python over Rust"]
    show("arrowfeed from Python", headers, [_crossing(session, name) for name in session.schemas])


def _show_import(session: Session) -> None:
    bar = session.bars["import"]["milliseconds"]
    seconds = _import_seconds(session)
    shown = "failed" if seconds is None else f"{seconds * 1000:.1f}"
    passed = met(None if seconds is None else seconds * 1000 <= bar)
    show("Import", ["import arrowfeed, over numpy's, ms", "bar", "met?"], [[shown, str(bar), passed]])


def _import_seconds(session: Session) -> float | None:
    """The median over fresh interpreters. The first one fills the page cache and does not count."""
    seconds = []
    for at in range(session.rounds + 1):
        child = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=False)
        if child.returncode != 0:
            session.fail("python import", child.stderr.strip().splitlines()[-1])
            return None
        seconds.append(float(child.stdout))
        session.write({"suite": "python", "case": "import", "round": at, "seconds": seconds[-1]})
    return statistics.median(seconds[1:])


def _crossing(session: Session, name: str) -> list[str]:
    job = Job(session.path(file_name(name, "null")))
    contenders = [
        session.contender("Rust", "rust", name, job),
        session.contender("Python", "python", name, job),
    ]
    outcomes = session.measure("python", name, contenders)
    rust, python = outcomes["Rust"], outcomes["Python"]
    return [name, milliseconds(rust), milliseconds(python), times(ratio(python, rust))]
