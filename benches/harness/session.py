"""One run: its options, its workers, and the file for its results."""

import json
import sys
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from datasets import COLUMNS, GROWTH, SHAPES
from harness.rounds import Contender, Failure, Outcome, measure
from harness.worker import Job, Worker

BENCHES = Path(__file__).resolve().parent.parent


def load_bars() -> dict[str, Any]:
    """Reads the bars from `bars.toml`."""
    return tomllib.loads((BENCHES / "bars.toml").read_text())


@dataclass
class Session:
    """A run with fixed options. Workers start on first use."""

    data: Path
    scale: float
    rounds: int
    schemas: list[str]
    codecs: list[str]
    log: TextIO
    bars: dict[str, Any] = field(default_factory=load_bars)
    failures: dict[str, list[str]] = field(default_factory=dict)
    """Cases without a figure, by reason."""
    _workers: dict[str, Worker] = field(default_factory=dict)

    def worker(self, reader: str) -> Worker:
        """The long-lived worker of a reader."""
        if reader not in self._workers:
            self._workers[reader] = new_worker(reader)
        return self._workers[reader]

    def rows(self, dataset: str) -> int:
        """Rows of a dataset's files at this run's scale."""
        return next(one for one in (*SHAPES, *GROWTH, *COLUMNS) if one.name == dataset).scaled_rows(
            self.scale
        )

    def path(self, name: str) -> str:
        """The path of a file or pattern in the data folder."""
        return str(self.data / name)

    def contender(self, label: str, reader: str, dataset: str, job: Job) -> Contender:
        """A contender that reads a whole dataset, or its first rows if the job has a limit."""
        rows = self.rows(dataset)
        return Contender(label, self.worker(reader), job, min(rows, job.limit or rows))

    def measure(self, suite: str, case: str, contenders: list[Contender]) -> dict[str, Outcome]:
        """Measures contenders side by side. Logs each round, and records each failure."""

        def record(label: str, at: int, answer: dict[str, Any]) -> None:
            self.write({"suite": suite, "case": case, "reader": label, "round": at, **answer})

        outcomes = measure(contenders, self.rounds, record)
        for outcome in outcomes.values():
            if isinstance(outcome, Failure):
                self.fail(f"{suite} {case}", outcome.reason)
        return outcomes

    def fail(self, case: str, reason: str) -> None:
        """Records a figure that could not be measured."""
        self.failures.setdefault(reason, []).append(case)

    def show_failures(self) -> None:
        """Prints each reason once, whatever number of cases it affected."""
        for reason, cases in self.failures.items():
            print(f"failed: {reason} (cases: {len(cases)}, the first: {cases[0]})", file=sys.stderr)

    def write(self, line: dict[str, Any]) -> None:
        """Adds a line to the results."""
        self.log.write(json.dumps({"time": round(time.time(), 3), **line}) + "\n")
        self.log.flush()

    def close(self) -> None:
        """Ends all workers."""
        for worker in self._workers.values():
            worker.close()


def new_worker(reader: str) -> Worker:
    """Creates the worker of a reader: `rust` is the Rust API of arrowfeed, `python` its Python API."""
    if reader == "arrow-avro":
        return Worker(reader, [str(BENCHES.parent / "target/release/arrow_avro_worker")])
    if reader == "rust":
        return Worker("arrowfeed", [str(BENCHES.parent / "target/release/arrowfeed_worker")])
    if reader.startswith("adapter of "):
        name = reader.removeprefix("adapter of ")
        # TensorFlow and tfx_bsl are in the environment of the tests.
        python = BENCHES.parent / ".venv-all/bin/python"
        return Worker(reader, [str(python), str(BENCHES / "adapter_worker.py"), name])
    if reader.startswith("tensors of "):
        name = reader.removeprefix("tensors of ")
        # The last tensorflow-io needs an older TensorFlow, and therefore a separate environment.
        python = sys.executable if name == "arrowfeed" else str(BENCHES.parent / ".venv-tfio/bin/python")
        return Worker(reader, [python, str(BENCHES / "tensor_worker.py"), name])
    if reader.startswith("drop-in of "):
        name = reader.removeprefix("drop-in of ")
        environment = ".venv-all" if name == "arrowfeed" else ".venv-tfio"
        python = BENCHES.parent / environment / "bin/python"
        return Worker(reader, [str(python), str(BENCHES / "dropin_worker.py"), name])
    if reader.startswith("format of "):
        name = reader.removeprefix("format of ")
        python = BENCHES.parent / ".venv-all/bin/python"
        return Worker(reader, [str(python), str(BENCHES / "format_worker.py"), name])
    if reader.startswith("ids of "):
        python = BENCHES.parent / ".venv-all/bin/python"
        return Worker(reader, [str(python), str(BENCHES / "id_worker.py"), reader.removeprefix("ids of ")])
    if reader == "command line":
        return Worker(reader, [sys.executable, str(BENCHES / "cli_worker.py")])
    name = "arrowfeed" if reader == "python" else reader
    command = [sys.executable, str(BENCHES / "python_worker.py"), name]
    # All readers use one thread. polars reads the number of threads from the environment.
    return Worker(f"{name} in Python", command, {"POLARS_MAX_THREADS": "1"})
