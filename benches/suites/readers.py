"""Other readers of one file: time per row, one thread each."""

from generate import file_name
from harness.rounds import Failure, Outcome
from harness.session import Session
from harness.table import milliseconds, show, times
from harness.worker import Job

DATASET = "linkedin"
FASTAVRO_PART = 0.1
"""Fraction of the rows that fastavro reads. It makes a dict of every row, and a part shows its speed."""
HEADERS = ["reader", "gives", "rows", "ms", "µs a row", "over arrowfeed"]
OURS = "arrowfeed, Rust"


def run(session: Session) -> None:
    """Measures all readers on the `linkedin` dataset."""
    if DATASET not in session.schemas:
        return
    job = Job(session.path(file_name(DATASET, "null")))
    part = Job(job.file, limit=max(1, round(session.rows(DATASET) * FASTAVRO_PART)))
    readers = [
        (OURS, "rust", "batches", job),
        ("arrowfeed, Python", "python", "batches", job),
        ("arrow-avro, Rust", "arrow-avro", "batches", job),
        ("polars", "polars", "one frame", job),
        ("fastavro", "fastavro", "dicts", part),
    ]
    contenders = [session.contender(label, reader, DATASET, each) for label, reader, _, each in readers]
    outcomes = session.measure("readers", DATASET, contenders)
    rows = [_row(label, gives, outcomes[label], outcomes[OURS]) for label, _, gives, _ in readers]
    show("Other readers, linkedin null", HEADERS, rows)


def _row(label: str, gives: str, outcome: Outcome, ours: Outcome) -> list[str]:
    pace, base = _row_seconds(outcome), _row_seconds(ours)
    if pace is None or isinstance(outcome, Failure):
        return [label, gives, "-", "failed", "-", "-"]
    over = None if base is None else pace / base
    return [label, gives, f"{outcome.rows:,}", milliseconds(outcome), f"{pace * 1e6:.2f}", times(over)]


def _row_seconds(outcome: Outcome) -> float | None:
    return None if isinstance(outcome, Failure) else outcome.median / outcome.rows
