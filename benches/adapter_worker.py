"""Benchmark worker for tensor adapters: `adapter_worker.py arrowfeed|tfx_bsl`.

The protocol is that of `python_worker.py`. The file of a job is the name of a case of `adapter_cases.py`, and
its limit is the number of rows. Batches are created before the clock starts. The clock measures the
conversion to numpy arrays.
"""

import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

# Otherwise the library prints information about its build to standard error.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import pyarrow as pa
from google.protobuf import text_format
from tensorflow_metadata.proto.v0.schema_pb2 import TensorRepresentation

from adapter_cases import CASES

DIFFERENT = 20
"""Number of distinct batches, so that they do not all fit in the L1 cache of the processor."""

Convert = Callable[[pa.RecordBatch], object]


def arrowfeed_converter(schema: pa.Schema, representation: TensorRepresentation) -> Convert:
    """A converter of arrowfeed: a tensor, and each of its arrays."""
    adapter = importlib.import_module("arrowfeed").TensorAdapter(schema, {"x": representation})
    names = {"dense": ("values",), "sparse": ("indices", "values"), "ragged": ("flat_values", "row_splits")}
    attributes = names[adapter.specs["x"].kind]

    def convert(batch: pa.RecordBatch) -> object:
        tensor = adapter.convert(batch)["x"]
        return [getattr(tensor, name) for name in attributes]

    return convert


def tfx_bsl_converter(schema: pa.Schema, representation: TensorRepresentation) -> Convert:
    """A converter of tfx_bsl, to numpy arrays instead of tensors of TensorFlow."""
    theirs = importlib.import_module("tfx_bsl.tfxio.tensor_adapter")
    adapter = theirs.TensorAdapter(theirs.TensorAdapterConfig(schema, {"x": representation}))
    return lambda batch: adapter.ToBatchTensors(batch, produce_eager_tensors=False)


CONVERTERS = {"arrowfeed": arrowfeed_converter, "tfx_bsl": tfx_bsl_converter}


@cache
def prepared(name: str, case: str, rows: int) -> tuple[Convert, list[pa.RecordBatch]]:
    """The converter and the batches of a case."""
    random = np.random.default_rng(7)
    batches = [CASES[case].batch(random, rows) for _ in range(DIFFERENT)]
    representation = text_format.Parse(CASES[case].representation, TensorRepresentation())
    return CONVERTERS[name](batches[0].schema, representation), batches


def answer(name: str, job: dict[str, Any]) -> dict[str, Any]:
    """Runs a job. An exception of the adapter becomes the answer."""
    try:
        convert, batches = prepared(name, job["file"], job["batch_size"])
        turns = job["limit"] // job["batch_size"]
        start = time.perf_counter()
        rows = sum(convert_all(convert, batches, turns))
        seconds = time.perf_counter() - start
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"seconds": seconds, "rows": rows, "peak_bytes": 0}


def convert_all(convert: Convert, batches: list[pa.RecordBatch], turns: int) -> Iterator[int]:
    """Converts batches, and yields the number of rows of each."""
    for turn in range(turns):
        batch = batches[turn % DIFFERENT]
        convert(batch)
        yield batch.num_rows


def main() -> None:
    """Answers jobs until standard input ends."""
    name = sys.argv[1]
    for line in sys.stdin:
        print(json.dumps(answer(name, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
