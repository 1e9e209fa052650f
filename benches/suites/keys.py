"""Key expressions: the cost of a tensor of a key relative to reading the fields that it needs."""

from typing import Any

from generate import file_name
from harness.rounds import Contender, ratio
from harness.session import Session
from harness.table import at_most, milliseconds, show, times
from harness.worker import Job

BATCH_ROWS = 1024
HEADERS = ["key", "fields", "fields ms", "tensor ms", "cost", "bar", "met?"]


def run(session: Session) -> None:
    """Measures the keys of the bars on `nested`, in Python with one thread."""
    show("Key expressions, file to tensors", HEADERS, [_row(session, line) for line in session.bars["keys"]])


def _row(session: Session, line: dict[str, Any]) -> list[str]:
    key, columns = line["key"], line["columns"]
    path = session.path(file_name("nested", "null"))
    rows = (session.rows("nested") // BATCH_ROWS - 1) * BATCH_ROWS
    worker = session.worker("tensors of arrowfeed")
    fields = Job(path, batch_size=BATCH_ROWS, limit=rows, columns=columns)
    tensor = Job(path, batch_size=BATCH_ROWS, limit=rows, key=key)
    contenders = [Contender("fields", worker, fields, rows), Contender("tensor", worker, tensor, rows)]
    outcomes = session.measure("keys", key, contenders)
    plain, ours = outcomes["fields"], outcomes["tensor"]
    cost, bar = ratio(ours, plain), line["bar"]
    figures = [milliseconds(plain), milliseconds(ours), times(cost), f"{bar:g}", at_most(cost, bar)]
    return [key, ", ".join(columns), *figures]
