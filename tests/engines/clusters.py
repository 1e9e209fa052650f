"""Starts clusters on this machine, each with two workers in separate processes."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINES = Path(__file__).resolve().parent
PACKAGE = ENGINES.parents[1] / "python"
PYTHONPATH = os.pathsep.join([str(PACKAGE), str(ENGINES)])
"""The workers import arrowfeed, and the modules of the tests."""
SECONDS = 60
"""Maximum time that a job service takes to start."""


@contextlib.contextmanager
def ray_cluster() -> Iterator[Any]:
    """A Ray cluster of two workers."""
    ray: Any = pytest.importorskip("ray", reason="SKIPPED Ray: expected ray to be installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        _start_ray(ray)
        ray.data.DataContext.get_current().enable_progress_bars = False
        try:
            yield ray
        finally:
            ray.shutdown()


def _start_ray(ray: Any) -> None:
    """Starts a cluster. On a busy machine, its first process can exceed a limit of Ray that has no option."""
    start = functools.partial(
        ray.init, num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 30
    )
    for _ in range(2):
        with contextlib.suppress(RuntimeError):
            start()
            return
        ray.shutdown()
    start()


@contextlib.contextmanager
def dask_client() -> Iterator[Any]:
    """A client of a Dask cluster of two workers, which have one thread."""
    reason = "SKIPPED Dask: expected distributed to be installed"
    distributed: Any = pytest.importorskip("distributed", reason=reason)
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        client.run(_imports)
        yield client


def _imports() -> None:
    """Imports the libraries of Dask's tasks before the tests, so that no worker starts late."""
    for name in ("arrowfeed.dask", "rows"):
        importlib.import_module(name)


@contextlib.contextmanager
def spark_session(warehouse: Path) -> Iterator[Any]:
    """A session on a Spark cluster of two executors, which knows the format `arrowfeed`."""
    sql: Any = pytest.importorskip("pyspark.sql", reason="SKIPPED Spark: expected pyspark to be installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", PYTHONPATH)
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.memory": "1g",
            "spark.driver.host": "127.0.0.1",
            "spark.executorEnv.PYTHONPATH": PYTHONPATH,
            "spark.sql.session.timeZone": "America/New_York",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(warehouse),
        }
        builder = sql.SparkSession.builder.master("local-cluster[2,1,1024]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = _start_spark(builder, warehouse / "jvm.log")
        session.sparkContext.setLogLevel("OFF")
        importlib.import_module("arrowfeed.spark").register(session)
        try:
            yield session
        finally:
            session.stop()


def _start_spark(builder: Any, log: Path) -> Any:
    """Starts a session. A JVM that ends at its start, as can happen on a busy machine, is started again.

    Args:
        builder: The builder of the session.
        log: A new file for the errors of the JVM, which a failure shows.
    """
    with log.open("wb") as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            for _ in range(2):
                with contextlib.suppress(RuntimeError):
                    return builder.getOrCreate()
            return builder.getOrCreate()
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {log.read_text(errors='replace')[-2000:]}") from error
        finally:
            os.dup2(kept, 2)
            os.close(kept)


@contextlib.contextmanager
def job_service(folder: Path) -> Iterator[list[str]]:
    """Options of Beam's portable runner, with a job service, and two workers.

    Args:
        folder: A directory for the files of the service.
    """
    pytest.importorskip("apache_beam", reason="SKIPPED Beam: expected apache-beam to be installed")
    port, log = folder / "port", folder / "log"
    command = [sys.executable, "-m", "apache_beam.runners.portability.local_job_service_main"]
    with log.open("w") as output:
        service = subprocess.Popen([*command, "--port_file", port], stdout=output, stderr=output)
    options = ["--environment_type=LOOPBACK", "--experiments=use_loopback_process_worker=true"]
    try:
        for _ in range(10 * SECONDS):
            if service.poll() is not None or (port.exists() and port.read_text()):
                break
            time.sleep(0.1)
        assert port.exists(), log.read_text()[-2000:]
        options += [f"--job_endpoint=localhost:{port.read_text()}", "--sdk_worker_parallelism=2"]
        with pytest.MonkeyPatch.context() as patch:
            # A worker is started by its name.
            patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
            patch.setenv("PYTHONPATH", os.pathsep.join([PYTHONPATH, os.environ.get("PYTHONPATH", "")]))
            yield options
    finally:
        service.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            service.wait(60)
        service.kill()
