"""Files to tensors in Python: a step of training data, compared with both readers of tensorflow-io."""

from typing import Any

from generate import file_name
from harness.rounds import Contender, ratio
from harness.session import Session
from harness.table import at_least, milliseconds, show, times
from harness.worker import Job

STEPS = {64: 1000, 256: 300, 1024: 80}
"""Number of measured steps by batch size; fewer if a reader is slow."""

SLOW_STEPS = 40
HEADERS = ["codec", "batch", "threads", "over", "its ms", "arrowfeed ms", "times as fast", "bar", "met?"]


def run(session: Session) -> None:
    """Measures the bars of the session's codecs. Times are totals for all steps of a line."""
    lines = [line for line in session.bars["tensors"] if line["codec"] in session.codecs]
    rows = [_row(session, line) for line in lines]
    show("Steps of linkedin, file to tensors, in Python (tensorflow-io 0.37.1 as published)", HEADERS, rows)


def _row(session: Session, line: dict[str, Any]) -> list[str]:
    codec, batch, threads, over = line["codec"], line["batch"], line["threads"], line["over"]
    steps = SLOW_STEPS if over == "avro_record" else STEPS[batch]
    steps = min(steps, session.rows("linkedin") // batch - 1)
    path = session.path(file_name("linkedin", codec))
    job = Job(path, batch_size=batch, threads=threads, limit=steps * batch)
    readers = [over, "arrowfeed"]
    contenders = [
        Contender(reader, session.worker(f"tensors of {reader}"), job, steps * batch) for reader in readers
    ]
    outcomes = session.measure("tensors", f"{codec} {batch} {threads} {over}", contenders)
    theirs, ours = outcomes[over], outcomes["arrowfeed"]
    faster, bar = ratio(theirs, ours), line["bar"]
    figures = [milliseconds(theirs), milliseconds(ours), times(faster), f"{bar:g}", at_least(faster, bar)]
    return [codec, str(batch), str(threads), over, *figures]
