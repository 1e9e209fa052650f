"""The time of a file with small and with large batches, on one thread."""

from generate import file_name
from harness.rounds import Failure
from harness.session import Session
from harness.table import milliseconds, show, times
from harness.worker import Job

SIZES = (64, 256, 1024, 4096, 8192, 16384, 65536)
HEADERS = ["file", *(str(size) for size in SIZES), "slowest over fastest"]


def run(session: Session) -> None:
    """Measures every dataset without compression."""
    show("Batch size", HEADERS, [_row(session, name) for name in session.schemas])


def _row(session: Session, name: str) -> list[str]:
    path = session.path(file_name(name, "null"))
    contenders = [session.contender(str(size), "rust", name, Job(path, batch_size=size)) for size in SIZES]
    outcomes = session.measure("batches", name, contenders).values()
    medians = [outcome.median for outcome in outcomes if not isinstance(outcome, Failure)]
    spread = max(medians) / min(medians) if medians else None
    return [name, *(milliseconds(outcome) for outcome in outcomes), times(spread)]
