"""ATDSDataset of arrowfeed compared with that of tensorflow-io: one script in two environments."""

from typing import Any

from generate import file_name
from harness.rounds import Contender, ratio
from harness.session import Session
from harness.table import at_least, milliseconds, show, times
from harness.worker import Job

STEPS = {64: 1000, 256: 300, 1024: 80}
"""Number of measured steps by batch size."""

HEADERS = ["way", "codec", "batch", "threads", "atds ms", "arrowfeed ms", "times as fast", "bar", "met?"]
READERS = ("atds", "arrowfeed")


def run(session: Session) -> None:
    """Measures the bars of the session's codecs. Times are totals for all steps of a line."""
    lines = [line for line in session.bars["dropin"] if line["codec"] in session.codecs]
    title = "Steps of ATDSDataset over linkedin (tensorflow-io 0.37.1 as published: without optimisation)"
    show(title, HEADERS, [_row(session, line) for line in lines])


def _row(session: Session, line: dict[str, Any]) -> list[str]:
    way, codec, batch, threads = line["way"], line["codec"], line["batch"], line["threads"]
    steps = min(STEPS[batch], session.rows("linkedin") // batch - 1)
    path = session.path(file_name("linkedin", codec))
    job = Job(path, batch_size=batch, threads=threads, limit=steps * batch, way=way)
    contenders = [
        Contender(reader, session.worker(f"drop-in of {reader}"), job, steps * batch) for reader in READERS
    ]
    outcomes = session.measure("dropin", f"{way} {codec} {batch} {threads}", contenders)
    theirs, ours = (outcomes[reader] for reader in READERS)
    faster, bar = ratio(theirs, ours), line.get("bar")
    against = ["-", "-"] if bar is None else [f"{bar:g}", at_least(faster, bar)]
    return [
        way,
        codec,
        str(batch),
        str(threads),
        milliseconds(theirs),
        milliseconds(ours),
        times(faster),
        *against,
    ]
