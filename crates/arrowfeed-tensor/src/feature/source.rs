//! A compiled key and its values, common to all features.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;

use super::definition::Casts;
use crate::cast::{Cast, holds_exactly};
use crate::column::Leaves;
use crate::column_path::ColumnPath;
use crate::dtype::DType;
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind, count};
use crate::explain::{HIDDEN, Sharing, TensorPart};
use crate::expression::{ExpressionPlan, KeyExpression};
use crate::indexed_schema::IndexedSchema;
use crate::leaf::Leaf;
use crate::lists;
use crate::options::AdapterOptions;
use crate::representation::DefaultValue;
use crate::transform::{self, Transform};

/// A compiled key whose values a tensor can hold.
#[derive(Debug, Clone)]
pub(super) struct KeySource {
    pub(super) plan: ExpressionPlan,
    /// Converts the values to the type of the tensor, if the key has another.
    cast: Option<Cast>,
    pub(super) leaf: Leaf,
    /// The keys of a cross after that of the feature. The values are structs of the values of all keys.
    crossed: Vec<ExpressionPlan>,
    /// Indices of the columns of all keys.
    columns: Vec<usize>,
    /// The fields of all keys.
    paths: Vec<ColumnPath>,
}

impl KeySource {
    /// Compiles a key. Extends a key that ends at an array to the elements of the array. Fails if no tensor can hold the values,
    /// or if they have another type than `dtype` and `casts` do not allow the conversion. Transforms are before this conversion.
    pub(super) fn compile(
        schema: &IndexedSchema,
        key: &KeyExpression,
        transforms: &[Transform],
        dtype: Option<DType>,
        casts: Casts,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let plan = elements(schema, key, options)?;
        let in_key = |error: RepresentationError| error.in_key(plan.key().text(), None);
        let crossed = transforms.iter().flat_map(Transform::with).map(|key| {
            let crossed = elements(schema, &KeyExpression::parse(key)?, options)?;
            if crossed.rank() == plan.rank() {
                return Ok(crossed);
            }
            let expected = format!("{}, as {:?} has", count(plan.rank(), "dimension"), plan.key().text());
            let found = crossed.rank().to_string();
            let error = RepresentationError::new(RepresentationErrorKind::Shape, expected, found);
            Err(error.in_key(key, None))
        });
        let crossed: Vec<ExpressionPlan> = crossed.collect::<Result<_, _>>()?;
        let (cast, leaf) = match transforms.is_empty() {
            true => {
                let cast =
                    Cast::compile(plan.data_type(), plan.enum_symbols(), dtype, casts).map_err(in_key)?;
                let data_type = cast.as_ref().map_or_else(|| plan.data_type().clone(), Cast::data_type);
                (cast, Leaf::compile(&data_type, None, &[], options))
            }
            false => {
                let lossy = casts == Casts::Lossy;
                let last = dtype.map(|dtype| Transform::Cast { dtype, lossy });
                let transforms: Vec<Transform> = transforms.iter().cloned().chain(last).collect();
                let data_type = match crossed.is_empty() {
                    true => plan.data_type().clone(),
                    false => {
                        let parts = std::iter::once(&plan).chain(&crossed);
                        let parts = parts.map(|part| (part.key().text(), part.data_type().clone()));
                        DataType::Struct(transform::fields(parts))
                    }
                };
                (None, Leaf::compile(&data_type, None, &transforms, options))
            }
        };
        let leaf = leaf.map_err(in_key)?;
        let plans = || std::iter::once(&plan).chain(&crossed);
        let columns = plans().flat_map(|plan| plan.used()).copied().collect();
        let paths = plans().flat_map(|plan| plan.columns()).cloned().collect();
        Ok(Self { cast, leaf, columns, paths, crossed, plan })
    }

    /// Indices of the columns of the key.
    pub(super) fn columns(&self) -> Vec<usize> {
        self.columns.clone()
    }

    /// The fields of the key.
    pub(super) fn paths(&self) -> &[ColumnPath] {
        &self.paths
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
        let leaves = self.plan.leaves(batch).map_err(|error| error.in_key(self.label()))?;
        if self.crossed.is_empty() {
            return Ok(leaves);
        }
        let mut parts = vec![(self.label(), leaves)];
        for plan in &self.crossed {
            let key = plan.key().text();
            parts.push((key, plan.leaves(batch).map_err(|error| error.in_key(key))?));
        }
        transform::side_by_side(parts)
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
        match picks && self.leaf.transforms().is_none() {
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

/// Compiles a key, which selects the elements of the arrays at its end.
fn elements(
    schema: &IndexedSchema,
    key: &KeyExpression,
    options: &AdapterOptions,
) -> Result<ExpressionPlan, RepresentationError> {
    let mut plan = ExpressionPlan::compile(schema, key)?;
    while lists::items(plan.data_type()).is_some() {
        plan = ExpressionPlan::compile(schema, &plan.key().each()?)?;
    }
    Ok(plan.with_batch_bytes(options.batch_bytes))
}
