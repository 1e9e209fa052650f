"""`make_avro_record_dataset`."""

from __future__ import annotations

from typing import Any

from arrowfeed._arrowfeed import AvroDataset
from arrowfeed._frameworks import framework
from arrowfeed._tensorflow import PassesDataset, tensorflow_errors, type_spec
from arrowfeed.tfio._arguments import AUTOTUNE, names, paths, threads
from arrowfeed.tfio._errors import ArgumentError
from arrowfeed.tfio._features import converted

_tf: Any = framework("tensorflow")

SHUFFLED = 10_000
"""Rows that are shuffled with each other, unless told otherwise."""


def make_avro_record_dataset(  # noqa: PLR0917 - the signature is tensorflow-io's
    file_pattern: Any,
    features: dict[str, Any],
    batch_size: int,
    reader_schema: str | None,
    reader_buffer_size: int | None = None,  # noqa: ARG001
    num_epochs: int | None = None,
    shuffle: bool = True,  # noqa: FBT001, FBT002
    shuffle_buffer_size: int | None = None,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = AUTOTUNE,
    num_parallel_reads: int | None = None,
    drop_final_batch: bool = False,  # noqa: FBT001, FBT002
) -> Any:
    """A `tf.data.Dataset` of batches of Avro records, from files to tensors in one step.

    Args:
        file_pattern: A path, a glob, or several.
        features: As of `parse_avro`.
        batch_size: Rows of a batch. Batches reach across epochs: only the very last one may be short.
        reader_schema: The schema that records are resolved to, as JSON. None: that of the files.
        reader_buffer_size: Taken and not used: files are read in whole blocks.
        num_epochs: How often all records are given. None: without end.
        shuffle: False: records come in the order of the files, sorted.
        shuffle_buffer_size: Rows that are shuffled with each other, at least. None: 10,000.
        shuffle_seed: None: another order in each run.
        prefetch_buffer_size: Batches that wait for the model. `tf.data.AUTOTUNE`: chosen while running. 0
            or None: none.
        num_parallel_reads: Threads that decode. None or `tf.data.AUTOTUNE`: as many as cores.
        drop_final_batch: Leaves out the very last batch if it is short.

    Returns:
        Elements are dicts of `tf.Tensor` and `tf.SparseTensor`, in the order of the names.

    Raises:
        ValueError: An argument or a feature has a wrong value.
            What is wrong with the schema, a key, or the first file is a `tf.errors.InvalidArgumentError`;
            with other files, too, of the iteration. Without files it is a `tf.errors.NotFoundError`.

    Example:
        >>> features = {"name.first": tf.io.FixedLenFeature([], tf.string)}
        >>> rows = make_avro_record_dataset("part-*.avro", features, 128, schema, num_epochs=1)
    """
    wanted = converted(features)
    with tensorflow_errors():
        files = paths(names(file_pattern).numpy())
        dataset = AvroDataset(files, features=wanted, reader_schema=reader_schema or None)
    drop = drop_final_batch or num_epochs is None
    options: dict[str, Any] = {
        "batch_size": batch_size,
        "drop_remainder": drop,
        "epochs": num_epochs,
        "across_epochs": True,
        "shuffle_buffer_size": _rows(shuffle_buffer_size) if shuffle else 0,
        "seed": shuffle_seed,
        "threads": threads(num_parallel_reads),
    }
    dataset.tensors(**options).close()
    specs = {name: type_spec(spec, batch_size if drop else None) for name, spec in dataset.specs.items()}
    return PassesDataset(dataset, specs, options, ahead=prefetch_buffer_size or 0)


def _rows(shuffle_buffer_size: int | None) -> int:
    if shuffle_buffer_size is None:
        return SHUFFLED
    if shuffle_buffer_size < 1:
        raise ArgumentError(f"shuffle_buffer_size: expected 1 or more, found {shuffle_buffer_size}")
    return shuffle_buffer_size
