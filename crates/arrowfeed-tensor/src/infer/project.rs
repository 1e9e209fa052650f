//! Projection of a TensorFlow Metadata schema to some of its tensors.

use std::collections::{HashMap, HashSet};

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
    let known_names: HashSet<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
    if let Some(name) = names.iter().find(|name| !known_names.contains(*name)) {
        let known: Vec<&String> = known.iter().map(|(name, _)| name).collect();
        let expected = format!("the name of a tensor, one of {known:?}");
        return Err(RepresentationError::new(RepresentationErrorKind::Name, expected, format!("{name:?}")));
    }
    let names: HashSet<&str> = names.iter().copied().collect();
    known.retain(|(name, _)| names.contains(name.as_str()));
    let mut paths = HashSet::new();
    schema.feature.iter().for_each(|feature| add_paths(feature, &[], &mut paths));
    let mut wanted = Vec::new();
    for (name, representation) in &known {
        for path in representation.source_columns() {
            if !paths.contains(&path.steps().iter().map(String::as_str).collect::<Vec<_>>()) {
                let error = schema_error("a column that is a feature", format!("{path}"));
                return Err(error.in_tensor(name));
            }
            wanted.push(path);
        }
    }
    let wanted = by_first_step(wanted.iter().map(|path| path.steps()));
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

/// Adds the paths that lead to the feature and into it.
fn add_paths<'a>(feature: &'a Feature, outer: &[&'a str], paths: &mut HashSet<Vec<&'a str>>) {
    let path: Vec<&str> = outer.iter().copied().chain([feature.name()]).collect();
    children(feature).iter().for_each(|child| add_paths(child, &path, paths));
    paths.insert(path);
}

/// The rest of each path, by its first step.
fn by_first_step<'a>(paths: impl Iterator<Item = &'a [String]>) -> HashMap<&'a str, Vec<&'a [String]>> {
    let mut rests: HashMap<&str, Vec<&[String]>> = HashMap::new();
    for (name, rest) in paths.filter_map(|path| path.split_first()) {
        rests.entry(name).or_default().push(rest);
    }
    rests
}

/// Reduces the feature to the paths `wanted`, which are grouped by their first step. `None` if no path leads to it.
fn cut(feature: &Feature, wanted: &HashMap<&str, Vec<&[String]>>) -> Option<Feature> {
    let rests = wanted.get(feature.name())?;
    let mut feature = feature.clone();
    if rests.iter().any(|rest| rest.is_empty()) {
        return Some(feature);
    }
    if let Some(DomainInfo::StructDomain(domain)) = &mut feature.domain_info {
        let wanted = by_first_step(rests.iter().copied());
        domain.feature = domain.feature.iter().filter_map(|child| cut(child, &wanted)).collect();
    }
    Some(feature)
}
