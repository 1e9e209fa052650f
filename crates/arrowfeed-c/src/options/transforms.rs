//! Transforms of the values of a tensor in JSON: `{"kind": "hashed", "buckets": 1000}`. The kinds and keys are the functions of
//! `arrowfeed.features` in Python, and their arguments.

use std::fmt::Display;
use std::sync::Arc;

use arrowfeed::source::options::Object;
use arrowfeed::tensor::{DType, Hash, Lookup, RepresentationError, Token, Transform, Vocabulary};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A valid transform.
#[derive(Debug, Clone)]
pub(crate) struct TransformOption(Transform);

impl<'de> Deserialize<'de> for TransformOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The path of the error ends at the tensor.
        let wrong = |error: &dyn Display| D::Error::custom(format_args!("transforms: {error}"));
        let Object(options) =
            Object::<TransformOptions>::deserialize(deserializer).map_err(|error| wrong(&error))?;
        let transform = options.into_transform().map_err(|error| wrong(&error))?;
        transform.validate().map_err(|error| wrong(&error))?;
        Ok(Self(transform))
    }
}

/// The transforms of a tensor.
pub(crate) fn transforms(options: Vec<TransformOption>) -> Vec<Transform> {
    options.into_iter().map(|TransformOption(transform)| transform).collect()
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum TransformOptions {
    Hashed {
        buckets: u64,
        /// Not with `key`.
        seed: Option<u64>,
        key: Option<[u64; 2]>,
    },
    Vocabulary {
        tokens: Tokens,
        #[serde(default = "one")]
        oov: u64,
        default: Option<i64>,
        mask: Option<TokenOption>,
    },
    Bucketized {
        boundaries: Vec<f64>,
    },
    Clipped {
        low: Option<f64>,
        high: Option<f64>,
    },
    Normalised {
        mean: f64,
        std: f64,
    },
    Cast {
        #[serde(deserialize_with = "dtype")]
        dtype: DType,
        #[serde(default)]
        lossy: bool,
    },
    Crossed {
        keys: Vec<String>,
        buckets: u64,
        #[serde(default = "cross_seed")]
        seed: u64,
    },
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected tokens to be a list of strings or of integers")]
enum Tokens {
    Texts(Vec<String>),
    Integers(Vec<i64>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a token to be a string or an integer")]
enum TokenOption {
    Text(String),
    Integer(i64),
}

fn one() -> u64 {
    1
}

fn cross_seed() -> u64 {
    Transform::CROSS_SEED
}

fn dtype<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DType, D::Error> {
    let name = String::deserialize(deserializer)?;
    DType::ALL.into_iter().find(|dtype| dtype.name() == name).ok_or_else(|| {
        let names: Vec<&str> = DType::ALL.into_iter().map(DType::name).collect();
        D::Error::custom(format!("expected one of {}, found {name:?}", names.join(", ")))
    })
}

impl TransformOptions {
    fn into_transform(self) -> Result<Transform, String> {
        let message = |error: RepresentationError| error.to_string();
        Ok(match self {
            Self::Hashed { buckets, seed, key: None } => {
                Transform::Hashed { buckets, hash: Hash::Fingerprint64 { seed } }
            }
            Self::Hashed { buckets, seed: None, key: Some(key) } => {
                Transform::Hashed { buckets, hash: Hash::SipHash { key } }
            }
            Self::Hashed { .. } => return Err("expected a seed or a key, found both".to_owned()),
            Self::Vocabulary { tokens, oov, default, mask } => {
                let vocabulary = match tokens {
                    Tokens::Texts(texts) => Vocabulary::from_tokens(texts),
                    Tokens::Integers(integers) => Vocabulary::from_integers(integers),
                };
                let vocabulary = Arc::new(vocabulary.map_err(message)?);
                let mask = mask.map(|mask| match mask {
                    TokenOption::Text(text) => Token::Bytes(text.into_bytes()),
                    TokenOption::Integer(integer) => Token::Integer(integer),
                });
                Transform::Lookup(Lookup { vocabulary, oov, default, mask })
            }
            Self::Bucketized { boundaries } => Transform::Bucketized { boundaries },
            Self::Clipped { low, high } => Transform::Clipped { low, high },
            Self::Normalised { mean, std } => Transform::Normalised { mean, std },
            Self::Cast { dtype, lossy } => Transform::Cast { dtype, lossy },
            Self::Crossed { keys, buckets, seed } => Transform::Crossed { with: keys, buckets, seed },
        })
    }
}
