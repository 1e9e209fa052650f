//! An open TFRecord file.

use std::io::BufReader;
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::format::{ChunkScan, Claim, DecodeOptions, FileFormat, FormatFile, Unit, UnitDecoder};
use arrowfeed_source::io::{
    FileEnds, Fingerprint, OpenFile, Opened, SequentialReader, unsupported_compression,
};
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, hex};

use super::decoder::RecordDecoder;
use super::format::RecordFormat;
use super::frames::Frames;
use super::input::Input;
use super::rows::Rows;
use super::scan::{CompressedScan, RecordScan};
use crate::frame::{self, HEADER};
use crate::{Compression, Encoding, Records};

/// Bytes per read when records are decoded.
const READ_BYTES: usize = 512 << 10;

/// Compressed bytes per read.
const COMPRESSED_READ_BYTES: usize = 128 << 10;

/// An open TFRecord file.
#[derive(Debug)]
pub(super) struct RecordFile {
    file: OpenFile,
    compression: Compression,
    fingerprint: Fingerprint,
    format: RecordFormat,
}

impl RecordFile {
    /// Opens a file: reads both of its ends and detects its compression.
    ///
    /// # Errors
    /// The file is a stream, or does not start with a record; its compression is not compiled in; it has changed; the system reports an error.
    pub(super) fn open(opened: Opened, format: RecordFormat) -> Result<Self, FeedError> {
        let name = opened.name().clone();
        let Opened::File(file) = opened else {
            let message = "expected a seekable file or bytes, found a stream";
            return Err(FeedError::new(FeedErrorKind::Options, message).in_file(&name));
        };
        Self::open_file(file, format).map_err(|error| error.in_file(&name))
    }

    fn open_file(file: OpenFile, format: RecordFormat) -> Result<Self, FeedError> {
        // The end of the file contains the checksum of the last record, so the fingerprint depends on that record.
        let ends = FileEnds::read(&file)?;
        let (fingerprint, start) = (ends.fingerprint(), ends.start);
        file.check_fingerprint(&fingerprint)?;
        let compression = Compression::of(&start);
        compression.check_compiled()?;
        if compression == Compression::None
            && start.first_chunk::<HEADER>().is_some_and(|it| !frame::is_header(it))
        {
            let found = match unsupported_compression(&start) {
                Some(compression) => format!("a file compressed with {compression}"),
                None => format!("the bytes {}", hex(&start[..HEADER])),
            };
            let message = format!(
                "expected a TFRecord file, uncompressed or compressed with gzip or zlib, found {found}"
            );
            return Err(FeedError::new(FeedErrorKind::Format, message));
        }
        Ok(Self { file, compression, fingerprint, format })
    }

    pub(super) fn name(&self) -> &str {
        self.file.name()
    }

    /// Length of the file in bytes.
    pub(super) fn len(&self) -> u64 {
        self.file.len()
    }

    pub(super) fn limits(&self) -> &Limits {
        self.format.limits()
    }

    /// The Arrow types of features.
    pub(super) fn encoding(&self) -> Encoding {
        self.format.encoding()
    }

    /// Size of a cell in bytes.
    pub(super) fn cell_bytes(&self) -> u64 {
        self.format.chunk_bytes()
    }

    pub(super) fn check_unchanged(&self) -> Result<(), FeedError> {
        self.file.check_unchanged()
    }

    /// An empty row buffer, taken from the pool if possible.
    pub(super) fn rows(&self) -> Rows {
        self.format.rows()
    }

    /// Returns an empty row buffer to the pool.
    pub(super) fn give_back(&self, rows: Rows) {
        self.format.give_back(rows);
    }

    /// A reader of the records of the file.
    pub(super) fn input(&self) -> Input {
        match self.compression {
            Compression::None => {
                Input::plain(Frames::new(self.file.source().clone(), self.file.len(), READ_BYTES))
            }
            Compression::Gzip | Compression::Zlib => Input::Compressed(Box::new(self.records())),
        }
    }

    fn records(&self) -> Records<BufReader<SequentialReader>> {
        let bytes = SequentialReader::new(self.file.source().clone(), 0);
        let bytes = BufReader::with_capacity(COMPRESSED_READ_BYTES, bytes);
        Records::new(bytes, self.compression, self.limits().clone())
    }
}

impl FormatFile for RecordFile {
    fn fingerprint(&self) -> Option<Fingerprint> {
        Some(self.fingerprint)
    }

    fn body(&self) -> Range<u64> {
        0..self.file.len()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        Some(match self.compression {
            Compression::None => {
                Box::new(RecordScan::new(self.file.source().clone(), self.file.len(), self.cell_bytes()))
            }
            Compression::Gzip | Compression::Zlib => {
                Box::new(CompressedScan::new(self.records(), self.file.len()))
            }
        })
    }

    fn is_one_chunk(&self) -> bool {
        self.compression != Compression::None
    }

    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError> {
        Ok(Box::new(RecordDecoder::new(self, unit, options, claim)))
    }
}
