"""Conversions of record batches to tensors, and back."""

from collections.abc import Iterable
from typing import Any, final

import numpy as np
import numpy.typing as npt

from arrowfeed._stubs.arrow import RecordBatch, Schema
from arrowfeed._stubs.read import Limits
from arrowfeed._stubs.representation import Representation
from arrowfeed.types import (
    AnyTensor,
    ArrowArrayExportable,
    ArrowSchemaExportable,
    ArrowStreamExportable,
    FeatureLike,
    HasArrowSchema,
    RepresentationT,
    RowSplitsDType,
    TensorKind,
    TensorT,
)

@final
class TensorSpec:
    """The properties that all tensors of a representation share.

    Specs can be compared, hashed and pickled.

    Args:
        kind: `"dense"`, `"sparse"`, `"ragged"` or `"structured"`.
        dtype: The numpy dtype of the values; `object` for byte strings, None for structured tensors.
        shape: Sizes of all dimensions, with the batch dimension first. None: the size differs between batches
            or between rows.
        ragged_rank: Number of ragged dimensions, which follow the batch dimension: at least 1 for a ragged
            tensor, 0 for others.
        row_splits_dtype: The integer type of the row splits. None: `"int64"` for a tensor with row splits.
            Other tensors must have None.
        fields: The fields of a structured tensor, by name. None: the tensor is not structured.

    Raises:
        ValueError: The arguments contradict each other.
        TypeError: An argument has the wrong type.

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
        """The numpy dtype of the values; `object` for byte strings, None for structured tensors."""

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Sizes of all dimensions, with the batch dimension first. None: the size is not fixed."""

    @property
    def ragged_rank(self) -> int:
        """Number of ragged dimensions, which is the number of row splits."""

    @property
    def row_splits_dtype(self) -> RowSplitsDType | None:
        """The integer type of the row splits; None for tensors without row splits."""

    @property
    def fields(self) -> dict[str, TensorSpec]:
        """The fields of a structured tensor, by name."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class TensorAdapter:
    """Converts record batches of one schema to tensors.

    The constructor compiles the representations; a representation that does not fit the schema is an error.
    `convert` checks each row of a batch. Any number of threads may share an adapter. Adapters can be pickled.

    Args:
        schema: An object with `__arrow_c_schema__`, or with a `schema` attribute that has it: a schema,
            batch, table or reader of any Arrow library.
        representations: Dict of tensor names to `Representation` objects, or to `TensorRepresentation`
            messages of TensorFlow Metadata or their bytes.
        inner_nulls: How to treat null values inside a list: `"error"` raises, `"fill"` replaces them with the
            default value of the representation, or with 0, False or `b""` if it has no default.
        duplicates: How to treat two entries of a sparse tensor with the same coordinates: `"keep"` or
            `"error"`.
        limits: A `Limits`, of which only `batch_bytes` is used: it bounds the memory of a tensor that is
            built from a dictionary-encoded column (such as an Avro enum), because the tensor stores a value
            for each row, not an index. None: `Limits()`.

    Raises:
        RepresentationError: A representation is invalid or does not fit the schema. The attributes `tensor`
            and `field` name the tensor and its column.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> tensors = {"x": representations.Dense("x", [2]), "t": representations.VarLenSparse("t")}
        >>> adapter = arrowfeed.TensorAdapter(reader.schema, tensors)
        >>> adapter.convert(next(reader))
        {'x': <arrowfeed.DenseTensor float32 [8, 2]>, 't': <arrowfeed.SparseTensor int64 [8, 5], 21 stored>}
    """

    def __new__(
        cls,
        schema: ArrowSchemaExportable | HasArrowSchema,
        representations: dict[str, RepresentationT],
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
        """Creates an adapter from features, which select their values by key expressions.

        Args:
            schema: As in `TensorAdapter`.
            features: Dict of tensor names to features of `arrowfeed.features`. The name is the key
                expression, unless the feature has a `key`. The names of the classes identify features of
                other libraries: `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`,
                `SparseFeature` and `RaggedFeature` of `tf.io`, `VarLenFeatureWithRank` of tensorflow-io,
                `DenseFeature`, `SparseFeature` and `VarlenFeature` of ATDS.
            limits: As in `TensorAdapter`.

        Raises:
            RepresentationError: A key is invalid or does not fit the schema, or a feature does not fit its
                key. The attribute `tensor` names the tensor.
            ValueError: A feature of another library has an attribute that arrowfeed does not support.
            TypeError: An argument has the wrong type. For a feature, the message lists the accepted classes.

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
    ) -> dict[str, AnyTensor]:
        """Converts a batch to a dict of tensors, in the order of the representations or of `names`.

        The conversion releases the GIL, unless the batch is small. A tensor keeps alive the memory that it
        shares with the batch. The adapter does not read columns that no tensor needs.

        Args:
            batch: An object with `__arrow_c_array__`, or with an `__arrow_c_stream__` that yields exactly one
                batch (such as a data frame of one chunk). Its columns must be in the order of the schema;
                columns that no tensor needs may have other names and types.
            names: Names of the tensors to convert. None: all.

        Raises:
            ConversionError: The schema of the batch differs from that of the adapter, a row does not fit its
                tensor, or a name is unknown. The attributes `tensor`, `field` (the column) and `record` (the
                row) give the location.
            LimitError: A tensor that is built from a dictionary-encoded column needs more than `batch_bytes`.
            ValueError: A stream has more than one batch.
            TypeError: An argument has the wrong type.

        Example:
            >>> adapter.convert(batch, ["x"])["x"].values
            array([[0., 1.],
                   [2., 3.]], dtype=float32)
        """

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """Specs of the tensors by name, known before any batch is read."""

    @property
    def schema(self) -> Schema:
        """The schema that batches must have."""

    def explain(self) -> str:
        """Explains for each tensor which memory is shared with the batch, which is copied, and why.

        Example:
            >>> print(adapter.explain())
            x: dense float32 [?, 2]
              values: shared
            t: sparse int64 [?, ?]
              values: shared; copied where a null list has stored values
              indices: computed, from the lengths of the lists
        """

@final
class TensorsToRecordBatch:
    """Converts tensors to record batches.

    A `TensorAdapter` with the `representations` of this converter does the reverse.

    | tensor | columns |
    |---|---|
    | dense | a large list with the values of the row |
    | sparse `[batch, size]` | a large list with the values of the row |
    | other sparse | a large list of values, and a large list of indices for each dimension |
    | ragged | large lists, nested like the row splits; inner dimensions are flattened into the innermost |

    Byte strings become large binary. The columns are sorted by the names of the tensors.

    Args:
        specs: Dict of tensor names to `TensorSpec` objects, such as `TensorAdapter.specs`.
        sparse_value_column: Column name for the values of a sparse tensor; `{tensor_name}` stands for the
            name of the tensor.
        sparse_index_column: Column name for the indices of a sparse tensor; `{index}` stands for the
            dimension, from 0.
        generic_sparse: Names of sparse tensors `[batch, size]` that are written as indices and values. Other
            sparse tensors of this shape are written as lists without indices. After the conversion back to
            tensors, the entries of a row are at the positions 0, 1, 2, …

    Raises:
        RepresentationError: A tensor is structured, is dense with an unknown size, or is ragged with an inner
            dimension of size 0; or two columns have the same name.
        TypeError: An argument has the wrong type.

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
        """The representations that convert the batches back to the same tensors."""

    def convert(self, tensors: dict[str, TensorT]) -> RecordBatch:
        """Converts tensors to a record batch. The tensors may be in any order.

        Args:
            tensors: Tensors by name, exactly those of the specs.

        Raises:
            ConversionError: A tensor is missing, unknown, or does not match its spec; the tensors have
                different numbers of rows; or the entries of a sparse tensor are not sorted.
            TypeError: `tensors` is not a dict of tensors.
        """
