//! A compiled key and its values, common to all features.

use arrow_array::{ArrayRef, RecordBatch};

use super::cast::{Cast, holds_exactly};
use super::definition::Casts;
use crate::column::Leaves;
use crate::column_path::ColumnPath;
use crate::dtype::DType;
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind};
use crate::explain::{HIDDEN, Sharing, TensorPart};
use crate::expression::{ExpressionPlan, KeyExpression};
use crate::indexed_schema::IndexedSchema;
use crate::leaf::Leaf;
use crate::lists;
use crate::options::AdapterOptions;
use crate::representation::DefaultValue;

/// A compiled key whose values a tensor can hold.
#[derive(Debug, Clone)]
pub(super) struct KeySource {
    pub(super) plan: ExpressionPlan,
    /// Converts the values to the type of the tensor, if the key has another.
    cast: Option<Cast>,
    pub(super) leaf: Leaf,
}

impl KeySource {
    /// Compiles a key. Extends a key that ends at an array to the elements of the array. Fails if no tensor can hold the values,
    /// or if they have another type than `dtype` and `casts` do not allow the conversion.
    pub(super) fn compile(
        schema: &IndexedSchema,
        key: &KeyExpression,
        dtype: Option<DType>,
        casts: Casts,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let mut plan = ExpressionPlan::compile(schema, key)?;
        while lists::items(plan.data_type()).is_some() {
            plan = ExpressionPlan::compile(schema, &plan.key().each()?)?;
        }
        let in_key = |error: RepresentationError| error.in_key(plan.key().text(), None);
        let cast = Cast::compile(&plan, dtype, casts).map_err(in_key)?;
        let data_type = cast.as_ref().map_or_else(|| plan.data_type().clone(), Cast::data_type);
        let leaf = Leaf::compile(&data_type, None, options).map_err(in_key)?;
        let plan = plan.with_batch_bytes(options.batch_bytes);
        Ok(Self { plan, cast, leaf })
    }

    /// Indices of the columns of the key.
    pub(super) fn columns(&self) -> Vec<usize> {
        self.plan.used().to_vec()
    }

    /// The fields of the key.
    pub(super) fn paths(&self) -> &[ColumnPath] {
        self.plan.columns()
    }

    pub(super) fn rank(&self) -> usize {
        self.plan.rank()
    }

    pub(super) fn label(&self) -> &str {
        self.plan.key().text()
    }

    /// The values of the key in a batch, with the type of the tensor.
    pub(super) fn leaves(&self, batch: &RecordBatch) -> Result<Leaves, ConversionError> {
        self.converted(self.selected(batch)?)
    }

    /// The values of the key in a batch, as they are stored.
    pub(super) fn selected(&self, batch: &RecordBatch) -> Result<Leaves, ConversionError> {
        self.plan.leaves(batch).map_err(|error| error.in_key(self.label()))
    }

    /// Converts values of the key to the type of the tensor.
    pub(super) fn converted(&self, leaves: Leaves) -> Result<Leaves, ConversionError> {
        match &self.cast {
            None => Ok(leaves),
            Some(cast) => cast.apply(leaves).map_err(|error| error.in_key(self.label())),
        }
    }

    /// Makes an array of one default value, with the type of the tensor. An integer that a float type holds exactly is a float.
    pub(super) fn default(&self, value: &DefaultValue) -> Result<ArrayRef, RepresentationError> {
        let dtype = self.leaf.dtype;
        let integer = match value {
            DefaultValue::Int(value) if dtype.is_floating() => i128::from(*value),
            DefaultValue::UInt(value) if dtype.is_floating() => i128::from(*value),
            _ => return self.leaf.one(value).map_err(|error| error.in_key(self.label(), None)),
        };
        if !holds_exactly(dtype, integer) {
            let expected = format!("a default value that {dtype} holds exactly");
            return Err(self.unfit(RepresentationErrorKind::Default, expected, value.to_string()));
        }
        self.leaf.one(&DefaultValue::Float(integer as f64)).map_err(|error| error.in_key(self.label(), None))
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
    pub(super) fn values_part(&self, unless: &[&str]) -> TensorPart {
        let picks = self.plan.picks();
        if let Some(cast) = &self.cast {
            return cast.part(picks, unless);
        }
        match picks {
            true => TensorPart::new("values", Sharing::Copied).because("they are picked out of their column"),
            false => TensorPart::values(&self.leaf, self.plan.data_type(), unless),
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
