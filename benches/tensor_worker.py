"""Benchmark worker that reads files into tensors: `tensor_worker.py arrowfeed|atds|avro_record`.

The protocol is that of `python_worker.py`. The clock runs from the first batch to the last, so that no step
includes opening files and starting threads. Only the rows of these steps are counted.
"""

import functools
import importlib
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

# Otherwise TensorFlow prints information about its build to standard error.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from datasets import linkedin

LENGTHS = {name: int(name.rpartition("_")[2]) for name, _ in linkedin.DENSE}

KINDS = {"float": "float32", "double": "float64", "int": "int32", "long": "int64", "boolean": "bool"}
"""Types of TensorFlow by Avro type."""

Job = dict[str, Any]
Batches = Callable[[Job], Iterable[object]]


def arrowfeed_batches(job: Job) -> Iterable[object]:
    """Dicts of tensors, or record batches of the columns if the job names columns."""
    arrowfeed = importlib.import_module("arrowfeed")
    features = importlib.import_module("arrowfeed.features")
    options = {"batch_size": job["batch_size"], "threads": job["threads"]}
    if columns := job.get("columns"):
        return iter(arrowfeed.AvroDataset(job["file"], columns=columns).record_batches(**options))
    if key := job.get("key"):
        return iter(arrowfeed.AvroDataset(job["file"], features={key: features.Ragged()}).tensors(**options))
    chosen = {name: features.Dense([]) for name, _ in linkedin.SCALARS}
    chosen |= {name: features.Dense([length]) for name, length in LENGTHS.items()}
    chosen |= {
        name: features.Sparse("indices0[*]", "values[*]", linkedin.VOCABULARY) for name in linkedin.SPARSE
    }
    return iter(arrowfeed.AvroDataset(job["file"], features=chosen).tensors(**options))


def atds_batches(job: Job) -> Iterable[object]:
    """Dicts of TensorFlow tensors from the second reader of tensorflow-io."""
    tf = importlib.import_module("tensorflow")
    atds = importlib.import_module("tensorflow_io.python.experimental.atds.features")
    dataset = importlib.import_module("tensorflow_io.python.experimental.atds.dataset").ATDSDataset
    kinds = {kind: tf.as_dtype(dtype) for kind, dtype in KINDS.items()}
    chosen = {name: atds.DenseFeature([], kinds[kind]) for name, kind in linkedin.SCALARS}
    chosen |= {name: atds.DenseFeature([LENGTHS[name]], kinds[kind]) for name, kind in linkedin.DENSE}
    chosen |= {name: atds.SparseFeature([linkedin.VOCABULARY], tf.float32) for name in linkedin.SPARSE}
    return iter(
        dataset(job["file"], batch_size=job["batch_size"], features=chosen, num_parallel_calls=job["threads"])
    )


def avro_record_batches(job: Job) -> Iterable[object]:
    """Dicts of TensorFlow tensors from tensorflow-io's first reader, with two columns per sparse feature."""
    tf = importlib.import_module("tensorflow")
    columnar = importlib.import_module("tensorflow_io").experimental.columnar
    kinds = {kind: tf.as_dtype(dtype) for kind, dtype in KINDS.items()}
    chosen = {name: tf.io.FixedLenFeature([], kinds[kind]) for name, kind in linkedin.SCALARS}
    chosen |= {
        f"{name}[*]": tf.io.FixedLenFeature([LENGTHS[name]], kinds[kind]) for name, kind in linkedin.DENSE
    }
    for name in linkedin.SPARSE:
        chosen[f"{name}.indices0[*]"] = columnar.VarLenFeatureWithRank(tf.int64)
        chosen[f"{name}.values[*]"] = columnar.VarLenFeatureWithRank(tf.float32)
    # An incomplete last batch corrupts the memory of this reader.
    return iter(
        columnar.make_avro_record_dataset(
            [job["file"]],
            chosen,
            job["batch_size"],
            json.dumps(linkedin.LINKEDIN.schema),
            num_epochs=1,
            shuffle=False,
            num_parallel_reads=job["threads"],
            drop_final_batch=True,
        )
    )


BATCHES = {"arrowfeed": arrowfeed_batches, "atds": atds_batches, "avro_record": avro_record_batches}


def steps(
    batches: Iterator[object], limit: int | None, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, int]:
    """The seconds and the number of the steps after the first one."""
    next(batches)
    start = clock()
    number = sum(1 for _ in itertools.islice(batches, limit))
    return clock() - start, number


def answer(batches: Batches, job: Job) -> dict[str, Any]:
    """Runs a job. An exception of the reader becomes the answer. Only the rows of the steps are counted."""
    try:
        limit = job.get("limit")
        seconds, number = steps(iter(batches(job)), limit and limit // job["batch_size"])
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"seconds": seconds, "rows": number * job["batch_size"], "peak_bytes": 0}


def serve(batches: Batches) -> None:
    """Answers jobs by taking steps over batches, until standard input ends."""
    serve_answers(functools.partial(answer, batches))


def serve_answers(answer: Callable[[Job], dict[str, Any]]) -> None:
    """Answers jobs until standard input ends. Other output of TensorFlow is redirected to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    serve(BATCHES[sys.argv[1]])
