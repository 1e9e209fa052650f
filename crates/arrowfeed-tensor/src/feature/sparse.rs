//! Sparse features: values at indices that other keys select.

use arrow_array::RecordBatch;

use super::definition::{self, Casts};
use super::source::KeySource;
use crate::column::Leaves;
use crate::conversion::Conversion;
use crate::convert::{Entries, at_least_one_list, lengths, longest};
use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::explain::{Sharing, TensorPart};
use crate::expression::{ExpressionPlan, KeyExpression, StepKind};
use crate::indexed_schema::IndexedSchema;
use crate::lists;
use crate::options::{AdapterOptions, Duplicates};
use crate::row_splits::{RowSplits, SplitsDType};
use crate::spec::TensorSpec;
use crate::tensor::{SparseTensor, Tensor};

#[derive(Debug, Clone)]
pub(super) struct Sparse {
    indices: Vec<IndexSource>,
    values: KeySource,
    /// Number of dimensions of the feature's key that the tensor keeps. Their sizes come first in `size`.
    kept: usize,
    size: Vec<Option<usize>>,
    already_sorted: bool,
    duplicates: Duplicates,
}

#[derive(Debug, Clone)]
struct IndexSource {
    source: KeySource,
    /// Whether its lists are parallel to those of the values, so that each must have the same length.
    beside: bool,
}

impl Sparse {
    pub(super) fn compile(
        schema: &IndexedSchema,
        sparse: &definition::Sparse,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let value_key = KeyExpression::parse(&sparse.value_key)?;
        let index_keys = sparse.index_keys.iter().map(|key| KeyExpression::parse(key));
        let index_keys: Vec<KeyExpression> = index_keys.collect::<Result<_, _>>()?;
        let is_relative = |key: &KeyExpression| !key.is_from_root();
        let outer = match is_relative(&value_key) || index_keys.iter().any(is_relative) {
            true => Some(Outer::compile(schema, &sparse.key)?),
            false => None,
        };
        let inside = |key: &KeyExpression| match &outer {
            None => Ok(key.clone()),
            Some(outer) => outer.join(key),
        };
        let values = KeySource::compile(
            schema,
            &inside(&value_key)?,
            &sparse.transforms,
            sparse.dtype,
            sparse.casts,
            options,
        )?;
        let index = |key: &KeyExpression| {
            let source = index_source(schema, &inside(key)?, options)?;
            let beside = is_relative(key) && is_relative(&value_key) && source.rank() == values.rank();
            Ok(IndexSource { source, beside })
        };
        let indices: Vec<IndexSource> = index_keys.iter().map(index).collect::<Result<_, _>>()?;
        let outer_rank = outer.filter(|_| is_relative(&value_key)).map_or(0, |outer| outer.key.rank());
        let kept = kept_dimensions(&values, indices.len(), outer_rank, &sparse.size)?;
        let (size, already_sorted, duplicates) =
            (sparse.size.clone(), sparse.already_sorted, sparse.duplicates);
        Ok(Self { indices, values, kept, size, already_sorted, duplicates })
    }

    /// The keys: those of the indices, then that of the values.
    pub(super) fn sources(&self) -> impl Iterator<Item = &KeySource> {
        self.indices.iter().map(|index| &index.source).chain([&self.values])
    }

    /// Writes the indices of one key into their dimension, and returns the size of the dimension.
    fn index(
        &self,
        batch: &RecordBatch,
        index: &IndexSource,
        dimension: usize,
        values: &Leaves,
        entries: &mut Entries,
    ) -> Result<i64, ConversionError> {
        let leaves = at_least_one_list(index.source.leaves(batch)?)?;
        if index.beside {
            let mut levels = values.splits.iter().zip(&leaves.splits).enumerate();
            levels.try_for_each(|(level, (expected, found))| {
                let row_of = |list| crate::column::row_of(&values.splits[..level], list);
                self.same_lengths(expected, found, row_of)
            })?;
        } else {
            self.same_lengths(&of_rows(&values.splits)?, &of_rows(&leaves.splits)?, |row| row)?;
        }
        let nulls = leaves.nulls.as_ref();
        if let Some(null) = nulls.and_then(|nulls| (0..nulls.len()).find(|i| nulls.is_null(*i))) {
            let error = ConversionError::new(ConversionErrorKind::Null, "an index", "a null");
            return Err(error.in_row(leaves.row_of(null)));
        }
        let size = self.size[dimension].map(|size| i64::try_from(size).unwrap_or(i64::MAX));
        entries.put(&leaves, dimension + 1, size)
    }

    fn same_lengths(
        &self,
        expected: &RowSplits,
        found: &RowSplits,
        row_of: impl Fn(usize) -> usize,
    ) -> Result<(), ConversionError> {
        let differ = lengths(expected).zip(lengths(found)).enumerate().find(|(_, (a, b))| a != b);
        let Some((list, (expected, found))) = differ else { return Ok(()) };
        let entries = if expected == 1 { "entry" } else { "entries" };
        let expected = format!("{expected} {entries} as in {:?}", self.values.label());
        let error = ConversionError::new(ConversionErrorKind::Length, expected, found.to_string());
        Err(error.in_row(row_of(list)))
    }
}

impl Conversion for Sparse {
    fn spec(&self) -> TensorSpec {
        TensorSpec::sparse(self.values.leaf.dtype, &self.size)
    }

    fn explain(&self) -> Vec<TensorPart> {
        let mut unless = vec![self.values.hidden()];
        if !self.already_sorted {
            unless.push("entries of a row are not sorted by their indices");
        }
        let indices = TensorPart::new("indices", Sharing::Copied).because("rows and index keys side by side");
        vec![self.values.values_part(&unless), indices]
    }

    fn columns(&self) -> Vec<usize> {
        self.sources().flat_map(KeySource::columns).collect()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let in_values = |error: ConversionError| error.in_key(self.values.label());
        let leaves = at_least_one_list(self.values.leaves(batch)?).map_err(in_values)?;
        let splits = of_rows(&leaves.splits).map_err(in_values)?;
        let mut entries = Entries::new(self.size.len() + 1, &splits).map_err(in_values)?;
        let mut shape = vec![batch.num_rows() as i64];
        for (level, size) in self.size[..self.kept].iter().enumerate() {
            let size = keep(&leaves.splits, level, *size, &splits, &mut entries);
            shape.push(size.map_err(in_values)?);
        }
        for (nth, index) in self.indices.iter().enumerate() {
            let dimension = self.kept + nth;
            let size = self.index(batch, index, dimension, &leaves, &mut entries);
            shape.push(size.map_err(|error| error.in_key(index.source.label()))?);
        }
        let row_of = |item| leaves.row_of(item);
        let values = self.values.leaf.values(leaves.array.clone(), leaves.nulls.clone(), row_of);
        let mut values = values.map_err(in_values)?;
        if !self.already_sorted {
            values = entries.sort(values).map_err(in_values)?;
        }
        if self.duplicates == Duplicates::Error {
            entries.refuse_duplicates().map_err(in_values)?;
        }
        Ok(Tensor::Sparse(SparseTensor::of(entries.indices, values, shape)))
    }
}

/// The key of the feature, to which the other keys are relative.
struct Outer {
    key: KeyExpression,
    /// Whether the key ends at an array, so that a field after it is a field of the elements.
    is_array: bool,
}

impl Outer {
    fn compile(schema: &IndexedSchema, key: &str) -> Result<Self, RepresentationError> {
        let key = KeyExpression::parse(key)?;
        let plan = ExpressionPlan::compile(schema, &key)?;
        let is_array = lists::items(plan.data_type()).is_some();
        Ok(Self { key, is_array })
    }

    fn join(&self, key: &KeyExpression) -> Result<KeyExpression, RepresentationError> {
        let begins_with_field = matches!(key.first_step(), StepKind::Name(_) | StepKind::Quoted(_));
        key.inside(&self.key, self.is_array && begins_with_field)
    }
}

fn index_source(
    schema: &IndexedSchema,
    key: &KeyExpression,
    options: &AdapterOptions,
) -> Result<KeySource, RepresentationError> {
    let source = KeySource::compile(schema, key, &[], None, Casts::Refused, options)?;
    match source.plan.data_type() {
        integers if integers.is_integer() => Ok(source),
        other => Err(source.unfit(RepresentationErrorKind::Type, "integers as indices", other.to_string())),
    }
}

/// Number of dimensions of the feature's key that the tensor keeps: none or all, depending on the number of sizes.
fn kept_dimensions(
    values: &KeySource,
    indices: usize,
    outer: usize,
    size: &[Option<usize>],
) -> Result<usize, RepresentationError> {
    let expected = match size.len() {
        0 => "at least one size and index key".to_owned(),
        sizes if sizes == indices => return Ok(0),
        sizes if sizes == indices + outer => return Ok(outer),
        _ if outer == 0 => format!("{}, one for each index key", count(indices, "size")),
        _ => {
            let all = indices + outer;
            format!("{}, one for each index key, or {all} with the outer dimensions", count(indices, "size"))
        }
    };
    Err(values.unfit(RepresentationErrorKind::Shape, expected, size.len().to_string()))
}

/// Writes the positions in the lists of one level into their dimension, and returns its size.
fn keep(
    levels: &[RowSplits],
    level: usize,
    size: Option<usize>,
    rows: &RowSplits,
    entries: &mut Entries,
) -> Result<i64, ConversionError> {
    let splits = &levels[level];
    let positions = lengths(splits).flat_map(|length| 0..length as i64).collect();
    let positions = levels[level + 1..].iter().fold(positions, |outer: Vec<i64>, splits| {
        outer
            .iter()
            .zip(lengths(splits))
            .flat_map(|(position, n)| std::iter::repeat_n(*position, n))
            .collect()
    });
    let bound = size.map_or(i64::MAX, |size| i64::try_from(size).unwrap_or(i64::MAX));
    if let Some((entry, outside)) = positions.iter().enumerate().find(|(_, position)| **position >= bound) {
        let expected = format!("at most {} in dimension {}", count(size.unwrap_or(0), "element"), level + 1);
        let found = format!("an entry in element {outside}");
        let error = ConversionError::new(ConversionErrorKind::Bounds, expected, found);
        return Err(error.in_row(rows.row_of(entry)));
    }
    entries.put_each(level + 1, positions.into_iter())?;
    Ok(size.map_or(longest(splits), |_| bound))
}

/// Splits that divide the entries of all lists into rows of the batch.
fn of_rows(levels: &[RowSplits]) -> Result<RowSplits, ConversionError> {
    if let [splits] = levels {
        return Ok(splits.clone());
    }
    let ends: Vec<usize> = levels.first().map_or(Vec::new(), |splits| splits.iter().skip(1).collect());
    let ends = levels.iter().skip(1).fold(ends, |ends, splits| {
        let splits: Vec<usize> = splits.iter().collect();
        ends.into_iter().map(|end| splits[end]).collect()
    });
    RowSplits::from_ends(ends.into_iter(), SplitsDType::Int64)
}
