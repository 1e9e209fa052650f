"""Benchmark worker for both implementations of ATDSDataset: `dropin_worker.py arrowfeed|atds`.

The protocol is that of `tensor_worker.py`. Steps are taken by eager code, from the dataset itself or from a
pipeline of tf.data over it, or by a `tf.function`, as in Keras.
"""

import functools
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any

# Otherwise TensorFlow prints information about its build to standard error.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf

from datasets import linkedin
from tensor_worker import KINDS, LENGTHS, Job, serve

MODULES = {
    "atds": (
        "tensorflow_io.python.experimental.atds.dataset",
        "tensorflow_io.python.experimental.atds.features",
    ),
    "arrowfeed": ("arrowfeed.tfio", "arrowfeed.tfio"),
}
"""The modules of the dataset and of the features of each implementation. All other code is the same."""

AHEAD = 2

STEPS_OF_A_CALL = 10
"""Number of steps in one call of a `tf.function`."""


def dataset(name: str, job: Job) -> Any:
    """A dataset of all 19 features of linkedin."""
    reader, features = (importlib.import_module(module) for module in MODULES[name])
    dtypes = {kind: tf.as_dtype(dtype) for kind, dtype in KINDS.items()}
    chosen = {column: features.DenseFeature([], dtypes[kind]) for column, kind in linkedin.SCALARS}
    chosen |= {
        column: features.DenseFeature([LENGTHS[column]], dtypes[kind]) for column, kind in linkedin.DENSE
    }
    chosen |= {
        column: features.SparseFeature([linkedin.VOCABULARY], tf.float32) for column in linkedin.SPARSE
    }
    return reader.ATDSDataset(
        job["file"], batch_size=job["batch_size"], features=chosen, num_parallel_calls=job["threads"]
    )


def labelled(batch: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Separates the features and the label, the minimum that pipelines do."""
    return {name: tensor for name, tensor in batch.items() if name != "label"}, batch["label"]


@tf.function
def steps(iterator: Any) -> Any:
    """Takes steps that read each part of each tensor."""
    total = tf.constant(0, tf.int64)
    for _ in tf.range(STEPS_OF_A_CALL):
        parts = tf.nest.flatten(next(iterator), expand_composites=True)
        total += tf.add_n([tf.size(part, tf.int64) for part in parts])
    return total


def stepped(made: Any) -> Iterator[object]:
    """Yields an item for each step that a `tf.function` takes over a dataset."""
    iterator = iter(made.prefetch(AHEAD))
    while True:
        yield from [steps(iterator)] * STEPS_OF_A_CALL


def batches(name: str, job: Job) -> Iterator[object]:
    """The batches of a job, read in the way that it specifies."""
    made = dataset(name, job)
    match job["way"]:
        case "function":
            return stepped(made)
        case "pipeline":
            return iter(made.map(labelled).prefetch(AHEAD))
        case _:
            return iter(made)


if __name__ == "__main__":
    serve(functools.partial(batches, sys.argv[1]))
