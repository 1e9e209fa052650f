"""Batches to numpy tensors in Python: compared with the adapter of tfx_bsl, and with many times the bytes."""

from harness.rounds import Contender, ratio
from harness.session import Session
from harness.table import at_least, met, milliseconds, show, times
from harness.worker import Job

BATCH_ROWS = 1024
BATCHES = 10_000

SHARED = (
    ("dense, 10 values a row", "dense, 1,000 values a row"),
    ("fixed-size lists of 10", "fixed-size lists of 1,000"),
    ("varlen, 8 bits a value", "varlen, 64 bits a value"),
    ("ragged, 10 values a row", "ragged, 1,000 values a row"),
)
"""Pairs of cases. Values that are not copied must take the same time whatever their size."""


def run(session: Session) -> None:
    """Prints both tables. Times are totals for all batches."""
    title = f"Tensors of {BATCHES:,} batches of {BATCH_ROWS:,} rows, over tfx_bsl's adapter, to numpy"
    headers = ["case", "tfx_bsl ms", "arrowfeed ms", "times as fast", "bar", "met?"]
    show(title, headers, [_over_tfx_bsl(session, line) for line in session.bars["adapter"]])
    headers = ["few bytes", "ms", "many bytes", "ms", "many over few", "bar", "met?"]
    show("Tensors that share their values", headers, [_shared(session, *pair) for pair in SHARED])


def _over_tfx_bsl(session: Session, line: dict[str, object]) -> list[str]:
    case, bar = str(line["case"]), float(str(line["bar"]))
    readers = ("tfx_bsl", "arrowfeed")
    outcomes = session.measure(
        "adapter", case, [_contender(session, reader, case, reader) for reader in readers]
    )
    theirs, ours = outcomes["tfx_bsl"], outcomes["arrowfeed"]
    speed = ratio(theirs, ours)
    return [case, milliseconds(theirs), milliseconds(ours), times(speed), f"{bar:g}", at_least(speed, bar)]


def _shared(session: Session, smaller: str, larger: str) -> list[str]:
    contenders = [_contender(session, case, case, "arrowfeed") for case in (smaller, larger)]
    few, many = session.measure("adapter", f"{larger} over {smaller}", contenders).values()
    growth, bar = ratio(many, few), 1 + session.bars["growth"]["tolerance"]
    passed = met(None if growth is None else growth <= bar)
    return [smaller, milliseconds(few), larger, milliseconds(many), times(growth), f"{bar:g}", passed]


def _contender(session: Session, label: str, case: str, reader: str) -> Contender:
    rows = BATCHES * BATCH_ROWS
    job = Job(case, batch_size=BATCH_ROWS, limit=rows)
    return Contender(label, session.worker(f"adapter of {reader}"), job, rows)
