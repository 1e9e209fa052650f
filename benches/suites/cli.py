"""The command line: seconds to print rows to a pipe, with the start of the process."""

from generate import file_name
from harness.rounds import Contender, Failure
from harness.session import Session
from harness.table import met, milliseconds, show
from harness.worker import Job

DATASET = "wide_flat"
COMMANDS = {"head": "json", "cat": "json", "head --table": "table"}
"""Each command, and the name of its bar."""


def run(session: Session) -> None:
    """Measures the first rows of `wide_flat`, in a few columns."""
    bars = session.bars["cli"]
    rows = min(max(1, round(bars["rows"] * session.scale)), session.rows(DATASET))
    headers = ["command", "rows", "ms", "bar ms", "met?"]
    show("Command line", headers, [_row(session, name, rows) for name in COMMANDS])


def _row(session: Session, command: str, rows: int) -> list[str]:
    bars = session.bars["cli"]
    path = session.path(file_name(DATASET, "null"))
    job = Job(path, way=command, columns=bars["columns"], limit=rows)
    worker = session.worker("command line")
    outcome = session.measure("cli", command, [Contender(command, worker, job, rows)])[command]
    bar = bars[COMMANDS[command]]
    passed = met(None if isinstance(outcome, Failure) else outcome.median <= bar)
    return [command, f"{rows:,}", milliseconds(outcome), f"{bar * 1000:g}", passed]
