//! An open text file.

use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::format::{ChunkScan, Claim, DecodeOptions, FileFormat, FormatFile, Unit, UnitDecoder};
use arrowfeed_source::io::{
    FileEnds, Fingerprint, OpenFile, Opened, SequentialReader, unsupported_compression,
};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits};

use crate::decoder::TextDecoder;
use crate::format::TextFormat;
use crate::framing::Framing;
use crate::records::{Found, Input, Records};
use crate::scan::{CompressedScan, TextScan};

/// The UTF-8 byte order mark, which some programs write at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An open text file.
#[derive(Debug)]
pub(crate) struct TextFile {
    file: OpenFile,
    is_gzip: bool,
    fingerprint: Fingerprint,
    /// Offset of the first record in the decompressed content: after the byte order mark, the skipped lines and the header.
    first: u64,
    header: Option<Vec<u8>>,
    format: TextFormat,
}

impl TextFile {
    /// Opens a file: reads both of its ends, and its header.
    ///
    /// # Errors
    /// The file is a stream, or a gzip file and gzip is not compiled in; its header is missing, or names other columns; it has changed; the system reports an error; the
    /// caller cancels.
    pub(crate) fn open(opened: Opened, format: TextFormat, check: &Check<'_>) -> Result<Self, FeedError> {
        let name = opened.name().clone();
        let Opened::File(file) = opened else {
            let message = "expected a seekable file or bytes, found a stream";
            return Err(FeedError::new(FeedErrorKind::Options, message).in_file(&name));
        };
        Self::open_file(file, format, check).map_err(|error| error.in_file(&name))
    }

    fn open_file(file: OpenFile, format: TextFormat, check: &Check<'_>) -> Result<Self, FeedError> {
        let ends = FileEnds::read(&file)?;
        let fingerprint = format.marked(ends.fingerprint());
        file.check_fingerprint(&fingerprint)?;
        let is_gzip = is_gzip(&ends.start);
        if is_gzip && cfg!(not(feature = "gzip")) {
            return Err(FeedError::codec_not_compiled("gzip", "gzip", env!("CARGO_PKG_NAME")));
        }
        if let Some(found) = unsupported_compression(&ends.start) {
            let message = format!(
                "expected text, uncompressed or compressed with gzip, found a file compressed with {found}"
            );
            return Err(FeedError::new(FeedErrorKind::Codec, message));
        }
        let mut file = Self { file, is_gzip, fingerprint, first: 0, header: None, format };
        if file.is_marked()? {
            file.first = BYTE_ORDER_MARK.len() as u64;
        }
        file.pass_over_lines(check)?;
        if file.format.has_header() {
            let Some((header, end)) = file.first_record(check)? else {
                let message = "expected a line with the names of the columns, found the end of the file";
                return Err(FeedError::new(FeedErrorKind::Format, message));
            };
            file.format.check_header(&header)?;
            file.header = Some(header);
            file.first = end;
        }
        Ok(file)
    }

    /// Returns the bytes of the header or, without a header, of the first record. `None`: the file has no record.
    ///
    /// # Errors
    /// The record is longer than `header_bytes`; the system reports an error; the caller cancels.
    pub(crate) fn names_record(&self, check: &Check<'_>) -> Result<Option<Vec<u8>>, FeedError> {
        match &self.header {
            Some(header) => Ok(Some(header.clone())),
            None => Ok(self.first_record(check)?.map(|(record, _)| record)),
        }
    }

    /// Moves the start of the first record past the skipped lines, or to the end of a file that has fewer lines.
    fn pass_over_lines(&mut self, check: &Check<'_>) -> Result<(), FeedError> {
        if self.format.skipped_lines() == 0 {
            return Ok(());
        }
        let mut lines = self.head(Framing::Lines);
        for _ in 0..self.format.skipped_lines() {
            if self.advance(&mut lines, check)?.is_none() {
                break;
            }
        }
        self.first = lines.offset();
        Ok(())
    }

    /// The first record that is not an empty line, and its end.
    fn first_record(&self, check: &Check<'_>) -> Result<Option<(Vec<u8>, u64)>, FeedError> {
        let mut records = self.head(self.format.framing());
        while let Some(found) = self.advance(&mut records, check)? {
            if !found.is_blank {
                return Ok(Some((records.bytes().to_vec(), records.offset())));
            }
        }
        Ok(None)
    }

    /// A reader of the first records, which may have at most `header_bytes` each.
    fn head(&self, framing: Framing) -> Records {
        Records::new(self.input(), framing, self.first, self.limits().header_bytes)
    }

    /// Advances a reader of the first records.
    fn advance(&self, records: &mut Records, check: &Check<'_>) -> Result<Option<Found>, FeedError> {
        match records.advance(check)? {
            Some(Found { fault: Some(fault), length, .. }) => {
                Err(fault.error(length, "header_bytes", self.limits().header_bytes))
            }
            found => Ok(found),
        }
    }

    fn is_marked(&self) -> Result<bool, FeedError> {
        let (mut found, mut filled, mut input) = ([0; BYTE_ORDER_MARK.len()], 0, self.input());
        while filled < found.len() {
            match input.read(&mut found[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        Ok(found[..filled] == *BYTE_ORDER_MARK)
    }

    /// The decompressed content from its first byte on.
    fn input(&self) -> Input {
        let reader = SequentialReader::new(self.file.source().clone(), 0);
        #[cfg(feature = "gzip")]
        if self.is_gzip {
            return Input::gzip(reader);
        }
        Input::Plain(reader)
    }

    /// A reader of the records, without the header.
    pub(crate) fn records(&self) -> Records {
        let most_bytes = self.limits().decoded_block_bytes;
        Records::new(self.input(), self.format.framing(), self.first, most_bytes)
    }

    pub(crate) fn name(&self) -> &str {
        self.file.name()
    }

    /// Length of the file in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.file.len()
    }

    pub(crate) fn is_gzip(&self) -> bool {
        self.is_gzip
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.format.limits()
    }

    pub(crate) fn format(&self) -> &TextFormat {
        &self.format
    }

    pub(crate) fn check_unchanged(&self) -> Result<(), FeedError> {
        self.file.check_unchanged()
    }
}

/// Whether a file starts with the gzip magic bytes. No UTF-8 text starts with them, because 0x8b cannot follow 0x1f.
fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1f\x8b")
}

impl FormatFile for TextFile {
    fn fingerprint(&self) -> Option<Fingerprint> {
        Some(self.fingerprint)
    }

    fn body(&self) -> Range<u64> {
        let start = if self.is_gzip { 0 } else { self.first };
        start..self.file.len()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        let records = self.records();
        Some(if self.is_gzip {
            Box::new(CompressedScan::new(records, self.format.clone(), self.len()))
        } else {
            Box::new(TextScan::new(records, self.format.clone(), self.body()))
        })
    }

    fn is_one_chunk(&self) -> bool {
        self.is_gzip
    }

    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError> {
        Ok(Box::new(TextDecoder::new(self, unit, options, claim)))
    }
}
