"""Rows per second of ExampleGen on the rows of `linkedin`: arrowfeed's executors, and that of TFX for Avro.

    python benches/example_gen.py --data DIR

Prints a table. Needs an environment with TFX, as `make test-tfx` makes it. Each executor runs in a process of
its own with Beam's DirectRunner, whose workers are processes. The time is that of `Do`, without the imports.
All write the splits `train` and `eval` with 2 and 1 hash buckets. The executor of TFX does not support
records in records, so the fields of the inner records are fields of the row.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastavro
from google.protobuf import json_format
from tfx.proto import example_gen_pb2
from tfx.types import standard_artifacts
from tfx.types import standard_component_specs as keys

from datasets import SHAPES
from generate import BLOCK_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

EXECUTORS = {
    "tfx avro_executor": "tfx.components.example_gen.custom_executors.avro_executor",
    "arrowfeed avro_executor": "arrowfeed.tfx.avro_executor",
    "arrowfeed Executor": "arrowfeed.tfx.executor",
}


def write(path: Path, rows: int, copies: int) -> None:
    """Writes the files `0.avro`, `1.avro` and so on with the same rows to a folder, unless it exists."""
    if path.exists():
        return
    [linkedin] = [dataset for dataset in SHAPES if dataset.name == "linkedin"]
    nested = fastavro.parse_schema(linkedin.schema)
    part = path.with_suffix(".part")
    part.mkdir(parents=True, exist_ok=True)
    fields = [flat for field in nested["fields"] for flat in _fields(field)]
    schema = fastavro.parse_schema({"type": "record", "name": "linkedin_flat", "fields": fields})
    records = (dict(_values(record)) for record in linkedin.records(rows, linkedin.seed))
    with (part / "0.avro").open("wb") as file:
        fastavro.writer(file, schema, records, codec="deflate", sync_interval=BLOCK_BYTES)
    for copy in range(1, copies):
        shutil.copy(part / "0.avro", part / f"{copy}.avro")
    part.rename(path)


def _fields(field: dict[str, Any]) -> list[dict[str, Any]]:
    of = field["type"]
    if isinstance(of, dict) and of["type"] == "record":
        return [{**inner, "name": f"{field['name']}_{inner['name']}"} for inner in of["fields"]]
    return [field]


def _values(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from ((f"{name}_{inner}", of) for inner, of in value.items())
        else:
            yield name, value


def measure(module: str, data: Path, pattern: str, workers: int, out: Path) -> dict[str, Any]:
    """Runs an executor in this process."""
    split = example_gen_pb2.SplitConfig.Split
    splits = [split(name="train", hash_buckets=2), split(name="eval", hash_buckets=1)]
    output = example_gen_pb2.Output(split_config=example_gen_pb2.SplitConfig(splits=splits))
    inputs = example_gen_pb2.Input(splits=[example_gen_pb2.Input.Split(name="all", pattern=pattern)])
    artifact = standard_artifacts.Examples()
    artifact.uri = str(out)
    properties = {
        keys.INPUT_BASE_KEY: str(data),
        keys.INPUT_CONFIG_KEY: json_format.MessageToJson(inputs),
        keys.OUTPUT_CONFIG_KEY: json_format.MessageToJson(output),
        keys.OUTPUT_DATA_FORMAT_KEY: example_gen_pb2.FORMAT_TF_EXAMPLE,
    }
    mode = "multi_processing" if workers > 1 else "in_memory"
    arguments = [f"--direct_num_workers={workers}", f"--direct_running_mode={mode}"]
    executor = importlib.import_module(module).Executor
    begin, cpu = time.perf_counter(), cpu_seconds()
    executor(executor.Context(beam_pipeline_args=arguments)).Do({}, {"examples": [artifact]}, properties)
    seconds, cpu = time.perf_counter() - begin, cpu_seconds() - cpu
    files = [path for path in out.rglob("*") if path.is_file()]
    return {
        "seconds": seconds,
        "cpu": cpu,
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
    }


def cpu_seconds() -> float:
    """The CPU time of this process and of its children that have ended."""
    usages = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder for the file")
    parser.add_argument("--rows", type=int, default=20_000, help="rows of a file (default: %(default)s)")
    parser.add_argument("--copies", type=int, default=50, help="files (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes of Beam (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: %(default)s)")
    parser.add_argument("--module", help=argparse.SUPPRESS)
    options = parser.parse_args()
    data = options.data.resolve() / f"linkedin_flat_{options.rows}_{options.copies}"
    rows = options.rows * options.copies
    if options.module:
        folder = Path(tempfile.mkdtemp())
        try:
            print(json.dumps(measure(options.module, data, "*.avro", options.workers, folder)))
        finally:
            shutil.rmtree(folder)
        return
    write(data, options.rows, options.copies)
    best: dict[str, dict[str, Any]] = {}
    for _ in range(options.rounds):
        for name, module in EXECUTORS.items():
            command = [sys.executable, __file__, *sys.argv[1:], "--module", module]
            done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})
            if done.returncode:
                sys.exit(done.stderr)
            found = json.loads(done.stdout.splitlines()[-1])
            if name not in best or found["seconds"] < best[name]["seconds"]:
                best[name] = found
    print(f"{rows:,} rows in {options.copies} files, {options.workers} workers, best of {options.rounds}")
    print("| executor | seconds | CPU seconds | rows per second and core | factor | files | bytes |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    base = best[next(iter(EXECUTORS))]["seconds"]
    for name, found in best.items():
        rate = rows / found["seconds"] / options.workers
        factor = base / found["seconds"]
        times = f"{found['seconds']:.1f} | {found['cpu']:.1f} | {rate:,.0f} | {factor:.1f}"
        print(f"| {name} | {times} | {found['files']} | {found['bytes']:,} |")


if __name__ == "__main__":
    main()
