//! Vocabularies: the distinct tokens of a column, and the index of each.

use std::fmt;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::DataType;
use arrowfeed_select::stored_bytes;
use hashbrown::HashMap;

use super::fingerprint::{combined, fingerprint64};
use crate::error::{RepresentationError, RepresentationErrorKind, count};

/// Distinct tokens in the order of their indices: at least one, all of them strings or byte strings, or all of them integers.
///
/// Of strings, there are at most 4 GiB. They take this memory once, and 28 to 56 bytes more for each token; an integer takes
/// 27 to 47 bytes.
///
/// ```
/// use arrowfeed_tensor::{Token, Vocabulary};
///
/// let vocabulary = Vocabulary::from_lines(b"de\nnl\ntr\n")?;
/// assert_eq!(vocabulary.len(), 3);
/// assert_eq!(vocabulary.index(&Token::Bytes(b"nl".to_vec())), Some(1));
/// let error = Vocabulary::from_lines(b"de\nnl\nde\n").unwrap_err();
/// assert_eq!(error.to_string(), r#"expected different tokens, found "de" as tokens 0 and 2"#);
/// # Ok::<(), arrowfeed_tensor::RepresentationError>(())
/// ```
#[derive(Clone)]
pub struct Vocabulary(Tokens);

#[derive(Clone)]
enum Tokens {
    Bytes(Bytes),
    Integers { values: Vec<i64>, indices: HashMap<i64, u32> },
}

/// All tokens in one text.
#[derive(Clone, Default)]
struct Bytes {
    text: Vec<u8>,
    ends: Vec<u32>,
    /// A hash table with linear probing, at most two thirds full. Its length is a power of two.
    slots: Vec<Slot>,
}

/// A slot of the table. A token of up to 8 bytes is in its slot, so that a lookup has one access to memory instead of three.
#[derive(Clone, Copy)]
struct Slot {
    prefix: u64,
    len: u32,
    /// The index of the token; [`FREE`] without a token.
    index: u32,
}

const FREE: u32 = u32::MAX;

/// One token, or another value of its type.
///
/// [`Vocabulary`] has an example.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Token {
    /// A string or byte string.
    Bytes(Vec<u8>),
    /// An integer.
    Integer(i64),
}

fn error<T>(expected: impl Into<String>, found: impl Into<String>) -> Result<T, RepresentationError> {
    Err(RepresentationError::new(RepresentationErrorKind::Transform, expected, found))
}

impl Vocabulary {
    /// Tokens that are strings or byte strings.
    ///
    /// # Errors
    /// There is no token, one occurs twice, or the tokens exceed 4 GiB.
    pub fn from_tokens<T: AsRef<[u8]>>(
        tokens: impl IntoIterator<Item = T>,
    ) -> Result<Self, RepresentationError> {
        let mut bytes = Bytes::default();
        tokens.into_iter().try_for_each(|token| bytes.add(token.as_ref()))?;
        bytes.fill_slots()?;
        Self(Tokens::Bytes(bytes)).not_empty()
    }

    /// Tokens that are integers.
    ///
    /// # Errors
    /// There is no token, or one occurs twice.
    pub fn from_integers(integers: impl IntoIterator<Item = i64>) -> Result<Self, RepresentationError> {
        let values: Vec<i64> = integers.into_iter().collect();
        let mut indices = HashMap::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            if let Some(first) = indices.insert(*value, number(index)?) {
                return twice(&value.to_string(), first as usize, index);
            }
        }
        Self(Tokens::Integers { values, indices }).not_empty()
    }

    /// The lines of a file in UTF-8, as TFT and Keras write it. A carriage return at the end of a line is no part of the
    /// token, and an empty last line is no token.
    ///
    /// # Errors
    /// Those of [`from_tokens`](Self::from_tokens), or a line is not UTF-8.
    pub fn from_lines(text: &[u8]) -> Result<Self, RepresentationError> {
        Self::from_tokens(lines(text)?)
    }

    /// The integers on the lines of a file.
    ///
    /// # Errors
    /// Those of [`from_integers`](Self::from_integers), or a line is not an integer.
    pub fn integers_from_lines(text: &[u8]) -> Result<Self, RepresentationError> {
        let parsed = lines(text)?.enumerate().map(|(index, line)| match line.trim().parse() {
            Ok(integer) => Ok(integer),
            Err(_) => error("an integer of 64 bits on each line", format!("{line:?} on line {}", index + 1)),
        });
        Self::from_integers(parsed.collect::<Result<Vec<i64>, _>>()?)
    }

    /// The values of an array of strings, byte strings or integers.
    ///
    /// # Errors
    /// The array has another type or a null, or those of [`from_tokens`](Self::from_tokens).
    pub fn from_array(array: &ArrayRef) -> Result<Self, RepresentationError> {
        let array = match array.data_type() {
            DataType::Dictionary(_, values) => {
                &cast(array, values).or_else(|why| error("tokens", why.to_string()))?
            }
            _ => array,
        };
        if let Some(null) = (0..array.len()).find(|i| array.is_null(*i)) {
            return error("tokens without nulls", format!("a null at {null}"));
        }
        match array.data_type() {
            integers if integers.is_integer() => {
                let wide = cast(array, &DataType::Int64).ok().filter(|wide| wide.null_count() == 0);
                match wide {
                    Some(wide) => {
                        Self::from_integers(wide.as_primitive::<Int64Type>().values().iter().copied())
                    }
                    None => error("integers of 64 bits", "a larger one"),
                }
            }
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => {
                Self::from_tokens((0..array.len()).map(|i| stored_bytes(array, i).unwrap_or_default()))
            }
            other => error("strings, byte strings or integers", other.to_string()),
        }
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        match &self.0 {
            Tokens::Bytes(bytes) => bytes.ends.len(),
            Tokens::Integers { values, .. } => values.len(),
        }
    }

    /// Always false.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position of a token among the tokens, `None` if it is not one of them.
    pub fn index(&self, token: &Token) -> Option<usize> {
        match token {
            Token::Bytes(token) => self.index_of_bytes(token),
            Token::Integer(token) => self.index_of_integer(*token),
        }
    }

    #[inline]
    pub(super) fn index_of_bytes(&self, token: &[u8]) -> Option<usize> {
        let Tokens::Bytes(bytes) = &self.0 else { return None };
        let index = bytes.slots[bytes.position(token)?].index;
        (index != FREE).then_some(index as usize)
    }

    #[inline]
    pub(super) fn index_of_integer(&self, token: i64) -> Option<usize> {
        let Tokens::Integers { indices, .. } = &self.0 else { return None };
        indices.get(&token).map(|index| *index as usize)
    }

    /// The tokens in order.
    pub fn tokens(&self) -> impl Iterator<Item = Token> + '_ {
        (0..self.len()).map(|index| match &self.0 {
            Tokens::Bytes(bytes) => Token::Bytes(bytes.at(index as u32).to_vec()),
            Tokens::Integers { values, .. } => Token::Integer(values[index]),
        })
    }

    /// Whether the tokens are integers.
    pub fn has_integers(&self) -> bool {
        matches!(self.0, Tokens::Integers { .. })
    }

    pub(super) fn has_type_of(&self, token: &Token) -> bool {
        self.has_integers() == matches!(token, Token::Integer(_))
    }

    /// The type of the tokens in a message.
    pub(super) fn kind(&self) -> &'static str {
        if self.has_integers() { "integers" } else { "strings or byte strings" }
    }

    fn not_empty(self) -> Result<Self, RepresentationError> {
        if self.is_empty() { error("at least one token", "none") } else { Ok(self) }
    }

    /// One number for all tokens and their order.
    fn fingerprint(&self) -> u64 {
        self.tokens().fold(0, |all, token| match token {
            Token::Bytes(token) => combined(all, fingerprint64(&token)),
            Token::Integer(token) => combined(all, token as u64),
        })
    }
}

impl Bytes {
    fn at(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    fn add(&mut self, token: &[u8]) -> Result<(), RepresentationError> {
        number(self.ends.len())?;
        let Ok(end) = u32::try_from(self.text.len() + token.len()) else {
            return error("tokens of at most 4 GiB", "more");
        };
        self.text.extend_from_slice(token);
        self.ends.push(end);
        Ok(())
    }

    /// Fills the table. Fails if a token occurs twice.
    fn fill_slots(&mut self) -> Result<(), RepresentationError> {
        let length = (self.ends.len() / 2 * 3 + 2).next_power_of_two();
        self.slots = vec![Slot { prefix: 0, len: 0, index: FREE }; length];
        for index in 0..self.ends.len() as u32 {
            let token = self.at(index);
            let Some(found) = self.position(token) else { break };
            match self.slots[found].index {
                FREE => {
                    self.slots[found] = Slot { prefix: prefix(token), len: token.len() as u32, index };
                }
                first => return twice(&quoted(token), first as usize, index as usize),
            }
        }
        Ok(())
    }

    /// The position of the slot of a token, or of the free one where it would be.
    #[inline]
    fn position(&self, token: &[u8]) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let (prefix, len) = (prefix(token), token.len() as u32);
        let mut at = hash(token, prefix) as usize & mask;
        loop {
            let slot = self.slots.get(at)?;
            let is_token = || len <= 8 || self.at(slot.index) == token;
            if slot.index == FREE || (slot.prefix == prefix && slot.len == len && is_token()) {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
    }
}

/// The first bytes of a token, with zeros after a token of less than 8 bytes.
#[inline]
fn prefix(token: &[u8]) -> u64 {
    if let Some(bytes) = token.first_chunk() {
        return u64::from_le_bytes(*bytes);
    }
    token.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

/// The hash of a token for the table. `prefix`: its first bytes. With the fingerprint, 5.2 million lookups of 8 bytes took 30 ms
/// instead of 22 ms.
#[inline]
fn hash(token: &[u8], prefix: u64) -> u64 {
    /// 2^64 divided by the golden ratio, which spreads consecutive numbers.
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    match token.len() {
        len @ ..=8 => {
            let mixed = (prefix ^ len as u64).wrapping_mul(GOLDEN);
            mixed ^ mixed >> 32
        }
        _ => fingerprint64(token),
    }
}

fn number(index: usize) -> Result<u32, RepresentationError> {
    match u32::try_from(index) {
        Ok(number) if number != FREE => Ok(number),
        _ => error("less than 2^32 tokens", "more"),
    }
}

#[cold]
fn twice<T>(token: &str, first: usize, second: usize) -> Result<T, RepresentationError> {
    error("different tokens", format!("{token} as tokens {first} and {second}"))
}

/// The lines of a text in UTF-8.
fn lines(text: &[u8]) -> Result<impl Iterator<Item = &str>, RepresentationError> {
    match std::str::from_utf8(text) {
        Ok(text) => Ok(text.lines()),
        Err(wrong) => {
            let line = text[..wrong.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            error("lines in UTF-8", format!("another byte on line {line}"))
        }
    }
}

/// A Python literal of a token: text in quotes, or bytes if it is not printable.
pub(super) fn quoted(token: &[u8]) -> String {
    let is_printable = |text: &&str| {
        text.chars()
            .all(|character| matches!(character, '"' | '\'' | '\\') || character.escape_debug().len() == 1)
    };
    match std::str::from_utf8(token).ok().filter(is_printable) {
        Some(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        None => format!("b\"{}\"", token.escape_ascii()),
    }
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Tokens::Bytes(own), Tokens::Bytes(other)) => own.text == other.text && own.ends == other.ends,
            (Tokens::Integers { values: own, .. }, Tokens::Integers { values: other, .. }) => own == other,
            _ => false,
        }
    }
}

impl Eq for Vocabulary {}

/// The tokens as a list. Of more than eight, their number and a fingerprint.
impl fmt::Display for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.len() > 8 {
            return write!(f, "<{}, fingerprint {:016x}>", count(self.len(), "token"), self.fingerprint());
        }
        let all: Vec<String> = self.tokens().map(|token| token.to_string()).collect();
        write!(f, "[{}]", all.join(", "))
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocabulary({self})")
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(token) => f.write_str(&quoted(token)),
            Self::Integer(token) => token.fmt(f),
        }
    }
}
