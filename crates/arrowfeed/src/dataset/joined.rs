//! Joining of rows of several pieces into one batch. All batches share one dictionary for each enum. Arrow's own
//! functions would concatenate the dictionaries of all pieces, so only the keys are joined and the shared dictionary is
//! attached again. Dictionaries that are not shared are joined as Arrow does it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, FixedSizeListArray, LargeListArray, ListArray, MapArray, RecordBatch,
    StructArray, UnionArray,
};
use arrow_schema::{ArrowError, DataType, FieldRef, Fields, Schema, SchemaRef, UnionFields};
use arrowfeed_select::Slice;

/// Concatenates pieces.
pub(crate) fn concatenated(pieces: &[&RecordBatch]) -> Result<RecordBatch, ArrowError> {
    by_keys(pieces, arrowfeed_select::concat_batches)
}

/// Gathers rows. Each one is a piece number and a row in that piece.
pub(crate) fn interleaved(
    pieces: &[&RecordBatch],
    rows: &[(usize, usize)],
) -> Result<RecordBatch, ArrowError> {
    by_keys(pieces, |_, pieces| arrowfeed_select::interleave_batches(pieces, rows))
}

/// The same for rows of which none appears twice, which takes less time.
pub(crate) fn interleaved_distinct(
    pieces: &[&RecordBatch],
    rows: &[(usize, usize)],
) -> Result<RecordBatch, ArrowError> {
    by_keys(pieces, |_, pieces| arrowfeed_select::interleave_distinct(pieces, rows))
}

/// Concatenates slices of pieces.
pub(crate) fn sliced(pieces: &[&RecordBatch], slices: &[Slice]) -> Result<RecordBatch, ArrowError> {
    by_keys(pieces, |_, pieces| arrowfeed_select::concat_batch_slices(pieces, slices))
}

/// Joins pieces by the keys of their dictionaries where these are shared. There is at least one piece, and all have one
/// schema.
fn by_keys(
    pieces: &[&RecordBatch],
    join: impl FnOnce(&SchemaRef, &[&RecordBatch]) -> Result<RecordBatch, ArrowError>,
) -> Result<RecordBatch, ArrowError> {
    let (first, schema) = (pieces[0], pieces[0].schema());
    let has_keys = schema.fields().iter().any(|field| self::has_keys(field.data_type()));
    if !has_keys || !pieces.iter().all(|piece| share_dictionaries(first.columns(), piece.columns())) {
        return join(&schema, pieces);
    }
    let bare = pieces.iter().map(|piece| {
        let columns = piece.columns().iter().map(keys).collect::<Result<Vec<_>, _>>()?;
        RecordBatch::try_new(Arc::new(Schema::new(typed(schema.fields(), &columns))), columns)
    });
    let bare = bare.collect::<Result<Vec<_>, _>>()?;
    let joined = join(&bare[0].schema(), &bare.iter().collect::<Vec<_>>())?;
    let columns =
        joined.columns().iter().zip(first.columns()).map(|(column, like)| with_dictionaries(column, like));
    RecordBatch::try_new(schema, columns.collect::<Result<_, _>>()?)
}

/// Whether two pieces use the same memory for their dictionaries.
fn share_dictionaries(a: &[ArrayRef], b: &[ArrayRef]) -> bool {
    a.iter().zip(b).all(|(a, b)| {
        if !has_keys(a.data_type()) {
            return true;
        }
        match (a.as_dictionary_opt::<Int32Type>(), b.as_dictionary_opt::<Int32Type>()) {
            (Some(a), Some(b)) => a.values().to_data().ptr_eq(&b.values().to_data()),
            (None, None) => {
                let (a, b) = (children(a), children(b));
                // A dictionary with another key type has no children here.
                !a.is_empty() && share_dictionaries(&a, &b)
            }
            _ => false,
        }
    })
}

fn has_keys(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(..) => true,
        DataType::Struct(fields) => fields.iter().any(|field| has_keys(field.data_type())),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| has_keys(field.data_type())),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => has_keys(item.data_type()),
        _ => false,
    }
}

/// Replaces dictionaries by their keys, at any depth.
fn keys(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    if !has_keys(array.data_type()) {
        return Ok(array.clone());
    }
    if let Some(dictionary) = array.as_dictionary_opt::<Int32Type>() {
        return Ok(Arc::new(dictionary.keys().clone()));
    }
    let inside = children(array).iter().map(keys).collect::<Result<_, _>>()?;
    with_children(array, inside)
}

/// Attaches the dictionaries of `like` to an array of keys.
fn with_dictionaries(array: &ArrayRef, like: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    if !has_keys(like.data_type()) {
        return Ok(array.clone());
    }
    if let Some(dictionary) = like.as_dictionary_opt::<Int32Type>() {
        let keys = array.as_primitive::<Int32Type>().clone();
        return Ok(Arc::new(DictionaryArray::try_new(keys, dictionary.values().clone())?));
    }
    let (inside, likes) = (children(array), children(like));
    let inside = inside.iter().zip(&likes).map(|(array, like)| with_dictionaries(array, like));
    with_children(array, inside.collect::<Result<_, _>>()?)
}

fn children(array: &ArrayRef) -> Vec<ArrayRef> {
    match array.data_type() {
        DataType::Struct(_) => array.as_struct().columns().to_vec(),
        DataType::List(_) => vec![array.as_list::<i32>().values().clone()],
        DataType::LargeList(_) => vec![array.as_list::<i64>().values().clone()],
        DataType::FixedSizeList(..) => vec![array.as_fixed_size_list().values().clone()],
        DataType::Map(..) => vec![Arc::new(array.as_map().entries().clone())],
        DataType::Union(..) => array.as_union().clone().into_parts().3,
        _ => Vec::new(),
    }
}

fn with_children(array: &ArrayRef, children: Vec<ArrayRef>) -> Result<ArrayRef, ArrowError> {
    let first = |field: &FieldRef| (retyped(field, &children[0]), children[0].clone());
    Ok(match array.data_type() {
        DataType::Struct(fields) => {
            let (fields, nulls) = (typed(fields, &children), array.nulls().cloned());
            Arc::new(StructArray::try_new_with_length(fields, children, nulls, array.len())?)
        }
        DataType::List(_) => {
            let (item, offsets, _, nulls) = array.as_list::<i32>().clone().into_parts();
            let (item, values) = first(&item);
            Arc::new(ListArray::try_new(item, offsets, values, nulls)?)
        }
        DataType::LargeList(_) => {
            let (item, offsets, _, nulls) = array.as_list::<i64>().clone().into_parts();
            let (item, values) = first(&item);
            Arc::new(LargeListArray::try_new(item, offsets, values, nulls)?)
        }
        DataType::FixedSizeList(..) => {
            let (item, size, _, nulls) = array.as_fixed_size_list().clone().into_parts();
            let (item, values) = first(&item);
            Arc::new(FixedSizeListArray::try_new_with_length(item, size, values, nulls, array.len())?)
        }
        DataType::Map(..) => {
            let (entry, offsets, _, nulls, ordered) = array.as_map().clone().into_parts();
            let (entry, entries) = first(&entry);
            Arc::new(MapArray::try_new(entry, offsets, entries.as_struct().clone(), nulls, ordered)?)
        }
        DataType::Union(..) => {
            let (fields, ids, offsets, _) = array.as_union().clone().into_parts();
            let fields = fields.iter().zip(&children).map(|((id, field), child)| (id, retyped(field, child)));
            Arc::new(UnionArray::try_new(fields.collect::<UnionFields>(), ids, offsets, children)?)
        }
        _ => array.clone(),
    })
}

fn typed(fields: &Fields, columns: &[ArrayRef]) -> Fields {
    fields.iter().zip(columns).map(|(field, column)| retyped(field, column)).collect()
}

fn retyped(field: &FieldRef, array: &ArrayRef) -> FieldRef {
    Arc::new(field.as_ref().clone().with_data_type(array.data_type().clone()))
}
