//! Conversion of arrays.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait,
    StructArray, UInt64Array, new_null_array,
};
use arrow_buffer::{ArrowNativeType, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_cast::display::FormatOptions;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};
use arrow_select::take::take;
use arrowfeed_source::thousands;

use super::compile::entry;
use super::{ColumnConversion, Unfit, ValueCast};
use crate::int96;

/// Strict cast: a value that cannot be converted is an error.
const STRICT: CastOptions<'static> = CastOptions { safe: false, format_options: FormatOptions::new() };

/// Lenient cast: a value that cannot be converted becomes null, and so differs from the original.
const LENIENT: CastOptions<'static> = CastOptions { safe: true, format_options: FormatOptions::new() };

/// Lists in a common form: each list is the range of values between two offsets.
struct Lists {
    offsets: Vec<usize>,
    values: ArrayRef,
    nulls: Option<NullBuffer>,
}

impl ColumnConversion {
    /// Converts an array to the other type.
    ///
    /// # Errors
    /// A value cannot be converted.
    pub(crate) fn apply(&self, array: &ArrayRef) -> Result<ArrayRef, Unfit> {
        self.apply_within(array, None)
    }

    /// Converts a field of structs that have the nulls `around`.
    fn apply_within(&self, array: &ArrayRef, around: Option<&NullBuffer>) -> Result<ArrayRef, Unfit> {
        match self {
            Self::Same => Ok(array.clone()),
            Self::Nulls(to) => Ok(new_null_array(to, array.len())),
            Self::Values(cast) => cast.apply(array),
            Self::List { to, item } => list(to, item, lists(array, around)?),
            Self::Singleton { to, item } => list(to, item, singletons(array)?),
            Self::Struct { to, fields } => structs(to, fields, array, around),
            Self::Map { to, sorted, key, value } => map(to, *sorted, (key, value), array),
        }
    }
}

impl ValueCast {
    pub(super) fn apply(&self, array: &ArrayRef) -> Result<ArrayRef, Unfit> {
        let unfit = |_: ArrowError| Unfit::value(self, array);
        let strict = |array: &ArrayRef| cast_with_options(array, &self.to, &STRICT);
        if self.from == int96::EXACT {
            let to = if let DataType::Timestamp(..) = self.to { &self.to } else { &int96::NANOSECONDS };
            let made = int96::timestamps(array, to).ok_or_else(|| Unfit::value(self, array))?;
            return if *to == self.to { Ok(made) } else { strict(&made).map_err(unfit) };
        }
        // `arrow-cast` also checks bytes outside of a slice, so an error may disappear with a copy.
        let cast = strict(array).or_else(|_| strict(&copied(array)?)).map_err(unfit)?;
        match !self.compared || self.are_equal(array, &cast).map_err(unfit)? {
            true => Ok(cast),
            false => Err(Unfit::value(self, array)),
        }
    }

    /// Whether the values are equal before and after the cast.
    fn are_equal(&self, before: &ArrayRef, after: &ArrayRef) -> Result<bool, ArrowError> {
        if !self.from.is_floating() {
            let back = cast_with_options(after, &self.from, &LENIENT)?;
            return Ok(back.as_ref() == before.as_ref());
        }
        // Compare as numbers, because -0.0 equals 0.
        let double = |array: &ArrayRef| cast_with_options(array, &DataType::Float64, &LENIENT);
        let (before, after) = (double(before)?, double(after)?);
        let (before, after) = (before.as_primitive::<Float64Type>(), after.as_primitive::<Float64Type>());
        Ok(before.iter().zip(after).all(|(before, after)| before == after))
    }
}

/// Copies the values of a slice to new memory.
#[cold]
fn copied(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    take(array, &UInt64Array::from_iter_values(0..array.len() as u64), None)
}

/// The lists of an array, without the values outside of all lists. Lists inside null structs are null too.
fn lists(array: &ArrayRef, around: Option<&NullBuffer>) -> Result<Lists, Unfit> {
    let nulls = NullBuffer::union(array.nulls(), around);
    match array.data_type() {
        DataType::List(_) => Ok(of_offsets(array.as_list::<i32>(), nulls)),
        DataType::LargeList(_) => Ok(of_offsets(array.as_list::<i64>(), nulls)),
        DataType::FixedSizeList(_, length) => {
            // Drop the values of null lists, which are padding.
            let kept = valid(array, nulls.as_ref())?;
            let values = kept.as_fixed_size_list().values().clone();
            let length = usize::try_from(*length).unwrap_or(0);
            Ok(Lists { offsets: offsets(array.len(), length, nulls.as_ref()), values, nulls })
        }
        other => Err(Unfit::array(format!("expected lists, found {other}"))),
    }
}

fn of_offsets<O: OffsetSizeTrait>(array: &GenericListArray<O>, nulls: Option<NullBuffer>) -> Lists {
    let first = array.value_offsets().first().map_or(0, |first| first.as_usize());
    let offsets: Vec<usize> = array.value_offsets().iter().map(|offset| offset.as_usize() - first).collect();
    let values = array.values().slice(first, offsets.last().copied().unwrap_or(0));
    Lists { offsets, values, nulls }
}

/// Wraps each value in a list. A null becomes a null list.
fn singletons(array: &ArrayRef) -> Result<Lists, Unfit> {
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    let values = valid(array, nulls.as_ref())?;
    Ok(Lists { offsets: offsets(array.len(), 1, nulls.as_ref()), values, nulls })
}

/// The non-null values.
fn valid(array: &ArrayRef, nulls: Option<&NullBuffer>) -> Result<ArrayRef, Unfit> {
    match nulls {
        Some(nulls) => {
            let valid = arrowfeed_select::filter(array, &BooleanArray::from(nulls.inner().clone()));
            Ok(arrowfeed_source::copied(valid, "a flag for each value"))
        }
        None => Ok(array.clone()),
    }
}

/// The offsets of lists of one length. Null lists have no values.
fn offsets(lists: usize, length: usize, nulls: Option<&NullBuffer>) -> Vec<usize> {
    let mut end = 0;
    let ends = (0..lists).map(|at| {
        end += if nulls.is_none_or(|nulls| nulls.is_valid(at)) { length } else { 0 };
        end
    });
    std::iter::once(0).chain(ends).collect()
}

/// Makes an array of a list type.
fn list(to: &DataType, item: &ColumnConversion, lists: Lists) -> Result<ArrayRef, Unfit> {
    let values = item.apply(&lists.values)?;
    let lists = Lists { values, ..lists };
    match to {
        DataType::List(item) => of_lists::<i32>(item, lists),
        DataType::LargeList(item) => of_lists::<i64>(item, lists),
        DataType::FixedSizeList(item, length) => fixed_size(item, *length, lists),
        other => Err(Unfit::array(format!("expected a list type, found {other}"))),
    }
}

fn of_lists<O: OffsetSizeTrait>(item: &FieldRef, lists: Lists) -> Result<ArrayRef, Unfit> {
    check_nulls(item, &lists.values, None)?;
    let offsets = lists.offsets.iter().map(|offset| O::from_usize(*offset)).collect::<Option<Vec<O>>>();
    let offsets = offsets.ok_or_else(|| {
        Unfit::array(format!(
            "expected fewer values in a batch (use a smaller batch_size), found {}",
            thousands(lists.values.len() as u64)
        ))
    })?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let list = GenericListArray::<O>::try_new(item.clone(), offsets, lists.values, lists.nulls);
    Ok(Arc::new(list.map_err(refused)?))
}

fn fixed_size(item: &FieldRef, length: i32, lists: Lists) -> Result<ArrayRef, Unfit> {
    let wanted = usize::try_from(length).unwrap_or(0);
    let valid = |at: usize| lists.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(at));
    let lengths = lists.offsets.windows(2).map(|pair| pair[1] - pair[0]);
    if let Some((_, found)) = lengths.enumerate().find(|(at, found)| valid(*at) && *found != wanted) {
        return Err(Unfit::array(format!("expected a list of {length} items, found {found}")));
    }
    if lists.nulls.is_none() {
        check_nulls(item, &lists.values, None)?;
        let rows = lists.offsets.len() - 1;
        let list = FixedSizeListArray::try_new_with_length(item.clone(), length, lists.values, None, rows);
        return Ok(Arc::new(list.map_err(refused)?));
    }
    // The cast pads null lists.
    let large = of_lists::<i64>(item, lists)?;
    cast_with_options(&large, &DataType::FixedSizeList(item.clone(), length), &STRICT).map_err(refused)
}

/// Makes an array of structs. Structs inside null structs become null too, because their fields may have nulls at any
/// position.
fn structs(
    to: &Fields,
    fields: &[(Option<usize>, ColumnConversion)],
    array: &ArrayRef,
    around: Option<&NullBuffer>,
) -> Result<ArrayRef, Unfit> {
    let Some(found) = array.as_struct_opt() else {
        return Err(Unfit::array(format!("expected structs, found {}", array.data_type())));
    };
    let nulls = NullBuffer::union(array.nulls(), around);
    let columns = fields.iter().zip(to).map(|((at, conversion), field)| {
        let made = conversion.apply_within(at.map_or(array, |at| found.column(at)), nulls.as_ref());
        let checked = made.and_then(|made| check_nulls(field, &made, nulls.as_ref()).map(|()| made));
        checked.map_err(|unfit| unfit.in_field(field.name()))
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let made = StructArray::try_new_with_length(to.clone(), columns, nulls, array.len());
    Ok(Arc::new(made.map_err(refused)?))
}

fn map(
    to: &FieldRef,
    sorted: bool,
    (key, value): (&ColumnConversion, &ColumnConversion),
    array: &ArrayRef,
) -> Result<ArrayRef, Unfit> {
    let (Some(found), Some((to_key, to_value))) = (array.as_map_opt(), entry(to)) else {
        return Err(Unfit::array(format!("expected maps, found {}", array.data_type())));
    };
    let first = found.value_offsets().first().copied().unwrap_or(0);
    let offsets: Vec<i32> = found.value_offsets().iter().map(|offset| offset - first).collect();
    let length = offsets.last().map_or(0, |length| length.as_usize());
    let part = |conversion: &ColumnConversion, array: &ArrayRef, field: &Field| {
        let made = conversion.apply(&array.slice(first.as_usize(), length));
        let checked = made.and_then(|made| check_nulls(field, &made, None).map(|()| made));
        checked.map_err(|unfit| unfit.in_field(field.name()))
    };
    let columns = vec![part(key, found.keys(), to_key)?, part(value, found.values(), to_value)?];
    let fields = Fields::from(vec![to_key.clone(), to_value.clone()]);
    let entries = StructArray::try_new(fields, columns, None).map_err(refused)?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let made = MapArray::try_new(to.clone(), offsets, entries, found.nulls().cloned(), sorted);
    Ok(Arc::new(made.map_err(refused)?))
}

/// Checks that the values of a non-nullable field have no nulls. Positions that are null in `around` do not count.
///
/// # Errors
/// There is a null.
pub(crate) fn check_nulls(
    field: &Field,
    values: &ArrayRef,
    around: Option<&NullBuffer>,
) -> Result<(), Unfit> {
    if field.is_nullable() {
        return Ok(());
    }
    let Some(nulls) = values.logical_nulls().filter(|nulls| nulls.null_count() > 0) else { return Ok(()) };
    match around {
        Some(around) if around.contains(&nulls) => Ok(()),
        _ => Err(Unfit::array("expected a value, since the field may not be null, found null".to_owned())),
    }
}

fn refused(error: ArrowError) -> Unfit {
    Unfit::array(error.to_string())
}
