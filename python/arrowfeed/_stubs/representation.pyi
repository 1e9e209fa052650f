"""Representations: how columns are combined into a tensor."""

from collections.abc import Iterable
from typing import final

from arrowfeed._inferred import InferredRepresentations
from arrowfeed.types import ArrowSchemaExportable, HasArrowSchema, ProtoLike, RowSplitsDType

class Representation:
    """The base class of representations, which define how columns become a tensor.

    A column is written as `"x"`, and a field of a struct as `"user.age"`; a column with the name `user.age`
    takes precedence. Representations are frozen, hashable and picklable. Two representations are equal if
    their attributes have the same values and types, so a default of 0 differs from a default of 0.0. Fields
    that a message does not set have defaults: a representation made from it equals one with these values.
    """

    @staticmethod
    def from_proto(data: ProtoLike) -> Representation:
        """Creates a representation from a message.

        Args:
            data: The bytes of a `tensorflow.metadata.v0.TensorRepresentation`, the message itself, or the
                result of `to_proto`. Unknown fields are ignored. Row splits whose type is not set are int64,
                and a shape that is not set is `()`.

        Raises:
            RepresentationError: The bytes are not such a message, or the message is empty or invalid.

        Example:
            >>> arrowfeed.Representation.from_proto(arrowfeed.VarLenSparse("tags").to_proto())
            VarLenSparse('tags')
        """

    def to_proto(self) -> bytes:
        """Serializes the representation to the bytes of a message.

        A representation that `from_proto` made gives the same message back, without unknown fields: fields
        that were not set stay unset. Any other representation sets its shape and the type of its row splits.

        For `Dense` (without `pad`), `VarLenSparse`, `Sparse` and `Ragged`, the message is a
        `tensorflow.metadata.v0.TensorRepresentation`. The other representations do not exist in TensorFlow
        Metadata; only `from_proto` can read their messages.
        """

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Dense(Representation):
    """A dense tensor `[batch, *shape]`, whose rows have the same shape.

    A row is a flat list with as many values as the shape has elements, or lists that are nested like the
    shape.

    Args:
        column: A column of values, lists, fixed-size lists, or nested lists.
        shape: Sizes of the dimensions after the batch. `()`: one value per row.
        default: The value for missing (null) rows. None: missing rows are errors. An int for integer columns
            (0, 1, False or True for bools), a float for floating-point columns, bytes or str for byte
            strings.
        pad: Whether to pad rows that are too short, including empty ones, with `default`.

    Raises:
        RepresentationError: `pad` without `default`, or a shape with more than 2^63 values.
        ValueError: A size is negative. TypeError: An argument has the wrong type.

    Example:
        >>> arrowfeed.Dense("pixels", [28, 28], default=0.0)
        Dense('pixels', (28, 28), default=0.0)
    """

    def __new__(
        cls,
        column: str,
        shape: Iterable[int] = (),
        *,
        default: float | bool | bytes | str | None = None,
        pad: bool = False,
    ) -> Dense: ...
    @property
    def column(self) -> str:
        """The column."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions after the batch."""

    @property
    def default(self) -> float | bytes | None:
        """The value for missing rows."""

    @property
    def pad(self) -> bool:
        """Whether short rows are padded."""

@final
class VarLenSparse(Representation):
    """A sparse tensor `[batch, longest, ...]` with one dimension per list level, and at least one.

    Null rows are empty.

    Args:
        column: A column of lists.

    Example:
        >>> arrowfeed.VarLenSparse("tags")
        VarLenSparse('tags')
    """

    def __new__(cls, column: str) -> VarLenSparse: ...
    @property
    def column(self) -> str:
        """The column."""

@final
class Sparse(Representation):
    """A sparse tensor `[batch, *dense_shape]` from index columns and a value column.

    All columns have the same number of entries in a row.

    Args:
        index_columns: One column of integer lists for each dimension.
        value_column: A column of lists.
        dense_shape: Sizes of the dimensions after the batch. -1 or None: one more than the largest index of
            the batch.
        already_sorted: Whether the entries of each row are already sorted by their indices. True: they are
            neither sorted nor checked.

    Raises:
        RepresentationError: The number of sizes differs from the number of index columns.
        ValueError: A size is less than -1. TypeError: An argument has the wrong type.

    Example:
        >>> arrowfeed.Sparse(["row", "column"], "value", [100, -1])
        Sparse(('row', 'column'), 'value', (100, -1))
    """

    def __new__(
        cls,
        index_columns: Iterable[str],
        value_column: str,
        dense_shape: Iterable[int | None],
        *,
        already_sorted: bool = False,
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

@final
class Ragged(Representation):
    """A ragged tensor: one ragged dimension per list on the path, then one per partition.

    Args:
        path: The path to the values: a column, or the steps from a column through structs (and lists of
            structs) to a field.
        partitions: How to divide the innermost lists, from the outside in. An int: into rows of this length.
            A str: into rows whose lengths are in the column or field of this name, which has the same parent
            as the values. Ints at the end become inner dimensions, which are not ragged.
        row_splits_dtype: `"int64"` or `"int32"`. `List` columns have int32 offsets, which an `"int32"` tensor
            shares.

    Raises:
        ValueError: A length is less than 1. TypeError: An argument has the wrong type.

    Example:
        >>> arrowfeed.Ragged(["user", "scores"], partitions=["lengths", 2])
        Ragged(('user', 'scores'), partitions=('lengths', 2))
    """

    def __new__(
        cls,
        path: str | Iterable[str],
        *,
        partitions: Iterable[int | str] = (),
        row_splits_dtype: RowSplitsDType = "int64",
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

@final
class VarLenRagged(Representation):
    """A ragged tensor: one ragged dimension per list level of the column, and at least one.

    Args:
        column: A column of lists.
        row_splits_dtype: `"int64"` or `"int32"`. `List` columns have int32 offsets, which an `"int32"` tensor
            shares.

    Example:
        >>> arrowfeed.VarLenRagged("tokens", row_splits_dtype="int32")
        VarLenRagged('tokens', row_splits_dtype='int32')
    """

    def __new__(cls, column: str, *, row_splits_dtype: RowSplitsDType = "int64") -> VarLenRagged: ...
    @property
    def column(self) -> str:
        """The column."""

    @property
    def row_splits_dtype(self) -> RowSplitsDType:
        """The integer type of the row splits."""

@final
class Structured(Representation):
    """A structured tensor of several columns, nested like the columns. Fields of one list of structs share
    row splits.

    Args:
        columns: Names of columns. A struct is included with all its fields.
        row_splits_dtype: `"int64"` or `"int32"`. `List` columns have int32 offsets, which an `"int32"` tensor
            shares.

    Raises:
        RepresentationError: There are no columns. TypeError: An argument has the wrong type.

    Example:
        >>> arrowfeed.Structured(["user", "items"])
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

    The representations depend only on the schema; no data is read.

    Args:
        schema: An object with `__arrow_c_schema__`, or with a `schema` attribute that has it: a schema, batch
            or table of any Arrow library.

    Returns:
        Representations by name, in the order of the schema. The dict has an attribute `left_out`, a dict of
        the fields without a representation and the reasons; its `repr` shows them too.

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

    For the default group, the result contains the declared representations. For columns that no declared
    representation uses, the representation follows from the feature. A sparse feature becomes `Sparse`; a
    feature with a shape becomes `Dense`; each field of a struct becomes `Ragged`, named `struct.field`; any
    other feature becomes `VarLenSparse`, or `Ragged` if the schema sets
    `represent_variable_length_as_ragged`. Features that are deprecated or not in production are left out.

    Args:
        schema_proto: A `tensorflow.metadata.v0.Schema`, or its bytes.
        group: Name of a group of representations. A group other than the default contains only the declared
            representations.

    Returns:
        Representations by name.

    Raises:
        RepresentationError: The bytes are not a schema, the group does not exist, or no representation
            follows from a feature.
        TypeError: An argument has the wrong type.

    Example:
        >>> arrowfeed.representations_from_tfmd(schema_bytes)
        {'image': Dense('image', (784,)), 'tags': VarLenSparse('tags')}
    """
