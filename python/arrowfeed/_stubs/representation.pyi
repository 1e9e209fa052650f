"""Representations: the columns that a tensor is made of, and how."""

from collections.abc import Iterable
from typing import final

from arrowfeed.types import ArrowSchemaExportable, HasArrowSchema, ProtoLike, RowSplitsDType

class Representation:
    """What a tensor is made of, and of which columns: the base of the kinds.

    A column is named as `"x"`, a field of a struct as `"user.age"`; where a column is called `user.age`, it
    is that one. Frozen, hashable, picklable. Two are equal when their messages are: a default of 0 is not one
    of 0.0.
    """

    @staticmethod
    def from_proto(data: ProtoLike) -> Representation:
        """The representation of a message.

        Args:
            data: The bytes of a `tensorflow.metadata.v0.TensorRepresentation`, the message itself, or what
                `to_proto` gave. Fields that are not known are left out, names of dimensions too.

        Raises:
            RepresentationError: The bytes are no such message, or it says nothing, or something impossible.

        Example:
            >>> arrowfeed.Representation.from_proto(arrowfeed.VarLenSparse("tags").to_proto())
            VarLenSparse('tags')
        """

    def to_proto(self) -> bytes:
        """The bytes of the message.

        They are those of a `tensorflow.metadata.v0.TensorRepresentation` for `Dense` (without `pad`),
        `VarLenSparse`, `Sparse` and `Ragged`; TensorFlow Metadata does not have the others.
        """

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Dense(Representation):
    """Tensor `[batch, *shape]`: every row has the same shape.

    A row has as many values as the shape has places, or lists that are nested like the shape.

    Args:
        column: A column of values, lists, fixed-size lists, or lists of them.
        shape: Sizes of the dimensions after the batch. `()`: one value in each row.
        default: Takes the place of missing (null) rows. None: they are errors. An int for columns of integers
            (0, 1, False or True for bools), a float for floating point, bytes or str for byte strings.
        pad: Fill up rows that are too short, empty ones too, with `default`.

    Raises:
        RepresentationError: `pad` without `default`, or a shape with more than 2^63 values.
        ValueError: A size is negative. TypeError: an argument has a wrong type.

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
        """What takes the place of missing rows."""

    @property
    def pad(self) -> bool:
        """Whether short rows are filled up."""

@final
class VarLenSparse(Representation):
    """Sparse tensor `[batch, longest]` of lists: one dimension for each list of the column, and at least one.

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
    """Sparse tensor `[batch, *dense_shape]` of columns with indices and a column with values.

    In each row all columns have the same number of entries.

    Args:
        index_columns: For each dimension a column of lists of integers.
        value_column: A column of lists.
        dense_shape: Sizes of the dimensions after the batch. -1 or None: one more than the batch's largest
            index.
        already_sorted: The entries of each row are sorted by their indices: they are not sorted again, nor
            checked.

    Raises:
        RepresentationError: There are more or fewer sizes than index columns.
        ValueError: A size is less than -1. TypeError: an argument has a wrong type.

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
        """One column of indices for each dimension."""

    @property
    def value_column(self) -> str:
        """The column of values."""

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions after the batch, -1 where not known."""

    @property
    def already_sorted(self) -> bool:
        """Whether the entries of each row are taken to be sorted."""

@final
class Ragged(Representation):
    """Ragged tensor: one ragged dimension for each list on the path, then one for each partition.

    Args:
        path: The values: a column, or the steps from a column through structs (and lists of them) to a field.
        partitions: How the innermost lists are divided, from the outside in. An int: into rows of this
            length. A
            str: into rows of the lengths that the column of this name has, beside the values. Ints at the end
                make
            inner dimensions, which are not ragged.
        row_splits_dtype: `"int64"`, or `"int32"`: what Arrow's `List` has, and shares.

    Raises:
        ValueError: A length is less than 1. TypeError: an argument has a wrong type.

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
        """The column or, where there are more steps than one, the steps."""

    @property
    def partitions(self) -> tuple[int | str, ...]:
        """How the innermost lists are divided, from the outside in."""

    @property
    def row_splits_dtype(self) -> RowSplitsDType:
        """The integers of the row splits."""

@final
class VarLenRagged(Representation):
    """Ragged tensor: one ragged dimension for each list of the column, and at least one.

    Args:
        column: A column of lists.
        row_splits_dtype: `"int64"`, or `"int32"`: what Arrow's `List` has, and shares.

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
        """The integers of the row splits."""

@final
class Structured(Representation):
    """Tensors of several columns, in the columns' own nesting; fields of one list of structs share row
    splits.

    Args:
        columns: Columns; of a struct, all fields.
        row_splits_dtype: `"int64"`, or `"int32"`: what Arrow's `List` has, and shares.

    Raises:
        RepresentationError: There are no columns. TypeError: an argument has a wrong type.

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
        """The integers of the row splits."""

def infer_representations(
    schema: ArrowSchemaExportable | HasArrowSchema,
) -> dict[str, Representation]:
    """The representation that each column asks for by its type.

    | column | representation |
    |---|---|
    | a value | `Dense` of shape `()` |
    | fixed-size lists of values, of any depth | `Dense` of their sizes |
    | one list of values | `VarLenSparse` |
    | lists of lists of values | `Ragged` |
    | a struct | each field by itself, named `struct.field`, by these rules |
    | lists of structs, maps | each field by itself, named `list.field`, `Ragged` |
    | other types: null, decimal, interval, union | none |

    The same schema always gives the same representations: no data is looked at.

    Args:
        schema: Anything with `__arrow_c_schema__`, or with a `schema` that has it: a schema, batch or table
            of any Arrow library.

    Returns:
        Representations by name, in the order of the schema.

    Raises:
        TypeError: `schema` is no schema.

    Example:
        >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.list_(pyarrow.int32())})
        >>> arrowfeed.infer_representations(schema)
        {'id': Dense('id'), 'tags': VarLenSparse('tags')}
    """

def representations_from_tfmd(schema_proto: ProtoLike, *, group: str = "") -> dict[str, Representation]:
    """The representations that a schema of TensorFlow Metadata declares or implies, by the rules of tfx_bsl.

    For the default group: those that it declares, and for the columns that none of them takes, what follows
    from the features. A sparse feature is `Sparse`; a feature with a shape is `Dense`; a struct gives
    `Ragged` for each of its fields, named `struct.field`; any other feature is `VarLenSparse`, or `Ragged`
    where the schema represents variable length as ragged. Features that are deprecated or not in production
    are left out.

    Args:
        schema_proto: A `tensorflow.metadata.v0.Schema`, or its bytes.
        group: Name of a group of representations. Another than the default gives exactly what it declares.

    Returns:
        Representations by name.

    Raises:
        RepresentationError: The bytes are no schema, the group is not there, or no representation follows
            from a feature.
        TypeError: An argument has a wrong type.

    Example:
        >>> arrowfeed.representations_from_tfmd(schema_bytes)
        {'image': Dense('image', (784,)), 'tags': VarLenSparse('tags')}
    """
