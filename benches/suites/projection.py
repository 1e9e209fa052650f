"""A few columns of a file: arrowfeed compared with arrow-avro, one thread each, codec null."""

from typing import Any

from generate import file_name
from harness.rounds import ratio
from harness.session import Session
from harness.table import at_least, milliseconds, show, times
from harness.worker import Job

HEADERS = ["file", "columns", "arrow-avro ms", "arrowfeed ms", "ratio", "bar", "met?"]


def run(session: Session) -> None:
    """Measures the columns of the bars for each of the session's files."""
    lines = [line for line in session.bars["projection"] if line["file"] in session.schemas]
    show("Projection", HEADERS, [_row(session, line) for line in lines])


def _row(session: Session, line: dict[str, Any]) -> list[str]:
    name, columns = line["file"], line["columns"]
    job = Job(session.path(file_name(name, "null")), columns=columns)
    contenders = [
        session.contender("arrow-avro", "arrow-avro", name, job),
        session.contender("arrowfeed", "rust", name, job),
    ]
    outcomes = session.measure("projection", name, contenders)
    peer, ours = outcomes["arrow-avro"], outcomes["arrowfeed"]
    faster, bar = ratio(peer, ours), line["bar"]
    figures = [milliseconds(peer), milliseconds(ours), times(faster), f"{bar:g}", at_least(faster, bar)]
    return [name, ", ".join(columns), *figures]
