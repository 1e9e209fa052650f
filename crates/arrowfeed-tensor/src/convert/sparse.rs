//! Columns of indices beside a column of values.

use std::cmp::Ordering;

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, UInt64Array, downcast_integer_array};
use arrow_schema::Schema;
use arrow_select::take::take;

use super::varlen_sparse::{at_least_one_list, hidden};
use crate::adapter::{AdapterOptions, Duplicates};
use crate::column::{Column, Leaves};
use crate::column_path::ColumnPath;
use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::explain::{Part, Sharing};
use crate::leaf::Leaf;
use crate::representation;
use crate::row_splits::RowSplits;
use crate::spec::TensorSpec;
use crate::tensor::SparseTensor;
use crate::values::Values;

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
        schema: &Schema,
        sparse: &representation::Sparse,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let indices = sparse.index_columns.iter().map(|name| index_column(schema, name));
        let indices = indices.collect::<Result<_, _>>()?;
        let values = one_list(schema, &sparse.value_column)?;
        let leaf = Leaf::compile(&values.leaf, None, options.inner_nulls)
            .map_err(|error| error.in_column(&values.label))?;
        let (dense_shape, already_sorted) = (sparse.dense_shape.clone(), sparse.already_sorted);
        Ok(Self { indices, values, leaf, dense_shape, already_sorted, duplicates: options.duplicates })
    }

    pub(crate) fn spec(&self) -> TensorSpec {
        TensorSpec::sparse(self.leaf.dtype, &self.dense_shape)
    }

    pub(crate) fn explain(&self) -> Vec<Part> {
        let mut unless = vec![hidden(&self.values)];
        if !self.already_sorted && !self.indices.is_empty() {
            unless.push("entries of a row are not sorted by their indices");
        }
        let indices = Part::new("indices", Sharing::Copied).because("rows and index columns side by side");
        vec![Part::values(&self.leaf, &self.values.leaf, &unless), indices]
    }

    pub(crate) fn columns(&self) -> Vec<usize> {
        self.indices.iter().chain([&self.values]).map(Column::index).collect()
    }

    pub(crate) fn convert(&self, batch: &RecordBatch) -> Result<SparseTensor, ConversionError> {
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
        let values =
            if self.already_sorted { values } else { entries.sort(splits, values).map_err(in_values)? };
        if self.duplicates == Duplicates::Error {
            entries.refuse_duplicates().map_err(in_values)?;
        }
        Ok(SparseTensor::of(entries.indices, values, shape))
    }

    /// Puts one column of indices into its place, and gives the size of its dimension.
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
        let bound = size.map_or(i64::MAX, |size| i64::try_from(size).unwrap_or(i64::MAX));
        let largest = entries.put(&leaves, dimension, bound)?;
        Ok(size.map_or(largest + 1, |size| size as i64))
    }
}

/// `[row, index, index, ...]` of each entry, one after the other.
#[derive(Debug)]
struct Entries {
    rank: usize,
    indices: Vec<i64>,
}

impl Entries {
    fn new(rank: usize, splits: &RowSplits) -> Result<Self, ConversionError> {
        let items = splits.last();
        let Some(size) = items.checked_mul(rank).filter(|size| *size <= isize::MAX as usize / 8) else {
            let found = format!("{} of {rank} indices", count(items, "value"));
            let expected = "indices that fit in memory";
            return Err(ConversionError::new(ConversionErrorKind::Overflow, expected, found));
        };
        let mut indices = vec![0; size];
        let mut rows = indices.chunks_exact_mut(rank);
        for (row, length) in lengths(splits).enumerate() {
            rows.by_ref().take(length).for_each(|entry| entry[0] = row as i64);
        }
        Ok(Self { rank, indices })
    }

    /// Puts indices below `bound` into one dimension, and gives the largest, or -1 where there are none.
    fn put(&mut self, leaves: &Leaves, dimension: usize, bound: i64) -> Result<i64, ConversionError> {
        let array: &dyn Array = &leaves.array;
        downcast_integer_array!(
            array => self.put_all(array, leaves, dimension, bound),
            _ => Ok(-1)
        )
    }

    fn put_all<T: ArrowPrimitiveType>(
        &mut self,
        column: &PrimitiveArray<T>,
        leaves: &Leaves,
        dimension: usize,
        bound: i64,
    ) -> Result<i64, ConversionError>
    where
        T::Native: TryInto<i64> + std::fmt::Display,
    {
        let (mut largest, mut inside) = (-1, true);
        let entries = self.indices.chunks_exact_mut(self.rank);
        for (entry, found) in entries.zip(column.values()) {
            let index = (*found).try_into().unwrap_or(-1);
            inside &= (index as u64) < bound as u64;
            largest = largest.max(index);
            entry[dimension] = index;
        }
        match inside {
            true => Ok(largest),
            false => Err(first_outside(column, leaves, bound)),
        }
    }

    /// Sorts the entries of each row by their indices, and the values with them: not moved where they are sorted.
    fn sort(&mut self, splits: &RowSplits, values: Values) -> Result<Values, ConversionError> {
        if self.rank == 1 || self.is_sorted() {
            return Ok(values);
        }
        let (order, indices) = match self.rank {
            2 => sorted::<2>(&self.indices, splits),
            3 => sorted::<3>(&self.indices, splits),
            _ => self.sorted_of_any_rank(splits),
        };
        self.indices = indices;
        let array: ArrayRef = take(values.array(), &UInt64Array::from(order), None).map_err(|error| {
            ConversionError::new(
                ConversionErrorKind::Overflow,
                "values that fit in one array",
                error.to_string(),
            )
        })?;
        Values::try_new(array)
    }

    /// Rows come in order, so that entries are sorted in their rows where they are sorted as a whole.
    fn is_sorted(&self) -> bool {
        // Coordinates of a known length are compared faster: 1,024 rows of 7 entries take 16 µs in all, and not 26.
        match self.rank {
            2 => self.indices.as_chunks::<2>().0.is_sorted(),
            3 => self.indices.as_chunks::<3>().0.is_sorted(),
            _ => self.neighbours().all(|(entry, next)| entry <= next),
        }
    }

    fn sorted_of_any_rank(&self, splits: &RowSplits) -> (Vec<u64>, Vec<i64>) {
        let entry = |item: &u64| &self.indices[*item as usize * self.rank..][..self.rank];
        let order = order(splits, |a, b| entry(a).cmp(entry(b)));
        let mut indices = Vec::with_capacity(self.indices.len());
        order.iter().for_each(|item| indices.extend_from_slice(entry(item)));
        (order, indices)
    }

    fn refuse_duplicates(&self) -> Result<(), ConversionError> {
        match self.neighbours().find(|(entry, next)| entry == next) {
            None => Ok(()),
            Some((entry, _)) => {
                let found = format!("{:?} twice", &entry[1..]);
                let error = ConversionError::new(ConversionErrorKind::Duplicate, "each index once", found);
                Err(error.in_row(entry[0] as usize))
            }
        }
    }

    /// Each entry but the last, and the one after it.
    fn neighbours(&self) -> impl Iterator<Item = (&[i64], &[i64])> {
        let next = self.indices.get(self.rank..).unwrap_or_default().chunks_exact(self.rank);
        self.indices.chunks_exact(self.rank).zip(next)
    }
}

/// The entries' order when sorted in their rows, and their coordinates then.
fn sorted<const RANK: usize>(indices: &[i64], splits: &RowSplits) -> (Vec<u64>, Vec<i64>) {
    let entries = indices.as_chunks::<RANK>().0;
    let order = order(splits, |a, b| entries[*a as usize].cmp(&entries[*b as usize]));
    let indices: Vec<[i64; RANK]> = order.iter().map(|item| entries[*item as usize]).collect();
    (order, indices.into_flattened())
}

/// All items, those of each row by `compare`. Equal ones stay in order.
fn order(splits: &RowSplits, compare: impl Fn(&u64, &u64) -> Ordering) -> Vec<u64> {
    let mut order: Vec<u64> = (0..splits.last() as u64).collect();
    let mut rest = order.as_mut_slice();
    for length in lengths(splits) {
        let (row, after) = rest.split_at_mut(length);
        row.sort_by(&compare);
        rest = after;
    }
    order
}

fn lengths(splits: &RowSplits) -> impl Iterator<Item = usize> + '_ {
    splits.iter().zip(splits.iter().skip(1)).map(|(start, end)| end - start)
}

fn same_lengths(of: &str, expected: &RowSplits, found: &RowSplits) -> Result<(), ConversionError> {
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

#[cold]
fn first_outside<T: ArrowPrimitiveType>(
    column: &PrimitiveArray<T>,
    leaves: &Leaves,
    bound: i64,
) -> ConversionError
where
    T::Native: TryInto<i64> + std::fmt::Display,
{
    let outside = |found: &T::Native| !(*found).try_into().is_ok_and(|index| (0..bound).contains(&index));
    match column.values().iter().enumerate().find(|(_, found)| outside(found)) {
        Some((item, found)) => bounds_error(bound, found.to_string()).in_row(leaves.row_of(item)),
        None => bounds_error(bound, "another".to_owned()),
    }
}

fn bounds_error(bound: i64, found: String) -> ConversionError {
    let expected = match bound {
        i64::MAX => "an index of 0 or more".to_owned(),
        bound => format!("an index of 0 or more, below {bound}"),
    };
    ConversionError::new(ConversionErrorKind::Bounds, expected, found)
}

fn index_column(schema: &Schema, name: &str) -> Result<Column, RepresentationError> {
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

fn one_list(schema: &Schema, name: &str) -> Result<Column, RepresentationError> {
    let column = Column::compile(schema, &ColumnPath::from(name))?;
    if column.depth() <= 1 {
        return Ok(column);
    }
    let found = format!("lists of depth {}", column.depth());
    let kind = RepresentationErrorKind::Type;
    Err(RepresentationError::new(kind, "one list in each row", found).in_column(name))
}
