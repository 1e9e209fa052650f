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
"""Records that leave a file together."""


class AvroRecordDataset(WrappedDataset):
    """Avro records one by one, each a scalar `tf.string` in Avro's binary encoding, for `parse_avro`.

    Args:
        filenames: Names of files: one or several, a tensor, or a `tf.data.Dataset` of such.
        buffer_size: Taken and not used: files are read in whole blocks.
        num_parallel_reads: Files that are read in turns. None: one after the other.
        num_parallel_calls: Threads that read them.
        reader_schema: The schema that records are resolved to, as JSON. None or empty: that of each file.
        deterministic: False: records of several files come as they are ready.
        block_length: Records that are taken of a file in its turn.

    Raises:
        ValueError: `num_parallel_calls` is less than 1, or more than `num_parallel_reads`.
        TypeError: `filenames` are no names.
            A schema that is none is a `tf.errors.InvalidArgumentError`. So is, of the iteration, what is
            wrong with a file; one that is not there is a `tf.errors.NotFoundError`.

    Example:
        >>> for record in AvroRecordDataset(["part-0.avro", "part-1.avro"]).batch(128):
        ...     parse_avro(record, schema, features)
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
    """A dataset of scalar names."""
    if not isinstance(filenames, _tf.data.Dataset):
        return _tf.data.Dataset.from_tensor_slices(_tf.reshape(names(filenames), [-1]))
    spec = filenames.element_spec
    if spec == _tf.TensorSpec([], _tf.string):
        return filenames
    raise TypeError(f"filenames: expected a dataset of scalars of tf.string, found one of {spec}")


class _Records(NamedTuple):
    """What makes the source of the records of a file.

    Attributes:
        schema: That records are resolved to, as JSON; None: that of the file.
    """

    schema: str | None

    def __call__(self, arguments: list[bytes]) -> TensorFlowSource:
        [file] = arguments
        path = os.fsdecode(file)
        schema = self.schema or avro_schema(path).json
        # Without tensors, all columns are read.
        dataset = AvroDataset(path, representations={}, reader_schema=schema)
        # One thread: several files are read side by side where that is asked for.
        return TensorFlowSource.of_records(dataset, schema, batch_size=CHUNK, threads=1)
