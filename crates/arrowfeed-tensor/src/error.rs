//! The crate's two errors: an invalid representation, and a batch that does not fit its representation.

use std::fmt;

/// The kind of a [`RepresentationError`], so that callers need not parse the message.
///
/// [`Representation`](crate::Representation) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RepresentationErrorKind {
    /// A column, or a field of one, is not in the schema.
    MissingColumn,
    /// A column has a type that the representation does not support.
    Type,
    /// A shape is invalid, or does not fit the column.
    Shape,
    /// A default value does not fit the type of the column, or is missing.
    Default,
    /// A partition of a ragged tensor is invalid.
    Partition,
    /// Bytes are not a message, or the message lacks a required part.
    Proto,
    /// No representation can be derived from a TensorFlow Metadata schema.
    Schema,
    /// The name of a tensor is unknown or occurs twice, or the name of a column or field is ambiguous.
    Name,
    /// A text is not a key expression.
    Key,
    /// An argument of a transform, or a token of its vocabulary, is invalid, or the order of transforms is.
    Transform,
}

/// The kind of a [`ConversionError`], so that callers need not parse the message.
///
/// [`DenseTensor`](crate::DenseTensor) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConversionErrorKind {
    /// The batch does not have the schema that the adapter was made for.
    Schema,
    /// A row has too many or too few values.
    Length,
    /// A value is null where nulls are not allowed.
    Null,
    /// An index is outside its dimension.
    Bounds,
    /// Two entries of a sparse tensor have the same coordinates.
    Duplicate,
    /// A row cannot be divided into its partitions.
    Partition,
    /// A number does not fit its type, such as a row split of 32 bits or the size of an array.
    Overflow,
    /// The batch exceeds the limit `batch_bytes`; [`ConversionError::limit`] names it.
    Limit,
    /// The name of a tensor is unknown.
    Name,
    /// A value is not in the vocabulary of a transform.
    Vocabulary,
    /// The parts of a tensor do not fit together.
    Tensor,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner<K> {
    kind: K,
    tensor: Option<String>,
    key: Option<String>,
    character: Option<usize>,
    column: Option<String>,
    row: Option<usize>,
    expected: String,
    found: String,
}

impl<K> Inner<K> {
    fn new(kind: K, expected: impl Into<String>, found: impl Into<String>) -> Box<Self> {
        let (expected, found) = (expected.into(), found.into());
        let (tensor, key, character, column, row) = (None, None, None, None, None);
        Box::new(Self { kind, tensor, key, character, column, row, expected, found })
    }
}

impl<K> fmt::Display for Inner<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut place = Vec::new();
        // A feature often has the same name as its key.
        let tensor = self.tensor.as_ref().filter(|_| self.tensor != self.key);
        place.extend(tensor.map(|name| format!("tensor {name:?}")));
        place.extend(self.key.as_ref().map(|key| format!("key {key:?}")));
        place.extend(self.character.map(|character| format!("character {character}")));
        place.extend(self.column.as_ref().map(|name| format!("column {name:?}")));
        place.extend(self.row.map(|row| format!("row {row}")));
        if !place.is_empty() {
            write!(f, "{}: ", place.join(", "))?;
        }
        write!(f, "expected {}, found {}", printable(&self.expected), printable(&self.found))
    }
}

/// A representation that is invalid, or does not fit the schema. It is reported before any data is read.
///
/// [`Representation`](crate::Representation) has an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RepresentationError(Box<Inner<RepresentationErrorKind>>);

/// A batch that does not fit its representation. It names the tensor, the column and the row, and says what was expected
/// and what was found.
///
/// [`DenseTensor`](crate::DenseTensor) has an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConversionError(Box<Inner<ConversionErrorKind>>);

const _: () = assert!(size_of::<ConversionError>() == size_of::<usize>());

impl RepresentationError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(
        kind: RepresentationErrorKind,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self(Inner::new(kind, expected, found))
    }

    /// Names the column, unless one is named already.
    pub(crate) fn in_column(mut self, column: &str) -> Self {
        self.0.column.get_or_insert_with(|| column.to_owned());
        self
    }

    /// Names the tensor, unless one is named already.
    pub(crate) fn in_tensor(mut self, tensor: &str) -> Self {
        self.0.tensor.get_or_insert_with(|| tensor.to_owned());
        self
    }

    /// Names the key and the character in it, counted from 1, unless they are named already.
    pub(crate) fn in_key(mut self, key: &str, character: Option<usize>) -> Self {
        if self.0.key.is_none() {
            (self.0.key, self.0.character) = (Some(key.to_owned()), character);
        }
        self
    }

    /// The key expression at fault, if there is one.
    pub fn key(&self) -> Option<&str> {
        self.0.key.as_deref()
    }

    /// The character of the key expression at fault, counted from 1.
    pub fn character(&self) -> Option<usize> {
        self.0.character
    }

    /// The kind of error.
    pub fn kind(&self) -> RepresentationErrorKind {
        self.0.kind
    }

    /// The name of the tensor, if it is known.
    pub fn tensor(&self) -> Option<&str> {
        self.0.tensor.as_deref()
    }

    /// The path of the column at fault, if there is one.
    pub fn column(&self) -> Option<&str> {
        self.0.column.as_deref()
    }

    /// Description of the expected value.
    pub fn expected(&self) -> &str {
        &self.0.expected
    }

    /// Description of the value that was found.
    pub fn found(&self) -> &str {
        &self.0.found
    }
}

impl ConversionError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(
        kind: ConversionErrorKind,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self(Inner::new(kind, expected, found))
    }

    /// Names the row of the batch, unless one is named already.
    pub(crate) fn in_row(mut self, row: usize) -> Self {
        self.0.row.get_or_insert(row);
        self
    }

    /// Names the column, unless one is named already.
    pub(crate) fn in_column(mut self, column: &str) -> Self {
        self.0.column.get_or_insert_with(|| column.to_owned());
        self
    }

    /// Names the tensor, unless one is named already.
    pub(crate) fn in_tensor(mut self, tensor: &str) -> Self {
        self.0.tensor.get_or_insert_with(|| tensor.to_owned());
        self
    }

    /// Names the key, unless one is named already.
    pub(crate) fn in_key(mut self, key: &str) -> Self {
        self.0.key.get_or_insert_with(|| key.to_owned());
        self
    }

    /// The key expression at fault, if there is one.
    pub fn key(&self) -> Option<&str> {
        self.0.key.as_deref()
    }

    /// The kind of error.
    pub fn kind(&self) -> ConversionErrorKind {
        self.0.kind
    }

    /// The name of the tensor, if it is known.
    pub fn tensor(&self) -> Option<&str> {
        self.0.tensor.as_deref()
    }

    /// The path of the column at fault, if there is one.
    pub fn column(&self) -> Option<&str> {
        self.0.column.as_deref()
    }

    /// The name of the exceeded limit, for [`ConversionErrorKind::Limit`].
    pub fn limit(&self) -> Option<&'static str> {
        (self.kind() == ConversionErrorKind::Limit).then_some("batch_bytes")
    }

    /// Zero-based number of the row in its batch, if a row is at fault.
    pub fn row(&self) -> Option<usize> {
        self.0.row
    }

    /// Description of the expected value.
    pub fn expected(&self) -> &str {
        &self.0.expected
    }

    /// Description of the value that was found.
    pub fn found(&self) -> &str {
        &self.0.found
    }
}

/// Escapes characters that could control a terminal: those that `Debug` of a string escapes, except quotes, backslashes,
/// and zero-width joiners and non-joiners. The same rule as `arrowfeed_source::printable`.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\'' | '\\' | '\u{200c}' | '\u{200d}' => out.push(character),
            // `escape_debug` escapes combining marks only at the start of a string, so another character precedes this one.
            _ => out.extend(['_', character].iter().collect::<String>().escape_debug().skip(1)),
        }
    }
    out
}

/// Formats a number with a noun: `1 value`, `2 values`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_where_then_what() {
        let error = ConversionError::new(ConversionErrorKind::Length, count(4, "value"), count(1, "value"));
        assert_eq!(error.to_string(), "expected 4 values, found 1 value");
        let error = error.in_row(3).in_column("a.b").in_tensor("x").in_row(5);
        assert_eq!(error.to_string(), r#"tensor "x", column "a.b", row 3: expected 4 values, found 1 value"#);
    }

    #[test]
    fn nothing_in_a_message_acts_on_a_terminal() {
        let hostile = "\u{1b}[2J\n\u{200f}";
        let error = ConversionError::new(ConversionErrorKind::Schema, hostile, hostile);
        let error = error.in_column(hostile).in_tensor(hostile).in_key(hostile);
        let escaped = r"\u{1b}[2J\n\u{200f}";
        assert_eq!(
            error.to_string(),
            format!(r#"key "{escaped}", column "{escaped}": expected {escaped}, found {escaped}"#)
        );
        assert_eq!(printable("it's \"می\u{200c}خواهم\" e\u{301}"), "it's \"می\u{200c}خواهم\" e\u{301}");
    }
}
