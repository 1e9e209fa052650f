//! The slow reader: plain and safe code, whose errors report what was expected and found.

use arrowfeed_source::{FeedError, FeedErrorKind, counted, thousands};

use super::Reads;

/// A position in the bytes of a block.
#[derive(Debug, Clone)]
pub(crate) struct PlainReader<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> PlainReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pos: 0 }
    }

    /// Returns the number of bytes read so far.
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// Reads the next `n` bytes of a value, which messages call `what`.
    pub(crate) fn take(&mut self, n: usize, what: &str) -> Result<&'a [u8], FeedError> {
        if n > self.left() {
            return Err(self.short(what));
        }
        self.pos += n;
        Ok(&self.bytes[self.pos - n..self.pos])
    }

    fn short(&self, what: &str) -> FeedError {
        invalid(format!("expected {what}, {} left", counted(self.left() as u64, "byte")))
    }

    fn varint(&mut self, what: &str) -> Result<u64, FeedError> {
        let mut value = 0_u128;
        let start = self.pos;
        for i in 0.. {
            let Some(byte) = self.bytes.get(self.pos) else {
                self.pos = start;
                return Err(self.short(what));
            };
            self.pos += 1;
            value |= u128::from(byte & 0x7f) << (7 * i);
            if *byte < 0x80 {
                break;
            }
            if i == 9 {
                return Err(invalid(format!("expected {what}, found a varint of more than 10 bytes")));
            }
        }
        u64::try_from(value)
            .map_err(|_| invalid(format!("expected {what}, found a varint of more than 64 bits")))
    }

    fn zigzag(&mut self, what: &str) -> Result<i64, FeedError> {
        let value = self.varint(what)?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn index(&mut self, count: usize, what: &str, of: &str) -> Result<usize, FeedError> {
        let index = self.zigzag(what)?;
        match usize::try_from(index) {
            Ok(index) if index < count => Ok(index),
            _ => Err(invalid(format!("expected {what} below {count} ({of}), found {index}"))),
        }
    }
}

/// Creates the error for an invalid value.
pub(crate) fn invalid(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::CorruptBlock, message)
}

impl Reads for PlainReader<'_> {
    type Error = FeedError;

    fn boolean(&mut self) -> Result<bool, FeedError> {
        match self.take(1, "a boolean")? {
            [0] => Ok(false),
            [1] => Ok(true),
            bytes => Err(invalid(format!("expected a boolean, 0 or 1, found byte {}", bytes[0]))),
        }
    }

    fn int(&mut self) -> Result<i32, FeedError> {
        let value = self.zigzag("an int")?;
        i32::try_from(value).map_err(|_| invalid(format!("expected an int of 32 bits, found {value}")))
    }

    fn long(&mut self) -> Result<i64, FeedError> {
        self.zigzag("a long")
    }

    fn skip(&mut self, n: usize) -> Result<(), FeedError> {
        self.take(n, &counted(n as u64, "more byte")).map(|_| ())
    }

    fn length(&mut self) -> Result<usize, FeedError> {
        let length = self.zigzag("a length")?;
        match usize::try_from(length) {
            Ok(n) if n <= self.left() => Ok(n),
            Ok(n) => Err(self.short(&counted(n as u64, "byte"))),
            Err(_) => Err(invalid(format!("expected a length, found {length}"))),
        }
    }

    fn symbol(&mut self, count: usize) -> Result<usize, FeedError> {
        self.index(count, "an enum index", "the number of symbols")
    }

    fn branch(&mut self, count: usize) -> Result<usize, FeedError> {
        self.index(count, "a union index", "the number of branches")
    }

    fn items(&mut self) -> Result<(usize, Option<usize>), FeedError> {
        let count = self.zigzag("an item count")?;
        let size = if count < 0 { Some(self.length()?) } else { None };
        let count = usize::try_from(count.unsigned_abs())
            .map_err(|_| invalid(format!("expected an item count, found {count}")))?;
        Ok((count, size))
    }

    fn room_for(&self, count: usize, min: usize) -> Result<(), FeedError> {
        match count.checked_mul(min) {
            Some(bytes) if bytes <= self.left() => Ok(()),
            _ => Err(self.short(&format!(
                "{} of at least {}",
                counted(count as u64, "item"),
                counted(min as u64, "byte")
            ))),
        }
    }

    fn stated_size(&self, stated: usize, real: usize) -> Result<(), FeedError> {
        if stated == real {
            return Ok(());
        }
        let (stated, real) = (counted(stated as u64, "byte"), thousands(real as u64));
        Err(invalid(format!("expected {stated} of items, as their block states, found {real}")))
    }

    fn limit(&self, name: &'static str, limit: u64) -> FeedError {
        FeedError::limit_reached(name, format!("over the limit {name} of {}", thousands(limit)))
    }
}
