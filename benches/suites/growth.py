"""Linear growth: the time for twice the rows, columns, nesting depth, or number of small files."""

from datasets import SMALL_FILE, SMALL_FOLDER, SMALL_HALVES, small_files
from generate import file_name
from harness.rounds import Contender, ratio
from harness.session import Session
from harness.table import met, milliseconds, show, times
from harness.worker import Job

HEADERS = ["doubled", "single ms", "double ms", "double over single", "bar", "met?"]
PAIRS = {
    "rows": ("growth_base", "growth_rows"),
    "columns": ("growth_base", "growth_columns"),
    "nesting": ("growth_nesting_base", "growth_nesting"),
}


def run(session: Session) -> None:
    """Measures through Python, whose reader accepts a pattern of many files as well as one file."""
    cases = {what: [_file(session, name) for name in pair] for what, pair in PAIRS.items()}
    cases["files"] = _small_files(session)
    show("Growth", HEADERS, [_row(session, what, pair) for what, pair in cases.items()])


def _file(session: Session, name: str) -> Contender:
    return session.contender(name, "python", name, Job(session.path(file_name(name, "null"))))


def _small_files(session: Session) -> list[Contender]:
    count = small_files(session.scale)
    half, whole = f"{SMALL_FOLDER}/{SMALL_HALVES[0]}/*.avro", f"{SMALL_FOLDER}/*/*.avro"
    worker = session.worker("python")
    return [
        Contender(f"{files} files", worker, Job(session.path(pattern)), files * SMALL_FILE.rows)
        for files, pattern in ((count, half), (2 * count, whole))
    ]


def _row(session: Session, what: str, pair: list[Contender]) -> list[str]:
    single, double = session.measure("growth", what, pair).values()
    growth, tolerance = ratio(double, single), session.bars["growth"]["tolerance"]
    low, high = 2 * (1 - tolerance), 2 * (1 + tolerance)
    passed = met(None if growth is None else low <= growth <= high)
    return [what, milliseconds(single), milliseconds(double), times(growth), f"{low:g}..{high:g}", passed]
