//! Representations from a TensorFlow Metadata schema, by the rules of tfx_bsl.

use std::collections::{BTreeSet, HashMap};

use prost::Message;

use super::Representations;
use crate::column_path::ColumnPath;
use crate::error::{RepresentationError, RepresentationErrorKind};
use crate::proto::feature::{DomainInfo, PresenceConstraints, ShapeType};
use crate::proto::{Feature, FeatureType, LifecycleStage, Schema, SparseFeature};
use crate::representation::{Dense, Ragged, Representation, Sparse, VarLenSparse, dims, sizes};

/// The representations that the bytes of a `tensorflow.metadata.v0.Schema` declare or imply.
///
/// The default group, `""`, gives the representations that it declares and, for columns that none of them uses,
/// representations derived from the features:
/// - a sparse feature is [`Sparse`], and uses up its index and value features. The size of a dimension is one more than the
///   maximum of the index feature's domain, or unknown;
/// - a feature with a shape is [`Dense`] without a default value, so it must be present in every row. A shape with a size of
///   -1 counts as no shape: tfx_bsl makes a dense representation of it, which cannot convert anything;
/// - a struct gives a [`Ragged`] tensor for each of its fields, named `struct.field`;
/// - any other feature is [`VarLenSparse`], or [`Ragged`] if the schema represents variable length as ragged.
///
/// If two features have the same name, the last one counts. Features are left out if they are deprecated or their lifecycle
/// stage is planned, alpha, deprecated, debug-only, disabled or derived by validation. Any other group gives exactly the
/// representations that it declares.
///
/// # Errors
/// The bytes are not a schema, the group does not exist, a representation is invalid, or a feature gives no representation.
pub fn representations_from_tfmd(schema: &[u8], group: &str) -> Result<Representations, RepresentationError> {
    mixed(&parse(schema)?, group)
}

/// The type of the values of a feature in a TensorFlow Metadata schema.
///
/// [`infer_representations`](crate::infer_representations) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// `BYTES`.
    Bytes,
    /// `INT`: 64-bit integers.
    Int,
    /// `FLOAT`: 32-bit floats.
    Float,
}

/// The features that the bytes of a `tensorflow.metadata.v0.Schema` declare, in order, with the types of their values. As in
/// tfx_bsl's decoder of `tf.Example`, the first of two features with the same name counts, whatever their stages and
/// environments are.
///
/// # Errors
/// The bytes are not a schema, or a feature has another type.
pub fn value_types_from_tfmd(schema: &[u8]) -> Result<Vec<(String, ValueType)>, RepresentationError> {
    value_types(&parse(schema)?.feature)
}

/// The names and value types of the context features and of the step features of `tf.SequenceExample`.
pub type SequenceValueTypes = (Vec<(String, ValueType)>, Vec<(String, ValueType)>);

/// The features of `tf.SequenceExample` that the bytes of a `tensorflow.metadata.v0.Schema` declare: the context features, and
/// the step features, which are the fields of the struct named `sequence_column`. Otherwise like [`value_types_from_tfmd`].
///
/// # Errors
/// The bytes are not a schema, a feature has another type, or the feature `sequence_column` is not a struct.
pub fn sequence_value_types_from_tfmd(
    schema: &[u8],
    sequence_column: &str,
) -> Result<SequenceValueTypes, RepresentationError> {
    let schema = parse(schema)?;
    let (sequence, context): (Vec<_>, Vec<_>) =
        schema.feature.into_iter().partition(|feature| feature.name() == sequence_column);
    let context = value_types(&context)?;
    let Some(sequence) = sequence.into_iter().next() else { return Ok((context, Vec::new())) };
    let steps = match (sequence.r#type(), &sequence.domain_info) {
        (FeatureType::Struct, Some(DomainInfo::StructDomain(steps))) => value_types(&steps.feature)?,
        (FeatureType::Struct, _) => Vec::new(),
        (other, _) => {
            let expected = "a feature of type STRUCT with the fields of the steps";
            return Err(schema_error(expected, other.as_str_name()).in_tensor(sequence_column));
        }
    };
    Ok((context, steps))
}

fn value_types(features: &[Feature]) -> Result<Vec<(String, ValueType)>, RepresentationError> {
    let mut found: Vec<(String, ValueType)> = Vec::with_capacity(features.len());
    let mut names = BTreeSet::new();
    for feature in features.iter().filter(|feature| names.insert(feature.name())) {
        let value_type = match feature.r#type() {
            FeatureType::Bytes => ValueType::Bytes,
            FeatureType::Int => ValueType::Int,
            FeatureType::Float => ValueType::Float,
            other @ (FeatureType::Struct | FeatureType::TypeUnknown) => {
                let expected = "a feature of the type BYTES, INT or FLOAT";
                return Err(schema_error(expected, other.as_str_name()).in_tensor(feature.name()));
            }
        };
        found.push((feature.name().to_owned(), value_type));
    }
    Ok(found)
}

pub(super) fn parse(schema: &[u8]) -> Result<Schema, RepresentationError> {
    let kind = RepresentationErrorKind::Proto;
    Schema::decode(schema)
        .map_err(|source| RepresentationError::new(kind, "the bytes of a Schema", source.to_string()))
}

pub(super) fn mixed(schema: &Schema, group: &str) -> Result<Representations, RepresentationError> {
    let declared = declared(schema, group)?;
    if !group.is_empty() {
        let names: Vec<&String> = schema.tensor_representation_group.keys().collect();
        let expected = format!("a group of tensor representations, one of {names:?}");
        return declared.ok_or_else(|| schema_error(expected, format!("{group:?}")));
    }
    let mut out = declared.unwrap_or_default();
    let taken: BTreeSet<String> = out
        .iter()
        .flat_map(|(_, representation)| representation.source_columns())
        .map(|path| path.to_string())
        .collect();
    let names: BTreeSet<String> = out.iter().map(|(name, _)| name.clone()).collect();
    let inferred = inferred(schema)?.into_iter();
    out.extend(inferred.filter(|(name, _)| !taken.contains(name) && !names.contains(name)));
    Ok(out)
}

/// The representations that a group declares, `None` if there is no such group.
fn declared(schema: &Schema, group: &str) -> Result<Option<Representations>, RepresentationError> {
    let Some(group) = schema.tensor_representation_group.get(group) else { return Ok(None) };
    let parsed = group.tensor_representation.iter().map(|(name, message)| {
        let representation = Representation::from_message(message);
        Ok((name.clone(), representation.map_err(|error| error.in_tensor(name))?))
    });
    parsed.collect::<Result<_, _>>().map(Some)
}

fn inferred(schema: &Schema) -> Result<Representations, RepresentationError> {
    let mut features = Features::default();
    for feature in &schema.feature {
        features.add(feature);
    }
    let mut out = Representations::new();
    for feature in &schema.sparse_feature {
        if !is_left_out(feature.deprecated(), feature.lifecycle_stage) {
            let representation = sparse(feature, &mut features);
            let representation = representation.map_err(|error| error.in_tensor(feature.name()))?;
            out.push((feature.name().to_owned(), representation));
        }
    }
    let ragged = schema.represent_variable_length_as_ragged();
    for feature in features.in_order.into_iter().flatten() {
        if !is_left_out(feature.deprecated(), feature.lifecycle_stage) {
            plain(feature, ragged, &mut out).map_err(|error| error.in_tensor(feature.name()))?;
        }
    }
    Ok(out)
}

/// The features of a schema that no sparse feature uses up.
#[derive(Default)]
struct Features<'a> {
    /// In the order of the first feature of each name. `None`: used up.
    in_order: Vec<Option<&'a Feature>>,
    /// The index of each name in `in_order`.
    positions: HashMap<&'a str, usize>,
}

impl<'a> Features<'a> {
    /// Adds a feature, in the place of one with the same name.
    fn add(&mut self, feature: &'a Feature) {
        let position = *self.positions.entry(feature.name()).or_insert(self.in_order.len());
        match self.in_order.get_mut(position) {
            Some(known) => *known = Some(feature),
            None => self.in_order.push(Some(feature)),
        }
    }

    fn take(&mut self, name: &str) -> Option<&'a Feature> {
        self.in_order[*self.positions.get(name)?].take()
    }
}

fn is_left_out(deprecated: bool, stage: Option<i32>) -> bool {
    use LifecycleStage::*;
    let stage = stage.and_then(|stage| LifecycleStage::try_from(stage).ok());
    deprecated
        || matches!(stage, Some(Planned | Alpha | Deprecated | DebugOnly | Disabled | ValidationDerived))
}

/// The representation of a sparse feature. Removes its index and value features from `features`.
fn sparse(
    feature: &SparseFeature,
    features: &mut Features<'_>,
) -> Result<Representation, RepresentationError> {
    let mut take = |name: &str, role: &str| {
        let expected = format!("a feature as {role} that no other sparse feature uses");
        features.take(name).ok_or_else(|| schema_error(expected, format!("none named {name:?}")))
    };
    let mut dense_shape = Vec::with_capacity(feature.index_feature.len());
    for index in &feature.index_feature {
        dense_shape.push(dimension(take(index.name(), "index")?)?);
    }
    let value = feature.value_feature.as_ref().map_or("", |value| value.name());
    take(value, "value")?;
    Ok(Representation::Sparse(Sparse {
        index_columns: feature.index_feature.iter().map(|index| index.name().to_owned()).collect(),
        value_column: value.to_owned(),
        dense_shape,
        already_sorted: feature.is_sorted(),
        ..Sparse::default()
    }))
}

/// Size of the dimension of an index feature, from the domain of the feature.
fn dimension(feature: &Feature) -> Result<Option<usize>, RepresentationError> {
    let Some(DomainInfo::IntDomain(domain)) = &feature.domain_info else { return Ok(None) };
    let error = |expected: &str, found: Option<i64>| {
        let found = found.map_or("none".to_owned(), |found| found.to_string());
        Err(schema_error(expected, found).in_column(feature.name()))
    };
    if domain.min != Some(0) {
        return error("0 as minimum of the domain of an index feature", domain.min);
    }
    let size = domain.max.and_then(|max| max.checked_add(1)).and_then(|size| usize::try_from(size).ok());
    match size {
        Some(size) => Ok(Some(size)),
        None => error("a maximum of 0 or more of the domain of an index feature", domain.max),
    }
}

fn plain(feature: &Feature, ragged: bool, out: &mut Representations) -> Result<(), RepresentationError> {
    let name = feature.name();
    if feature.r#type() == FeatureType::Struct {
        return fields(feature, out);
    }
    let representation = match &feature.shape_type {
        Some(ShapeType::Shape(shape)) if dims(Some(shape)).all(|size| size != -1) => {
            let found = match &feature.presence_constraints {
                Some(PresenceConstraints::Presence(presence)) => presence.min_fraction(),
                _ => 0.0,
            };
            if found != 1.0 {
                let expected = "a presence with min_fraction 1 for a feature with a shape";
                return Err(schema_error(expected, format!("min_fraction {found}")));
            }
            let shape = sizes(Some(shape))?;
            Representation::Dense(Dense { column: name.to_owned(), shape, ..Dense::default() })
        }
        _ if ragged => ragged_at(ColumnPath::from(name)),
        _ => Representation::VarLenSparse(VarLenSparse { column: name.to_owned(), ..Default::default() }),
    };
    out.push((name.to_owned(), representation));
    Ok(())
}

/// Adds a ragged tensor for each field of a struct.
fn fields(feature: &Feature, out: &mut Representations) -> Result<(), RepresentationError> {
    let Some(DomainInfo::StructDomain(domain)) = &feature.domain_info else { return Ok(()) };
    if let Some(sparse) = domain.sparse_feature.first() {
        let found = format!("the sparse feature {:?}", sparse.name());
        return Err(schema_error("a struct without sparse features", found));
    }
    for field in &domain.feature {
        if field.r#type() == FeatureType::Struct {
            return Err(schema_error("a struct without structs inside", format!("{:?}", field.name())));
        }
        let path = ColumnPath::new([feature.name(), field.name()]);
        out.push((path.to_string(), ragged_at(path)));
    }
    Ok(())
}

/// A ragged tensor whose message sets no type of the row splits, as in tfx_bsl.
fn ragged_at(path: ColumnPath) -> Representation {
    Representation::Ragged(Ragged { path, ..Ragged::default() }).without_splits_dtype()
}

#[cold]
pub(super) fn schema_error(expected: impl Into<String>, found: impl Into<String>) -> RepresentationError {
    RepresentationError::new(RepresentationErrorKind::Schema, expected, found)
}

#[cfg(test)]
mod tests;
