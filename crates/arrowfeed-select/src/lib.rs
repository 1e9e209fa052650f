//! Selection of rows of Arrow arrays: [`take`], [`filter`], [`filter_batch`], [`interleave`], [`concat()`], [`concat_slices`] and [`repeat`] for any
//! type; [`compact`] and [`stored_bytes`] for dictionaries.
//!
//! The kernels of `arrow-select` do the work where they are correct. For these types they are not:
//!
//! | type | kernel | defect |
//! |---|---|---|
//! | `FixedSizeBinary(0)` | take, filter | the result has no slots, because its length is computed from its bytes |
//! | `FixedSizeList(_, 0)` | take, filter, interleave | the same |
//! | lists of values smaller than a byte | interleave | 16 bytes of memory for each item |
//! | lists with more items than their offsets can address | take, concat | panic |
//! | dictionaries, at any depth | take, filter, interleave | a result without slots has an empty dictionary |
//! | dictionaries inside other types | interleave, concat | panic if the dictionaries together have more values than there are keys |
//! | dictionaries with unused values outside of their memory | interleave, concat | panic |
//! | dictionaries with more values than there are keys | all | panic |
//!
//! Such arrays are copied range by range instead, and a result without slots is a slice. Of dictionaries, the inputs lose
//! the values that are not in use, and dictionaries that are still too large become one. A result that does not fit into
//! one array, or into memory, is an error ([`TooLittleMemory`]).

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | module | contents |
// |---|---|
// | `types` | the types for which the kernels of `arrow-select` are wrong |
// | `ranges` | copies of slots, range by range |
// | `room` | the memory of a copy, measured and reserved before |
// | `slices` | concatenation of slices without an array for each |
// | `dictionaries` | dictionaries with more values than keys, and values that are not in use |
// | `stored_bytes` | byte strings of a dictionary, read with checks |

use arrow_array::{
    Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, UInt64Array, downcast_integer_array,
    new_empty_array,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::filter::FilterBuilder;

mod dictionaries;
mod ranges;
mod room;
mod slices;
mod stored_bytes;
mod types;

pub use dictionaries::compact;
use ranges::Ranges;
pub use room::{TooLittleMemory, check_memory};
pub use slices::{Slice, concat_slices};
pub use stored_bytes::stored_bytes;
use types::{contains_dictionary, contains_list, interleaves_by_ranges, type_of_all};

/// Returns the slots of `array` at `indices`, which are integers. A null index yields a null.
///
/// # Errors
/// The result does not fit into one array or into memory.
///
/// # Panics
/// An index is out of range.
pub fn take(array: &dyn Array, indices: &dyn Array) -> Result<ArrayRef, ArrowError> {
    if indices.is_empty() && contains_dictionary(array.data_type()) {
        return Ok(array.slice(0, 0));
    }
    room::check_taken(array, indices)?;
    if !contains_list(array.data_type()) {
        return arrow_select::take::take(array, indices, None);
    }
    let numbered = dictionaries::numbered(array)?;
    let array = numbered.as_deref().unwrap_or(array);
    let mut ranges = Ranges::new(&[array], indices.null_count() > 0, indices.len());
    downcast_integer_array!(
        indices => for index in indices.iter() {
            match index {
                Some(index) => ranges.slot(0, index.as_usize()),
                None => ranges.null(),
            }
        },
        other => return Err(ArrowError::InvalidArgumentError(format!("expected integers as indices, found {other}")))
    );
    ranges.copy()
}

/// Returns the slots of `array` where `mask` is set.
///
/// # Errors
/// The mask and the array have different lengths, or the result does not fit into memory.
pub fn filter(array: &dyn Array, mask: &BooleanArray) -> Result<ArrayRef, ArrowError> {
    room::check_filtered(std::iter::once(array), mask)?;
    filtered(array, mask)
}

fn filtered(array: &dyn Array, mask: &BooleanArray) -> Result<ArrayRef, ArrowError> {
    if contains_dictionary(array.data_type()) && mask.len() == array.len() && !mask.has_true() {
        return Ok(array.slice(0, 0));
    }
    let numbered = dictionaries::numbered(array)?;
    let array = numbered.as_deref().unwrap_or(array);
    if !contains_list(array.data_type()) || mask.len() != array.len() || mask.null_count() > 0 {
        return arrow_select::filter::filter(array, mask);
    }
    let mut ranges = Ranges::new(&[array], false, mask.true_count());
    for (start, end) in mask.values().set_slices() {
        ranges.range(0, start, end);
    }
    ranges.copy()
}

/// Returns the rows of `batch` where `mask` is set.
///
/// # Errors
/// The mask and the batch have different lengths, or the result does not fit into memory.
pub fn filter_batch(batch: &RecordBatch, mask: &BooleanArray) -> Result<RecordBatch, ArrowError> {
    room::check_filtered(batch.columns().iter().map(AsRef::as_ref), mask)?;
    // The ranges or the numbers of the rows are found once for all columns.
    let rows = FilterBuilder::new(mask).optimize().build();
    let column = |column: &ArrayRef| match contains_dictionary(column.data_type())
        || contains_list(column.data_type())
    {
        true => filtered(column, mask),
        false => rows.filter(column),
    };
    let columns = batch.columns().iter().map(column).collect::<Result<_, _>>()?;
    self::batch(batch.schema_ref(), columns, rows.count())
}

/// Returns the slots `(array, slot)` of arrays of one type.
///
/// # Errors
/// There is no array, their types differ, or the result does not fit into one array.
///
/// # Panics
/// A slot is out of range.
pub fn interleave(arrays: &[&dyn Array], slots: &[(usize, usize)]) -> Result<ArrayRef, ArrowError> {
    checked(arrays, slots, room::check_slots)
}

/// Interleaves slots after `check`, which tests the memory of the result.
fn checked(
    arrays: &[&dyn Array],
    slots: &[(usize, usize)],
    check: room::CheckSlots,
) -> Result<ArrayRef, ArrowError> {
    if slots.is_empty() {
        return interleaved(arrays, slots);
    }
    check(arrays, slots)?;
    let Some(arrays) = dictionaries::joinable(arrays)? else { return interleaved(arrays, slots) };
    let arrays = references(&arrays);
    if dictionaries::overflow(&arrays) {
        let (arrays, slots) = dictionaries::selected(&arrays, slots)?;
        return interleaved(&references(&arrays), &slots);
    }
    interleaved(&arrays, slots)
}

fn references(arrays: &[ArrayRef]) -> Vec<&dyn Array> {
    arrays.iter().map(AsRef::as_ref).collect()
}

fn interleaved(arrays: &[&dyn Array], slots: &[(usize, usize)]) -> Result<ArrayRef, ArrowError> {
    match type_of_all(arrays) {
        Some(data_type) if slots.is_empty() && contains_dictionary(data_type) => Ok(arrays[0].slice(0, 0)),
        Some(data_type) if interleaves_by_ranges(data_type) => {
            let mut ranges = Ranges::new(arrays, false, slots.len());
            slots.iter().for_each(|(array, slot)| ranges.slot(*array, *slot));
            ranges.copy()
        }
        _ => arrow_select::interleave::interleave(arrays, slots),
    }
}

/// Returns the rows `(batch, row)` of batches of one schema.
///
/// # Errors
/// Same as [`interleave`].
///
/// # Panics
/// There is no batch, or a row is out of range.
pub fn interleave_batches(
    batches: &[&RecordBatch],
    rows: &[(usize, usize)],
) -> Result<RecordBatch, ArrowError> {
    checked_batches(batches, rows, room::check_slots)
}

/// The same for rows of which none appears twice. The test of the memory takes no time for each row: 8 % fewer instructions for
/// a shuffle of texts.
///
/// # Errors
/// Same as [`interleave`].
///
/// # Panics
/// There is no batch, or a row is out of range.
pub fn interleave_distinct(
    batches: &[&RecordBatch],
    rows: &[(usize, usize)],
) -> Result<RecordBatch, ArrowError> {
    debug_assert_eq!(
        rows.iter().collect::<std::collections::HashSet<_>>().len(),
        rows.len(),
        "distinct rows"
    );
    checked_batches(batches, rows, room::check_distinct)
}

fn checked_batches(
    batches: &[&RecordBatch],
    rows: &[(usize, usize)],
    check: room::CheckSlots,
) -> Result<RecordBatch, ArrowError> {
    let schema = batches[0].schema();
    let columns = (0..schema.fields().len()).map(|i| {
        let parts: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(i).as_ref()).collect();
        checked(&parts, rows, check)
    });
    batch(&schema, columns.collect::<Result<_, _>>()?, rows.len())
}

/// Concatenates arrays of one type.
///
/// # Errors
/// There is no array, their types differ, or the result does not fit into one array.
pub fn concat(arrays: &[&dyn Array]) -> Result<ArrayRef, ArrowError> {
    ranges::check_offsets(arrays)?;
    if arrays.len() == 1 {
        return arrow_select::concat::concat(arrays);
    }
    let whole = |(array, of): (usize, &&dyn Array)| Slice { array, start: 0, len: of.len() };
    room::check_slices(
        arrays,
        arrays.iter().enumerate().map(whole),
        arrays.iter().map(|array| array.len()).sum(),
    )?;
    let Some(arrays) = dictionaries::joinable(arrays)? else { return arrow_select::concat::concat(arrays) };
    let arrays = references(&arrays);
    if dictionaries::overflow(&arrays) {
        return arrow_select::concat::concat(&references(&dictionaries::all(&arrays)?));
    }
    arrow_select::concat::concat(&arrays)
}

/// Concatenates batches of one schema.
///
/// # Errors
/// Same as [`concat()`].
pub fn concat_batches(schema: &SchemaRef, batches: &[&RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let columns = (0..schema.fields().len()).map(|i| {
        let parts: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(i).as_ref()).collect();
        if parts.is_empty() { Ok(new_empty_array(schema.field(i).data_type())) } else { concat(&parts) }
    });
    let rows = batches.iter().map(|batch| batch.num_rows()).sum();
    batch(schema, columns.collect::<Result<_, _>>()?, rows)
}

/// Concatenates slices of batches of one schema.
///
/// # Errors
/// Same as [`concat_slices`].
///
/// # Panics
/// There is no batch, or a slice is out of range.
pub fn concat_batch_slices(batches: &[&RecordBatch], slices: &[Slice]) -> Result<RecordBatch, ArrowError> {
    let schema = batches[0].schema();
    let columns = (0..schema.fields().len()).map(|i| {
        let parts: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(i).as_ref()).collect();
        concat_slices(&parts, slices)
    });
    let rows = slices.iter().map(|slice| slice.len).sum();
    batch(&schema, columns.collect::<Result<_, _>>()?, rows)
}

/// Returns `n` copies of the only slot of `array`.
///
/// # Errors
/// The result does not fit into one array or into memory.
pub fn repeat(array: &dyn Array, n: usize) -> Result<ArrayRef, ArrowError> {
    room::reserve(n.saturating_mul(size_of::<u64>()))?;
    take(array, &UInt64Array::from(vec![0; n]))
}

fn batch(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
}
