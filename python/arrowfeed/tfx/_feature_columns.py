"""Conversion of columns of any type to columns that become the features of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._errors import ConversionError
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

SEQUENCE = "##SEQUENCE##"
"""Name of the struct column of feature lists."""

_LEAVE_OUT = "leave the column out with columns="


class FeatureColumns:
    """Converts record batches to batches whose columns become features, sorted by name.

    | column | feature |
    |---|---|
    | numbers, booleans, text, bytes, enums, dictionaries, and lists of these | the same values |
    | dates, times, timestamps, durations of Arrow | their integers |
    | extension types | as the storage type |
    | a struct | a feature for each field, named `column.field`; a null struct is a null in each of them |
    | a union | the feature of the branch of each row |
    | a list of lists, or a list of structs | with `feature_lists`, a feature list, or one for each field |
    | maps, decimals, intervals | `ConversionError` |

    Args:
        feature_lists: Names of features, other than those of nested lists, whose lists become feature lists.
            None: messages have no feature lists.
        zeros_are_missing: Whether a value that is false in Python is missing: 0, empty text, an empty list.
            Doubles beyond the largest float then become infinite, as in TFX.
    """

    def __init__(self, feature_lists: Collection[str] | None, *, zeros_are_missing: bool) -> None:
        self._feature_lists = feature_lists
        self._zeros_are_missing = zeros_are_missing

    @property
    def has_feature_lists(self) -> bool:
        """Whether messages may have feature lists."""
        return self._feature_lists is not None

    def convert(self, batch: Any) -> Any:
        """Returns a `pyarrow.RecordBatch` of features and, last, the struct `##SEQUENCE##` of feature lists.

        Raises:
            ConversionError: A column has a type that cannot become a feature, two features have the same
                name, or `feature_lists` has the name of no list.
        """
        pa = needed("pyarrow", "for record batches")
        features: dict[str, Any] = {}
        steps: dict[str, Any] = {}
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name == SEQUENCE and self._feature_lists is not None:
                leaves = zip((field.name for field in column.type), column.flatten(), strict=True)
                _add(steps, leaves)
            else:
                for leaf, values in _leaves(pa, name, column):
                    found, made = self._feature(pa, leaf, values)
                    _add(steps if found else features, made)
        missing = sorted(set(self._feature_lists or ()) - set(steps))
        if missing:
            expected = f"expected names of lists of {sorted(features)}"
            raise ConversionError(f"feature_lists: {expected}, found {missing}")
        names = sorted(features)
        columns = [features[name] for name in names]
        if steps:
            ordered = sorted(steps)
            names.append(SEQUENCE)
            columns.append(pa.StructArray.from_arrays([steps[name] for name in ordered], names=ordered))
        if not columns:
            return pa.RecordBatch.from_struct_array(pa.array([{}] * batch.num_rows, pa.struct([])))
        return pa.RecordBatch.from_arrays(columns, names=names)

    def _feature(self, pa: Any, name: str, column: Any) -> tuple[bool, list[tuple[str, Any]]]:
        """Returns whether a column becomes feature lists, and its features or feature lists by name."""
        is_list = _is_list(pa, column.type)
        item = column.type.value_type if is_list else None
        if item is not None and (_is_list(pa, item) or pa.types.is_struct(item)):
            if self._feature_lists is None:
                found = f"{name}: expected values or lists of values, found {column.type}"
                raise ConversionError(f"{found}: {_LEAVE_OUT}, or write SequenceExamples")
            return True, _steps(pa, name, column)
        values = _values(pa, name, column)
        if self._feature_lists is not None and name in self._feature_lists and is_list:
            return True, [(name, values)]
        return False, [(name, self._without_zeros(pa, values) if self._zeros_are_missing else values)]

    def _without_zeros(self, pa: Any, column: Any) -> Any:
        compute, types, of = pa.compute, pa.types, column.type
        if types.is_union(of):
            return _union_of(pa, column, lambda child: self._without_zeros(pa, child))
        if types.is_float64(of):
            column = column.cast(pa.float32())
        if _is_list(pa, of):
            if types.is_float64(of.value_type):
                column = column.cast(pa.large_list(pa.float32()))
            return _where(pa, column, compute.greater(compute.list_value_length(column), 0))
        if types.is_boolean(of):
            return _where(pa, column, column)
        if types.is_integer(of) or types.is_floating(of):
            return _where(pa, column, compute.not_equal(column, pa.scalar(0, column.type)))
        if types.is_fixed_size_binary(of):
            return column if of.byte_width else pa.nulls(len(column), of)
        return _where(pa, column, compute.greater(compute.binary_length(column), 0))


def kinds(columns: Any) -> dict[str, Any]:
    """Returns the kinds of feature columns by name: the argument of `ExampleRecordDecoder`.

    Args:
        columns: A batch from `FeatureColumns.convert`.

    Raises:
        ConversionError: A feature is a union, so it has several kinds.
    """
    pa = needed("pyarrow", "for record batches")
    return {field.name: _kind(pa, field) for field in columns.schema}


def _kind(pa: Any, field: Any) -> Any:
    types, of = pa.types, field.type
    if field.name == SEQUENCE:
        return {step.name: _kind(pa, step.with_type(step.type.value_type)) for step in of}
    if types.is_union(of):
        raise ConversionError(
            f"{field.name}: expected values of one kind, which Parquet needs, found a union"
        )
    leaf = of.value_type if _is_list(pa, of) else of
    if types.is_integer(leaf) or types.is_boolean(leaf):
        return "int64"
    return "float" if types.is_floating(leaf) else "bytes"


def _add(features: dict[str, Any], found: Any) -> None:
    for name, column in found:
        if name in features:
            raise ConversionError(f"{name}: expected one column of this name, found several")
        features[name] = column


def _leaves(pa: Any, name: str, column: Any) -> Iterator[tuple[str, Any]]:
    """Yields the columns of the fields of structs, at any depth."""
    if pa.types.is_struct(column.type):
        for field, child in zip(column.type, column.flatten(), strict=True):
            yield from _leaves(pa, f"{name}.{field.name}", child)
    else:
        yield name, column


def _steps(pa: Any, name: str, column: Any) -> list[tuple[str, Any]]:
    """Returns the feature lists of a column of lists of lists, or of lists of structs."""
    items = column.type.value_type
    lists = _large_lists(pa, column)
    values = lists.values
    found = _leaves(pa, name, values) if pa.types.is_struct(items) else [(name, values)]
    return [(leaf, _lists_of(pa, lists, _values(pa, leaf, child))) for leaf, child in found]


def _values(pa: Any, name: str, column: Any) -> Any:
    """Returns a column, or lists, of values that features can hold."""
    types, of = pa.types, column.type
    if isinstance(of, pa.BaseExtensionType):
        return _values(pa, name, column.storage)
    if types.is_dictionary(of):
        return _values(pa, name, column.dictionary_decode())
    if types.is_union(of):
        return _union_of(pa, column, lambda child: _values(pa, name, child))
    if _is_list(pa, of):
        lists = _large_lists(pa, column)
        return _lists_of(pa, lists, _values(pa, name, lists.values))
    return _single_values(pa, name, column)


def _single_values(pa: Any, name: str, column: Any) -> Any:
    types, of = pa.types, column.type
    if types.is_null(of):
        return pa.nulls(len(column), pa.int64())
    if types.is_time32(of) or types.is_date32(of):
        return column.view(pa.int32())
    if types.is_temporal(of) and of.bit_width == pa.int64().bit_width:
        return column.view(pa.int64())
    if _is_value(types, of):
        return column
    raise ConversionError(f"{name}: expected values that a feature can hold, found {of}: {_LEAVE_OUT}")


def _is_value(types: Any, of: Any) -> bool:
    is_number = types.is_integer(of) or types.is_floating(of) or types.is_boolean(of)
    is_text = types.is_string(of) or types.is_large_string(of) or types.is_string_view(of)
    is_bytes = types.is_binary(of) or types.is_large_binary(of) or types.is_binary_view(of)
    return is_number or is_text or is_bytes or types.is_fixed_size_binary(of)


def _is_list(pa: Any, of: Any) -> bool:
    return pa.types.is_list(of) or pa.types.is_large_list(of) or pa.types.is_fixed_size_list(of)


def _large_lists(pa: Any, column: Any) -> Any:
    lists = (
        column if pa.types.is_large_list(column.type) else column.cast(pa.large_list(column.type.value_type))
    )
    # pyarrow accepts no mask for the offsets of a slice.
    return lists.take(pa.array(range(len(lists)))) if lists.offset else lists


def _lists_of(pa: Any, lists: Any, values: Any) -> Any:
    """Returns large lists with other values. Both share the offsets."""
    if values is lists.values:
        return lists
    mask = lists.is_null() if lists.null_count else None
    return pa.LargeListArray.from_arrays(lists.offsets, values, mask=mask)


def _union_of(pa: Any, column: Any, convert: Callable[[Any], Any]) -> Any:
    """Returns a union with converted branches."""
    of = column.type
    codes = list(of.type_codes)
    names = [field.name for field in of]
    children = [convert(column.field(at)) for at in range(of.num_fields)]
    if of.mode == "dense":
        return pa.UnionArray.from_dense(column.type_codes, column.offsets, children, names, codes)
    return pa.UnionArray.from_sparse(column.type_codes, children, names, codes)


def _where(pa: Any, column: Any, valid: Any) -> Any:
    """Returns a column with nulls where a condition is false or null."""
    types, of = pa.types, column.type
    is_view = types.is_string_view(of) or types.is_binary_view(of)
    if column.offset or valid.offset or is_view:
        return pa.compute.if_else(valid, column, pa.scalar(None, of))
    # The result has the values of the column and the bits of the condition: if_else takes 4 times as long.
    bits = pa.compute.fill_null(valid, fill_value=False).buffers()[1]
    if _is_list(pa, of):
        offsets = column.buffers()[1]
        return pa.Array.from_buffers(of, len(column), [bits, offsets], children=[column.values])
    return pa.Array.from_buffers(of, len(column), [bits, *column.buffers()[1:]])
