"""The coders of tfx_bsl from record batches to `tf.Example` messages."""

from __future__ import annotations

import collections
import importlib
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import encode_examples
from arrowfeed._errors import ArrowfeedError
from arrowfeed._frameworks import framework
from arrowfeed.tfxio._config import proto

if TYPE_CHECKING:
    from arrowfeed.types import ProtoLike


class _RaggedColumn(NamedTuple):
    """The features for a column of nested lists.

    Attributes:
        values: Name of the feature of the values.
        partitions: Names of the features with row lengths, or uniform row lengths.
    """

    values: str
    partitions: list[str | int]

    def row_lengths(self) -> list[tuple[str, int]]:
        """Returns the feature names, and the number of list rows that form one row of the feature."""
        found: list[tuple[str, int]] = []
        for partition in self.partitions:
            if isinstance(partition, str):
                found.append((partition, 1))
            elif found:
                name, rows = found.pop()
                found.append((name, rows * partition))
        return found


def _ragged_columns(schema: bytes | None) -> dict[str, _RaggedColumn]:
    """Reads the ragged representations in all groups of a schema, by tensor name."""
    if schema is None:
        return {}
    messages: Any = importlib.import_module("tensorflow_metadata.proto.v0.schema_pb2")
    found: dict[str, _RaggedColumn] = {}
    for group in messages.Schema.FromString(schema).tensor_representation_group.values():
        for name, one in group.tensor_representation.items():
            if one.WhichOneof("kind") == "ragged_tensor":
                ragged = one.ragged_tensor
                partitions = [
                    part.row_length if part.WhichOneof("kind") == "row_length" else part.uniform_row_length
                    for part in ragged.partition
                ]
                found[name] = _RaggedColumn(ragged.feature_path.step[-1], partitions)
    return found


class RecordBatchToExamplesEncoder:
    """Encodes record batches as `tf.Example` messages, one for each row. Picklable.

    Args:
        schema: A `Schema` of TensorFlow Metadata, which is required for nested lists: the ragged
            representation of such a column names the features with the row lengths. None: no schema.

    Example:
        >>> messages = RecordBatchToExamplesEncoder().encode(batch)
    """

    def __init__(self, schema: ProtoLike | None = None) -> None:
        self._schema = None if schema is None else proto(schema)
        self._ragged = _ragged_columns(self._schema)

    def encode(self, record_batch: Any) -> list[bytes]:
        """Encodes the rows of a batch as messages. A null becomes a feature without a list of values.

        Args:
            record_batch: A `pyarrow.RecordBatch`.

        Raises:
            RuntimeError: A column is not a list, its values are not integers, floats, text or bytes, or two
                columns have the same name.
        """
        names = record_batch.schema.names
        if len(set(names)) < len(names):
            raise RuntimeError("RecordBatch contains duplicate column names.")
        ragged = [self._ragged.get(name, _RaggedColumn(name, [])) for name in names]
        features = [one.values for one in ragged] + [
            name for one in ragged for name in one.partitions if isinstance(name, str)
        ]
        for name, count in collections.Counter(features).items():
            if count > 1:
                raise RuntimeError(f"{name} conflicts with another source column in the same batch.")
        columns: dict[str, Any] = {}
        for name, column, one in zip(names, record_batch.columns, ragged, strict=True):
            columns.update(_features(name, column, one))
        pa = framework("pyarrow")
        batch = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
        try:
            return encode_examples(batch, null_features=True)
        except ArrowfeedError as error:
            raise RuntimeError(str(error)) from error

    def __reduce__(self) -> tuple[type, tuple[bytes | None]]:
        return (type(self), (self._schema,))


def _features(name: str, column: Any, ragged: _RaggedColumn) -> list[tuple[str, Any]]:
    """Returns the features of a column: its values, and the row lengths of each inner list level."""
    types = framework("pyarrow").types
    if types.is_null(column.type):
        return [(name, column)]
    if not _is_list(types, column.type):
        raise RuntimeError(f"Expected ListArray or LargeListArray, found {column.type} for {name}")
    lengths: list[Any] = []
    while _is_list(types, column.type.value_type):
        row_lengths, column = _without_a_level(column)
        lengths.append(row_lengths)
    if types.is_boolean(column.type.value_type):
        raise RuntimeError(f"Bad field type: {column.type} of {name}")
    partitions = ragged.row_lengths()
    if len(lengths) > len(partitions):
        raise RuntimeError(
            f'Error encoding feature "{name}": Nested depth of large_list is larger than the number of '
            f"provided partitions (or no partitions were provided). Expected {len(partitions)} partitions. "
            "If the column represents RaggedTensor, then create the encoder with TFMD schema containing "
            "RaggedTensor TensorRepresentations with partitions."
        )
    if len(lengths) < len(partitions):
        raise RuntimeError(
            f'Error encoding feature "{name}": Expected {len(partitions)} partitions, but got flat values '
            "array."
        )
    made = [
        (feature, _divided(values, rows)) for (feature, rows), values in zip(partitions, lengths, strict=True)
    ]
    return [(ragged.values, column), *made]


def _is_list(types: Any, of: Any) -> bool:
    return types.is_list(of) or types.is_large_list(of)


def _divided(lists: Any, by: int) -> Any:
    pa = framework("pyarrow")
    return pa.LargeListArray.from_arrays(
        lists.offsets, pa.compute.divide(lists.values, by), mask=lists.is_null()
    )


def _without_a_level(column: Any) -> tuple[Any, Any]:
    """Removes a list level: returns the lengths of the inner lists of each row, and their joined values."""
    pa = framework("pyarrow")
    outer = pa.compute.list_value_length(column).fill_null(0)
    inner = column.flatten()
    row_lengths = pa.compute.list_value_length(inner).fill_null(0).cast("int64")
    starts = [0, *itertools.accumulate(outer.to_pylist())]
    ends = [0, *itertools.accumulate(row_lengths.to_pylist())]
    null = column.is_null()

    def lists(offsets: list[int], values: Any) -> Any:
        return pa.LargeListArray.from_arrays(pa.array(offsets, "int64"), values, mask=null)

    return lists(starts, row_lengths), lists([ends[start] for start in starts], inner.flatten())


def RecordBatchToExamples(record_batch: Any) -> list[bytes]:  # noqa: N802
    """Encodes the rows of a batch without nested lists as `tf.Example` messages.

    Args:
        record_batch: A `pyarrow.RecordBatch`.

    Raises:
        RuntimeError: As in `RecordBatchToExamplesEncoder.encode`.

    Example:
        >>> messages = RecordBatchToExamples(batch)
    """
    return RecordBatchToExamplesEncoder().encode(record_batch)
