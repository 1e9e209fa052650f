//! The operands of a schema: paths to columns, and the arrays of a batch.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, UInt64Array};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field, Schema};

use super::Lists;
use crate::literal::shortened;
use crate::{Operand, Predicate, PredicateError};

/// An operand of a schema.
#[derive(Debug, Clone)]
pub(super) struct Source {
    path: String,
    column: usize,
    column_type: DataType,
    /// The fields of structs, from the column to the value.
    fields: Vec<usize>,
    /// The type of the value at the path.
    data_type: DataType,
    view: View,
}

/// What is seen of a value.
#[derive(Debug, Clone, Copy)]
enum View {
    Value,
    /// The one value of a list.
    OneValue,
    /// The length of a list.
    Length,
}

impl Source {
    /// Finds the column of an operand.
    pub(super) fn new(operand: &Operand, schema: &Schema, lists: Lists) -> Result<Self, PredicateError> {
        let path = operand.path();
        let Some((indices, data_type)) = resolve(schema.fields(), path) else {
            let names: Vec<String> =
                schema.fields().iter().map(|field| format!("{:?}", field.name())).collect();
            let columns = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(PredicateError::UnknownColumn { path: path.to_owned(), columns });
        };
        let view = match operand {
            Operand::ListLength(_) => View::Length,
            Operand::Column(_) if lists == Lists::HoldOneValue && item_type(data_type).is_some() => {
                View::OneValue
            }
            Operand::Column(_) => View::Value,
        };
        let found = Self {
            path: path.to_owned(),
            column: indices[0],
            column_type: schema.field(indices[0]).data_type().clone(),
            fields: indices[1..].to_vec(),
            data_type: data_type.clone(),
            view,
        };
        match view {
            View::Length if item_type(data_type).is_none() && !matches!(data_type, DataType::Map(..)) => {
                Err(found.fault("a list", operand.to_string()))
            }
            _ => Ok(found),
        }
    }

    /// The type of the values that a comparison in `predicate` sees.
    pub(super) fn compared(&self, predicate: &Predicate) -> Result<&DataType, PredicateError> {
        let compared = match self.view {
            View::Length => &DataType::Int64,
            View::OneValue => item_type(&self.data_type).expect("a list"),
            View::Value => &self.data_type,
        };
        let expected = match compared {
            DataType::Struct(_) => "a field of the struct",
            DataType::Map(..) => "list_length of the column",
            list if item_type(list).is_some() => "list_length of the column",
            _ => return Ok(compared),
        };
        Err(self.fault(expected, predicate.to_string()))
    }

    /// The error of an operation or literal that does not fit the type.
    pub(super) fn fault(&self, expected: &'static str, found: String) -> PredicateError {
        let (path, data_type, found) = (self.path.clone(), self.data_type.clone(), shortened(&found));
        PredicateError::Type { path, data_type, expected, found }
    }

    /// The values that a comparison sees, and further nulls.
    pub(super) fn values(
        &self,
        batch: &RecordBatch,
    ) -> Result<(ArrayRef, Option<NullBuffer>), PredicateError> {
        let (array, nulls) = self.array(batch)?;
        match self.view {
            View::Value => Ok((array, nulls)),
            View::Length => {
                let nulls = NullBuffer::union(nulls.as_ref(), array.nulls());
                let (_, ranges) = ranges(&array);
                let lengths = ranges.iter().map(|(_, length)| *length as i64);
                Ok((Arc::new(Int64Array::from_iter_values(lengths)), nulls))
            }
            View::OneValue => {
                let nulls = NullBuffer::union(nulls.as_ref(), array.nulls());
                Ok((self.one_value(&array, nulls.as_ref())?, None))
            }
        }
    }

    /// The rows that are null.
    pub(super) fn nulls(&self, batch: &RecordBatch) -> Result<BooleanBuffer, PredicateError> {
        let (array, parents) = self.array(batch)?;
        let own = array.logical_nulls();
        Ok(match NullBuffer::union(own.as_ref(), parents.as_ref()) {
            Some(nulls) => !nulls.inner(),
            None => BooleanBuffer::new_unset(array.len()),
        })
    }

    /// The array at the path, and the nulls of the structs around it.
    fn array(&self, batch: &RecordBatch) -> Result<(ArrayRef, Option<NullBuffer>), PredicateError> {
        let found = batch.columns().get(self.column);
        let Some(mut array) = found.filter(|column| *column.data_type() == self.column_type) else {
            return Err(PredicateError::Schema {
                path: self.path.clone(),
                expected: self.column_type.clone(),
                found: found.map_or("no column".to_owned(), |column| column.data_type().to_string()),
            });
        };
        let mut nulls = None;
        for field in &self.fields {
            let parent = array.as_struct();
            nulls = NullBuffer::union(nulls.as_ref(), parent.nulls());
            array = parent.column(*field);
        }
        Ok((array.clone(), nulls))
    }

    /// The one value of each list, null for a list that is null or empty.
    fn one_value(&self, lists: &ArrayRef, nulls: Option<&NullBuffer>) -> Result<ArrayRef, PredicateError> {
        let (values, ranges) = ranges(lists);
        let first = ranges.first().map_or(0, |(start, _)| *start);
        let dense = ranges.iter().enumerate().all(|(row, range)| *range == (first + row, 1));
        if dense && nulls.is_none() {
            return Ok(values.slice(first, ranges.len()));
        }
        let mut indices = Vec::with_capacity(ranges.len());
        for (row, (start, length)) in ranges.into_iter().enumerate() {
            match length {
                _ if nulls.is_some_and(|nulls| nulls.is_null(row)) => indices.push(None),
                0 => indices.push(None),
                1 => indices.push(Some(start as u64)),
                values => return Err(PredicateError::SeveralValues { path: self.path.clone(), row, values }),
            }
        }
        Ok(arrowfeed_select::take(&values, &UInt64Array::from(indices))?)
    }
}

/// The indices of the fields on a path, and the type of the last. Names may contain dots: of several readings, the one with the
/// longest first name counts.
pub(super) fn resolve<'a>(fields: &'a [Arc<Field>], path: &str) -> Option<(Vec<usize>, &'a DataType)> {
    let mut named: Vec<(usize, &str)> = fields
        .iter()
        .enumerate()
        .filter_map(|(i, field)| Some((i, crate::path::after_step(path, field.name())?)))
        .collect();
    named.sort_by_key(|(_, rest)| rest.len());
    named.into_iter().find_map(|(i, rest)| {
        let data_type = fields[i].data_type();
        if rest.is_empty() {
            return Some((vec![i], data_type));
        }
        let DataType::Struct(inner) = data_type else { return None };
        let (mut indices, data_type) = resolve(inner, rest)?;
        indices.insert(0, i);
        Some((indices, data_type))
    })
}

#[cfg(feature = "substrait")]
pub(crate) fn is_list(data_type: &DataType) -> bool {
    item_type(data_type).is_some()
}

/// The type of the items of a list.
fn item_type(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item.data_type()),
        _ => None,
    }
}

/// The items of an array of lists or maps, and the start and the length of each list.
fn ranges(array: &ArrayRef) -> (ArrayRef, Vec<(usize, usize)>) {
    fn of_offsets<T: arrow_buffer::ArrowNativeType>(offsets: &[T]) -> Vec<(usize, usize)> {
        let range = |pair: &[T]| (pair[0].as_usize(), pair[1].as_usize() - pair[0].as_usize());
        offsets.windows(2).map(range).collect()
    }
    fn of_views<T: arrow_buffer::ArrowNativeType>(offsets: &[T], sizes: &[T]) -> Vec<(usize, usize)> {
        offsets.iter().zip(sizes).map(|(offset, size)| (offset.as_usize(), size.as_usize())).collect()
    }
    match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            (lists.values().clone(), of_offsets(lists.offsets()))
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            (lists.values().clone(), of_offsets(lists.offsets()))
        }
        DataType::ListView(_) => {
            let lists = array.as_list_view::<i32>();
            (lists.values().clone(), of_views(lists.offsets(), lists.sizes()))
        }
        DataType::LargeListView(_) => {
            let lists = array.as_list_view::<i64>();
            (lists.values().clone(), of_views(lists.offsets(), lists.sizes()))
        }
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).unwrap_or_default();
            let starts = (0..array.len()).map(|row| (row * size, size));
            (array.as_fixed_size_list().values().clone(), starts.collect())
        }
        _ => {
            let maps = array.as_map();
            (maps.values().clone(), of_offsets(maps.offsets()))
        }
    }
}
