"""Writing: arrowfeed compared with arrow-avro, fastavro and itself on one thread; peak memory of a stream."""

from generate import CODECS, file_name
from harness.rounds import Contender, Failure, Outcome, ratio
from harness.session import Session, new_worker
from harness.table import at_least, met, milliseconds, show, times
from harness.worker import Job, WorkerError

FASTAVRO_PART = 0.1
"""Fraction of the rows that fastavro writes. It writes dicts, and a part shows its speed."""
PEERS = ["file", "codec", "arrow-avro ms", "fastavro ms, all rows", "arrowfeed ms"]
PEERS += ["over arrow-avro", "bar", "met?", "over fastavro", "bar", "met?"]


def run(session: Session) -> None:
    """Measures every dataset. Its rows are in memory, and the written bytes are only counted."""
    bars = session.bars["write"]
    codecs = [codec for codec in bars["codecs"] if codec in session.codecs]
    show("Write", PEERS, [_peers(session, name, codec) for name in session.schemas for codec in codecs])
    threads = bars["threads"]
    headers = ["file", "codec", "1 thread ms", f"{threads['count']} threads ms", "ratio", "bar", "met?"]
    codecs = [codec for codec in threads["codecs"] if codec in session.codecs]
    show(
        "Write, threads",
        headers,
        [_threads(session, name, codec) for name in session.schemas for codec in codecs],
    )
    headers = ["stream", "rows", "peak MiB", "bar MiB", "met?"]
    show("Write, peak memory", headers, [_peak(session, name) for name in session.schemas])


def _peers(session: Session, name: str, codec: str) -> list[str]:
    bars = session.bars["write"]
    job = Job(session.path(file_name(name, "null")), write=codec)
    part = Job(job.file, limit=max(1, round(session.rows(name) * FASTAVRO_PART)), write=codec)
    contenders = [
        session.contender("arrow-avro", "arrow-avro", name, job),
        session.contender("fastavro", "fastavro", name, part),
        session.contender("arrowfeed", "rust", name, job),
    ]
    outcomes = session.measure("write", f"{name} {codec}", contenders)
    arrow, dicts, ours = outcomes["arrow-avro"], outcomes["fastavro"], outcomes["arrowfeed"]
    over_arrow, over_dicts = ratio(arrow, ours), _row_ratio(dicts, ours)
    whole = (
        "failed"
        if isinstance(dicts, Failure)
        else f"{dicts.median / dicts.rows * session.rows(name) * 1000:.0f}"
    )
    figures = [milliseconds(arrow), whole, milliseconds(ours)]
    figures += [times(over_arrow), f"{bars['arrow_avro']:g}", at_least(over_arrow, bars["arrow_avro"])]
    figures += [times(over_dicts), f"{bars['fastavro']:g}", at_least(over_dicts, bars["fastavro"])]
    return [name, codec, *figures]


def _row_ratio(slow: Outcome, fast: Outcome) -> float | None:
    """The ratio of the times per row."""
    if isinstance(slow, Failure) or isinstance(fast, Failure):
        return None
    return (slow.median / slow.rows) / (fast.median / fast.rows)


def _threads(session: Session, name: str, codec: str) -> list[str]:
    path, bars = session.path(file_name(name, "null")), session.bars["write"]["threads"]
    contenders = [
        session.contender("one", "rust", name, Job(path, write=codec)),
        session.contender("several", "rust", name, Job(path, write=codec, threads=bars["count"])),
    ]
    outcomes = session.measure("write threads", f"{name} {codec}", contenders)
    one, several = outcomes["one"], outcomes["several"]
    faster, bar = ratio(one, several), bars["bar"]
    figures = [milliseconds(one), milliseconds(several), times(faster), f"{bar:g}", at_least(faster, bar)]
    return [name, codec, *figures]


def _peak(session: Session, name: str) -> list[str]:
    """Streams a dataset in all codecs through a reader and a writer, in a fresh process."""
    bars, rows = session.bars["write"]["memory"], session.rows(name) * len(CODECS)
    job = Job(session.path(f"{name}.*.avro"), threads=bars["threads"], write="zstandard")
    worker = new_worker("python")
    peak = None
    try:
        answer = Contender("peak", worker, job, rows).ask()
        session.write({"suite": "write memory", "case": name, **answer})
        peak = float(answer["peak_bytes"]) / (1 << 20)
    except WorkerError as error:
        session.fail(f"write memory {name}", str(error))
    finally:
        worker.close()
    shown, bar = "failed" if peak is None else f"{peak:.0f}", bars["mebibytes"]
    return [f"{name}, all codecs", f"{rows:,}", shown, str(bar), met(None if peak is None else peak <= bar)]
