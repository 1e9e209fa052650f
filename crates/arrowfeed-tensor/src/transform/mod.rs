//! Transforms: new values from the values of a column or key, for tensors that a model takes.
//!
//! | file | contents |
//! |---|---|
//! | `mod` | the definitions |
//! | `python_text` | their text, an expression of Python |
//! | `vocabulary` | tokens, and the index of each |
//! | `chain` | transforms compiled against a type: the entry point |
//! | `ids` `numbers` | one kernel for each transform |
//! | `byte_values` | the bytes of strings in any layout |
//! | `crossing` | columns and keys side by side, for crosses |
//! | `fingerprint` | the hashes of TensorFlow |
//! | `wire` | the messages |

use std::sync::Arc;

use crate::dtype::DType;
use crate::error::{RepresentationError, RepresentationErrorKind};

mod byte_values;
mod chain;
mod crossing;
mod fingerprint;
mod ids;
mod numbers;
mod python_text;
mod vocabulary;
mod wire;

pub(crate) use chain::Chain;
pub(crate) use crossing::{fields, side_by_side, zipped};
pub use vocabulary::{Token, Vocabulary};

/// A conversion of the values of a tensor, between their column and the tensor. Missing values stay missing, and defaults
/// replace them after all transforms.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{RecordBatch, StringArray};
/// use arrow_schema::{DataType, Field, Schema};
/// use arrowfeed_tensor::{DefaultValue, Dense, Representation, TensorAdapter, Transform};
///
/// let schema = Arc::new(Schema::new(vec![Field::new("country", DataType::Utf8, true)]));
/// let column = StringArray::from(vec![Some("NL"), None, Some("TR")]);
/// let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(column)])?;
///
/// let country = Representation::Dense(Dense {
///     column: "country".to_owned(),
///     default: Some(DefaultValue::Int(-1)),
///     transforms: vec![Transform::hashed(1000)],
///     ..Dense::default()
/// });
/// let adapter = TensorAdapter::try_new(schema, [("country", country)])?;
/// assert_eq!(adapter.specs()[0].1.to_string(), "dense int64 [?]");
/// let tensors = adapter.convert(&batch)?;
/// assert_eq!(tensors.dense("country")?.values().as_i64().unwrap(), [583, -1, 679]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Transform {
    /// Strings, byte strings and integers to the buckets `0..buckets`: the remainder of a hash. An integer has the hash of
    /// its decimal text, an enum that of its symbol.
    Hashed {
        /// Number of buckets, at least 1 and below 2^63.
        buckets: u64,
        /// The hash.
        hash: Hash,
    },
    /// Strings, byte strings or integers to their indices in a vocabulary.
    Lookup(Lookup),
    /// Numbers to the number of boundaries that are not greater, as `numpy.digitize` counts them. A NaN is greater than all
    /// boundaries. Values are compared as `f64`.
    Bucketized {
        /// The boundaries, in ascending order.
        boundaries: Vec<f64>,
    },
    /// Numbers to the nearest number from `low` to `high`. A NaN stays NaN.
    Clipped {
        /// The least value. For integers, an integer.
        low: Option<f64>,
        /// The greatest value. For integers, an integer.
        high: Option<f64>,
    },
    /// Numbers to `(value - mean) / std`, computed as `f64`. The result is a `float64` for `float64`, and else a `float32`. A cast
    /// that follows may round it to any float type.
    Normalised {
        /// Subtracted from each value.
        mean: f64,
        /// The divisor, greater than 0.
        std: f64,
    },
    /// Numbers and bools to numbers of another type.
    Cast {
        /// The type of the values.
        dtype: DType,
        /// Whether values may change: they become the nearest floats, and the fractions of integers are cut.
        lossy: bool,
    },
    /// Several columns or keys to the buckets `0..buckets`: the remainder of a hash of all their values, as
    /// `tf.sparse.cross_hashed` and `keras.layers.HashedCrossing` compute it. It must be the first transform.
    Crossed {
        /// The columns or keys that follow that of the tensor. They have its nesting: as many values in each list.
        with: Vec<String>,
        /// Number of buckets, at least 1 and below 2^63.
        buckets: u64,
        /// The first value that the hash combines with others.
        seed: u64,
    },
}

impl Transform {
    /// The seed of crosses in TensorFlow.
    pub const CROSS_SEED: u64 = 0xDE_CAFC_AFFE;

    /// Hashes without a seed, as `tf.strings.to_hash_bucket_fast` does.
    pub fn hashed(buckets: u64) -> Self {
        Self::Hashed { buckets, hash: Hash::Fingerprint64 { seed: None } }
    }

    /// Indices in a vocabulary, after one index for other values.
    pub fn lookup(vocabulary: Vocabulary) -> Self {
        Self::Lookup(Lookup { vocabulary: Arc::new(vocabulary), oov: 1, default: None, mask: None })
    }

    /// Crosses with the seed of TensorFlow.
    pub fn crossed<S: Into<String>>(with: impl IntoIterator<Item = S>, buckets: u64) -> Self {
        let with = with.into_iter().map(Into::into).collect();
        Self::Crossed { with, buckets, seed: Self::CROSS_SEED }
    }

    /// Checks the rules that do not depend on a schema.
    ///
    /// # Errors
    /// An argument is out of its range, or arguments exclude each other.
    pub fn validate(&self) -> Result<(), RepresentationError> {
        let error = |expected: &str, found: String| {
            Err(RepresentationError::new(RepresentationErrorKind::Transform, expected, found))
        };
        match self {
            Self::Hashed { buckets, .. } | Self::Crossed { buckets, .. }
                if *buckets == 0 || *buckets > i64::MAX as u64 =>
            {
                error("at least 1 bucket, and less than 2^63", buckets.to_string())
            }
            Self::Crossed { with, .. } if with.is_empty() => {
                error("at least one other column or key to cross with", "none".to_owned())
            }
            Self::Lookup(lookup) => lookup.validate(),
            Self::Bucketized { boundaries } if boundaries.is_empty() => {
                error("at least one boundary", "none".to_owned())
            }
            Self::Bucketized { boundaries } => {
                let wrong = |pair: &&[f64]| pair[0] >= pair[1];
                match boundaries.iter().find(|boundary| boundary.is_nan()) {
                    Some(nan) => error("boundaries that are numbers", nan.to_string()),
                    None => match boundaries.windows(2).find(wrong) {
                        Some(pair) => error(
                            "boundaries in ascending order",
                            format!("{:?} before {:?}", pair[0], pair[1]),
                        ),
                        None => Ok(()),
                    },
                }
            }
            Self::Clipped { low: None, high: None } => {
                error("at least one of low and high", "none".to_owned())
            }
            Self::Clipped { low, high } => {
                let (least, most) = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
                match least <= most {
                    true => Ok(()),
                    false => error("low, which is at most high", format!("low {least:?} and high {most:?}")),
                }
            }
            Self::Normalised { mean, .. } if !mean.is_finite() => error("a finite mean", mean.to_string()),
            Self::Normalised { std, .. } if !(std.is_finite() && *std > 0.0) => {
                error("a finite std above 0", std.to_string())
            }
            Self::Cast { dtype: dtype @ (DType::Bool | DType::Bytes), .. } => {
                error("a type of numbers", dtype.to_string())
            }
            _ => Ok(()),
        }
    }

    /// The columns or keys that the transform reads beside that of the tensor. Only a cross has any.
    pub fn with(&self) -> &[String] {
        match self {
            Self::Crossed { with, .. } => with,
            _ => &[],
        }
    }
}

/// The hash of [`Transform::Hashed`]: stable on all platforms and in all versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    /// The Fingerprint64 of FarmHash. With a seed, FarmHash's hash of the seed and the fingerprint, as
    /// `tf.sparse.cross_hashed` computes it of one tensor with `hash_key=seed`. Without one, as
    /// `tf.strings.to_hash_bucket_fast` does.
    Fingerprint64 {
        /// The seed.
        seed: Option<u64>,
    },
    /// SipHash-2-4 with a key, as `tf.strings.to_hash_bucket_strong` computes it.
    SipHash {
        /// The key.
        key: [u64; 2],
    },
}

/// Indices in a vocabulary: one for the mask, if there is one, then `oov` of them for other values, then one for each token.
/// As `keras.layers.StringLookup` and `IntegerLookup` give them.
///
/// [`Transform`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// The tokens, which copies share.
    pub vocabulary: Arc<Vocabulary>,
    /// Number of indices for values that are not in the vocabulary. Of several, a string has that of its Fingerprint64, an
    /// integer that of itself, as the remainder.
    pub oov: u64,
    /// If `oov` is 0: the index of values that are not in the vocabulary. Without it, they are errors.
    pub default: Option<i64>,
    /// A value with the index 0, which is not one of the tokens.
    pub mask: Option<Token>,
}

impl Lookup {
    fn validate(&self) -> Result<(), RepresentationError> {
        let error = |expected: String, found: String| {
            Err(RepresentationError::new(RepresentationErrorKind::Transform, expected, found))
        };
        if self.oov > 0 && self.default.is_some() {
            let expected = "`oov` 0 with a default for values that are not in the vocabulary".to_owned();
            return error(expected, format!("`oov` {}", self.oov));
        }
        if i64::try_from(self.oov)
            .ok()
            .and_then(|oov| oov.checked_add(self.vocabulary.len() as i64 + 1))
            .is_none()
        {
            return error("less than 2^63 indices".to_owned(), format!("`oov` {}", self.oov));
        }
        match &self.mask {
            Some(mask) if !self.vocabulary.has_type_of(mask) => {
                error(format!("a mask that is one of the {}", self.vocabulary.kind()), mask.to_string())
            }
            Some(mask) if self.vocabulary.index(mask).is_some() => {
                error("a mask that is not one of the tokens".to_owned(), mask.to_string())
            }
            _ => Ok(()),
        }
    }
}

/// The text of transforms in the order in which they run, for messages and reports.
pub(crate) fn text(transforms: &[Transform]) -> String {
    transforms.iter().map(ToString::to_string).collect::<Vec<_>>().join(", then ")
}
