"""Ids of 26 columns of strings: hashes and vocabularies, compared with pandas, Python and tf.data."""

from typing import Any

from harness.rounds import Contender, ratio
from harness.session import Session
from harness.table import at_least, milliseconds, show, times
from harness.worker import Job

BATCH_ROWS = 4096
ROWS = 200_000

HEADERS = ["ids", "of", "over", "its ms", "arrowfeed ms", "times as fast", "bar", "met?"]


def run(session: Session) -> None:
    """Measures all lines of the bars, in CPU seconds, with one thread."""
    lines = [_row(session, line) for line in session.bars["ids"]]
    show("Ids of 26 columns of strings", HEADERS, lines)


def _row(session: Session, line: dict[str, Any]) -> list[str]:
    way, over = line["way"], line["over"]
    rows = int(ROWS * session.scale) // BATCH_ROWS * BATCH_ROWS
    job = Job(session.path(f"ids-{rows}.avro"), batch_size=BATCH_ROWS, limit=rows, way=way)
    contenders = [
        Contender(reader, session.worker(f"ids of {reader}"), job, rows) for reader in (over, "arrowfeed")
    ]
    outcomes = session.measure("ids", f"{way} over {over}", contenders)
    theirs, ours = outcomes[over], outcomes["arrowfeed"]
    faster, bar = ratio(theirs, ours), line.get("bar")
    kind, place = way.split()
    met = ["-", "-"] if bar is None else [f"{bar:g}", at_least(faster, bar)]
    return [
        kind,
        f"batches in {place}" if place == "memory" else "a file",
        over,
        milliseconds(theirs),
        milliseconds(ours),
        times(faster),
        *met,
    ]
