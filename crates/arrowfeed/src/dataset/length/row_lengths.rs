//! The lengths of rows: those of the lists or strings of a column, or the integers of a column.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RecordBatch};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_cast::cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind};
use arrowfeed_tensor::{ColumnPath, IndexedSchema};

/// A column of lengths.
#[derive(Debug)]
pub(crate) struct LengthColumn {
    name: String,
    /// Indices of the column and of the fields in it.
    path: Vec<usize>,
}

impl LengthColumn {
    /// Finds the column, or the field `b` of column `a` as `a.b`.
    ///
    /// # Errors
    /// The column is not read, or its type has no length.
    pub(crate) fn find(name: &str, schema: &SchemaRef) -> Result<Self, FeedError> {
        let indexed = IndexedSchema::new(schema.clone());
        let path = ColumnPath::from(name).resolved(&indexed);
        let mut indices = Vec::new();
        let mut fields = Some(schema.fields());
        let mut data_type = None;
        for step in path.as_ref().map_or(&[][..], ColumnPath::steps) {
            let Some((index, field)) = fields.and_then(|fields| indexed.find(fields, step)) else {
                data_type = None;
                break;
            };
            indices.push(index);
            data_type = Some(field.data_type());
            fields = if let DataType::Struct(fields) = field.data_type() { Some(fields) } else { None };
        }
        let Some(data_type) = data_type else {
            let read: Vec<_> = schema.fields().iter().map(|field| field.name()).collect();
            return Err(refused(format!(
                "column: expected a column that is read, one of {read:?}, found {name:?}"
            )));
        };
        if !has_length(data_type) {
            let message = format!(
                "column: expected a column of lists, strings, bytes or integers, found {name:?} of {data_type}"
            );
            return Err(refused(message));
        }
        Ok(Self { name: name.to_owned(), path: indices })
    }

    /// The lengths of all rows. That of a null is 0.
    pub(crate) fn lengths(&self, batch: &RecordBatch) -> Result<Vec<u64>, FeedError> {
        let mut nulls: Option<NullBuffer> = None;
        let (first, inner) = self.path.split_first().map_or((0, &[][..]), |(first, inner)| (*first, inner));
        let mut array: ArrayRef = batch.column(first).clone();
        for field in inner {
            nulls = NullBuffer::union(nulls.as_ref(), array.nulls());
            array = array.as_struct().column(*field).clone();
        }
        nulls = NullBuffer::union(nulls.as_ref(), array.nulls());
        let mut lengths = self.of_values(&array)?;
        for (row, length) in lengths.iter_mut().enumerate() {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                *length = 0;
            }
        }
        Ok(lengths)
    }

    /// The lengths of values that are not null.
    fn of_values(&self, array: &ArrayRef) -> Result<Vec<u64>, FeedError> {
        Ok(match array.data_type() {
            DataType::List(_) => spans(array.as_list::<i32>().offsets()),
            DataType::LargeList(_) => spans(array.as_list::<i64>().offsets()),
            DataType::ListView(_) => sizes(array.as_list_view::<i32>().sizes()),
            DataType::LargeListView(_) => sizes(array.as_list_view::<i64>().sizes()),
            DataType::Map(..) => spans(array.as_map().offsets()),
            DataType::FixedSizeList(_, size) => vec![size.unsigned_abs().into(); array.len()],
            DataType::Utf8 => spans(array.as_string::<i32>().offsets()),
            DataType::LargeUtf8 => spans(array.as_string::<i64>().offsets()),
            DataType::Binary => spans(array.as_binary::<i32>().offsets()),
            DataType::LargeBinary => spans(array.as_binary::<i64>().offsets()),
            // The low half of a view is the length of its value.
            DataType::Utf8View => views(array.as_string_view().views()),
            DataType::BinaryView => views(array.as_binary_view().views()),
            _ => self.integers(array)?,
        })
    }

    fn integers(&self, array: &ArrayRef) -> Result<Vec<u64>, FeedError> {
        let options = CastOptions { safe: false, ..CastOptions::default() };
        let array = cast_with_options(array, &DataType::UInt64, &options).map_err(|error| {
            refused(format!("column: expected integers of 0 or more in column {:?}", self.name))
                .with_source(error)
        })?;
        let array = array.as_primitive::<UInt64Type>();
        Ok(array.values().to_vec())
    }

    /// The error for a row that is longer than the budget of a batch.
    #[cold]
    pub(crate) fn too_long(&self, length: u64, most: u64) -> FeedError {
        refused(format!(
            "max_tokens: expected rows of at most {most} tokens in column {:?}, found one of {length}: increase \
             max_tokens, or leave out longer rows with a filter",
            self.name
        ))
    }
}

fn has_length(data_type: &DataType) -> bool {
    use DataType::*;
    data_type.is_integer()
        || matches!(
            data_type,
            List(_) | LargeList(_) | ListView(_) | LargeListView(_) | FixedSizeList(..) | Map(..)
        )
        || matches!(data_type, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView)
}

fn spans<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>) -> Vec<u64> {
    offsets.lengths().map(|length| length as u64).collect()
}

fn sizes<N: Copy + Into<i64>>(sizes: &[N]) -> Vec<u64> {
    sizes.iter().map(|size| Into::<i64>::into(*size).unsigned_abs()).collect()
}

fn views(views: &[u128]) -> Vec<u64> {
    views.iter().map(|view| u64::from(*view as u32)).collect()
}

#[cold]
fn refused(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Options, message)
}
