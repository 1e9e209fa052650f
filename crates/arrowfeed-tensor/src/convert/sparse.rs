//! Sparse tensors from index columns and a value column.

use arrow_array::RecordBatch;

use super::entries::{Entries, lengths};
use super::varlen_sparse::{at_least_one_list, hidden};
use crate::column::Column;
use crate::column_path::ColumnPath;
use crate::conversion::Conversion;
use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::explain::{Sharing, TensorPart};
use crate::indexed_schema::IndexedSchema;
use crate::leaf::Leaf;
use crate::options::{AdapterOptions, Duplicates};
use crate::representation;
use crate::row_splits::RowSplits;
use crate::spec::TensorSpec;
use crate::tensor::{SparseTensor, Tensor};

#[derive(Debug, Clone)]
pub(crate) struct Sparse {
    indices: Vec<Column>,
    values: Column,
    leaf: Leaf,
    dense_shape: Vec<Option<usize>>,
    already_sorted: bool,
    duplicates: Duplicates,
}

impl Sparse {
    pub(crate) fn compile(
        schema: &IndexedSchema,
        sparse: &representation::Sparse,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let indices = sparse.index_columns.iter().map(|name| index_column(schema, name));
        let indices = indices.collect::<Result<_, _>>()?;
        let values = one_list(schema, &sparse.value_column)?.crossed(schema, &sparse.transforms)?;
        let leaf = Leaf::compile(&values.leaf, None, &sparse.transforms, options)
            .map_err(|error| error.in_column(&values.label))?;
        let (dense_shape, already_sorted) = (sparse.dense_shape.clone(), sparse.already_sorted);
        Ok(Self { indices, values, leaf, dense_shape, already_sorted, duplicates: options.duplicates })
    }

    /// Writes one column of indices into its dimension, and returns the size of the dimension.
    fn index(
        &self,
        batch: &RecordBatch,
        column: &Column,
        size: Option<usize>,
        dimension: usize,
        splits: &RowSplits,
        entries: &mut Entries,
    ) -> Result<i64, ConversionError> {
        let leaves = at_least_one_list(column.rows(batch, 0, None)?)?;
        same_lengths(&self.values.label, splits, &leaves.splits[0])?;
        if let Some(null) =
            leaves.nulls.as_ref().and_then(|nulls| (0..nulls.len()).find(|i| nulls.is_null(*i)))
        {
            let error = ConversionError::new(ConversionErrorKind::Null, "an index", "a null");
            return Err(error.in_row(leaves.row_of(null)));
        }
        entries.put(&leaves, dimension, size.map(|size| i64::try_from(size).unwrap_or(i64::MAX)))
    }
}

impl Conversion for Sparse {
    fn spec(&self) -> TensorSpec {
        TensorSpec::sparse(self.leaf.dtype, &self.dense_shape)
    }

    fn explain(&self) -> Vec<TensorPart> {
        let mut unless = hidden(&self.values);
        if !self.already_sorted && !self.indices.is_empty() {
            unless.push("entries of a row are not sorted by their indices");
        }
        let indices =
            TensorPart::new("indices", Sharing::Copied).because("rows and index columns side by side");
        vec![TensorPart::values(&self.leaf, &self.values.leaf, &unless), indices]
    }

    fn columns(&self) -> Vec<usize> {
        self.indices.iter().map(Column::index).chain(self.values.indices()).collect()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let in_values = |error: ConversionError| error.in_column(&self.values.label);
        let leaves = at_least_one_list(self.values.rows(batch, 0, None)?).map_err(in_values)?;
        let splits = &leaves.splits[0];
        let mut entries = Entries::new(self.indices.len() + 1, splits).map_err(in_values)?;
        let mut shape = vec![batch.num_rows() as i64];
        for (dimension, column) in self.indices.iter().enumerate() {
            let size = self.dense_shape[dimension];
            let size = self.index(batch, column, size, dimension + 1, splits, &mut entries);
            shape.push(size.map_err(|error| error.in_column(&column.label))?);
        }
        let row_of = |item| leaves.row_of(item);
        let values =
            self.leaf.values(leaves.array.clone(), leaves.nulls.clone(), row_of).map_err(in_values)?;
        let values = if self.already_sorted { values } else { entries.sort(values).map_err(in_values)? };
        if self.duplicates == Duplicates::Error {
            entries.refuse_duplicates().map_err(in_values)?;
        }
        Ok(Tensor::Sparse(SparseTensor::of(entries.indices, values, shape)))
    }
}

fn same_lengths(of: &str, expected: &RowSplits, found: &RowSplits) -> Result<(), ConversionError> {
    if expected == found {
        return Ok(());
    }
    let differ = lengths(expected).zip(lengths(found)).enumerate().find(|(_, (a, b))| a != b);
    match differ {
        None => Ok(()),
        Some((row, (expected, found))) => {
            let expected = format!("{} as in {of:?}", count(expected, "entry").replace("entrys", "entries"));
            let error = ConversionError::new(ConversionErrorKind::Length, expected, found.to_string());
            Err(error.in_row(row))
        }
    }
}

fn index_column(schema: &IndexedSchema, name: &str) -> Result<Column, RepresentationError> {
    let column = one_list(schema, name)?;
    if column.leaf.is_integer() {
        return Ok(column);
    }
    let error = RepresentationError::new(
        RepresentationErrorKind::Type,
        "integers as indices",
        column.leaf.to_string(),
    );
    Err(error.in_column(name))
}

fn one_list(schema: &IndexedSchema, name: &str) -> Result<Column, RepresentationError> {
    let column = Column::compile(schema, &ColumnPath::from(name))?;
    if column.depth() <= 1 {
        return Ok(column);
    }
    let found = format!("lists of depth {}", column.depth());
    let kind = RepresentationErrorKind::Type;
    Err(RepresentationError::new(kind, "one list in each row", found).in_column(name))
}
