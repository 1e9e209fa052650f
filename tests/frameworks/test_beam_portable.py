"""A portable job service of its own process, and LOOPBACK workers: threads of this one, or processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that, equal_to
from beam_files import ROWS, write

from arrowfeed import beam as avro

SECONDS = 60
"""How long a job service may take to start."""


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    """The address of a job service."""
    folder = tmp_path_factory.mktemp("service")
    port, log = folder / "port", folder / "log"
    command = [sys.executable, "-m", "apache_beam.runners.portability.local_job_service_main"]
    with log.open("w") as output:
        service = subprocess.Popen([*command, "--port_file", port], stdout=output, stderr=output)
    for _ in range(10 * SECONDS):
        if service.poll() is not None or (port.exists() and port.read_text()):
            break
        time.sleep(0.1)
    if not port.exists():
        service.kill()
        pytest.skip(f"SKIPPED the portable job service, which did not start: {log.read_text()[-2000:]}")
    yield f"localhost:{port.read_text()}"
    service.terminate()
    service.wait(10)


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_every_row_is_read_once(tmp_path, monkeypatch, endpoint, workers):
    # A worker process is started by its name.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for number in range(3):
        write(tmp_path / f"part-{number}.avro", start=number * ROWS, codec="deflate")
    options = [f"--job_endpoint={endpoint}", "--environment_type=LOOPBACK", "--sdk_worker_parallelism=2"]
    if workers == "processes":
        options.append("--experiments=use_loopback_process_worker=true")
    with beam.Pipeline(runner="PortableRunner", options=PipelineOptions(options)) as pipeline:
        batches = pipeline | avro.ReadAvro(tmp_path, split_bytes=5000) | beam.Reshuffle()
        assert_that(
            batches | beam.FlatMap(lambda batch: batch.column("id").to_pylist()),
            equal_to(list(range(3 * ROWS))),
        )
