"""Benchmark worker that makes ids of 26 columns of strings: `id_worker.py READER`.

The protocol is that of `tensor_worker.py`. A job has the way `hash` or `vocabulary`, and `memory` or `file`.
In memory, the batches are there before the clock starts, in the form that suits the reader best. Seconds are
CPU seconds of all threads, because tf.data starts threads of its own. This worker writes the files if they
are missing.
"""

import importlib
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

# Otherwise TensorFlow prints information about its build to standard error.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import arrowfeed as af
import numpy as np
import pyarrow as pa
from arrowfeed import features

from tensor_worker import Job, serve_answers, steps

NAMES = [f"c{n}" for n in range(26)]
TOKENS = [f"{n * 2654435761 % 2**32:08x}" for n in range(20_000)]
BUCKETS = 100_000


def table(rows: int) -> pa.Table:
    """Strings of 8 characters, of which few are frequent and many are rare."""
    rng = np.random.default_rng(1)
    tokens = np.array(TOKENS, object)
    return pa.table({name: pa.array(tokens[rng.zipf(1.3, rows) % len(TOKENS)]) for name in NAMES})


@cache
def made(file: str, rows: int) -> str:
    """The path of a file, which is written if it is missing."""
    path = Path(file)
    if not path.exists():
        draft = path.with_suffix(".part")
        if path.suffix == ".avro":
            af.write_avro(table(rows), draft, codec="null")
        else:
            af.write_tfrecord(table(rows), draft)
        draft.rename(path)
    return file


@cache
def batches(file: str, rows: int, size: int) -> list[af.RecordBatch]:
    """The record batches of a file."""
    return list(af.read_avro(made(file, rows), batch_size=size))


def way(job: Job) -> tuple[bool, bool]:
    """Whether a job hashes, and whether its batches are in memory."""
    kind, place = job["way"].split()
    return kind == "hash", place == "memory"


# ---- the readers: each makes ids of batches


def arrowfeed_steps(job: Job) -> Iterator[object]:
    """Transforms of arrowfeed."""
    hashes, in_memory = way(job)
    transform = features.hashed(BUCKETS) if hashes else features.vocabulary(TOKENS)
    wanted = {name: features.Dense([], transform=transform) for name in NAMES}
    file, size = job["file"], job["batch_size"]
    if not in_memory:
        dataset = af.AvroDataset(made(file, job["limit"] + size), features=wanted)
        return iter(dataset.tensors(batch_size=size, threads=job["threads"]))
    read = batches(file, job["limit"] + size, size)
    adapter = af.TensorAdapter.from_features(read[0].schema, wanted)
    return map(adapter.convert, read)


def frames(file: str, rows: int, size: int) -> list[Any]:
    """The batches as data frames of new strings, whose hashes Python does not know yet."""
    return [batch.to_pyarrow().to_pandas() for batch in batches(file, rows, size)]


def pandas_steps(job: Job) -> Iterator[object]:
    """`pandas.util.hash_array`, and the codes of a `Categorical`."""
    pandas = importlib.import_module("pandas")

    def hashed(column: Any) -> Any:
        return pandas.util.hash_array(column.to_numpy(), categorize=False) % BUCKETS

    def looked_up(column: Any) -> Any:
        return known.get_indexer(column) + 1

    known = pandas.Index(TOKENS)
    ids = hashed if way(job)[0] else looked_up
    read = frames(job["file"], job["limit"] + job["batch_size"], job["batch_size"])
    return ({name: ids(frame[name]) for name in NAMES} for frame in read)


def lists(file: str, rows: int, size: int) -> list[dict[str, list[str]]]:
    """The batches as lists of new strings, whose hashes Python does not know yet."""
    return [batch.to_pyarrow().to_pydict() for batch in batches(file, rows, size)]


def python_steps(job: Job) -> Iterator[object]:
    """What each worker of a `DataLoader` does in Python: a hash of zlib, or a dict."""
    known = {token: index for index, token in enumerate(TOKENS, 1)}

    def hashed(values: list[str]) -> list[int]:
        return [zlib.crc32(value.encode()) % BUCKETS for value in values]

    def looked_up(values: list[str]) -> list[int]:
        return [known.get(value, 0) for value in values]

    ids = hashed if way(job)[0] else looked_up
    read = lists(job["file"], job["limit"] + job["batch_size"], job["batch_size"])
    return ({name: np.array(ids(batch[name])) for name in NAMES} for batch in read)


@cache
def tensors(file: str, rows: int, size: int) -> dict[str, Any]:
    """The columns as tensors."""
    tf = importlib.import_module("tensorflow")
    columns = pa.Table.from_batches([batch.to_pyarrow() for batch in batches(file, rows, size)])
    return {name: tf.constant(columns[name].to_numpy()) for name in NAMES}


def tf_data_steps(job: Job) -> Iterator[object]:
    """`to_hash_bucket_fast` or a `StaticHashTable` on tensors in memory, or on messages of a file."""
    tf = importlib.import_module("tensorflow")
    hashes, in_memory = way(job)
    initializer = tf.lookup.KeyValueTensorInitializer(TOKENS, np.arange(1, len(TOKENS) + 1))
    known = tf.lookup.StaticHashTable(initializer, 0)
    ids = partial(tf.strings.to_hash_bucket_fast, num_buckets=BUCKETS) if hashes else known.lookup
    file, rows, size = job["file"], job["limit"] + job["batch_size"], job["batch_size"]
    if in_memory:
        dataset = tf.data.Dataset.from_tensor_slices(tensors(file, rows, size)).batch(size)
    else:
        parse = partial(
            tf.io.parse_example, features={name: tf.io.FixedLenFeature([], tf.string) for name in NAMES}
        )
        records = made(str(Path(file).with_suffix(".tfrecord")), rows)
        dataset = tf.data.TFRecordDataset(records).batch(size).map(parse)
    options = tf.data.Options()
    options.threading.private_threadpool_size = job["threads"]
    dataset = dataset.map(lambda batch: {name: ids(batch[name]) for name in NAMES})
    return iter(dataset.with_options(options))


STEPS: dict[str, Callable[[Job], Iterable[object]]] = {
    "arrowfeed": arrowfeed_steps,
    "pandas": pandas_steps,
    "Python": python_steps,
    "tf.data": tf_data_steps,
}


def answer(reader: str, job: Job) -> dict[str, Any]:
    """Runs a job. An exception of the reader becomes the answer."""
    try:
        limit = job["limit"] // job["batch_size"]
        seconds, number = steps(iter(STEPS[reader](job)), limit, time.process_time)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"seconds": seconds, "rows": number * job["batch_size"], "peak_bytes": 0}


if __name__ == "__main__":
    serve_answers(partial(answer, sys.argv[1]))
