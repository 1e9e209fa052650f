"""A contender's process. It lives on from job to job, so that none pays for its start."""

import json
import os
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Job:
    """One read of one file, or of the files of a pattern; or one write of their rows."""

    file: str
    batch_size: int = 8192
    threads: int = 1
    columns: list[str] | None = None
    key: str | None = None
    """A key expression, of which a tensor is made."""
    way: str | None = None
    """How the steps are taken of a dataset of TensorFlow: `eager`, `pipeline` or `function`."""
    limit: int | None = None
    """Rows after which a reader or writer stops that is too slow for the whole file."""
    write: str | None = None
    """Codec to write the rows with. The rows are read once, and the reading is not measured."""

    def line(self) -> str:
        """The job on the wire: what is not set is not sent."""
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None})


class WorkerError(Exception):
    """A worker failed a job, or died on it."""


@dataclass
class Worker:
    """A command that answers one JSON line a job; started by its first job, and again if it died."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    _process: subprocess.Popen[str] | None = None

    def ask(self, job: Job) -> dict[str, Any]:
        """Runs a job and gives the worker's answer."""
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
        """Ends the process, if there is one."""
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
