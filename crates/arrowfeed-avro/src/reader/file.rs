//! An open Avro file.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::field_ids::FieldIds;
use arrowfeed_source::format::{ChunkRun, FIRST_BYTES};
use arrowfeed_source::io::{Fingerprint, OpenFile, Opened};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, Limits};

use super::decoders::Decoders;
use crate::container::block::BlockReader;
use crate::container::framing::stored_record_bytes;
use crate::container::header::Header;
use crate::container::input::Input;
use crate::container::scan::BlockScanner;
use crate::{AvroOptions, AvroSchema, FileSource};

/// A container whose header has been read.
pub(crate) struct Container {
    pub(crate) name: Arc<str>,
    pub(crate) header: Header,
    access: Access,
}

/// Access to the blocks of a container.
enum Access {
    /// At any offset, by any thread. `record_bytes` is the result of [`stored_record_bytes`] for the first block.
    Random { file: OpenFile, record_bytes: Option<u64> },
    /// Once, in order; the reader takes the input.
    Stream(ForkLock<Option<Input>>),
}

impl Container {
    /// Opens a source and reads its header.
    pub(crate) fn open(source: FileSource, limits: &Limits, check: &Check<'_>) -> Result<Self, FeedError> {
        Self::read(source.open(check)?, limits, check)
    }

    /// Reads the header of a file and checks that its sync marker is the expected one.
    pub(crate) fn read(opened: Opened, limits: &Limits, check: &Check<'_>) -> Result<Self, FeedError> {
        let name = opened.name().clone();
        Self::read_header(opened, limits, check).map_err(|error| error.in_file(&name))
    }

    fn read_header(opened: Opened, limits: &Limits, check: &Check<'_>) -> Result<Self, FeedError> {
        match opened {
            Opened::File(file) => {
                // More bytes would be a second request to a store.
                let mut input =
                    Input::from_source(file.source().clone(), 0..file.len()).with_first_read(FIRST_BYTES);
                let header = Header::read(&mut input, limits, check)?;
                file.check_fingerprint(&fingerprint(&header))?;
                let record_bytes = stored_record_bytes(&mut input, check);
                Ok(Self { name: file.name().clone(), header, access: Access::Random { file, record_bytes } })
            }
            Opened::Stream { name, bytes } => {
                let mut input = Input::from_reader(bytes);
                let header = Header::read(&mut input, limits, check)?;
                Ok(Self { name, header, access: Access::Stream(ForkLock::new(Some(input))) })
            }
        }
    }

    /// The schema. `ids`: those of the table of the file, whose names its fields get.
    pub(crate) fn schema(&self, ids: Option<&FieldIds>, limits: &Limits) -> Result<AvroSchema, FeedError> {
        let json = &self.header.schema_json;
        let parsed = match ids {
            Some(ids) => AvroSchema::parse_of_table(json, ids, limits),
            None => AvroSchema::parse_with(json, limits),
        };
        parsed.map_err(|error| error.in_file(&self.name))
    }

    /// Returns an error if the codec is not compiled in, so that the blocks cannot be read.
    pub(crate) fn check_codec(&self) -> Result<(), FeedError> {
        self.header.codec.check_compiled().map_err(|error| error.in_file(&self.name))
    }

    /// A scanner of all blocks; `None` for a stream.
    pub(crate) fn scanner(&self, limits: &Limits) -> Option<BlockScanner> {
        match &self.access {
            Access::Random { file, .. } => {
                Some(BlockScanner::new(file.source().clone(), file.len(), &self.header, limits))
            }
            Access::Stream(_) => None,
        }
    }

    /// Length of the file in bytes; `None` for a stream.
    pub(crate) fn len(&self) -> Option<u64> {
        match &self.access {
            Access::Random { file, .. } => Some(file.len()),
            Access::Stream(_) => None,
        }
    }

    /// The byte range of the blocks; its end is `u64::MAX` for streams.
    pub(crate) fn body(&self) -> Range<u64> {
        self.header.len..self.len().unwrap_or(u64::MAX)
    }

    /// Returns an error if the file has changed since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), FeedError> {
        match &self.access {
            Access::Random { file, .. } => file.check_unchanged(),
            Access::Stream(_) => Ok(()),
        }
    }

    /// The average size of a record of the first block, as [`stored_record_bytes`]. Waits for the start of the block of a
    /// stream.
    pub(super) fn record_bytes(&self, check: &Check<'_>) -> Option<u64> {
        match &self.access {
            Access::Random { record_bytes, .. } => *record_bytes,
            Access::Stream(input) => {
                input.with(|input| stored_record_bytes(input.as_mut()?, check)).flatten()
            }
        }
    }

    /// The input to read blocks from. A stream provides it once, as a whole.
    fn input(&self) -> Result<Input, FeedError> {
        match &self.access {
            Access::Random { file, .. } => {
                Ok(Input::from_source(file.source().clone(), self.header.len..file.len()))
            }
            Access::Stream(input) => input.with(Option::take).flatten().ok_or_else(|| {
                FeedError::new(
                    FeedErrorKind::Internal,
                    "expected an unread stream, found one that was already read",
                )
            }),
        }
    }
}

/// The sync marker as a fingerprint.
pub(super) fn fingerprint(header: &Header) -> Fingerprint {
    Fingerprint { bytes: header.sync, name: "sync marker" }
}

/// A file that is being read, shared by all decoders of its parts.
pub(super) struct AvroFile {
    container: Container,
    options: Arc<AvroOptions>,
    decoders: Arc<Decoders>,
    /// Block readers whose buffers can be reused.
    idle: ForkLock<Vec<BlockReader>>,
}

impl AvroFile {
    pub(super) fn new(container: Container, options: Arc<AvroOptions>, decoders: Arc<Decoders>) -> Self {
        Self { container, options, decoders, idle: ForkLock::default() }
    }

    pub(super) fn name(&self) -> &str {
        &self.container.name
    }

    pub(super) fn container(&self) -> &Container {
        &self.container
    }

    pub(super) fn header(&self) -> &Header {
        &self.container.header
    }

    pub(super) fn options(&self) -> &AvroOptions {
        &self.options
    }

    pub(super) fn decoders(&self) -> &Decoders {
        &self.decoders
    }

    /// Returns an error if the file has changed since it was opened.
    pub(super) fn check_unchanged(&self) -> Result<(), FeedError> {
        self.container.check_unchanged()
    }

    pub(super) fn take_blocks(&self, run: ChunkRun) -> Result<BlockReader, FeedError> {
        if let Some(mut blocks) = self.idle.try_with(Vec::pop).flatten() {
            blocks.restart(run.range, run.first_number)?;
            return Ok(blocks);
        }
        let mut blocks = BlockReader::new(self.container.input()?, self.header(), &self.options.limits)?;
        if matches!(self.container.access, Access::Random { .. }) {
            blocks.restart(run.range, run.first_number)?;
        }
        Ok(blocks)
    }

    /// Frees the buffers of block readers that no unit uses.
    pub(super) fn drop_idle_blocks(&self) {
        let idle = self.idle.try_with(std::mem::take);
        drop(idle);
    }

    pub(super) fn give_blocks_back(&self, blocks: BlockReader) {
        if matches!(self.container.access, Access::Random { .. }) {
            self.idle.try_with(|idle| idle.push(blocks));
        }
    }
}

impl fmt::Debug for AvroFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AvroFile").field(&self.container.name).finish()
    }
}
