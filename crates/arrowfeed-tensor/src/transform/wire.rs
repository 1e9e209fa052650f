//! Transforms from and to the bytes of their messages.

use std::sync::Arc;

use prost::Message;

use super::{Hash, Lookup, Token, Transform, Vocabulary};
use crate::dtype::DType;
use crate::error::{RepresentationError, RepresentationErrorKind};
use crate::proto;
use crate::proto::transform::{self as message, Kind};

fn error<T>(expected: &str, found: impl Into<String>) -> Result<T, RepresentationError> {
    Err(RepresentationError::new(RepresentationErrorKind::Proto, expected, found))
}

impl Transform {
    /// Parses the bytes of this crate's message `Transform`.
    ///
    /// # Errors
    /// The bytes are not such a message, or the transform is invalid.
    pub fn from_proto(bytes: &[u8]) -> Result<Self, RepresentationError> {
        match proto::Transform::decode(bytes) {
            Ok(message) => Self::from_message(&message),
            Err(source) => error("the bytes of a Transform", source.to_string()),
        }
    }

    /// The bytes of the message, with the tokens of a vocabulary. They are the same for equal transforms.
    pub fn to_proto(&self) -> Vec<u8> {
        self.to_message().encode_to_vec()
    }

    pub(crate) fn from_message(message: &proto::Transform) -> Result<Self, RepresentationError> {
        let transform = match &message.kind {
            None => return error("a known kind of transform", "an unknown kind"),
            Some(Kind::Hashed(hashed)) => {
                let hash = match (hashed.key.as_slice(), hashed.seed) {
                    ([], seed) => Hash::Fingerprint64 { seed },
                    ([first, second], None) => Hash::SipHash { key: [*first, *second] },
                    (key, _) => {
                        return error("a seed or a key of two numbers", format!("a key of {}", key.len()));
                    }
                };
                Self::Hashed { buckets: hashed.buckets(), hash }
            }
            Some(Kind::Vocabulary(vocabulary)) => Self::Lookup(parsed_lookup(vocabulary)?),
            Some(Kind::Bucketized(bucketized)) => {
                Self::Bucketized { boundaries: bucketized.boundary.clone() }
            }
            Some(Kind::Clipped(clipped)) => Self::Clipped { low: clipped.low, high: clipped.high },
            Some(Kind::Normalised(normalised)) => {
                Self::Normalised { mean: normalised.mean(), std: normalised.std() }
            }
            Some(Kind::Cast(cast)) => {
                let mut numbers =
                    DType::ALL.into_iter().filter(|dtype| dtype.is_integer() || dtype.is_floating());
                let Some(dtype) = numbers.find(|dtype| dtype.name() == cast.dtype()) else {
                    return error("the name of a type of numbers", format!("{:?}", cast.dtype()));
                };
                Self::Cast { dtype, lossy: cast.lossy() }
            }
            Some(Kind::Crossed(crossed)) => Self::Crossed {
                with: crossed.with.clone(),
                buckets: crossed.buckets(),
                seed: crossed.seed.unwrap_or(Self::CROSS_SEED),
            },
        };
        transform.validate()?;
        Ok(transform)
    }

    pub(crate) fn to_message(&self) -> proto::Transform {
        let kind = match self {
            Self::Hashed { buckets, hash } => {
                let (seed, key) = match hash {
                    Hash::Fingerprint64 { seed } => (*seed, Vec::new()),
                    Hash::SipHash { key } => (None, key.to_vec()),
                };
                Kind::Hashed(message::Hashed { buckets: Some(*buckets), seed, key })
            }
            Self::Lookup(lookup) => Kind::Vocabulary(lookup_message(lookup)),
            Self::Bucketized { boundaries } => {
                Kind::Bucketized(message::Bucketized { boundary: boundaries.clone() })
            }
            Self::Clipped { low, high } => Kind::Clipped(message::Clipped { low: *low, high: *high }),
            Self::Normalised { mean, std } => {
                Kind::Normalised(message::Normalised { mean: Some(*mean), std: Some(*std) })
            }
            Self::Cast { dtype, lossy } => Kind::Cast(message::Cast {
                dtype: Some(dtype.name().to_owned()),
                lossy: lossy.then_some(true),
            }),
            Self::Crossed { with, buckets, seed } => Kind::Crossed(message::Crossed {
                with: with.clone(),
                buckets: Some(*buckets),
                seed: Some(*seed).filter(|seed| *seed != Self::CROSS_SEED),
            }),
        };
        proto::Transform { kind: Some(kind) }
    }
}

fn parsed_lookup(message: &message::Vocabulary) -> Result<Lookup, RepresentationError> {
    let vocabulary = match (message.token.is_empty(), message.integer.is_empty()) {
        (_, true) => Vocabulary::from_tokens(&message.token)?,
        (true, false) => Vocabulary::from_integers(message.integer.iter().copied())?,
        (false, false) => return error("tokens or integers", "both"),
    };
    let mask = message.mask_token.clone().map(Token::Bytes);
    Ok(Lookup {
        vocabulary: Arc::new(vocabulary),
        oov: message.oov(),
        default: message.default_index,
        mask: mask.or(message.mask_integer.map(Token::Integer)),
    })
}

fn lookup_message(lookup: &Lookup) -> message::Vocabulary {
    let (mut token, mut integer) = (Vec::new(), Vec::new());
    for one in lookup.vocabulary.tokens() {
        match one {
            Token::Bytes(bytes) => token.push(bytes),
            Token::Integer(number) => integer.push(number),
        }
    }
    let (mask_token, mask_integer) = match &lookup.mask {
        Some(Token::Bytes(bytes)) => (Some(bytes.clone()), None),
        Some(Token::Integer(number)) => (None, Some(*number)),
        None => (None, None),
    };
    let (oov, default_index) = (Some(lookup.oov), lookup.default);
    message::Vocabulary { token, integer, oov, default_index, mask_token, mask_integer }
}
