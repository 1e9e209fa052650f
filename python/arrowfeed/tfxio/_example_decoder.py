"""The coders of tfx_bsl from `tf.Example` and `tf.SequenceExample` messages to record batches."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import ExampleRecordDecoder, SequenceExampleRecordDecoder
from arrowfeed._errors import CorruptBlockError, RepresentationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arrowfeed.types import ProtoLike


class MessagesToRecordBatchDecoder(abc.ABC):
    """Decodes messages into pyarrow record batches. Picklable."""

    _decoder: ExampleRecordDecoder | SequenceExampleRecordDecoder

    def _decode(self, messages: Iterable[bytes]) -> Any:
        try:
            return self._decoder.decode(messages).to_pyarrow()
        except CorruptBlockError as error:
            raise RuntimeError(self._as_tfx_bsl(error)) from error

    @abc.abstractmethod
    def _as_tfx_bsl(self, error: CorruptBlockError) -> str:
        """The text of tfx_bsl, followed by the arrowfeed text."""

    def ArrowSchema(self) -> Any:  # noqa: N802
        """Returns the `pyarrow.Schema` of the batches.

        Raises:
            RuntimeError: There is no TensorFlow Metadata schema.
        """
        schema = self._decoder.schema
        if schema is None:
            raise RuntimeError("Unable to get the arrow schema: expected a schema of TensorFlow Metadata")
        return schema.to_pyarrow()


class ExamplesToRecordBatchDecoder(MessagesToRecordBatchDecoder):
    """Decodes `tf.Example` messages into pyarrow record batches. Picklable.

    Args:
        serialized_schema: A `Schema` of TensorFlow Metadata, or its bytes, whose features define the columns.
            None: each batch has the features of its own messages, sorted by name.

    Raises:
        RuntimeError: A feature of the schema has a type other than BYTES, INT and FLOAT.

    Example:
        >>> decoder = ExamplesToRecordBatchDecoder(schema.SerializeToString())
        >>> batch = decoder.DecodeBatch([message, message])
    """

    def __init__(self, serialized_schema: ProtoLike | None = None) -> None:
        try:
            self._decoder = ExampleRecordDecoder(serialized_schema)
        except RepresentationError as error:
            raise _bad_field_type(error) from error

    def DecodeBatch(self, examples: Iterable[bytes]) -> Any:  # noqa: N802
        """Decodes messages into a `pyarrow.RecordBatch`.

        Args:
            examples: Messages, each of which becomes a row.

        Raises:
            RuntimeError: A message is invalid, or a feature has values of another type. The text is that of
                tfx_bsl, followed by the text of the `ArrowfeedError`, which names the message and the
                feature.
        """
        return self._decode(examples)

    def _as_tfx_bsl(self, error: CorruptBlockError) -> str:
        if error.field is None:
            return f"DATA_LOSS: Unable to parse example. ({error})"
        return _kind_error(error, "feature", error.field)


class SequenceExamplesToRecordBatchDecoder(MessagesToRecordBatchDecoder):
    """Decodes `tf.SequenceExample` messages into pyarrow record batches. Picklable.

    The columns are those of `arrowfeed.SequenceExampleRecordDecoder`. Integers of feature lists keep all 64
    bits; tfx_bsl keeps 32 bits.

    Args:
        sequence_feature_column_name: Name of the struct column of feature lists, which is `"##SEQUENCE##"` in
            the other classes of this package.
        serialized_schema: A `Schema` of TensorFlow Metadata, or its bytes, whose features define the columns.
            The feature with the name of the struct column is a STRUCT of the feature lists. None or empty
            bytes: each batch has the features of its own messages, sorted by name.

    Raises:
        RuntimeError: A feature of the schema has a type other than BYTES, INT and FLOAT, or the feature of
            the struct is not a STRUCT.

    Example:
        >>> decoder = SequenceExamplesToRecordBatchDecoder("##SEQUENCE##", schema.SerializeToString())
        >>> batch = decoder.DecodeBatch([message, message])
    """

    def __init__(self, sequence_feature_column_name: str, serialized_schema: ProtoLike | None = None) -> None:
        # tfx_bsl treats empty bytes as no schema.
        schema = None if serialized_schema == b"" else serialized_schema
        self._name = sequence_feature_column_name
        try:
            self._decoder = SequenceExampleRecordDecoder(schema, sequence_column=self._name)
        except RepresentationError as error:
            if error.tensor == self._name:
                raise RuntimeError(
                    "Found a feature in the schema with the sequence_feature_column_name "
                    f"(i.e., {self._name}) that is not a struct. ({error})"
                ) from error
            raise _bad_field_type(error) from error

    def DecodeBatch(self, sequence_examples: Iterable[bytes]) -> Any:  # noqa: N802
        """Decodes messages into a `pyarrow.RecordBatch`.

        Args:
            sequence_examples: Messages, each of which becomes a row.

        Raises:
            RuntimeError: A message is invalid, or a feature has values of another type. The text is that of
                tfx_bsl, followed by the text of the `ArrowfeedError`, which names the message and the
                feature.
        """
        return self._decode(sequence_examples)

    def _as_tfx_bsl(self, error: CorruptBlockError) -> str:
        field = error.field or ""
        if "expected values of " not in str(error):
            return f"DATA_LOSS: Unable to parse sequence example. ({error})"
        step = field.removeprefix(f"{self._name}.")
        return _kind_error(error, "feature" if step == field else "sequence feature", step)


def _bad_field_type(error: RepresentationError) -> RuntimeError:
    return RuntimeError(f"Bad field type for feature: {error.tensor or ''}: {error}")


def _kind_error(error: CorruptBlockError, of: str, name: str) -> str:
    """The text of tfx_bsl for values of another type, followed by the arrowfeed text.

    Args:
        error: An error whose text names the expected type, possibly followed by a comma, and the found type.
        of: The kind of container of the values, for the text.
        name: Its name.
    """
    expected, _, found = str(error).partition("expected values of ")[2].partition(", found ")
    kind = expected.split(",")[0]
    return (
        f"INVALID_ARGUMENT: Feature had wrong type, expected {kind}, found {found} "
        f'for {of} "{name}" ({error})'
    )
