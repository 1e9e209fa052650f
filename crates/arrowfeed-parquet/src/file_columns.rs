//! Conversion of the columns of one file to the columns of batches.

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, new_empty_array, new_null_array};
use arrow_schema::{FieldRef, Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind};

use crate::columns::{Named, Projection, by_name, leaves, leaves_for, projected};
use crate::conversion::{
    ColumnConversion, Mismatch, Rules, Unfit, check_nulls, compile, first_that, missing, stored,
};

/// The columns that are read from one file, and their conversion to batches.
#[derive(Debug)]
pub(crate) struct FileColumns {
    /// Numbers of the leaf columns, ascending.
    pub(crate) leaves: Vec<usize>,
    columns: Vec<Column>,
    schema: SchemaRef,
}

#[derive(Debug)]
struct Column {
    field: FieldRef,
    /// Its index among the columns that are read. `None`: the file does not have it.
    at: Option<usize>,
    conversion: ColumnConversion,
}

impl FileColumns {
    /// The columns of a file that are read as `whole`. They have the types of the `schema`, but for types that are
    /// only read.
    pub(crate) fn stored(whole: &Schema, projection: &Projection, schema: SchemaRef) -> Self {
        let found = projection.found(whole).into_iter();
        let columns = found.zip(schema.fields()).map(|((at, from), field)| Column {
            field: field.clone(),
            at: Some(at),
            conversion: stored(from.data_type(), field),
        });
        Self { leaves: projection.leaves.clone(), columns: columns.collect(), schema }
    }

    /// The columns of the requested `schema`, matched by name in a file with the schema `whole`.
    ///
    /// # Errors
    /// A non-nullable column is missing; the type of a column cannot be converted.
    pub(crate) fn promised(whole: &Schema, schema: SchemaRef, rules: Rules) -> Result<Self, FeedError> {
        let mut read = Vec::new();
        let mut before = 0;
        let wanted = by_name(schema.fields());
        for field in whole.fields() {
            if let Some(to) = wanted.get(field.name().as_str()) {
                read.extend(leaves_for(field.data_type(), to.field.data_type(), before));
            }
            before += leaves(field.data_type());
        }
        let found = projected(whole.fields(), &read, 0);
        let found = by_name(&found);
        let columns = schema.fields().iter().map(|field| {
            let (at, conversion) = match found.get(field.name().as_str()) {
                Some(Named { is_only: false, .. }) => {
                    let message = "expected one column of this name, found two".to_owned();
                    (None, Err(Mismatch { path: Vec::new(), message }))
                }
                Some(Named { at, field: from, .. }) => (Some(*at), compile(from.data_type(), field, rules)),
                None => (None, missing(field)),
            };
            let conversion = conversion.map_err(|error| schema_error(field, error))?;
            Ok(Column { field: field.clone(), at, conversion })
        });
        let columns = columns.collect::<Result<_, FeedError>>()?;
        Ok(Self { leaves: read, columns, schema })
    }

    /// The columns of batches.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The index of a column of the schema among those that are read, and its conversion. `None`: the file does not have it.
    pub(crate) fn column(&self, number: usize) -> Option<(usize, &ColumnConversion)> {
        let column = self.columns.get(number)?;
        Some((column.at?, &column.conversion))
    }

    /// Converts the columns that were read.
    ///
    /// # Errors
    /// A value cannot be converted. The error comes with the number of its column.
    fn converted(&self, read: &RecordBatch) -> Result<Vec<ArrayRef>, (usize, Unfit)> {
        let columns = self.columns.iter().enumerate().map(|(number, column)| {
            let made = match column.at {
                Some(at) => column.conversion.apply(read.column(at)),
                None => Ok(new_null_array(column.field.data_type(), read.num_rows())),
            };
            let checked = made.and_then(|made| check_nulls(&column.field, &made, None).map(|()| made));
            checked.map_err(|unfit| (number, unfit))
        });
        columns.collect()
    }

    /// Converts the columns that were read to a batch: all rows, or those before the first row with a value that cannot
    /// be converted, with the error of that row. `number` is the number of a row of `read` in its row group.
    ///
    /// # Errors
    /// The columns do not match the schema: a defect.
    pub(crate) fn batch(
        &self,
        read: &RecordBatch,
        number: impl Fn(usize) -> usize,
    ) -> Result<(RecordBatch, Option<FeedError>), FeedError> {
        let (columns, fault) = match self.converted(read) {
            Ok(columns) => (columns, None),
            Err(fault) => self.before_fault(read, &number, fault),
        };
        let rows = columns.first().map_or(read.num_rows(), |column| column.len());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options);
        let batch = batch.map_err(|error| {
            let message = format!("expected the types of the schema: {error}");
            FeedError::new(FeedErrorKind::Internal, message)
        })?;
        Ok((batch, fault))
    }

    /// The rows before the first one that cannot be converted, and the error of that one.
    #[cold]
    fn before_fault(
        &self,
        read: &RecordBatch,
        number_of: &dyn Fn(usize) -> usize,
        (number, unfit): (usize, Unfit),
    ) -> (Vec<ArrayRef>, Option<FeedError>) {
        // The largest number of leading rows that can be converted together. A batch may also have too many values
        // although each row can be converted.
        let rows = first_that(read.num_rows(), |rows| self.converted(&read.slice(0, rows + 1)).is_err());
        let (number, unfit) = match self.converted(&read.slice(rows.min(read.num_rows() - 1), 1)) {
            Err(fault) => fault,
            Ok(_) => (number, unfit),
        };
        let error = unfit.into_error(self.columns[number].field.name(), number_of(rows) as u64);
        let none = || self.schema.fields().iter().map(|field| new_empty_array(field.data_type())).collect();
        (self.converted(&read.slice(0, rows)).unwrap_or_else(|_| none()), Some(error))
    }
}

fn schema_error(column: &FieldRef, error: Mismatch) -> FeedError {
    let mut path = error.path;
    path.push(column.name().clone());
    path.reverse();
    FeedError::new(FeedErrorKind::Schema, error.message).in_field(path.join("."))
}
