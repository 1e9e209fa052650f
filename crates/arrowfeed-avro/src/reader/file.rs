//! An open file: its header read, its plan made.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::io::{ByteSource, FileVersion};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, Limits, thousands};

use super::identity::{Expected, FileIdentity};
use super::unit::BlockRun;
use crate::container::block::BlockReader;
use crate::container::header::Header;
use crate::container::input::Input;
use crate::container::scan::BlockScanner;
use crate::decode::batcher::Batcher;
use crate::plan::DecodePlan;
use crate::source::{AvroSource, SourceKind};
use crate::{AvroSchema, ReadOptions};

/// A file whose header was read.
pub(crate) struct OpenFile {
    pub(crate) name: Arc<str>,
    pub(crate) header: Header,
    pub(crate) access: Access,
}

/// How the blocks of a file can be reached.
pub(crate) enum Access {
    /// At any offset, by any thread. The version must stay as it is while the file is read.
    Random { source: Arc<dyn ByteSource>, version: FileVersion },
    /// Once, in order; taken by who reads it.
    Stream(ForkLock<Option<Input>>),
}

impl OpenFile {
    pub(crate) fn open(
        source: AvroSource,
        options: &ReadOptions,
        check: &Check<'_>,
    ) -> Result<Self, FeedError> {
        let (name, expected): (Arc<str>, _) = (source.name().into(), source.expected);
        let opened = Self::open_kind(name.clone(), source.kind, expected, &options.limits, check);
        let opened = opened.and_then(|file| match expected {
            Some(expected) => expected.check_sync(&file.header.sync).map(|()| file),
            None => Ok(file),
        });
        opened.map_err(|error| error.in_file(&name))
    }

    fn open_kind(
        name: Arc<str>,
        kind: SourceKind,
        expected: Option<Expected>,
        limits: &Limits,
        check: &Check<'_>,
    ) -> Result<Self, FeedError> {
        let source = match kind {
            SourceKind::Stored(file) => file.open(check)?,
            SourceKind::Stream(reader) => {
                let mut input = Input::from_reader(reader);
                let header = Header::read(&mut input, limits, check)?;
                return Ok(Self { name, header, access: Access::Stream(ForkLock::new(Some(input))) });
            }
        };
        let version = source.version().map_err(FeedError::io)?;
        if let Some(memory) = source.memory()
            && memory.len() as u64 != version.len
        {
            let (expected, found) = (thousands(version.len), thousands(memory.len() as u64));
            let message = format!("expected {expected} bytes in memory, as the source says, found {found}");
            return Err(FeedError::io(io::Error::other(message)));
        }
        // First: of a file that was cut, the header may be cut too.
        expected.map_or(Ok(()), |expected| expected.check_len(version.len))?;
        let header = Header::read(&mut Input::from_source(source.clone(), 0..version.len), limits, check)?;
        Ok(Self { name, header, access: Access::Random { source, version } })
    }

    /// What tells it from another file; none for a stream.
    pub(crate) fn identity(&self) -> Option<FileIdentity> {
        self.len().map(|len| FileIdentity { len, sync: self.header.sync })
    }

    pub(crate) fn schema(&self, options: &ReadOptions) -> Result<AvroSchema, FeedError> {
        let parsed = AvroSchema::parse_with(&self.header.schema_json, &options.limits);
        parsed.map_err(|error| error.in_file(&self.name))
    }

    /// A scanner of all its blocks; none for a stream.
    pub(crate) fn scanner(&self, options: &ReadOptions) -> Option<BlockScanner> {
        match &self.access {
            Access::Random { source, version } => {
                Some(BlockScanner::new(source.clone(), version.len, &self.header, &options.limits))
            }
            Access::Stream(_) => None,
        }
    }

    /// Its bytes; none for a stream.
    pub(crate) fn len(&self) -> Option<u64> {
        match self.access {
            Access::Random { version, .. } => Some(version.len),
            Access::Stream(_) => None,
        }
    }

    /// The bytes that its blocks take; to the end of time for a stream.
    pub(crate) fn body(&self) -> Range<u64> {
        match &self.access {
            Access::Random { version, .. } => self.header.len..version.len,
            Access::Stream(_) => self.header.len..u64::MAX,
        }
    }

    /// Reads blocks; a stream gives all it has, once.
    fn input(&self) -> Result<Input, FeedError> {
        match &self.access {
            Access::Random { source, version } => {
                Ok(Input::from_source(source.clone(), self.header.len..version.len))
            }
            Access::Stream(input) => input
                .with(Option::take)
                .flatten()
                .ok_or_else(|| FeedError::new(FeedErrorKind::Internal, "expected a stream, found it taken")),
        }
    }

    /// An error if the file is not what it was when it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), FeedError> {
        let Access::Random { source, version: was } = &self.access else { return Ok(()) };
        let is = source.version().map_err(|error| FeedError::io(error).in_file(&self.name))?;
        if is == *was {
            return Ok(());
        }
        let (was, is) = (thousands(was.len), thousands(is.len));
        let message =
            format!("expected the file as it was opened, of {was} bytes, found it changed, of {is} bytes");
        Err(FeedError::new(FeedErrorKind::Changed, message).in_file(&self.name))
    }
}

/// A plan and the decoders that were made for it: their memory is warm.
pub(crate) struct Decoders {
    pub(crate) plan: Arc<DecodePlan>,
    /// Decoders that no thread uses. Iterators over the same files share them, also in a child of a fork.
    idle: ForkLock<Vec<Batcher>>,
}

impl Decoders {
    pub(crate) fn new(plan: Arc<DecodePlan>) -> Self {
        Self { plan, idle: ForkLock::default() }
    }

    pub(crate) fn take(&self, options: &ReadOptions) -> Batcher {
        let idle = self.idle.try_with(Vec::pop).flatten();
        idle.unwrap_or_else(|| Batcher::new(self.plan.clone(), options))
    }

    /// Only a decoder that has come to its end without an error.
    pub(crate) fn give_back(&self, batcher: Batcher) {
        self.idle.try_with(|idle| idle.push(batcher));
    }
}

/// A file that is being read: shared by all who decode parts of it.
pub(crate) struct FileReading {
    /// Number of the file among those that are read.
    pub(crate) number: usize,
    pub(crate) file: OpenFile,
    pub(crate) decoders: Arc<Decoders>,
    /// Block readers whose buffers are warm.
    idle: ForkLock<Vec<BlockReader>>,
}

impl FileReading {
    pub(crate) fn new(number: usize, file: OpenFile, decoders: Arc<Decoders>) -> Self {
        Self { number, file, decoders, idle: ForkLock::default() }
    }

    pub(crate) fn take_blocks(&self, run: BlockRun, options: &ReadOptions) -> Result<BlockReader, FeedError> {
        if let Some(mut blocks) = self.idle.try_with(Vec::pop).flatten() {
            blocks.restart(run.range, run.first_index)?;
            return Ok(blocks);
        }
        let mut blocks = BlockReader::new(self.file.input()?, &self.file.header, &options.limits);
        if matches!(self.file.access, Access::Random { .. }) {
            blocks.restart(run.range, run.first_index)?;
        }
        Ok(blocks)
    }

    pub(crate) fn give_blocks_back(&self, blocks: BlockReader) {
        if matches!(self.file.access, Access::Random { .. }) {
            self.idle.try_with(|idle| idle.push(blocks));
        }
    }
}
