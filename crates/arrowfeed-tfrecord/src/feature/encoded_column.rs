//! Encoding of a column as features: of one kind of values, or of a union of several.

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, UInt32Array, UnionArray};
use arrow_schema::DataType;
use arrowfeed_select::take;
use arrowfeed_source::{FeedError, FeedErrorKind, copy_error};

use super::encoded::{FeatureLists, Sizes};

/// The features of a column, one per row. A row of a union has the feature of its branch.
#[derive(Debug)]
pub(crate) enum EncodedColumn {
    Lists(FeatureLists),
    Union {
        /// The branch of each row, and the row of its lists.
        rows: Vec<(i8, u32)>,
        /// The lists of the branches by type id. `None`: the branch has the type null.
        branches: Vec<Option<FeatureLists>>,
    },
}

impl EncodedColumn {
    /// Converts a column to features. `None`: the column has the type null and gives no features.
    ///
    /// # Errors
    /// As in [`FeatureLists::new`].
    pub(crate) fn new(column: &ArrayRef) -> Result<Option<Self>, FeedError> {
        match column.data_type() {
            DataType::Union(..) => Self::of_union(column.as_union()).map(Some),
            _ => Ok(FeatureLists::new(column)?.map(Self::Lists)),
        }
    }

    fn of_union(column: &UnionArray) -> Result<Self, FeedError> {
        // Children may have values that no row uses. These may be invalid.
        let mut used: Vec<Vec<u32>> = vec![Vec::new(); usize::from(i8::MAX.unsigned_abs()) + 1];
        let mut rows = Vec::with_capacity(column.type_ids().len());
        for (row, id) in column.type_ids().iter().enumerate() {
            let child = &mut used[usize::from(id.unsigned_abs())];
            rows.push((*id, child.len() as u32));
            child.push(column.value_offset(row) as u32);
        }
        let mut branches = Vec::new();
        for (id, used) in (0..=i8::MAX).zip(used) {
            let lists = match used.is_empty() {
                true => None,
                false => {
                    FeatureLists::new(&take(column.child(id), &UInt32Array::from(used)).map_err(refused)?)?
                }
            };
            branches.push(lists);
        }
        Ok(Self::Union { rows, branches })
    }

    /// The lists of a row, and its row in them.
    fn lists(&self, row: usize) -> Option<(&FeatureLists, usize)> {
        match self {
            Self::Lists(lists) => Some((lists, row)),
            Self::Union { rows, branches } => {
                let (id, row) = rows[row];
                let lists = branches[usize::from(id.unsigned_abs())].as_ref()?;
                Some((lists, row as usize))
            }
        }
    }

    /// The sizes of the feature of a row; `None` if the row is null.
    pub(crate) fn sizes(&self, row: usize) -> Option<Sizes> {
        let (lists, row) = self.lists(row)?;
        lists.sizes(row)
    }

    /// Appends the `Feature` of a row, without its tag and its length.
    pub(crate) fn push(&self, row: usize, sizes: Sizes, message: &mut Vec<u8>) {
        if let Some((lists, row)) = self.lists(row) {
            lists.push(row, sizes, message);
        }
    }
}

fn refused(error: arrow_schema::ArrowError) -> FeedError {
    let message = format!("expected values that a feature can hold: {error}");
    copy_error(error, || FeedError::new(FeedErrorKind::Conversion, message))
}
