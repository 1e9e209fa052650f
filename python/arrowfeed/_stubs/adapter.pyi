"""Conversions of record batches to tensors, and back."""

from collections.abc import Iterable
from typing import Any, final

import numpy as np
import numpy.typing as npt

from arrowfeed._stubs.arrow import RecordBatch, Schema
from arrowfeed._stubs.read import Limits
from arrowfeed._stubs.representation import Representation
from arrowfeed.types import (
    ArrowArrayExportable,
    ArrowSchemaExportable,
    ArrowStreamExportable,
    FeatureLike,
    HasArrowSchema,
    RepresentationLike,
    RowSplitsDType,
    Tensor,
    TensorKind,
)

@final
class TensorSpec:
    """What every tensor of a representation has in common. Comparable, hashable and picklable.

    Args:
        kind: `"dense"`, `"sparse"`, `"ragged"` or `"structured"`.
        dtype: The type of the values, as numpy has it; `object` for byte strings, None for structured
            tensors.
        shape: Sizes of all dimensions, the batch first. None: differs from batch to batch, or from row to
            row.
        ragged_rank: Number of ragged dimensions, which follow the batch; at least 1 for ragged tensors.
        row_splits_dtype: The integers of the row splits; None: `"int64"`. Where there are any only.
        fields: The fields of a structured tensor, by name. For these only, and always.

    Raises:
        ValueError: The parts do not fit together. TypeError: an argument has a wrong type.

    Example:
        >>> arrowfeed.TensorSpec("dense", "float32", [None, 3])
        <arrowfeed.TensorSpec dense float32 [?, 3]>
    """

    def __new__(
        cls,
        kind: TensorKind,
        dtype: npt.DTypeLike | None,
        shape: Iterable[int | None],
        *,
        ragged_rank: int = 0,
        row_splits_dtype: RowSplitsDType | None = None,
        fields: dict[str, TensorSpec] | None = None,
    ) -> TensorSpec: ...
    @property
    def kind(self) -> TensorKind:
        """`"dense"`, `"sparse"`, `"ragged"` or `"structured"`."""

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The type of the values; `object` for byte strings, None for structured tensors."""

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Sizes of all dimensions, the batch first; None where they are not fixed."""

    @property
    def ragged_rank(self) -> int:
        """Number of ragged dimensions: of row splits."""

    @property
    def row_splits_dtype(self) -> RowSplitsDType | None:
        """The integers of the row splits; None where there are none."""

    @property
    def fields(self) -> dict[str, TensorSpec]:
        """The fields of a structured tensor, by name."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class TensorAdapter:
    """Turns record batches of one schema into tensors.

    Representations are compiled once: one that does not fit the schema is an error here, before any data.
    Batches are checked row by row. Any number of threads may share an adapter. Picklable.

    Args:
        schema: Anything with `__arrow_c_schema__`, or with a `schema` that has it: a schema, batch, table or
            reader of any Arrow library.
        representations: Dict of the tensors' names to `Representation`s, TensorFlow Metadata's
            `TensorRepresentation` messages, or the bytes of such.
        inner_nulls: Of nulls among the values of a list: `"error"`, or `"fill"` for the representation's
            default value, else 0, False or `b""`.
        duplicates: Of two entries of a sparse tensor with the same coordinates: `"keep"` or `"error"`.
        limits: A `Limits`. Its `batch_bytes` holds for the values of a dictionary (the symbols of an enum)
            that are written out for each row of one tensor.

    Raises:
        RepresentationError: A representation is invalid or does not fit the schema; `tensor` and `field` say
            which.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> representations = {"x": arrowfeed.Dense("x", [2]), "t": arrowfeed.VarLenSparse("t")}
        >>> adapter = arrowfeed.TensorAdapter(reader.schema, representations)
        >>> adapter.convert(next(reader))
        {'x': <arrowfeed.DenseTensor float32 [8, 2]>, 't': <arrowfeed.SparseTensor int64 [8, 5], 21 stored>}
    """

    def __new__(
        cls,
        schema: ArrowSchemaExportable | HasArrowSchema,
        representations: dict[str, RepresentationLike],
        *,
        inner_nulls: str = "error",
        duplicates: str = "keep",
        limits: Limits | None = None,
    ) -> TensorAdapter: ...
    @staticmethod
    def from_features(
        schema: ArrowSchemaExportable | HasArrowSchema,
        features: dict[str, FeatureLike],
        *,
        limits: Limits | None = None,
    ) -> TensorAdapter:
        """An adapter of features over key expressions.

        Args:
            schema: As of the class.
            features: Dict of the tensors' names to features of `arrowfeed.features`. A name is the key
                expression, unless the feature has a `key`. Those of other libraries are taken as they are,
                by the names of their classes: `FixedLenFeature`, `FixedLenSequenceFeature`,
                `VarLenFeature`, `SparseFeature` and `RaggedFeature` of `tf.io`, `VarLenFeatureWithRank` of
                tensorflow-io, `DenseFeature`, `SparseFeature` and `VarlenFeature` of ATDS.
            limits: As of the class.

        Raises:
            RepresentationError: A key is wrong or does not fit the schema, or a feature does not fit its key;
                `tensor` says which.
            ValueError: A feature of another library has a part that means nothing here.
            TypeError: An argument has a wrong type; of features, the message has those that are taken.

        Example:
            >>> wanted = {"friends[*].name.first": features.VarLen("bytes")}
            >>> arrowfeed.TensorAdapter.from_features(reader.schema, wanted)
            <arrowfeed.TensorAdapter of 1 tensor>
              friends[*].name.first: sparse bytes [?, ?]
        """

    def convert(
        self,
        batch: ArrowArrayExportable | ArrowStreamExportable,
        names: Iterable[str] | None = None,
    ) -> dict[str, Tensor]:
        """The tensors of a batch, by name, in the order of the representations or of `names`.

        The interpreter is free meanwhile, unless the batch is small. Tensors hold the memory that they share
        with the batch. Columns that no tensor needs are not looked at.

        Args:
            batch: Anything with `__arrow_c_array__`, or with an `__arrow_c_stream__` of one batch (a data
                frame of one chunk). Its columns are where the schema has them; what the tensors do not need
                may differ.
            names: Only these tensors. None: all.

        Raises:
            ConversionError: The batch has another schema, a row does not fit, or a name is not known;
                `tensor`, `field` (the column) and `record` (the row) say where.
            LimitError: The values of a dictionary, written out for each row, take more than `batch_bytes`.
            ValueError: A stream has more than one batch. TypeError: an argument has a wrong type.

        Example:
            >>> adapter.convert(batch, ["x"])["x"].values
            array([[0., 1.],
                   [2., 3.]], dtype=float32)
        """

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """What is known of each tensor before any batch, by name."""

    @property
    def schema(self) -> Schema:
        """The schema that batches must have."""

    def explain(self) -> str:
        """Of each tensor, what is shared with the batch and what is copied, and why.

        Example:
            >>> print(adapter.explain())
            x: dense float32 [?, 2]
              values: shared
            t: sparse int64 [?, ?]
              values: shared; copied where a null list stands over stored values
              indices: computed, from the lengths of the lists
        """

@final
class TensorsToRecordBatch:
    """Turns tensors into record batches, from which `representations` make the same tensors again.

    | tensor | columns |
    |---|---|
    | dense | a large list with the values of the row |
    | sparse `[batch, size]` | a large list with the values of the row |
    | other sparse | a large list of values, and one of indices for each dimension |
    | ragged | large lists, nested like the row splits; inner dimensions are in the innermost |

    Byte strings become large binary. Columns are in the order of the tensors' names.

    Args:
        specs: Dict of the tensors' names to what is known of them, as `TensorAdapter.specs`.
        sparse_value_column: Column of a sparse tensor's values; `{tensor_name}` stands for the tensor's name.
        sparse_index_column: Column of a sparse tensor's indices; `{index}` stands for the dimension, from 0.
        generic_sparse: Names of sparse tensors `[batch, size]` that are written as indices and values. Others
            are written as lists, so that the entries of a row have the positions 0, 1, 2, … again.

    Raises:
        RepresentationError: A tensor has no columns: structured, or dense of unknown size; or two columns
            have one name. TypeError: an argument has a wrong type.

    Example:
        >>> converter = arrowfeed.TensorsToRecordBatch(adapter.specs)
        >>> arrowfeed.write_avro(converter.convert(adapter.convert(batch)), "tensors.avro")
        1024
    """

    def __new__(
        cls,
        specs: dict[str, TensorSpec],
        *,
        sparse_value_column: str = "{tensor_name}$values",
        sparse_index_column: str = "{tensor_name}$index{index}",
        generic_sparse: list[str] | tuple[str, ...] = (),
    ) -> TensorsToRecordBatch: ...
    @property
    def schema(self) -> Schema:
        """The schema of the batches."""

    @property
    def representations(self) -> dict[str, Representation]:
        """What makes the same tensors from the batches."""

    def convert(self, tensors: dict[str, Tensor]) -> RecordBatch:
        """The batch of these tensors, which may be in any order.

        Args:
            tensors: By name, all of the specs' and no others.

        Raises:
            ConversionError: A tensor is missing or not known, of another spec or another number of rows, or
                the entries of a sparse tensor are not in order.
            TypeError: `tensors` is no dict of tensors.
        """
