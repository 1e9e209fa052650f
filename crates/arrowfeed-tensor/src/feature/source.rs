//! A compiled key and its values, common to all features.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::column::Leaves;
use crate::dtype::DType;
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind};
use crate::explain::{HIDDEN, Part, Sharing};
use crate::expression::{ExpressionPlan, KeyExpression, and_how_to_enter};
use crate::leaf::Leaf;
use crate::lists;
use crate::options::AdapterOptions;

/// A compiled key whose values a tensor can hold.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) plan: ExpressionPlan,
    pub(super) leaf: Leaf,
}

impl Source {
    /// Compiles a key. Extends a key that ends at an array to the elements of the array. Fails if no tensor can hold the values,
    /// or if they do not have the type `dtype`.
    pub(super) fn compile(
        schema: &SchemaRef,
        key: &KeyExpression,
        dtype: Option<DType>,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let mut plan = ExpressionPlan::try_new(schema.clone(), key)?;
        while lists::items(plan.data_type()).is_some() {
            plan = ExpressionPlan::try_new(schema.clone(), &plan.key().each()?)?;
        }
        let data_type = plan.data_type();
        let error = |expected: String, found: String| {
            Err(RepresentationError::new(RepresentationErrorKind::Type, expected, found)
                .in_key(plan.key().text(), None))
        };
        match (DType::of(data_type), dtype) {
            (None, _) => {
                return error(
                    "numbers, bools, byte strings or times".to_owned(),
                    and_how_to_enter(data_type),
                );
            }
            (Some(own), Some(wanted)) if own != wanted => {
                return error(format!("values of {wanted}"), format!("{data_type}, which is {own}"));
            }
            _ => {}
        }
        let leaf = Leaf::compile(data_type, None, options);
        let leaf = leaf.map_err(|error| error.in_key(plan.key().text(), None))?;
        let plan = plan.with_batch_bytes(options.batch_bytes);
        Ok(Self { plan, leaf })
    }

    pub(super) fn rank(&self) -> usize {
        self.plan.rank()
    }

    pub(super) fn label(&self) -> &str {
        self.plan.key().text()
    }

    pub(super) fn leaves(&self, batch: &RecordBatch) -> Result<Leaves, ConversionError> {
        self.plan.leaves(batch).map_err(|error| error.in_key(self.label()))
    }

    pub(super) fn unfit(
        &self,
        kind: RepresentationErrorKind,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> RepresentationError {
        RepresentationError::new(kind, expected, found).in_key(self.label(), None)
    }

    /// Reports on the memory of the values. `unless` has the conditions under which shared values are copied.
    pub(super) fn values_part(&self, unless: &[&str]) -> Part {
        match self.plan.picks() {
            true => Part::new("values", Sharing::Copied).because("they are picked out of their column"),
            false => Part::values(&self.leaf, self.plan.data_type(), unless),
        }
    }

    /// The condition under which lists are not shared.
    pub(super) fn hidden(&self) -> &'static str {
        match self.rank() {
            0 => "a row is null: it has no value",
            _ => HIDDEN,
        }
    }
}
