"""The time of a value in files of few and of thousands of columns, which have the same number of values."""

from datasets.columns import COUNTS, VALUES, name
from generate import file_name
from harness.rounds import Failure
from harness.session import Session
from harness.table import at_most, milliseconds, show, times
from harness.worker import Job

HEADERS = ["columns", "ms", "ns a value", "over the least", "bar", "met?"]


def run(session: Session) -> None:
    """Measures all files side by side, on one thread, with the default size of a batch."""
    contenders = [
        session.contender(str(count), "rust", name(count), Job(_path(session, count), batch_size=None))
        for count in COUNTS
    ]
    outcomes = session.measure("columns", "null", contenders)
    medians = {label: found.median for label, found in outcomes.items() if not isinstance(found, Failure)}
    least, bar = min(medians.values(), default=0.0), session.bars["columns"]["bar"]
    values = VALUES * session.scale
    rows = []
    for label, outcome in outcomes.items():
        median = medians.get(label)
        over = None if median is None else median / least
        each = "-" if median is None else f"{median / values * 1e9:.1f}"
        rows.append([label, milliseconds(outcome), each, times(over), f"{bar:g}", at_most(over, bar)])
    show("Columns", HEADERS, rows)


def _path(session: Session, count: int) -> str:
    return session.path(file_name(name(count), "null"))
