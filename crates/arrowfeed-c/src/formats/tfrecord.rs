//! Options of TFRecord in JSON.

use arrowfeed::tfrecord::example::{Feature, FeatureKind};
use arrowfeed::tfrecord::sequence_example::SequenceFeatures;
use arrowfeed::tfrecord::{FeatureEncoding, RecordKind, RecordOptions};
use serde::Deserialize;

use super::Common;
use crate::error::Error;
use crate::options::object::Object;

/// The fields of [`RecordOptions`], and those of the [`RecordKind`].
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Given {
    kind: Object<KindOptions>,
    encoding: Encoding,
    chunk_bytes: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case", deny_unknown_fields)]
enum KindOptions {
    Raw {
        column: Option<String>,
    },
    Example {
        features: Option<Vec<Object<FeatureOptions>>>,
        sample: Option<u64>,
    },
    SequenceExample {
        context: Option<Vec<Object<FeatureOptions>>>,
        sequence: Option<Vec<Object<FeatureOptions>>>,
        sequence_column: Option<String>,
        sample: Option<u64>,
    },
}

impl Default for KindOptions {
    fn default() -> Self {
        Self::Example { features: None, sample: None }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureOptions {
    name: String,
    kind: FeatureKindName,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FeatureKindName {
    Bytes,
    Float,
    Int64,
    Null,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Encoding {
    #[default]
    Tfx,
    Feature,
}

pub(super) fn options(given: Given, common: Common) -> Result<RecordOptions, Error> {
    let Common { columns, exclude, limits } = common;
    let kind = match given.kind.0 {
        KindOptions::Raw { column } => {
            RecordKind::Raw { column: column.unwrap_or_else(|| "record".to_owned()) }
        }
        KindOptions::Example { features, sample } => {
            one_of("features", features.is_some(), sample)?;
            RecordKind::Example { features: features.map(all), sample }
        }
        KindOptions::SequenceExample { context, sequence, sequence_column, sample } => {
            let is_given = context.is_some() || sequence.is_some();
            one_of("context or sequence", is_given, sample)?;
            if sequence_column.is_some() && !is_given {
                return Err(refused("context or sequence beside sequence_column, found neither"));
            }
            let defaults = SequenceFeatures::default();
            let features = is_given.then(|| SequenceFeatures {
                context: context.map(all).unwrap_or_default(),
                sequence: sequence.map(all).unwrap_or_default(),
                sequence_column: sequence_column.unwrap_or(defaults.sequence_column),
            });
            RecordKind::SequenceExample { features, sample }
        }
    };
    let defaults = RecordOptions::new(kind);
    Ok(RecordOptions {
        columns,
        exclude,
        encoding: match given.encoding {
            Encoding::Tfx => FeatureEncoding::Tfx,
            Encoding::Feature => FeatureEncoding::Feature,
        },
        chunk_bytes: given.chunk_bytes.unwrap_or(defaults.chunk_bytes),
        limits,
        ..defaults
    })
}

/// Checks that there are no features beside the number of records from which they are inferred.
fn one_of(features: &str, is_given: bool, sample: Option<u64>) -> Result<(), Error> {
    match sample {
        Some(_) if is_given => Err(refused(&format!("either {features} or sample, found both"))),
        _ => Ok(()),
    }
}

fn refused(expected: &str) -> Error {
    Error::options(format!("format_options of tfrecord: kind: expected {expected}"))
}

fn all(features: Vec<Object<FeatureOptions>>) -> Vec<Feature> {
    let feature = |Object(feature): Object<FeatureOptions>| Feature {
        name: feature.name,
        kind: match feature.kind {
            FeatureKindName::Bytes => FeatureKind::Bytes,
            FeatureKindName::Float => FeatureKind::Float,
            FeatureKindName::Int64 => FeatureKind::Int64,
            FeatureKindName::Null => FeatureKind::Null,
        },
    };
    features.into_iter().map(feature).collect()
}
