//! Transforms of strings and integers to ids: buckets of a hash, and indices in a vocabulary.

use std::hash::Hasher;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, downcast_integer_array};
use arrow_schema::DataType;
use siphasher::sip::SipHasher24;

use super::byte_values::{is_bytes, map_bytes};
use super::fingerprint::{combined, fingerprint64};
use super::vocabulary::{Vocabulary, quoted};
use super::{Hash, Token, numbers::mapped};
use crate::cast::{Input, Unfit};
use crate::error::{ConversionError, ConversionErrorKind};
use crate::gather::{overflow, reserved};

#[derive(Debug)]
pub(super) struct Hashing {
    buckets: u64,
    hash: Hash,
}

impl Hashing {
    /// `None` if values of this type have no hash.
    pub(super) fn compile(buckets: u64, hash: Hash, of: &DataType) -> Option<Self> {
        (is_bytes(of) || of.is_integer()).then_some(Self { buckets, hash })
    }

    pub(super) fn run(&self, input: &Input<'_>) -> Result<ArrayRef, Unfit> {
        let buckets = match self.hash {
            Hash::Fingerprint64 { seed: None } => self.bucket(input, fingerprint64),
            Hash::Fingerprint64 { seed: Some(seed) } => {
                self.bucket(input, |bytes| combined(seed, fingerprint64(bytes)))
            }
            Hash::SipHash { key: [first, second] } => {
                let empty = SipHasher24::new_with_keys(first, second);
                self.bucket(input, |bytes| {
                    let mut hasher = empty;
                    hasher.write(bytes);
                    hasher.finish()
                })
            }
        };
        Ok(Arc::new(Int64Array::from(buckets?)))
    }

    fn bucket(&self, input: &Input<'_>, hash: impl Fn(&[u8]) -> u64) -> Result<Vec<i64>, ConversionError> {
        let array = input.array;
        downcast_integer_array!(
            array => mapped(array.values(), |value| {
                (hash(itoa::Buffer::new().format(value).as_bytes()) % self.buckets) as i64
            }),
            _ => map_bytes(array, |_, bytes| (hash(bytes) % self.buckets) as i64)
        )
    }
}

#[derive(Debug)]
pub(super) struct Lookup {
    definition: super::Lookup,
    /// The index of the first value that is not in the vocabulary.
    oov_start: i64,
}

impl Lookup {
    /// `None` if the vocabulary has no values of this type.
    pub(super) fn compile(lookup: &super::Lookup, of: &DataType) -> Option<Self> {
        let fits = if lookup.vocabulary.has_integers() { of.is_integer() } else { is_bytes(of) };
        let oov_start = i64::from(lookup.mask.is_some());
        fits.then(|| Self { definition: lookup.clone(), oov_start })
    }

    pub(super) fn run(&self, input: &Input<'_>) -> Result<ArrayRef, Unfit> {
        let vocabulary: &Vocabulary = &self.definition.vocabulary;
        let mut unknown = Unknown { input, first: None };
        let array = input.array;
        let indices = match &self.definition.mask {
            Some(Token::Integer(mask)) => {
                self.integers(array, vocabulary, Some(i128::from(*mask)), &mut unknown)
            }
            _ if vocabulary.has_integers() => self.integers(array, vocabulary, None, &mut unknown),
            Some(Token::Bytes(mask)) => map_bytes(array, |i, bytes| match bytes == mask.as_slice() {
                true => 0,
                false => self.index_of_bytes(vocabulary, bytes, || unknown.at(i)),
            }),
            None => map_bytes(array, |i, bytes| self.index_of_bytes(vocabulary, bytes, || unknown.at(i))),
        };
        let indices = indices?;
        match unknown.first {
            None => Ok(Arc::new(Int64Array::from(indices))),
            Some(position) => Err(unknown_value(array, position)),
        }
    }

    #[inline]
    fn index_of_bytes(&self, vocabulary: &Vocabulary, bytes: &[u8], unknown: impl FnOnce()) -> i64 {
        match vocabulary.index_of_bytes(bytes) {
            Some(index) => self.index_of_token(index),
            None => self.index_of_other(|oov| (fingerprint64(bytes) % oov) as i64, unknown),
        }
    }

    fn integers(
        &self,
        array: &ArrayRef,
        vocabulary: &Vocabulary,
        mask: Option<i128>,
        unknown: &mut Unknown<'_>,
    ) -> Result<Vec<i64>, ConversionError> {
        let mut position = 0;
        let mut index = |value: i128| {
            let here = position;
            position += 1;
            if Some(value) == mask {
                return 0;
            }
            match i64::try_from(value).ok().and_then(|value| vocabulary.index_of_integer(value)) {
                Some(index) => self.index_of_token(index),
                None => {
                    self.index_of_other(|oov| value.rem_euclid(i128::from(oov)) as i64, || unknown.at(here))
                }
            }
        };
        let len = array.len();
        let mut indices = reserved(len).map_err(|error| overflow(len, &error))?;
        downcast_integer_array!(
            array => indices.extend(array.values().iter().map(|value| index(i128::from(*value)))),
            _ => {}
        );
        Ok(indices)
    }

    #[inline]
    fn index_of_token(&self, index: usize) -> i64 {
        self.oov_start + self.definition.oov as i64 + index as i64
    }

    /// The index of a value that is not a token. Calls `unknown` if it has none.
    #[inline]
    fn index_of_other(&self, remainder: impl FnOnce(u64) -> i64, unknown: impl FnOnce()) -> i64 {
        match (self.definition.oov, self.definition.default) {
            (0, Some(default)) => default,
            (0, None) => {
                unknown();
                0
            }
            (1, _) => self.oov_start,
            (oov, _) => self.oov_start + remainder(oov),
        }
    }
}

/// The first valid value that is not in a vocabulary.
struct Unknown<'a> {
    input: &'a Input<'a>,
    first: Option<usize>,
}

impl Unknown<'_> {
    #[cold]
    fn at(&mut self, position: usize) {
        if self.first.is_none() && self.input.is_valid(position) {
            self.first = Some(position);
        }
    }
}

#[cold]
fn unknown_value(array: &ArrayRef, position: usize) -> Unfit {
    let found = match arrowfeed_select::stored_bytes(array, position) {
        Some(bytes) => quoted(&bytes),
        None => arrow_cast::display::array_value_to_string(array, position).unwrap_or_default(),
    };
    let expected = "a value of the vocabulary (`oov` 1 gives others an index)";
    let error = ConversionError::new(ConversionErrorKind::Vocabulary, expected, found);
    Unfit { position: Some(position), error }
}
