"""Filters: the rows that pass a predicate, compared with decoding all rows and filtering them by kernels."""

from typing import Any

from generate import file_name
from harness.rounds import ratio
from harness.session import Session
from harness.table import at_least, milliseconds, show, times
from harness.worker import Job

HEADERS = ["file", "predicate", "passing", "decode all ms", "filter ms", "ratio", "bar", "met?"]


def run(session: Session) -> None:
    """Measures the predicates of the bars for each of the session's files, codec null, one thread each."""
    lines = [line for line in session.bars["filter"] if line["file"] in session.schemas]
    show("Filter", HEADERS, [_row(session, line) for line in lines])


def _row(session: Session, line: dict[str, Any]) -> list[str]:
    name, where = line["file"], line["where"]
    path = session.path(file_name(name, "null"))
    contenders = [
        session.contender("decode all", "rust", name, Job(path, filter=where, way="decode all")),
        session.contender("filter", "rust", name, Job(path, filter=where)),
    ]
    outcomes = session.measure("filter", f"{name} {where}", contenders)
    plain, ours = outcomes["decode all"], outcomes["filter"]
    faster, bar = ratio(plain, ours), line["bar"]
    figures = [milliseconds(plain), milliseconds(ours), times(faster), f"{bar:g}", at_least(faster, bar)]
    return [name, where, line["passing"], *figures]
