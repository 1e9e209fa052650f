//! The text of a transform.

use std::fmt;

use super::vocabulary;
use super::{Hash, Lookup, Transform};

/// The text of a Python expression that makes the transform. Of many tokens, it has the number and a fingerprint.
impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hashed { buckets, hash: Hash::Fingerprint64 { seed: None } } => {
                write!(f, "hashed({buckets})")
            }
            Self::Hashed { buckets, hash: Hash::Fingerprint64 { seed: Some(seed) } } => {
                write!(f, "hashed({buckets}, seed={seed})")
            }
            Self::Hashed { buckets, hash: Hash::SipHash { key: [first, second] } } => {
                write!(f, "hashed({buckets}, key=({first}, {second}))")
            }
            Self::Lookup(Lookup { vocabulary, oov, default, mask }) => {
                write!(f, "vocabulary({vocabulary}")?;
                if *oov != 1 {
                    write!(f, ", oov={oov}")?;
                }
                if let Some(default) = default {
                    write!(f, ", default={default}")?;
                }
                if let Some(mask) = mask {
                    write!(f, ", mask={mask}")?;
                }
                f.write_str(")")
            }
            Self::Bucketized { boundaries } => write!(f, "bucketized({boundaries:?})"),
            Self::Clipped { low, high } => {
                let bound = |bound: &Option<f64>| bound.map_or("None".to_owned(), python);
                write!(f, "clipped({}, {})", bound(low), bound(high))
            }
            Self::Normalised { mean, std } => write!(f, "normalised({mean:?}, {std:?})"),
            Self::Cast { dtype, lossy } => {
                write!(f, "cast('{dtype}'{})", if *lossy { ", lossy=True" } else { "" })
            }
            Self::Crossed { with, buckets, seed } => {
                let with: Vec<String> = with.iter().map(|name| vocabulary::quoted(name.as_bytes())).collect();
                write!(f, "crossed([{}], {buckets}", with.join(", "))?;
                match *seed {
                    Self::CROSS_SEED => f.write_str(")"),
                    seed => write!(f, ", seed={seed})"),
                }
            }
        }
    }
}

/// The Python text of a float.
fn python(value: f64) -> String {
    match value.is_finite() {
        true => format!("{value:?}"),
        false => format!("float('{value}')"),
    }
}
