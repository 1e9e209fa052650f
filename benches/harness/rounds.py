"""Round-robin measurement: each contender runs once per round, so that a slow machine affects all alike."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.worker import Job, Worker, WorkerError


@dataclass(frozen=True)
class Contender:
    """One reader with one job. A run is valid only if it returns `rows` rows."""

    label: str
    worker: Worker
    job: Job
    rows: int

    def ask(self) -> dict[str, Any]:
        """Runs the job once."""
        answer = self.worker.ask(self.job)
        if answer["rows"] != self.rows:
            raise WorkerError(f"{self.worker.name}: expected {self.rows:,} rows, found {answer['rows']:,}")
        return answer


@dataclass(frozen=True)
class Timing:
    """The seconds of the measured rounds; at least one."""

    rows: int
    seconds: list[float]

    @property
    def median(self) -> float:
        """The figure from which ratios are computed."""
        return statistics.median(self.seconds)


@dataclass(frozen=True)
class Failure:
    """The reason why a contender has no figure."""

    reason: str


Outcome = Timing | Failure
Record = Callable[[str, int, dict[str, Any]], None]


def measure(contenders: list[Contender], rounds: int, record: Record) -> dict[str, Outcome]:
    """Runs a warm-up round and `rounds` measured rounds. A contender that fails once is excluded.

    Calls `record` with each label, round (the warm-up is 0) and answer.
    """
    seconds: dict[str, list[float]] = {contender.label: [] for contender in contenders}
    failed: dict[str, Failure] = {}
    for at in range(rounds + 1):
        for contender in contenders:
            if contender.label in failed:
                continue
            answer = _answer(contender)
            record(contender.label, at, answer)
            if "error" in answer:
                failed[contender.label] = Failure(answer["error"])
            elif at > 0:
                seconds[contender.label].append(answer["seconds"])
    return {
        contender.label: failed.get(contender.label, Timing(contender.rows, seconds[contender.label]))
        for contender in contenders
    }


def _answer(contender: Contender) -> dict[str, Any]:
    try:
        return contender.ask()
    except WorkerError as error:
        return {"error": str(error)}


def ratio(slow: Outcome, fast: Outcome) -> float | None:
    """The time of the first outcome divided by that of the second; None if either failed."""
    if isinstance(slow, Failure) or isinstance(fast, Failure):
        return None
    return slow.median / fast.median
