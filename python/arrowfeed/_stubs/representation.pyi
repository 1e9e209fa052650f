"""Representations: how columns are combined into a tensor."""

from collections.abc import Iterable
from typing import final

from arrowfeed._inferred import InferredRepresentations
from arrowfeed._stubs.transform import Transform
from arrowfeed.types import ArrowSchemaExportable, HasArrowSchema, Packed, ProtoLike, RowSplitsDType

class Representation:
    """The base class of representations, each of which defines how columns become a tensor.

    A column is named `"x"`, and a field of a struct `"user.age"`; a column whose name is `user.age` takes
    precedence. Representations are immutable, and can be hashed and pickled. Two representations are equal if
    their attributes have the same values and types, so a default of 0 differs from a default of 0.0. A field
    that a message does not set has its default value, so the representation equals one for which this value
    was passed.
    """

    @staticmethod
    def from_proto(data: ProtoLike) -> Representation:
        """Creates a representation from a message.

        Args:
            data: The bytes of a `tensorflow.metadata.v0.TensorRepresentation`, the message itself, or the
                result of `to_proto`. Unknown fields are ignored. If the message does not set the type of the
                row splits, the type is int64; if it does not set a shape, the shape is `()`.

        Raises:
            RepresentationError: The bytes are not a message, or the message is empty or invalid.

        Example:
            >>> arrowfeed.Representation.from_proto(representations.VarLenSparse("tags").to_proto())
            VarLenSparse('tags')
        """

    def to_proto(self) -> bytes:
        """Serializes the representation to the bytes of a message.

        For the result of `from_proto`, the message has the same fields as the original one, without unknown
        fields. For a ragged tensor that `representations_from_tfmd` infers, the message sets no type of the
        row splits, as in tfx_bsl. For any other representation, the message sets the shape and this type.

        For `Dense` (without `pad`), `VarLenSparse`, `Sparse` and `Ragged`, the message is a
        `tensorflow.metadata.v0.TensorRepresentation`. TensorFlow Metadata has no messages for the other
        representations, and none for transforms; only `from_proto` can read their bytes.
        """

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Dense(Representation):
    """A dense tensor `[batch, *shape]`: all rows have the same shape.

    A row of the column is a flat list with as many values as the shape has elements, or is nested like the
    shape.

    Args:
        column: A column of values, lists, fixed-size lists, or nested lists.
        shape: Sizes of the dimensions after the batch. `()`: one value per row.
        default: The value for null rows: an int for integer columns (0, 1, False or True for bools), a float
            for floating-point columns, bytes or str for byte strings. With transforms, it has the type of
            their results. None: a null row is an error.
        pad: Whether to pad rows that are too short, including empty rows, with `default`.
        transform: The conversions of the values: a `Transform` of `arrowfeed.features`, or several in order.

    Raises:
        RepresentationError: `pad` is True and `default` is None, or the shape has more than 2^63 elements.
        ValueError: A size is negative.
        TypeError: An argument has the wrong type.

    Example:
        >>> representations.Dense("pixels", [28, 28], default=0.0)
        Dense('pixels', (28, 28), default=0.0)
    """

    def __new__(
        cls,
        column: str,
        shape: Iterable[int] = (),
        *,
        default: float | bool | bytes | str | None = None,
        pad: bool = False,
        transform: Transform | Iterable[Transform] | None = None,
    ) -> Dense: ...
    @property
    def column(self) -> str:
        """The column."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions after the batch."""

    @property
    def default(self) -> float | bytes | None:
        """The value for null rows. None: a null row is an error."""

    @property
    def pad(self) -> bool:
        """Whether short rows are padded."""

    @property
    def transform(self) -> tuple[Transform, ...]:
        """The conversions of the values, in this order."""

@final
class VarLenSparse(Representation):
    """A sparse tensor `[batch, longest, ...]` with one dimension for each list level of the column, and at
    least one.

    A null row has no entries.

    Args:
        column: A column of lists.
        transform: The conversions of the values: a `Transform` of `arrowfeed.features`, or several in order.

    Example:
        >>> representations.VarLenSparse("tags")
        VarLenSparse('tags')
    """

    def __new__(
        cls, column: str, *, transform: Transform | Iterable[Transform] | None = None
    ) -> VarLenSparse: ...
    @property
    def column(self) -> str:
        """The column."""

    @property
    def transform(self) -> tuple[Transform, ...]:
        """The conversions of the values, in this order."""

@final
class Sparse(Representation):
    """A sparse tensor `[batch, *dense_shape]` from index columns and a value column.

    In each row, all columns must have the same number of entries.

    Args:
        index_columns: One column of integer lists for each dimension.
        value_column: A column of lists.
        dense_shape: Sizes of the dimensions after the batch. -1 or None: the largest index of the batch plus
            1.
        already_sorted: Whether the entries of each row are already sorted by their indices. True: the adapter
            neither sorts the entries nor checks their order.
        transform: The conversions of the values, not of the indices: a `Transform` of
            `arrowfeed.features`, or several in order.

    Raises:
        RepresentationError: The number of sizes differs from the number of index columns.
        ValueError: A size is less than -1.
        TypeError: An argument has the wrong type.

    Example:
        >>> representations.Sparse(["row", "column"], "value", [100, -1])
        Sparse(('row', 'column'), 'value', (100, -1))
    """

    def __new__(
        cls,
        index_columns: Iterable[str],
        value_column: str,
        dense_shape: Iterable[int | None],
        *,
        already_sorted: bool = False,
        transform: Transform | Iterable[Transform] | None = None,
    ) -> Sparse: ...
    @property
    def index_columns(self) -> tuple[str, ...]:
        """The index columns, one for each dimension."""

    @property
    def value_column(self) -> str:
        """The value column."""

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions after the batch; -1 for an unknown size."""

    @property
    def already_sorted(self) -> bool:
        """Whether the entries of each row are assumed to be sorted."""

    @property
    def transform(self) -> tuple[Transform, ...]:
        """The conversions of the values, in this order."""

@final
class Ragged(Representation):
    """A ragged tensor: one ragged dimension for each list on the path, then one for each partition.

    Args:
        path: The path to the values: a column, or the steps from a column through structs (and lists of
            structs) to a field.
        partitions: How to divide the innermost lists, from the outside in. An int: into rows of this length.
            A str: into rows whose lengths are in the column or field of this name, a sibling of the values.
            Ints at the end of the sequence become inner dimensions, which are not ragged.
        row_splits_dtype: The integer type of the row splits: `"int64"` or `"int32"`. An `"int32"` tensor
            shares the offsets of `List` columns.
        transform: The conversions of the values: a `Transform` of `arrowfeed.features`, or several in order.

    Raises:
        ValueError: A length is less than 1.
        TypeError: An argument has the wrong type.

    Example:
        >>> representations.Ragged(["user", "scores"], partitions=["lengths", 2])
        Ragged(('user', 'scores'), partitions=('lengths', 2))
    """

    def __new__(
        cls,
        path: str | Iterable[str],
        *,
        partitions: Iterable[int | str] = (),
        row_splits_dtype: RowSplitsDType = "int64",
        transform: Transform | Iterable[Transform] | None = None,
    ) -> Ragged: ...
    @property
    def path(self) -> str | tuple[str, ...]:
        """The column, or the steps if there are several."""

    @property
    def partitions(self) -> tuple[int | str, ...]:
        """Partitions of the innermost lists, from the outside in."""

    @property
    def row_splits_dtype(self) -> RowSplitsDType:
        """The integer type of the row splits."""

    @property
    def transform(self) -> tuple[Transform, ...]:
        """The conversions of the values, in this order."""

@final
class VarLenRagged(Representation):
    """A ragged tensor: one ragged dimension for each list level of the column, and at least one.

    Args:
        column: A column of lists.
        row_splits_dtype: The integer type of the row splits: `"int64"` or `"int32"`. An `"int32"` tensor
            shares the offsets of `List` columns.
        pad_to: Pads the rows, so that the tensor is dense: `[batch, length, ...]`. `"longest"`: to the
            longest row of the batch. An int: to this length. `"multiple of 8"`: to the smallest multiple of 8
            that is not below the length of the longest row, and so for other numbers. The column must have at
            most one list. None: the tensor is ragged.
        pad_value: A scalar, which follows the values of shorter rows. None: zero, False or an empty string.
        truncate: Whether to cut rows that are longer than `pad_to` at their ends. Requires an int. False: a
            row that is too long is an error.
        mask: True: the tensor has bools `[batch, length]` in place of the values. They are True where the
            padded tensor has a value of the row, and False where it has a `pad_value`.
        pack: Packs short rows into sequences of the length `pad_to`, which must be an int: the tensor has
            their `"values"`, or the `"segment_ids"` or `"positions"` of the values, as in `features.Ragged`.
        transform: The conversions of the values: a `Transform` of `arrowfeed.features`, or several in order.

    Raises:
        RepresentationError: `truncate` or `pack` is set without a length, or `mask` with a `pad_value` or
            `pack`.
        ValueError: `pad_to` has another value, or another argument requires it.
        TypeError: An argument has the wrong type.

    Example:
        >>> representations.VarLenRagged("tokens", row_splits_dtype="int32")
        VarLenRagged('tokens', row_splits_dtype='int32')
        >>> representations.VarLenRagged("tokens", pad_to=512, truncate=True)
        VarLenRagged('tokens', pad_to=512, truncate=True)
    """

    def __new__(
        cls,
        column: str,
        *,
        row_splits_dtype: RowSplitsDType = "int64",
        pad_to: str | int | None = None,
        pad_value: bool | float | bytes | str | None = None,
        truncate: bool = False,
        mask: bool = False,
        pack: Packed | None = None,
        transform: Transform | Iterable[Transform] | None = None,
    ) -> VarLenRagged: ...
    @property
    def column(self) -> str:
        """The column."""

    @property
    def row_splits_dtype(self) -> RowSplitsDType:
        """The integer type of the row splits."""

    @property
    def pad_to(self) -> str | int | None:
        """The length to which rows are padded. None: the tensor is ragged."""

    @property
    def pad_value(self) -> float | bytes | None:
        """The value that follows the values of shorter rows. None: zero, False or an empty string."""

    @property
    def truncate(self) -> bool:
        """Whether rows that are longer than `pad_to` are cut."""

    @property
    def mask(self) -> bool:
        """Whether the tensor has bools that mask the padding in place of the values."""

    @property
    def pack(self) -> Packed | None:
        """The tensor of packed rows. None: rows are not packed."""

    @property
    def transform(self) -> tuple[Transform, ...]:
        """The conversions of the values, in this order."""

@final
class Structured(Representation):
    """A structured tensor of several columns, nested like the columns.

    The fields of one list of structs share their row splits.

    Args:
        columns: Names of columns. A struct is included with all its fields.
        row_splits_dtype: The integer type of the row splits: `"int64"` or `"int32"`. An `"int32"` tensor
            shares the offsets of `List` columns.

    Raises:
        RepresentationError: There are no columns.
        TypeError: An argument has the wrong type.

    Example:
        >>> representations.Structured(["user", "items"])
        Structured(('user', 'items'))
    """

    def __new__(cls, columns: Iterable[str], *, row_splits_dtype: RowSplitsDType = "int64") -> Structured: ...
    @property
    def columns(self) -> tuple[str, ...]:
        """The columns."""

    @property
    def row_splits_dtype(self) -> RowSplitsDType:
        """The integer type of the row splits."""

def infer_representations(
    schema: ArrowSchemaExportable | HasArrowSchema,
) -> InferredRepresentations:
    """Infers a representation for each column from its type.

    | column | representation |
    |---|---|
    | a value | `Dense` of shape `()` |
    | fixed-size lists of values, of any depth | `Dense` of their sizes |
    | one list of values | `VarLenSparse` |
    | lists of lists of values | `Ragged` |
    | a struct | each field separately, named `struct.field`, by these rules |
    | lists of structs, maps | each field separately, named `list.field`, `Ragged` |
    | other types: null, decimal, interval, union | none |

    The representations depend only on the schema, not on the data.

    Args:
        schema: An object with `__arrow_c_schema__`, or with a `schema` attribute that has it: a schema, batch
            or table of any Arrow library.

    Returns:
        Representations by name, in the order of the schema. The attribute `left_out` of this dict contains
        the reason for each field without a representation; the `repr` shows these fields too.

    Raises:
        TypeError: `schema` is not a schema.

    Example:
        >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.list_(pyarrow.int32())})
        >>> arrowfeed.infer_representations(schema)
        {'id': Dense('id'), 'tags': VarLenSparse('tags')}
        >>> arrowfeed.infer_representations(pyarrow.schema({"id": pyarrow.int64(), "none": pyarrow.null()}))
        {'id': Dense('id')}
        left out:
          'none': no tensor has values of type Null
    """

def representations_from_tfmd(schema_proto: ProtoLike, *, group: str = "") -> dict[str, Representation]:
    """Derives the representations of a TensorFlow Metadata schema by the rules of tfx_bsl.

    The default group contains the declared representations and, for each column that none of these uses, a
    representation that follows from its feature. A sparse feature becomes `Sparse`; a feature with a shape
    becomes `Dense`; each field of a struct becomes `Ragged`, named `struct.field`; any other feature becomes
    `VarLenSparse`, or `Ragged` if the schema sets `represent_variable_length_as_ragged`. Features that are
    deprecated or not in production have no representation.

    Args:
        schema_proto: A `tensorflow.metadata.v0.Schema`, or its bytes.
        group: Name of a group of representations. Empty: the default group. Any other group contains only the
            declared representations.

    Returns:
        Representations by name.

    Raises:
        RepresentationError: `schema_proto` is not a schema, the group does not exist, or no representation
            follows from a feature.
        TypeError: An argument has the wrong type.

    Example:
        >>> arrowfeed.representations_from_tfmd(schema_bytes)
        {'image': Dense('image', (784,)), 'tags': VarLenSparse('tags')}
    """
