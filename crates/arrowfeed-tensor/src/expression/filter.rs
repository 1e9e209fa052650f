//! Evaluation of filters: the elements that a filter keeps.

use arrow_array::{Array, ArrayRef};
use arrow_buffer::{BooleanBuffer, NullBuffer};

use super::compare;
use super::operation::{Operations, Root};
use super::row_selection::{Nullable, RowSelection};
use crate::error::ConversionError;
use crate::leaf::Leaf;
use crate::options::AdapterOptions;

/// A compiled filter. A null equals a null and nothing else; `!=` is the exact negation of `=`.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub(super) test: Test,
    /// `!=`
    pub(super) negated: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Test {
    /// Whether the value is missing.
    IsNull(Operand),
    /// Whether the value equals the only value of an array of its plain type.
    Literal(Operand, ArrayRef),
    /// Whether two values are equal.
    Equal(Operand, Operand),
}

/// A path that selects one value for each element.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    /// Whether the path starts at the record instead of the element.
    pub(super) from_root: bool,
    pub(super) path: Operations,
}

impl Filter {
    /// One bit for each element, set if the filter keeps it. `rows` returns the row of each element.
    pub(super) fn keep(
        &self,
        root: &Root<'_>,
        elements: &RowSelection,
        rows: impl Fn() -> Vec<usize>,
    ) -> Result<BooleanBuffer, ConversionError> {
        let place = |operand: &Operand| operand.place(root, elements, &rows);
        let values = |operand: &Operand| place(operand)?.values(root.batch_bytes);
        let equal = match &self.test {
            Test::IsNull(operand) => place(operand)?.missing(),
            Test::Literal(operand, one) => {
                let values = values(operand)?;
                let nulls = nulls_of(&values, elements.len());
                &compare::equal_to(&values.0, one) & &!&nulls
            }
            Test::Equal(left, right) => {
                let plain = |operand: &Operand| plain(operand, values(operand)?, root.batch_bytes);
                let (left, right) = (plain(left)?, plain(right)?);
                let nulls = (nulls_of(&left, elements.len()), nulls_of(&right, elements.len()));
                let both = &nulls.0 & &nulls.1;
                let none = !&(&nulls.0 | &nulls.1);
                &both | &(&none & &compare::equal(&left.0, &right.0))
            }
        };
        Ok(if self.negated { !&equal } else { equal })
    }
}

impl Operand {
    /// The value for each element.
    fn place(
        &self,
        root: &Root<'_>,
        elements: &RowSelection,
        rows: impl Fn() -> Vec<usize>,
    ) -> Result<RowSelection, ConversionError> {
        let mut no_levels = Vec::new();
        match self.from_root {
            false => self.path.run(root, elements.clone(), &mut no_levels),
            true => Ok(self.path.run(root, root.place.clone(), &mut no_levels)?.at(rows())),
        }
    }
}

/// Resolves dictionaries, and makes times integers.
fn plain(
    operand: &Operand,
    (array, nulls): Nullable,
    batch_bytes: usize,
) -> Result<Nullable, ConversionError> {
    let options = AdapterOptions { batch_bytes, ..AdapterOptions::default() };
    let leaf = Leaf::compile(&operand.path.data_type, None, &[], &options);
    match leaf {
        Ok(leaf) => leaf.plain(array, nulls).map_err(|unfit| unfit.error),
        Err(_) => Ok((array, nulls)),
    }
}

/// One bit for each value, set if the value is missing.
fn nulls_of((array, nulls): &Nullable, len: usize) -> BooleanBuffer {
    let nulls = NullBuffer::union(nulls.as_ref(), array.logical_nulls().as_ref());
    nulls.map_or(BooleanBuffer::new_unset(len), |nulls| !nulls.inner())
}
