//! An open file of records.

use std::ops::Range;
use std::sync::Arc;

use super::FramedFormat;
use super::decoder::RecordDecoder;
use super::scan::{CompressedScan, RecordScan};
use crate::FeedError;
use crate::format::{ChunkScan, Claim, DecodeOptions, FormatFile, Unit, UnitDecoder};
use crate::io::{Fingerprint, OpenFile};

/// An open file of records.
#[derive(Debug)]
pub struct FramedFile<F: FramedFormat> {
    file: OpenFile,
    fingerprint: Fingerprint,
    compression: F::Compression,
    start: u64,
    format: F,
}

impl<F: FramedFormat> FramedFile<F> {
    /// Creates a file whose first record starts at offset 0.
    pub fn new(file: OpenFile, fingerprint: Fingerprint, compression: F::Compression, format: F) -> Self {
        Self { file, fingerprint, compression, start: 0, format }
    }

    /// Returns the file with another offset of its first record in the decompressed content.
    pub fn with_start(self, start: u64) -> Self {
        Self { start, ..self }
    }

    /// Returns the file with the format that its header determines.
    pub fn with_format(self, format: F) -> Self {
        Self { format, ..self }
    }

    /// The name in messages.
    pub fn name(&self) -> &str {
        self.file.name()
    }

    /// The bytes of the file.
    pub fn file(&self) -> &OpenFile {
        &self.file
    }

    /// The compression of the whole file.
    pub fn compression(&self) -> F::Compression {
        self.compression
    }

    /// Offset of the first record in the decompressed content.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The format of the file.
    pub fn format(&self) -> &F {
        &self.format
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.compression != F::Compression::default()
    }
}

impl<F: FramedFormat> FormatFile for FramedFile<F> {
    fn fingerprint(&self) -> Option<Fingerprint> {
        Some(self.fingerprint)
    }

    fn body(&self) -> Range<u64> {
        let start = if self.is_compressed() { 0 } else { self.start };
        start..self.file.len()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        let reader = self.format.scanner(self);
        Some(if self.is_compressed() {
            Box::new(CompressedScan::new(reader, self.file.len()))
        } else {
            Box::new(RecordScan::new(reader, self.body(), self.format.chunk_bytes()))
        })
    }

    fn is_one_chunk(&self) -> bool {
        self.is_compressed()
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
