//! Dense tensors: checks the shape of each row, fills missing rows, and pads short ones.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;

use crate::cast::Unfit;
use crate::column::Column;
use crate::column_path::ColumnPath;
use crate::conversion::Conversion;
use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::explain::{TensorPart, VIEWS};
use crate::gather::{ArraySlice, ArraySlices, gather};
use crate::indexed_schema::IndexedSchema;
use crate::leaf::{Leaf, null_error};
use crate::lists::Lists;
use crate::options::AdapterOptions;
use crate::representation::{self, size};
use crate::spec::TensorSpec;
use crate::tensor::{DenseTensor, Tensor};
use crate::values::Values;

/// Limit on the values of a tensor: no allocation can hold more values of the widest types.
const MAX_VALUES: usize = isize::MAX as usize / 16;

/// A null in a message, and what to do about it.
const NULL: &str = "null: give the tensor a `default`, which fills nulls";

#[derive(Debug, Clone)]
pub(crate) struct Dense {
    column: Column,
    leaf: Leaf,
    shape: Vec<usize>,
    /// Required length of the lists of each level: the sizes of the shape, or their product if there is one level.
    lengths: Vec<usize>,
    /// Number of values of a row.
    size: usize,
    fills: bool,
    pads: bool,
}

impl Dense {
    pub(crate) fn compile(
        schema: &IndexedSchema,
        dense: &representation::Dense,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let column = Column::compile(schema, &ColumnPath::from(dense.column.as_str()))?;
        let column = column.crossed(schema, &dense.transforms)?;
        let leaf = Leaf::compile(&column.leaf, dense.default.as_ref(), &dense.transforms, options)
            .map_err(|error| error.in_column(&column.label))?;
        let size = size(&dense.shape).unwrap_or(usize::MAX);
        let lengths = match column.depth() {
            0 if size == 1 => Vec::new(),
            1 => vec![size],
            depth if depth > 0 && depth == dense.shape.len() => dense.shape.clone(),
            depth => return Err(shape_error(&column, depth, &dense.shape)),
        };
        let fixed = column.sizes.iter().zip(&lengths);
        for (own, wanted) in fixed.filter_map(|(own, wanted)| own.map(|own| (own, *wanted))) {
            if own > wanted || (own < wanted && !dense.pad) {
                return Err(shape_error(&column, column.depth(), &dense.shape));
            }
        }
        let (fills, pads, shape) = (dense.default.is_some(), dense.pad, dense.shape.clone());
        Ok(Self { column, leaf, shape, lengths, size, fills, pads })
    }

    /// The pieces of a column without lists: one value in each row.
    fn single(&self, rows: usize, nulls: Option<&NullBuffer>) -> Result<ArraySlices, ConversionError> {
        let Some(nulls) = nulls else { return Ok(ArraySlices::whole(rows)) };
        let mut pieces = ArraySlices::default();
        for row in 0..rows {
            match nulls.is_null(row) {
                false => pieces.copy(row..row + 1),
                true if self.fills => pieces.fill(1),
                true => return Err(length_error(1, NULL.to_owned()).in_row(row)),
            }
        }
        Ok(pieces)
    }

    fn pieces(&self, rows: usize, levels: &[Lists], values: usize) -> Result<ArraySlices, ConversionError> {
        let full = levels.iter().zip(&self.lengths).all(|(lists, length)| lists.all_have(*length));
        if full {
            return Ok(ArraySlices::whole(values));
        }
        let mut pieces = ArraySlices::default();
        for row in 0..rows {
            match levels[0].is_null(row) {
                true if self.fills => pieces.fill(self.size),
                true => return Err(length_error(self.lengths[0], NULL.to_owned()).in_row(row)),
                false => {
                    self.list(levels, &self.lengths, row, &mut pieces).map_err(|error| error.in_row(row))?;
                }
            }
        }
        Ok(pieces)
    }

    /// Adds the pieces of list `i` of the first of `levels`.
    fn list(
        &self,
        levels: &[Lists],
        lengths: &[usize],
        i: usize,
        pieces: &mut ArraySlices,
    ) -> Result<(), ConversionError> {
        let (Some((lists, below)), Some((&length, lengths))) = (levels.split_first(), lengths.split_first())
        else {
            pieces.copy(i..i + 1);
            return Ok(());
        };
        let found = if lists.is_null(i) { None } else { Some(lists.range(i)) };
        let range = match found {
            Some(range) if range.len() == length || (range.len() < length && self.pads) => range,
            Some(range) => return Err(length_error(length, range.len().to_string())),
            None if self.pads || self.leaf.fills_nulls() => 0..0,
            None => return Err(length_error(length, NULL.to_owned())),
        };
        let missing = length - range.len();
        if below.is_empty() {
            pieces.copy(range);
        } else {
            range.into_iter().try_for_each(|i| self.list(below, lengths, i, pieces))?;
        }
        if missing > 0 {
            pieces.fill(missing * lengths.iter().product::<usize>());
        }
        Ok(())
    }

    /// The values as they are in the tensor. A value that does not go into it may have no result.
    fn shown(
        &self,
        array: ArrayRef,
        nulls: Option<NullBuffer>,
        pieces: &ArraySlices,
    ) -> Result<(ArrayRef, Option<NullBuffer>), ConversionError> {
        match self.leaf.plain(array.clone(), nulls.clone()) {
            Err(Unfit { position: Some(_), .. }) => {}
            plain => return plain.map_err(|unfit| unfit.error),
        }
        let (mut kept, mut positions) = (vec![false; array.len()], vec![0; array.len()]);
        let mut before = 0;
        for piece in pieces.iter() {
            match piece {
                ArraySlice::Fill(count) => before += count,
                ArraySlice::Copy(range) => {
                    kept[range.clone()].fill(true);
                    range.clone().zip(before..).for_each(|(item, place)| positions[item] = place);
                    before += range.len();
                }
            }
        }
        let plain = self.leaf.plain(array, NullBuffer::union(nulls.as_ref(), Some(&kept.into())));
        plain.map_err(|unfit| unfit.in_row(|item| positions[item] / self.size.max(1)))
    }

    /// The tensor of the pieces of an array.
    fn tensor(
        &self,
        rows: usize,
        array: &ArrayRef,
        nulls: Option<NullBuffer>,
        pieces: &ArraySlices,
    ) -> Result<Tensor, ConversionError> {
        let filled = match nulls {
            Some(nulls) if self.leaf.fills_nulls() && self.column.depth() > 0 => {
                Some(self.leaf.without_nulls(array, &nulls, |_| 0)?)
            }
            Some(nulls) => {
                self.refuse_nulls(pieces, &nulls)?;
                None
            }
            None => None,
        };
        let values = gather(filled.as_ref().unwrap_or(array), pieces, Some(&self.leaf.fill))?;
        let shape = std::iter::once(rows).chain(self.shape.iter().copied()).collect();
        DenseTensor::try_new(Values::try_new(values)?, shape).map(Tensor::Dense)
    }

    /// Fails if a value that goes into the tensor is null.
    fn refuse_nulls(&self, pieces: &ArraySlices, nulls: &NullBuffer) -> Result<(), ConversionError> {
        let mut before = 0;
        for piece in pieces.iter() {
            match piece {
                ArraySlice::Fill(count) => before += count,
                ArraySlice::Copy(range) => {
                    let here = nulls.slice(range.start, range.len());
                    if here.null_count() > 0 {
                        let null = (0..here.len()).find(|i| here.is_null(*i)).unwrap_or(0);
                        return Err(null_error().in_row((before + null) / self.size.max(1)));
                    }
                    before += range.len();
                }
            }
        }
        Ok(())
    }
}

impl Conversion for Dense {
    fn spec(&self) -> TensorSpec {
        TensorSpec::dense(self.leaf.dtype, &self.shape)
    }

    fn explain(&self) -> Vec<TensorPart> {
        let mut unless = Vec::from_iter(self.column.has_views().then_some(VIEWS));
        if self.fills {
            unless.push("a row is null and filled");
        }
        if self.pads {
            unless.push("a row is short and padded");
        }
        vec![TensorPart::values(&self.leaf, &self.column.leaf, &unless)]
    }

    fn columns(&self) -> Vec<usize> {
        self.column.indices()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let in_column = |error: ConversionError| error.in_column(&self.column.label);
        let mut walk = self.column.start(batch)?;
        let mut levels = Vec::with_capacity(self.lengths.len());
        while let Some(lists) = walk.next_lists() {
            walk.enter(lists.values.clone());
            levels.push(lists);
        }
        let rows = batch.num_rows();
        if rows.checked_mul(self.size).is_none_or(|size| size > MAX_VALUES) {
            let expected = format!("at most {MAX_VALUES} values in a tensor");
            let found = format!("{} of {}", count(rows, "row"), count(self.size, "value"));
            return Err(in_column(ConversionError::new(ConversionErrorKind::Overflow, expected, found)));
        }
        if levels.is_empty() {
            let plain = self.leaf.plain(walk.array, walk.nulls).map_err(|unfit| unfit.in_row(|row| row));
            let (array, nulls) = plain.map_err(in_column)?;
            let pieces = self.single(rows, nulls.as_ref()).map_err(in_column)?;
            return self.tensor(rows, &array, nulls, &pieces).map_err(in_column);
        }
        let pieces = self.pieces(rows, &levels, walk.array.len()).map_err(in_column)?;
        let (array, nulls) = self.shown(walk.array, walk.nulls, &pieces).map_err(in_column)?;
        self.tensor(rows, &array, nulls, &pieces).map_err(in_column)
    }
}

fn length_error(expected: usize, found: String) -> ConversionError {
    ConversionError::new(ConversionErrorKind::Length, count(expected, "value"), found)
}

#[cold]
fn shape_error(column: &Column, depth: usize, shape: &[usize]) -> RepresentationError {
    let expected = match depth {
        0 => "the shape [], for a column without lists".to_owned(),
        1 => format!("the shape of lists of {} values", sizes(column)),
        _ => format!("a shape of {depth} dimensions, of sizes [{}]", sizes(column)),
    };
    RepresentationError::new(RepresentationErrorKind::Shape, expected, format!("{shape:?}"))
        .in_column(&column.label)
}

fn sizes(column: &Column) -> String {
    let sizes = column.sizes.iter().map(|size| size.map_or("any".to_owned(), |size| size.to_string()));
    sizes.collect::<Vec<_>>().join(", ")
}
