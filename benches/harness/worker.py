"""The process of a contender. It runs many jobs, so that no job includes its start."""

import json
import os
import subprocess
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Job:
    """One read of a file or of the files of a pattern, or one write of their rows."""

    file: str
    batch_size: int | None = 8192
    """None: the default of the reader."""
    threads: int = 1
    columns: list[str] | None = None
    key: str | None = None
    """A key expression that a tensor selects."""
    way: str | None = None
    """The kind of measurement. For a dataset of TensorFlow: `eager`, `pipeline` or `function`. For
    the command line: the command. With `filter`: `decode all`."""
    filter: str | None = None
    """A predicate that the rows must pass. The worker returns the number of all rows."""
    limit: int | None = None
    """Number of rows after which to stop, for readers and writers that are too slow for the whole file."""
    write: str | None = None
    """Codec for writing the rows. The rows are read once, and the reading is not measured."""

    def line(self) -> str:
        """The job as a JSON line, without the fields that are not set."""
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None})


class WorkerError(Exception):
    """An error for a worker that failed a job, or died during it."""


@dataclass
class Worker:
    """A command that answers each job with a JSON line. A job starts it if it is not running."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    _process: subprocess.Popen[str] | None = None

    def ask(self, job: Job) -> dict[str, Any]:
        """Runs a job, and returns the worker's answer."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(job.line() + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise WorkerError(f"{self.name} ended with status {self._reap()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(f"{self.name}: {answer['error']}")
        return answer

    def close(self) -> None:
        """Ends the process if it is running."""
        if self._process is not None:
            self._reap()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            if not Path(self.command[0]).exists():
                raise WorkerError(f"{self.name}: expected {self.command[0]}, which is not built")
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ | self.environment,
            )
        return self._process

    def _reap(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.communicate()
        return process.returncode

    @property
    def process_id(self) -> int | None:
        """The process, if it is running."""
        return None if self._process is None else self._process.pid


class MemorySamples:
    """Samples the resident memory of a worker in the background, on Linux: pairs of seconds and bytes."""

    INTERVAL = 0.02

    def __init__(self, worker: Worker) -> None:
        self.found: list[tuple[float, int]] = []
        self._worker = worker
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> "MemorySamples":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _sample(self) -> None:
        start = time.monotonic()
        while not self._ended.wait(self.INTERVAL):
            try:
                pages = int(Path(f"/proc/{self._worker.process_id}/statm").read_text().split()[1])
            except (OSError, ValueError, IndexError):
                # The process has not started yet, or the system has no such file.
                continue
            size = pages * os.sysconf("SC_PAGE_SIZE")
            self.found.append((round(time.monotonic() - start, 3), size))
