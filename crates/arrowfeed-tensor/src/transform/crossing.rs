//! Crosses: the values of several columns or keys side by side as structs, and the hash of each struct.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, LargeListArray, StructArray, downcast_integer_array};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};

use super::byte_values::{is_bytes, map_bytes};
use super::fingerprint::{combined, fingerprint64};
use super::numbers::mapped;
use crate::cast::{Input, Unfit};
use crate::column::{ColumnCursor, Leaves, row_of};
use crate::error::{ConversionError, ConversionErrorKind, count};
use crate::leaf::{as_integers, plain};
use crate::lists::{ListRows, Lists};
use crate::row_splits::{RowSplits, SplitsDType};

#[derive(Debug)]
pub(super) struct Crossing {
    buckets: u64,
    seed: u64,
}

impl Crossing {
    /// Fails with the type of a field that has no hash.
    pub(super) fn compile(buckets: u64, seed: u64, fields: &Fields) -> Result<Self, String> {
        let has_hash = |data_type: &DataType| {
            plain(data_type).is_some_and(|data_type| is_bytes(&data_type) || data_type.is_integer())
        };
        match fields.iter().find(|field| !has_hash(field.data_type())) {
            Some(field) => Err(format!("{} in {:?}", field.data_type(), field.name())),
            None => Ok(Self { buckets, seed }),
        }
    }

    pub(super) fn run(&self, input: &Input<'_>) -> Result<ArrayRef, Unfit> {
        let mut all = vec![self.seed; input.array.len()];
        for column in input.array.as_struct().columns() {
            let hashes = hashes(column)?;
            all.iter_mut().zip(hashes).for_each(|(all, hash)| *all = combined(*all, hash));
        }
        Ok(Arc::new(Int64Array::from(mapped(&all, |hash| (hash % self.buckets) as i64)?)))
    }
}

/// The fingerprint of each string, and the integers themselves.
fn hashes(array: &ArrayRef) -> Result<Vec<u64>, ConversionError> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let own = hashes(dictionary.values())?;
        return match own.is_empty() {
            true => Ok(vec![0; array.len()]),
            false => Ok(dictionary.normalized_keys().into_iter().map(|key| own[key]).collect()),
        };
    }
    let array = &as_integers(array);
    downcast_integer_array!(
        array => mapped(array.values(), |value| i128::from(value) as u64),
        _ => map_bytes(array, |_, bytes| fingerprint64(bytes))
    )
}

/// The values of several columns as structs. A struct is null if one of its values is.
fn structs(names: &[&str], columns: Vec<(ArrayRef, Option<NullBuffer>)>) -> StructArray {
    let nulls = columns.iter().fold(None, |all, (array, nulls)| {
        let own = NullBuffer::union(nulls.as_ref(), array.logical_nulls().as_ref());
        NullBuffer::union(all.as_ref(), own.as_ref())
    });
    let len = columns.first().map_or(0, |(array, _)| array.len());
    let arrays: Vec<ArrayRef> = columns.into_iter().map(|(array, _)| array).collect();
    let types = arrays.iter().map(|array| array.data_type().clone());
    let fields = fields(names.iter().copied().zip(types));
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    StructArray::try_new_with_length(fields, arrays, nulls, len).expect("columns of one length")
}

/// The fields of the structs of a cross.
pub(crate) fn fields<'a>(columns: impl Iterator<Item = (&'a str, DataType)>) -> Fields {
    columns.map(|(name, data_type)| Field::new(name, data_type, true)).collect()
}

/// The values of keys of one rank as structs. Each part has the name of its key.
pub(crate) fn side_by_side(parts: Vec<(&str, Leaves)>) -> Result<Leaves, ConversionError> {
    let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    let mut parts = parts.into_iter();
    let Some((_, first)) = parts.next() else { unreachable!("a cross has several keys") };
    let Leaves { rows, splits, array, nulls } = first;
    let mut columns = vec![(array, nulls)];
    for (name, part) in parts {
        for (level, (expected, found)) in splits.iter().zip(&part.splits).enumerate() {
            same_lengths(names[0], &splits[..level], expected, found).map_err(|error| error.in_key(name))?;
        }
        columns.push((part.array, part.nulls));
    }
    let array = structs(&names, columns);
    let nulls = array.nulls().cloned();
    Ok(Leaves { rows, splits, array: Arc::new(array), nulls })
}

/// The values of columns of one nesting as structs in lists of that nesting. `outer` has the splits of the lists around them.
pub(crate) fn zipped(
    names: &[&str],
    mut cursors: Vec<ColumnCursor<'_>>,
    outer: &mut Vec<RowSplits>,
) -> Result<ArrayRef, ConversionError> {
    let lists: Option<Vec<Lists>> = cursors.iter_mut().map(ColumnCursor::next_lists).collect();
    let Some(lists) = lists else {
        let columns = cursors.into_iter().map(|cursor| (cursor.array, cursor.nulls)).collect();
        return Ok(Arc::new(structs(names, columns)));
    };
    let nulls = lists.iter().fold(None, |all, lists| NullBuffer::union(all.as_ref(), lists.nulls()));
    let rows: Vec<ListRows> =
        lists.into_iter().map(|lists| lists.into_rows(Some(SplitsDType::Int64))).collect::<Result<_, _>>()?;
    let splits = rows[0].splits.clone();
    for ((cursor, rows), name) in cursors.iter_mut().zip(rows).zip(names) {
        same_lengths(names[0], outer, &splits, &rows.splits).map_err(|error| error.in_column(name))?;
        cursor.enter(rows.values);
    }
    let offsets = splits.as_i64().cloned().unwrap_or_else(|| ScalarBuffer::from(vec![0]));
    outer.push(splits);
    let items = zipped(names, cursors, outer)?;
    let field = Arc::new(Field::new_list_field(items.data_type().clone(), true));
    Ok(Arc::new(LargeListArray::new(field, OffsetBuffer::new(offsets), items, nulls)))
}

/// Fails if the lists of two columns have different lengths. `of` is the name of the first one.
fn same_lengths(
    of: &str,
    outer: &[RowSplits],
    expected: &RowSplits,
    found: &RowSplits,
) -> Result<(), ConversionError> {
    let length = |splits: &RowSplits, list| splits.range(list).unwrap_or_default().len();
    let differ = |list: &usize| length(expected, *list) != length(found, *list);
    match (0..expected.rows()).find(differ) {
        None => Ok(()),
        Some(list) => {
            let wanted = format!("{} as in {of:?}", count(length(expected, list), "value"));
            let found = length(found, list).to_string();
            let error = ConversionError::new(ConversionErrorKind::Length, wanted, found);
            Err(error.in_row(row_of(outer, list)))
        }
    }
}
