//! A TensorFlow Metadata schema with what some of its tensors need, and no more.

use prost::Message;

use super::tfmd::{mixed, parse, schema_error};
use crate::error::{RepresentationError, RepresentationErrorKind};
use crate::proto::feature::DomainInfo;
use crate::proto::{Feature, Schema, TensorRepresentationGroup};

/// The bytes of a schema with the features that the tensors `names` are made of, structs cut to the fields that are
/// needed, and the tensors' representations as the default group.
///
/// Of each feature, what this crate does not know is left out: it does not matter to tensors.
///
/// # Errors
/// As [`representations_from_tfmd`](super::representations_from_tfmd); a name that is not known; a tensor made of a
/// column that is no feature.
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

/// The feature with what is wanted of it, `None` if that is nothing.
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
