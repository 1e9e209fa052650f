"""`AvroRecordDataset`."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from arrowfeed._arrowfeed import AvroDataset, AvroSchema, TensorFlowSource, avro_schema
from arrowfeed._frameworks import framework
from arrowfeed._tensorflow import (
    WrappedDataset,
    op_of_arguments,
    state_of_arguments,
    tensorflow_errors,
    texts_of,
)
from arrowfeed.tfio._arguments import AUTOTUNE, names

_tf: Any = framework("tensorflow")

CHUNK = 1024
"""Number of records that are read from a file at once."""


class AvroRecordDataset(WrappedDataset):
    """A dataset of single Avro records for `parse_avro`: scalars of `tf.string` in Avro's binary encoding.

    Args:
        filenames: One file name, several file names, a tensor of names, or a `tf.data.Dataset` of names.
        buffer_size: Ignored, because files are read in whole blocks.
        num_parallel_reads: Number of files to interleave. None: files are read in sequence.
        num_parallel_calls: Number of threads that read the interleaved files. None: the thread of the
            iteration reads them. `tf.data.AUTOTUNE`: chosen at run time.
        reader_schema: The reader schema, as JSON. None or empty: the schema of each file.
        deterministic: Whether the order of the records is fixed. False: records of several files are returned
            as they become available.
        block_length: Number of consecutive records from a file when files are interleaved.

    Raises:
        ValueError: `num_parallel_calls` is less than 1, or more than `num_parallel_reads`.
        TypeError: `filenames` are not names.
        tf.errors.InvalidArgumentError: `reader_schema` is invalid or, during the iteration, a file is
            damaged.
        tf.errors.NotFoundError: During the iteration, a file does not exist.

    Example:
        >>> for record in AvroRecordDataset(["part-0.avro", "part-1.avro"]).batch(128):
        ...     tensors = parse_avro(record, schema, features)
    """

    def __init__(  # noqa: PLR0917 - the signature is tensorflow-io's
        self,
        filenames: Any,
        buffer_size: Any = None,  # noqa: ARG002
        num_parallel_reads: int | None = None,
        num_parallel_calls: int | None = None,
        reader_schema: str | None = None,
        deterministic: bool = True,  # noqa: FBT001, FBT002
        block_length: int = 1,
    ) -> None:
        _check_calls(num_parallel_reads, num_parallel_calls)
        with tensorflow_errors():
            schema = AvroSchema(reader_schema).json if reader_schema else None
        files, op = _files(filenames), op_of_arguments(_Records(schema), _tf.TensorSpec([None], _tf.string))

        def of_file(file: Any) -> Any:
            return op.dataset(state_of_arguments(texts_of([file]))).flat_map(
                _tf.data.Dataset.from_tensor_slices
            )

        if num_parallel_reads is None:
            made = files.flat_map(of_file)
        else:
            made = files.interleave(
                of_file,
                cycle_length=num_parallel_reads,
                block_length=max(1, block_length),
                num_parallel_calls=num_parallel_calls,
                deterministic=deterministic if num_parallel_calls else None,
            )
        super().__init__(made)


def _check_calls(reads: int | None, calls: int | None) -> None:
    if calls is None or calls == AUTOTUNE:
        return
    if calls < 1:
        raise ValueError(f"num_parallel_calls: expected 1 or more, or tf.data.AUTOTUNE, found {calls}")
    if reads is not None and reads != AUTOTUNE and calls > reads:
        raise ValueError(
            f"num_parallel_calls: expected no more than num_parallel_reads, which is {reads}, found {calls}"
        )


def _files(filenames: Any) -> Any:
    """Converts file names to a dataset of scalar names."""
    if not isinstance(filenames, _tf.data.Dataset):
        return _tf.data.Dataset.from_tensor_slices(_tf.reshape(names(filenames), [-1]))
    spec = filenames.element_spec
    if spec == _tf.TensorSpec([], _tf.string):
        return filenames
    raise TypeError(f"filenames: expected a dataset of scalars of tf.string, found one of {spec}")


class _Records(NamedTuple):
    """A function that makes the source of the records of a file.

    Attributes:
        schema: The schema to resolve records to, as JSON. None: the schema of the file.
    """

    schema: str | None

    def __call__(self, arguments: list[bytes]) -> TensorFlowSource:
        [file] = arguments
        path = os.fsdecode(file)
        schema = self.schema or avro_schema(path).json
        # Without tensors, the dataset reads all columns.
        dataset = AvroDataset(path, representations={}, reader_schema=schema)
        # One thread, because interleaving reads several files in parallel if requested.
        return TensorFlowSource.of_records(dataset, schema, batch_size=CHUNK, threads=1)
