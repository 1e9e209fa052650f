"""Pipelines run on a portable job service, with LOOPBACK workers in threads or in processes."""

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
from arrowfeed import tfxio

SECONDS = 60
"""Maximum time that a job service takes to start."""


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
    service.wait(60)


@pytest.fixture(params=["threads", "processes"])
def options(request, monkeypatch, endpoint):
    """Options of a pipeline with such workers."""
    # A worker process is started by its name.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    given = [f"--job_endpoint={endpoint}", "--environment_type=LOOPBACK", "--sdk_worker_parallelism=2"]
    if request.param == "processes":
        given.append("--experiments=use_loopback_process_worker=true")
    return PipelineOptions(given)


@pytest.fixture
def folder(tmp_path):
    for number in range(3):
        write(tmp_path / f"part-{number}.avro", start=number * ROWS, codec="deflate")
    return tmp_path


def test_the_portable_runner_reads_every_row_once(folder, options):
    with beam.Pipeline(runner="PortableRunner", options=options) as pipeline:
        batches = pipeline | avro.ReadFromDataset(folder, split_bytes=5000) | beam.Reshuffle()
        rows = batches | beam.FlatMap(lambda batch: batch.column("id").to_pylist())
        assert_that(rows, equal_to(list(range(3 * ROWS))))


@pytest.mark.parametrize("raw", [None, "raw"])
def test_sources_of_tfx_are_read_once(folder, options, raw):
    source = tfxio.AvroRecord(folder, raw_record_column_name=raw).Project(["id", "tags"])
    with beam.Pipeline(runner="PortableRunner", options=options) as pipeline:
        batches = pipeline | source.BeamSource(batch_size=100) | beam.Reshuffle()
        rows = batches | beam.FlatMap(lambda batch: batch.column("id").flatten().to_pylist())
        assert_that(rows, equal_to(list(range(3 * ROWS))))
