"""Peak memory of a long stream above the memory after the import. Each stream has a fresh process."""

from generate import CODECS
from harness.rounds import Contender
from harness.session import Session, new_worker
from harness.table import at_most, met, show
from harness.worker import Job, MemorySamples, WorkerError

HEADERS = ["stream", "rows", "runs", "peak MiB (least..most)", "bar MiB", "met?"]
MEBIBYTE = 1 << 20


def run(session: Session) -> None:
    """Streams each dataset in all codecs in turn, with default options, several times."""
    show("Peak memory", HEADERS, [_row(session, name) for name in session.schemas])


def _row(session: Session, name: str) -> list[str]:
    bar, runs = session.bars["memory"]["mebibytes"], session.bars["memory"]["runs"]
    rows = session.rows(name) * len(CODECS)
    peaks = [_peak_mebibytes(session, name, rows, at) for at in range(runs)]
    found = [peak for peak in peaks if peak is not None]
    shown = f"{max(found):.0f} ({min(found):.0f}..{max(found):.0f})" if found else "failed"
    passed = met(None) if len(found) < runs else at_most(max(found), bar)
    return [f"{name}, all codecs", f"{rows:,}", str(runs), shown, str(bar), passed]


def _peak_mebibytes(session: Session, name: str, rows: int, at: int) -> float | None:
    threads = session.bars["memory"]["threads"]
    job = Job(session.path(f"{name}.*.avro"), batch_size=None, threads=threads)
    worker = new_worker("python")
    try:
        with MemorySamples(worker) as samples:
            answer = Contender("peak", worker, job, rows).ask()
    except WorkerError as error:
        session.fail(f"memory {name}", str(error))
        return None
    finally:
        worker.close()
    session.write({"suite": "memory", "case": name, "round": at, **answer, "samples": samples.found})
    return float(answer["peak_bytes"]) / MEBIBYTE
