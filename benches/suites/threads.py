"""Scaling with threads: arrowfeed compared with itself on one thread."""

from generate import file_name
from harness.rounds import ratio
from harness.session import Session
from harness.table import at_least, milliseconds, show, times
from harness.worker import Job


def run(session: Session) -> None:
    """Measures every dataset in every codec of the session, with the default size of a batch."""
    count = session.bars["threads"]["count"]
    headers = ["file", "codec", "1 thread ms", f"{count} threads ms", "ratio", "bar", "met?"]
    rows = [_row(session, name, codec, count) for name in session.schemas for codec in session.codecs]
    show("Threads", headers, rows)


def _row(session: Session, name: str, codec: str, count: int) -> list[str]:
    path = session.path(file_name(name, codec))
    contenders = [
        session.contender("one", "rust", name, Job(path, batch_size=None)),
        session.contender("several", "rust", name, Job(path, batch_size=None, threads=count)),
    ]
    outcomes = session.measure("threads", f"{name} {codec}", contenders)
    one, several = outcomes["one"], outcomes["several"]
    faster, bar = ratio(one, several), session.bars["threads"]["null" if codec == "null" else "compressed"]
    figures = [milliseconds(one), milliseconds(several), times(faster), f"{bar:g}", at_least(faster, bar)]
    return [name, codec, *figures]
