//! The ends of records, found in bytes that come piece by piece.

use memchr::{memchr, memchr2, memchr3};

/// The rule that ends a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// A record ends with `\n`.
    Lines,
    /// A record ends with `\n`, `\r` or `\r\n` outside of quotes.
    Csv {
        /// Between the cells of a record.
        delimiter: u8,
        /// Around a cell. Doubled in a quoted cell, it is a character of it.
        quote: u8,
        /// In a quoted cell, the byte after this one has no meaning of its own.
        escape: Option<u8>,
    },
}

/// The place in a record up to which its bytes were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Place {
    /// The start of a record, or of a cell.
    #[default]
    CellStart,
    /// In a cell without quotes, or behind the quotes of one.
    Cell,
    /// In a quoted cell.
    Quoted,
    /// Behind an escape in a quoted cell.
    Escaped,
    /// Behind a quote in a quoted cell: the next byte says whether the quote closes it.
    QuoteInQuoted,
    /// Behind a `\r` that ends the record, and its `\n` where there is one.
    CarriageReturn,
}

impl Place {
    /// Whether the record may end with the file here.
    pub(crate) fn may_end(self) -> bool {
        !matches!(self, Self::Quoted | Self::Escaped)
    }
}

impl Framing {
    /// Looks at the next bytes of a record. Returns the number of these bytes that belong to it, if the record ends in or before
    /// them. `None`: all bytes belong to the record, which goes on.
    pub(crate) fn end(self, bytes: &[u8], place: &mut Place) -> Option<usize> {
        match self {
            Self::Lines => memchr(b'\n', bytes).map(|at| at + 1),
            Self::Csv { delimiter, quote, escape } => csv_end(bytes, place, (delimiter, quote, escape)),
        }
    }

    /// Whether a record has no content: for CSV an empty line, for lines one with nothing but spaces and tabs.
    pub(crate) fn is_blank(self, record: &[u8]) -> bool {
        match self {
            Self::Lines => record.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')),
            Self::Csv { .. } => record.iter().all(|byte| matches!(byte, b'\r' | b'\n')),
        }
    }
}

fn csv_end(
    bytes: &[u8],
    place: &mut Place,
    (delimiter, quote, escape): (u8, u8, Option<u8>),
) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match *place {
            Place::CellStart if *byte == quote => (at, *place) = (at + 1, Place::Quoted),
            Place::CellStart => *place = Place::Cell,
            Place::Cell => {
                // All bytes before `start` were looked at, and the last of them is no delimiter.
                let start = at;
                loop {
                    let Some(found) = memchr3(b'\n', b'\r', quote, &bytes[at..]).map(|next| at + next) else {
                        let ends_with_delimiter = bytes.last() == Some(&delimiter);
                        *place = if ends_with_delimiter { Place::CellStart } else { Place::Cell };
                        return None;
                    };
                    at = found + 1;
                    match bytes[found] {
                        b'\n' => return Some(at),
                        b'\r' => break *place = Place::CarriageReturn,
                        _ if found > start && bytes[found - 1] == delimiter => break *place = Place::Quoted,
                        // A quote inside of a cell without quotes is a character like any other.
                        _ => {}
                    }
                }
            }
            Place::Quoted => {
                let rest = &bytes[at..];
                let found = match escape {
                    Some(escape) => memchr2(quote, escape, rest),
                    None => memchr(quote, rest),
                };
                let found = at + found?;
                *place = if bytes[found] == quote { Place::QuoteInQuoted } else { Place::Escaped };
                at = found + 1;
            }
            Place::Escaped => (at, *place) = (at + 1, Place::Quoted),
            Place::QuoteInQuoted if *byte == quote => (at, *place) = (at + 1, Place::Quoted),
            Place::QuoteInQuoted if *byte == delimiter => (at, *place) = (at + 1, Place::CellStart),
            Place::QuoteInQuoted => *place = Place::Cell,
            Place::CarriageReturn => return Some(at + usize::from(*byte == b'\n')),
        }
    }
    None
}

#[cfg(test)]
mod tests;
