"""tf.Example and Parquet: messages to batches, and files to tensors, compared with tfx_bsl and TensorFlow."""

from typing import Any

from harness.rounds import Contender, ratio
from harness.session import Session
from harness.table import at_least, milliseconds, show, times
from harness.worker import Job

ROWS = 40_000
"""Number of measured rows or messages; fewer if the files have fewer."""

HEADERS = ["way", "batch", "reader", "ms", "over", "ms", "times as fast", "bar", "met?"]


def run(session: Session) -> None:
    """Measures all lines of the bars."""
    lines = session.bars["formats"]
    show(
        "24 features of linkedin as tf.Example and Parquet", HEADERS, [_row(session, line) for line in lines]
    )


def _row(session: Session, line: dict[str, Any]) -> list[str]:
    way, batch = line["way"], line["batch"]
    path = session.path("linkedin.parquet" if "parquet" in way else "linkedin.tfrecord")
    rows = min(ROWS, session.rows("linkedin") - batch) // batch * batch

    def contender(reader: str, columns: list[str] | None) -> Contender:
        job = Job(
            path, batch_size=batch, threads=line.get("threads", 1), columns=columns, limit=rows, way=way
        )
        label = f"{reader} of {len(columns)}" if columns else reader
        return Contender(label, session.worker(f"format of {reader}"), job, rows)

    # A line with columns is compared with a read of all columns by the reader in `over`.
    ours = contender("arrowfeed", line.get("columns"))
    theirs = contender(line["over"], None)
    outcomes = session.measure("formats", f"{way} {batch} over {line['over']}", [theirs, ours])
    slow, fast = outcomes[theirs.label], outcomes[ours.label]
    faster, bar = ratio(slow, fast), line["bar"]
    return [
        way,
        str(batch),
        ours.label,
        milliseconds(fast),
        theirs.label,
        milliseconds(slow),
        times(faster),
        f"{bar:g}",
        at_least(faster, bar),
    ]
