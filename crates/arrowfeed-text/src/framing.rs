//! Search for the ends of records, in bytes that arrive piece by piece.

use memchr::{memchr, memchr2, memchr3};

/// The rule that ends a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// A record ends with `\n`.
    Lines,
    /// A record ends with `\n`, `\r` or `\r\n` outside of quotes.
    Csv {
        /// Separates the cells of a record.
        delimiter: u8,
        /// Encloses a cell. If it is doubled in a quoted cell, it is a character of the cell.
        quote: u8,
        /// In a quoted cell, the byte after the escape is a character of the cell.
        escape: Option<u8>,
        /// At the start of a record, makes the line a comment, in which quotes have no meaning.
        comment: Option<u8>,
    },
}

/// The state of the search after the bytes of a record that were examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum FramingState {
    /// The start of a record.
    #[default]
    RecordStart,
    /// In a line that is a comment.
    Comment,
    /// The start of a cell.
    CellStart,
    /// In a cell without quotes, or after the closing quote of a cell.
    Cell,
    /// In a quoted cell.
    Quoted,
    /// After an escape in a quoted cell.
    Escaped,
    /// After a quote in a quoted cell. The next byte decides whether the quote closes the cell.
    QuoteInQuoted,
    /// After a `\r`, which ends the record together with a `\n` that may follow.
    CarriageReturn,
}

impl FramingState {
    /// Whether the record is valid if the file ends here.
    pub(crate) fn may_end(self) -> bool {
        !matches!(self, Self::Quoted | Self::Escaped)
    }
}

impl Framing {
    /// Examines the next bytes of a record. If the record ends, returns the number of these bytes that belong to it. `None`:
    /// all bytes belong to the record, which continues.
    pub(crate) fn end(self, bytes: &[u8], place: &mut FramingState) -> Option<usize> {
        match self {
            Self::Lines => memchr(b'\n', bytes).map(|at| at + 1),
            Self::Csv { delimiter, quote, escape, comment } => {
                csv_end(bytes, place, (delimiter, quote, escape), comment)
            }
        }
    }

    /// Whether a record has no content: an empty line in CSV, and a line of only spaces and tabs otherwise.
    pub(crate) fn is_blank(self, record: &[u8]) -> bool {
        match self {
            Self::Lines => record.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')),
            Self::Csv { .. } => record.iter().all(|byte| matches!(byte, b'\r' | b'\n')),
        }
    }

    /// Whether a record is a comment.
    pub(crate) fn is_comment(self, record: &[u8]) -> bool {
        match self {
            Self::Lines => false,
            Self::Csv { comment, .. } => comment.is_some() && record.first() == comment.as_ref(),
        }
    }
}

fn csv_end(
    bytes: &[u8],
    place: &mut FramingState,
    (delimiter, quote, escape): (u8, u8, Option<u8>),
    comment: Option<u8>,
) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match *place {
            FramingState::RecordStart if comment == Some(*byte) => *place = FramingState::Comment,
            FramingState::RecordStart => *place = FramingState::CellStart,
            FramingState::Comment => {
                let found = at + memchr2(b'\n', b'\r', &bytes[at..])?;
                if bytes[found] == b'\n' {
                    return Some(found + 1);
                }
                (at, *place) = (found + 1, FramingState::CarriageReturn);
            }
            FramingState::CellStart if *byte == quote => (at, *place) = (at + 1, FramingState::Quoted),
            FramingState::CellStart => *place = FramingState::Cell,
            FramingState::Cell => {
                // All bytes before `start` were examined, and the last of them is not a delimiter.
                let start = at;
                loop {
                    let Some(found) = memchr3(b'\n', b'\r', quote, &bytes[at..]).map(|next| at + next) else {
                        let ends_with_delimiter = bytes.last() == Some(&delimiter);
                        *place =
                            if ends_with_delimiter { FramingState::CellStart } else { FramingState::Cell };
                        return None;
                    };
                    at = found + 1;
                    match bytes[found] {
                        b'\n' => return Some(at),
                        b'\r' => break *place = FramingState::CarriageReturn,
                        _ if found > start && bytes[found - 1] == delimiter => {
                            break *place = FramingState::Quoted;
                        }
                        // A quote inside an unquoted cell is a normal character.
                        _ => {}
                    }
                }
            }
            FramingState::Quoted => {
                let rest = &bytes[at..];
                let found = match escape {
                    Some(escape) => memchr2(quote, escape, rest),
                    None => memchr(quote, rest),
                };
                let found = at + found?;
                *place =
                    if bytes[found] == quote { FramingState::QuoteInQuoted } else { FramingState::Escaped };
                at = found + 1;
            }
            FramingState::Escaped => (at, *place) = (at + 1, FramingState::Quoted),
            FramingState::QuoteInQuoted if *byte == quote => (at, *place) = (at + 1, FramingState::Quoted),
            FramingState::QuoteInQuoted if *byte == delimiter => {
                (at, *place) = (at + 1, FramingState::CellStart)
            }
            FramingState::QuoteInQuoted => *place = FramingState::Cell,
            FramingState::CarriageReturn => return Some(at + usize::from(*byte == b'\n')),
        }
    }
    None
}

#[cfg(test)]
mod tests;
