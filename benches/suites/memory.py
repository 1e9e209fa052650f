"""Peak memory of a long stream above the memory after the import. Each stream has a fresh process."""

from generate import CODECS
from harness.rounds import Contender
from harness.session import Session, new_worker
from harness.table import met, show
from harness.worker import Job, WorkerError

HEADERS = ["stream", "rows", "peak MiB", "bar MiB", "met?"]


def run(session: Session) -> None:
    """Streams each dataset in all codecs in turn, with default options."""
    show("Peak memory", HEADERS, [_row(session, name) for name in session.schemas])


def _row(session: Session, name: str) -> list[str]:
    bar = session.bars["memory"]["mebibytes"]
    rows = session.rows(name) * len(CODECS)
    peak = _peak_mebibytes(session, name, rows)
    shown = "failed" if peak is None else f"{peak:.0f}"
    return [f"{name}, all codecs", f"{rows:,}", shown, str(bar), met(None if peak is None else peak <= bar)]


def _peak_mebibytes(session: Session, name: str, rows: int) -> float | None:
    job = Job(session.path(f"{name}.*.avro"), threads=session.bars["memory"]["threads"])
    worker = new_worker("python")
    try:
        answer = Contender("peak", worker, job, rows).ask()
    except WorkerError as error:
        session.fail(f"memory {name}", str(error))
        return None
    finally:
        worker.close()
    session.write({"suite": "memory", "case": name, **answer})
    return float(answer["peak_bytes"]) / (1 << 20)
