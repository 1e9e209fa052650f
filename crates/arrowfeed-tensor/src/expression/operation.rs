//! A compiled path: a sequence of operations on whole columns.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::compare;
use super::filter::Filter;
use super::row_selection::{RowSelection, rows_of};
use crate::error::ConversionError;
use crate::row_splits::RowSplits;

/// The operation of one step of a key.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    /// A column of the batch.
    Column(usize),
    /// A child of a struct.
    Field(usize),
    /// The values of a dictionary.
    Decode,
    /// All elements of lists, or values of maps.
    Each,
    /// One element of each list.
    Index(i64),
    /// The value of a key in each map. The array has only this key.
    Key(ArrayRef),
    /// The elements of lists that a filter keeps.
    Filter(Box<Filter>),
    /// The branch of a union with this type id.
    Branch(i8),
}

/// Operations that lead from one type to another.
#[derive(Debug, Clone)]
pub(super) struct Operations {
    pub(super) operations: Vec<Operation>,
    /// The type at the end.
    pub(super) data_type: DataType,
    /// The symbols of the enum at the end, as its field has them in its metadata: a list in JSON.
    pub(super) enum_symbols: Option<String>,
}

/// The record that a path starts from.
#[derive(Debug)]
pub(super) struct Root<'a> {
    pub(super) columns: &'a [ArrayRef],
    pub(super) rows: usize,
    /// The rows, without their columns.
    pub(super) place: RowSelection,
    pub(super) batch_bytes: usize,
}

impl Operations {
    /// Whether the operations select values from their columns, so that the values are copied.
    pub(super) fn picks(&self) -> bool {
        self.operations.iter().any(|operation| {
            !matches!(operation, Operation::Column(_) | Operation::Field(_) | Operation::Each)
        })
    }

    /// Runs the operations from `place`, which is inside the lists `levels`. Each `[*]` and each filter adds a level.
    pub(super) fn run(
        &self,
        root: &Root<'_>,
        place: RowSelection,
        levels: &mut Vec<RowSplits>,
    ) -> Result<RowSelection, ConversionError> {
        self.operations.iter().try_fold(place, |place, operation| {
            Ok(match operation {
                Operation::Column(index) => RowSelection::new(root.columns[*index].clone()),
                Operation::Field(index) => place.field(*index),
                Operation::Decode => place.decoded(),
                Operation::Index(index) => place.index(*index),
                Operation::Key(key) => place.key(|keys| compare::equal_to(keys, key)),
                Operation::Branch(type_id) => place.branch(*type_id),
                Operation::Each => {
                    let (splits, elements) = place.elements()?;
                    levels.push(splits);
                    elements
                }
                Operation::Filter(filter) => {
                    let (splits, elements) = place.elements()?;
                    levels.push(splits);
                    let keep = filter.keep(root, &elements, || rows_of(levels, root.rows))?;
                    match levels.pop() {
                        None => elements,
                        Some(splits) => {
                            let (splits, elements) = elements.filter(&splits, &keep)?;
                            levels.push(splits);
                            elements
                        }
                    }
                }
            })
        })
    }
}
