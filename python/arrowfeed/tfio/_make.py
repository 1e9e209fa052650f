"""`make_avro_record_dataset`."""

from __future__ import annotations

from typing import Any

from arrowfeed._arrowfeed import AvroDataset
from arrowfeed._dataset import tensors_of
from arrowfeed._frameworks import framework
from arrowfeed._tensorflow import PassesDataset, tensorflow_errors, type_spec
from arrowfeed.tfio._arguments import AUTOTUNE, names, paths, threads
from arrowfeed.tfio._errors import ArgumentError
from arrowfeed.tfio._features import converted

_tf: Any = framework("tensorflow")

SHUFFLED = 10_000
"""Default number of rows that are shuffled together."""


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
    *,
    num_parallel_parser_calls: int | None = None,
) -> Any:
    """Returns a `tf.data.Dataset` that reads Avro files and converts batches of records to tensors.

    Args:
        file_pattern: A path or a glob, or several of these.
        features: As in `parse_avro`.
        batch_size: Number of rows of a batch. A batch may have rows of two epochs, so only the very last
            batch may have fewer rows.
        reader_schema: The reader schema, as JSON. None: the schema of the files.
        reader_buffer_size: Ignored, because files are read in whole blocks.
        num_epochs: Number of passes over all records. None: endless.
        shuffle: Whether to shuffle. False: records are in the order of the sorted files.
        shuffle_buffer_size: Minimum number of rows that are shuffled together. None: 10,000.
        shuffle_seed: Seed of the shuffle. None: a different order in each run.
        prefetch_buffer_size: Number of prefetched batches. `tf.data.AUTOTUNE`: chosen at run time. 0 or None:
            no prefetching.
        num_parallel_reads: Number of decoding threads. None or `tf.data.AUTOTUNE`: one per core.
        drop_final_batch: Drops the very last batch if it has fewer rows.
        num_parallel_parser_calls: The option of older releases. It is used if `num_parallel_reads` is None,
            because the threads that read also parse.

    Returns:
        A dataset of dicts of `tf.Tensor` and `tf.SparseTensor`, sorted by name.

    Raises:
        ValueError: An argument or a feature has an invalid value.
        tf.errors.InvalidArgumentError: The schema, a key or the first file is invalid or, during the
            iteration, another file is damaged.
        tf.errors.NotFoundError: There are no files.

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
        "seed": shuffle_seed if shuffle else None,
        "threads": threads(num_parallel_parser_calls if num_parallel_reads is None else num_parallel_reads),
    }
    tensors_of(dataset, options).close()
    specs = {name: type_spec(spec, batch_size if drop else None) for name, spec in dataset.specs.items()}
    return PassesDataset(dataset, specs, options, ahead=prefetch_buffer_size or 0)


def _rows(shuffle_buffer_size: int | None) -> int:
    if shuffle_buffer_size is None:
        return SHUFFLED
    if shuffle_buffer_size < 1:
        raise ArgumentError(f"shuffle_buffer_size: expected 1 or more, found {shuffle_buffer_size}")
    return shuffle_buffer_size
