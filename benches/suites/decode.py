"""Whole files: arrowfeed compared with arrow-avro, one thread each."""

from typing import Any

from generate import file_name
from harness.rounds import ratio
from harness.session import Session
from harness.table import at_least, milliseconds, show, times
from harness.worker import Job

HEADERS = ["file", "codec", "batch", "arrow-avro ms", "arrowfeed ms", "ratio", "bar", "met?"]


def run(session: Session) -> None:
    """Measures every line of the bars whose file and codec are in the session."""
    lines = [
        line
        for line in session.bars["decode"]
        if line["file"] in session.schemas and line["codec"] in session.codecs
    ]
    show("Decode", HEADERS, [_row(session, line) for line in lines])


def _row(session: Session, line: dict[str, Any]) -> list[str]:
    name, codec, batch = line["file"], line["codec"], line["batch"]
    job = Job(session.path(file_name(name, codec)), batch_size=batch)
    contenders = [
        session.contender("arrow-avro", "arrow-avro", name, job),
        session.contender("arrowfeed", "rust", name, job),
    ]
    outcomes = session.measure("decode", f"{name} {codec} {batch}", contenders)
    peer, ours = outcomes["arrow-avro"], outcomes["arrowfeed"]
    faster, bar = ratio(peer, ours), line["bar"]
    figures = [milliseconds(peer), milliseconds(ours), times(faster), f"{bar:g}", at_least(faster, bar)]
    return [name, codec, str(batch), *figures]
