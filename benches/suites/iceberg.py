"""Manifests of Apache Iceberg: time to read one, compared with the reader of pyiceberg."""

import importlib
from pathlib import Path

from harness.rounds import Contender, Failure, Outcome, ratio
from harness.session import Session
from harness.table import at_least, milliseconds, show, times
from harness.worker import Job

ENTRIES = 10_000
COLUMNS = 20
HEADERS = ["reader", "gives", "entries", "ms", "over arrowfeed", "bar", "met?"]
OURS, PEER = "arrowfeed, Python", "pyiceberg"


def run(session: Session) -> None:
    """Measures both readers on one manifest, which this function writes if it does not exist."""
    entries = max(1, round(ENTRIES * session.scale))
    path = Path(session.path(f"manifest-{entries}.avro"))
    if not path.exists():
        # Only this suite needs pyiceberg.
        importlib.import_module("iceberg_manifest").write(path, entries, COLUMNS)
    job = Job(str(path))
    readers = [(OURS, "python", "batches"), (PEER, "pyiceberg", "objects")]
    contenders = [Contender(label, session.worker(reader), job, entries) for label, reader, _ in readers]
    outcomes = session.measure("iceberg", "manifest", contenders)
    rows = [_row(label, gives, outcomes[label], outcomes[OURS]) for label, _, gives in readers]
    bar, faster = session.bars["iceberg"][0]["bar"], ratio(outcomes[PEER], outcomes[OURS])
    rows[1] += [f"{bar:g}", at_least(faster, bar)]
    rows[0] += ["-", "-"]
    show(f"A manifest of Iceberg with {entries:,} entries and statistics of {COLUMNS} columns", HEADERS, rows)


def _row(label: str, gives: str, outcome: Outcome, ours: Outcome) -> list[str]:
    if isinstance(outcome, Failure):
        return [label, gives, "-", "failed", "-"]
    return [label, gives, f"{outcome.rows:,}", milliseconds(outcome), times(ratio(outcome, ours))]
