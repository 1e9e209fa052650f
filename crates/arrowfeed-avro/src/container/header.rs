//! The file header: magic, metadata and sync marker.

use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits, counted, quoted, thousands};

use super::codec::Codec;
use super::framing::SYNC;
use super::input::Input;
use super::magic::{self, MAGIC, SHOWN};
use super::varint::{Long, MAX_LONG, long};

/// Maximum number of metadata entries in a header, including repeated keys.
pub(crate) const MAX_ENTRIES: u64 = 10_000;

const SCHEMA_KEY: &str = "avro.schema";
const CODEC_KEY: &str = "avro.codec";

/// A header whose codec is known and whose schema is UTF-8 text; the text is not parsed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// All entries except `avro.schema` and `avro.codec`, in file order; a key may appear twice.
    pub(crate) metadata: Vec<(String, Vec<u8>)>,
    /// The value of `avro.schema`.
    pub(crate) schema_json: String,
    /// The codec that `avro.codec` names; [`Codec::Null`] if the entry is absent.
    pub(crate) codec: Codec,
    /// The marker after the header and after each block.
    pub(crate) sync: [u8; SYNC],
    /// Size of the header, which is the offset of the first block.
    pub(crate) len: u64,
}

impl Header {
    /// Reads a header from the start of a file and leaves `input` at the first block.
    pub(crate) fn read(input: &mut Input, limits: &Limits, check: &Check<'_>) -> Result<Self, FeedError> {
        let mut cursor = Cursor { start: input.offset(), input, limit: limits.header_bytes, check };
        let found = cursor.ensure(SHOWN)?;
        magic::check(&cursor.input.available()[..found.min(SHOWN)])?;
        cursor.input.consume(MAGIC.len());

        let mut entries = Entries::default();
        entries.read(&mut cursor, limits)?;
        let sync = cursor.take(SYNC, "the sync marker of the header")?;
        let sync = sync.try_into().map_err(|_| cursor.truncated("the sync marker of the header"))?;
        let len = cursor.len();
        let schema_json = entries.schema.ok_or_else(|| {
            format_error(format!("expected a schema in the header ({}), found none", quoted(SCHEMA_KEY)))
        })?;
        let codec = entries.codec.unwrap_or(Codec::Null);
        Ok(Self { metadata: entries.other, schema_json, codec, sync, len })
    }
}

/// The part of the metadata map that has been read so far.
#[derive(Default)]
struct Entries {
    schema: Option<String>,
    codec: Option<Codec>,
    other: Vec<(String, Vec<u8>)>,
}

impl Entries {
    /// Reads the map's blocks up to the empty block that ends the map.
    fn read(&mut self, cursor: &mut Cursor<'_>, limits: &Limits) -> Result<(), FeedError> {
        let mut entries = 0u64;
        loop {
            let at = cursor.input.offset();
            let count = cursor.long("a count of metadata entries")?;
            if count == 0 {
                return Ok(());
            }
            entries = entries.saturating_add(count.unsigned_abs());
            if entries > MAX_ENTRIES {
                let (most, found) = (thousands(MAX_ENTRIES), thousands(entries));
                let message = format!("expected at most {most} metadata entries, found {found}");
                return Err(format_error(message).at_offset(at));
            }
            let declared = if count < 0 { Some(cursor.length("a byte size of metadata")?) } else { None };
            let start = cursor.len();
            for _ in 0..count.unsigned_abs() {
                self.read_entry(cursor, limits)?;
            }
            let used = cursor.len() - start;
            if let Some(declared) = declared.filter(|&declared| declared != used) {
                let (declared, used) = (counted(declared, "byte"), counted(used, "byte"));
                let message = format!("expected {declared} of metadata, found entries of {used}");
                return Err(format_error(message).at_offset(at));
            }
        }
    }

    fn read_entry(&mut self, cursor: &mut Cursor<'_>, limits: &Limits) -> Result<(), FeedError> {
        let at = cursor.input.offset();
        let key = cursor.bytes("a metadata key", None)?;
        let key = String::from_utf8(key).map_err(|error| {
            let found = quoted(&String::from_utf8_lossy(error.as_bytes()));
            format_error(format!("expected a metadata key in UTF-8, found {found}")).at_offset(at)
        })?;
        match key.as_str() {
            SCHEMA_KEY if self.schema.is_some() => return Err(twice(&key).at_offset(at)),
            CODEC_KEY if self.codec.is_some() => return Err(twice(&key).at_offset(at)),
            SCHEMA_KEY => {
                let json = cursor.bytes("the schema", Some(("schema_bytes", limits.schema_bytes)))?;
                let json = String::from_utf8(json).map_err(|error| {
                    let bad = thousands(error.utf8_error().valid_up_to() as u64);
                    let message = format!("expected a schema in UTF-8, found other bytes at its byte {bad}");
                    format_error(message).at_offset(at)
                })?;
                self.schema = Some(json);
            }
            CODEC_KEY => {
                let name = cursor.bytes("the name of a codec", None)?;
                self.codec = Some(Codec::from_name(&name).map_err(|error| error.at_offset(at))?);
            }
            _ => {
                let value = cursor.bytes("a metadata value", None)?;
                self.other.push((key, value));
            }
        }
        Ok(())
    }
}

/// Consumes the bytes of the header, at most `limit` of them, and adds their offset to errors.
struct Cursor<'a> {
    input: &'a mut Input,
    start: u64,
    limit: usize,
    check: &'a Check<'a>,
}

impl Cursor<'_> {
    /// Number of bytes consumed so far.
    fn len(&self) -> u64 {
        self.input.offset() - self.start
    }

    fn ensure(&mut self, n: usize) -> Result<usize, FeedError> {
        let at = self.input.offset();
        self.input.ensure(n, self.check).map_err(|error| error.at_offset(at))
    }

    fn long(&mut self, what: &str) -> Result<i64, FeedError> {
        let found = self.ensure(MAX_LONG)?;
        match long(&self.input.available()[..found.min(MAX_LONG)]) {
            Long::Value(value, len) => {
                self.claim(len, what)?;
                self.input.consume(len);
                Ok(value)
            }
            Long::Cut => Err(self.truncated(what)),
            Long::Overlong => {
                let message = format!("expected {what}, found a number of more than 64 bits");
                Err(format_error(message).at_offset(self.input.offset()))
            }
        }
    }

    /// Reads a `long` that must not be negative.
    fn length(&mut self, what: &str) -> Result<u64, FeedError> {
        let at = self.input.offset();
        let value = self.long(what)?;
        u64::try_from(value).map_err(|_| {
            format_error(format!("expected {what} to be 0 or more, found {value}")).at_offset(at)
        })
    }

    /// Reads a length and that many bytes, at most as many as the named limit allows.
    fn bytes(&mut self, what: &str, limit: Option<(&'static str, usize)>) -> Result<Vec<u8>, FeedError> {
        let at = self.input.offset();
        let length = self.length(&format!("the length of {}", what.trim_start_matches("the ")))?;
        if let Some((limit, most)) = limit.filter(|&(_, most)| length > most as u64) {
            let (most, found) = (thousands(most as u64), thousands(length));
            let message = format!("expected {what} to have at most {most} bytes, found {found}");
            return Err(FeedError::limit_reached(limit, message).at_offset(at));
        }
        self.take(usize::try_from(length).unwrap_or(usize::MAX), what)
    }

    fn take(&mut self, n: usize, what: &str) -> Result<Vec<u8>, FeedError> {
        self.claim(n, what)?;
        let bytes = self.input.available()[..n].to_vec();
        self.input.consume(n);
        Ok(bytes)
    }

    /// Makes `n` bytes available; fails if they exceed the limit or the input ends before them.
    fn claim(&mut self, n: usize, what: &str) -> Result<(), FeedError> {
        let total = self.len().saturating_add(n as u64);
        if total > self.limit as u64 {
            let (most, found) = (thousands(self.limit as u64), thousands(total));
            let message = format!("expected a file header of at most {most} bytes, found {found} or more");
            return Err(FeedError::limit_reached("header_bytes", message).at_offset(self.input.offset()));
        }
        if self.ensure(n)? < n {
            return Err(self.truncated(what));
        }
        Ok(())
    }

    fn truncated(&self, what: &str) -> FeedError {
        let left = counted(self.input.available().len() as u64, "byte");
        let message = format!("expected {what}, found the end of the file after {left}");
        FeedError::new(FeedErrorKind::Truncated, message).at_offset(self.input.offset())
    }
}

fn twice(key: &str) -> FeedError {
    format_error(format!("expected one metadata entry {}, found two", quoted(key)))
}

fn format_error(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Format, message)
}

#[cfg(test)]
mod tests;
