"""A Flink cluster of processes on this machine, and the job service that sends Beam's pipelines to it."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[3]
SERVICE = ROOT / "target" / "flink" / "lib"
"""The libraries of the job service, from `make target/flink/.made`."""

FLINK = ".venv-flink/lib/python3*/site-packages/pyflink/lib"
"""The libraries of the cluster, from `make .venv-flink/.made`."""

_SECONDS = 60
"""Time in which a process must start."""

_MANAGER = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
_WORKER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"
_JOBS = "org.apache.beam.runners.flink.FlinkJobServerDriver"

_MODULES = {
    "java.base/java.": "io lang lang.invoke lang.reflect math net nio text time util util.concurrent "
    "util.concurrent.atomic util.concurrent.locks",
    "java.base/sun.": "nio.ch net.util",
}
_OPENS = [
    f"--add-opens={start}{name}=ALL-UNNAMED" for start, names in _MODULES.items() for name in names.split()
]
_QUICK = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
"""Options of processes that start quickly and run for a short time."""


_LOGGING = """
rootLogger.level = WARN
rootLogger.appenderRef.console.ref = Console
appender.console.name = Console
appender.console.type = CONSOLE
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %-5p %c{1} %m%n
"""


def missing() -> str | None:
    """Names the programs that a cluster needs and this machine lacks. None: it has all."""
    if shutil.which("java") is None:
        return "java on the PATH"
    if not list(ROOT.glob(f"{FLINK}/flink-dist-*.jar")):
        return "Flink's libraries: make .venv-flink/.made"
    if not list(SERVICE.glob("beam-runners-flink-*.jar")):
        return "the job service for Flink: make target/flink/.made, which needs java and mvn on the PATH"
    return None


class Cluster:
    """A job manager, task managers with one slot each, and a job service. `running` starts one.

    Args:
        directory: Directory for configurations, logs and temporary files.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._processes: list[subprocess.Popen[bytes]] = []
        self._ports = dict(zip(("rpc", "rest", "blob", "jobs"), _free_ports(4), strict=True))
        self.workers: list[subprocess.Popen[bytes]] = []

    @property
    def endpoint(self) -> str:
        """The address of the job service."""
        return f"localhost:{self._ports['jobs']}"

    @property
    def options(self) -> list[str]:
        """Options of a pipeline whose Python workers are processes of the task managers.

        The workers of all task managers have the same names. So one pool of processes for several task
        managers, as LOOPBACK has it, would end the workers of others.
        """
        command = self._directory / "worker"
        paths = os.pathsep.join([str(ROOT / "python"), str(ROOT / "tests" / "engines")])
        worker = shlex.join([sys.executable, str(Path(__file__).with_name("worker.py"))])
        command.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(paths)} exec {worker} "$@"\n')
        command.chmod(0o755)
        environment = json.dumps({"command": str(command)})
        # Without the cache, each stage of a job starts Python again.
        given = [f"--job_endpoint={self.endpoint}", "--parallelism=2", "--environment_cache_millis=600000"]
        return [*given, "--environment_type=PROCESS", f"--environment_config={environment}"]

    def start(self, workers: int) -> None:
        """Starts everything, and waits until it can run jobs."""
        flink = sorted(map(str, ROOT.glob(f"{FLINK}/*.jar")))
        self._flink = os.pathsep.join(flink)
        (self._directory / "log4j.properties").write_text(_LOGGING)
        self._run("manager", ["-Xmx512m"], self._flink, [_MANAGER, *self._configured("manager")])
        for _ in range(workers):
            self.add_worker()
        service = os.pathsep.join(sorted(map(str, SERVICE.glob("*.jar"))))
        address = f"localhost:{self._ports['rest']}"
        arguments = [f"--flink-master={address}", f"--job-port={self._ports['jobs']}", "--artifact-port=0"]
        arguments += ["--expansion-port=0", f"--artifacts-dir={self._directory / 'artifacts'}"]
        logging = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        self._run("jobs", ["-Xmx512m", logging], service, [_JOBS, *arguments])
        self._wait(lambda: _listens(self._ports["jobs"]))
        self.wait_for_workers(workers)

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Starts a task manager with one slot."""
        name = f"worker-{len(self.workers)}"
        arguments = [_WORKER, *self._configured(name)]
        process = self._run(name, ["-Xmx400m", "-XX:MaxMetaspaceSize=256m"], self._flink, arguments)
        self.workers.append(process)
        return process

    def wait_for_workers(self, count: int) -> None:
        """Waits until so many slots are registered."""
        self._wait(lambda: self.ask("overview")["slots-total"] >= count)

    def ask(self, path: str) -> Any:
        """Asks the job manager. Raises OSError as long as it does not answer."""
        with urllib.request.urlopen(f"http://localhost:{self._ports['rest']}/{path}", timeout=60) as answer:
            return json.load(answer)

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """Kills a task manager, as `kill -9` does."""
        worker.send_signal(signal.SIGKILL)
        worker.wait(60)

    def stop(self) -> None:
        """Ends all processes, and those that they have started."""
        for process in reversed(self._processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self._processes:
            process.wait(60)

    def logs(self) -> str:
        """The last lines of all logs."""
        logs = sorted(self._directory.glob("*.log"))
        return "\n".join(f"== {log.name}\n{log.read_text(errors='replace')[-2000:]}" for log in logs)

    def _configured(self, name: str) -> list[str]:
        """Writes a configuration directory, and returns the arguments that name it."""
        directory = self._directory / name
        (directory / "temporary").mkdir(parents=True)
        configuration = {
            "jobmanager.rpc.address": "localhost",
            "jobmanager.rpc.port": self._ports["rpc"],
            "jobmanager.bind-host": "localhost",
            "blob.server.port": self._ports["blob"],
            "rest.port": self._ports["rest"],
            "rest.address": "localhost",
            "rest.bind-address": "localhost",
            "taskmanager.host": "localhost",
            "taskmanager.bind-host": "localhost",
            "taskmanager.numberOfTaskSlots": 1,
            "taskmanager.cpu.cores": 1.0,
            "taskmanager.memory.framework.heap.size": "128m",
            "taskmanager.memory.framework.off-heap.size": "128m",
            "taskmanager.memory.task.heap.size": "256m",
            "taskmanager.memory.task.off-heap.size": "0m",
            "taskmanager.memory.network.min": "64m",
            "taskmanager.memory.network.max": "64m",
            "taskmanager.memory.managed.size": "128m",
            "taskmanager.memory.jvm-metaspace.size": "256m",
            "taskmanager.memory.jvm-overhead.min": "64m",
            "taskmanager.memory.jvm-overhead.max": "64m",
            "parallelism.default": 2,
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": 10,
            "restart-strategy.fixed-delay.delay": "1 s",
            "heartbeat.interval": 1000,
            "heartbeat.timeout": 5000,
            "io.tmp.dirs": directory / "temporary",
        }
        lines = [f"{key}: {value}\n" for key, value in configuration.items()]
        (directory / "flink-conf.yaml").write_text("".join(lines))
        return ["--configDir", str(directory)]

    def _run(self, name: str, options: list[str], libraries: str, arguments: list[str]) -> Any:
        logging = f"-Dlog4j.configurationFile={self._directory / 'log4j.properties'}"
        command = ["java", *_QUICK, *_OPENS, *options, logging, "-cp", libraries, *arguments]
        with (self._directory / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        self._processes.append(process)
        return process

    def _wait(self, ready: Callable[[], bool]) -> None:
        for _ in range(5 * _SECONDS):
            with contextlib.suppress(OSError):
                if ready():
                    return
            ended = [process for process in self._processes if process.poll() not in (None, -signal.SIGKILL)]
            if ended:
                break
            time.sleep(0.2)
        raise RuntimeError(f"expected Flink to start:\n{self.logs()}")


@contextlib.contextmanager
def running(directory: Path, workers: int = 2) -> Iterator[Cluster]:
    """Runs a cluster, and ends all of its processes."""
    cluster = Cluster(directory)
    try:
        cluster.start(workers)
        yield cluster
    finally:
        cluster.stop()


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _listens(port: int) -> bool:
    with socket.create_connection(("localhost", port), timeout=1):
        return True
