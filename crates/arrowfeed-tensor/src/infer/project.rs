//! Projection of a TensorFlow Metadata schema to some of its tensors.

use prost::Message;

use super::tfmd::{mixed, parse, schema_error};
use crate::error::{RepresentationError, RepresentationErrorKind};
use crate::proto::feature::DomainInfo;
use crate::proto::{Feature, Schema, TensorRepresentationGroup};

/// Projects a schema to the tensors `names`. Returns the bytes of a schema with their source features, with structs reduced
/// to the required fields, and with the representations of the tensors as the default group.
///
/// Parts of features that this crate does not know are left out, because they do not affect tensors.
///
/// # Errors
/// Those of [`representations_from_tfmd`](super::representations_from_tfmd); an unknown name; a tensor with a column that is
/// not a feature.
pub fn project_tfmd_schema(schema: &[u8], names: &[&str]) -> Result<Vec<u8>, RepresentationError> {
    let schema = parse(schema)?;
    let mut known = mixed(&schema, "")?;
    if let Some(name) = names.iter().find(|name| !known.iter().any(|(known, _)| known == *name)) {
        let known: Vec<&String> = known.iter().map(|(name, _)| name).collect();
        let expected = format!("the name of a tensor, one of {known:?}");
        return Err(RepresentationError::new(RepresentationErrorKind::Name, expected, format!("{name:?}")));
    }
    known.retain(|(name, _)| names.contains(&name.as_str()));
    let mut wanted = Vec::new();
    for (name, representation) in &known {
        for path in representation.source_columns() {
            if !schema.feature.iter().any(|feature| contains(feature, path.steps())) {
                let error = schema_error("a column that is a feature", format!("{path}"));
                return Err(error.in_tensor(name));
            }
            wanted.push(path);
        }
    }
    let wanted: Vec<&[String]> = wanted.iter().map(|path| path.steps()).collect();
    let messages = known.iter().map(|(name, representation)| (name.clone(), representation.to_message()));
    let group = TensorRepresentationGroup { tensor_representation: messages.collect() };
    let projected = Schema {
        feature: schema.feature.iter().filter_map(|feature| cut(feature, &wanted)).collect(),
        tensor_representation_group: [(String::new(), group)].into(),
        ..Schema::default()
    };
    Ok(projected.encode_to_vec())
}

fn children(feature: &Feature) -> &[Feature] {
    match &feature.domain_info {
        Some(DomainInfo::StructDomain(domain)) => &domain.feature,
        _ => &[],
    }
}

/// Whether a path leads to the feature or into it.
fn contains(feature: &Feature, path: &[String]) -> bool {
    path.split_first().is_some_and(|(name, rest)| {
        name == feature.name()
            && (rest.is_empty() || children(feature).iter().any(|child| contains(child, rest)))
    })
}

/// Reduces the feature to the paths `wanted`, `None` if no path leads to it.
fn cut(feature: &Feature, wanted: &[&[String]]) -> Option<Feature> {
    let here = wanted.iter().filter_map(|path| path.split_first());
    let rests: Vec<&[String]> =
        here.filter(|(name, _)| *name == feature.name()).map(|(_, rest)| rest).collect();
    if rests.is_empty() {
        return None;
    }
    let mut feature = feature.clone();
    if rests.iter().any(|rest| rest.is_empty()) {
        return Some(feature);
    }
    if let Some(DomainInfo::StructDomain(domain)) = &mut feature.domain_info {
        domain.feature = domain.feature.iter().filter_map(|child| cut(child, &rests)).collect();
    }
    Some(feature)
}
