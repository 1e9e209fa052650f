//! An open file: its header read, its plan made.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, Limits, thousands};

use super::identity::{Expected, FileIdentity};
use super::unit::BlockRun;
use crate::container::block::BlockReader;
use crate::container::header::Header;
use crate::container::input::Input;
use crate::container::scan::BlockScanner;
use crate::container::source::Source;
use crate::decode::batcher::Batcher;
use crate::plan::DecodePlan;
use crate::source::{AvroSource, SourceKind};
use crate::{AvroSchema, ReadOptions, regular_file};

/// A file whose header was read.
pub(crate) struct OpenFile {
    pub(crate) name: Arc<str>,
    pub(crate) header: Header,
    pub(crate) access: Access,
    /// None for what cannot change.
    identity: Option<Identity>,
}

/// How the blocks of a file can be reached.
pub(crate) enum Access {
    /// At any offset, by any thread.
    Random { source: Source, len: u64 },
    /// Once, in order; taken by who reads it.
    Stream(ForkLock<Option<Input>>),
}

/// What must stay as it is while a file is read.
#[derive(Debug, PartialEq)]
struct Identity {
    len: u64,
    modified: Option<SystemTime>,
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
            SourceKind::Path(path) => Source::File(Arc::new(regular_file::open(&path, check)?)),
            SourceKind::Seekable(file) => Source::Seekable(file),
            SourceKind::Bytes(bytes) => Source::Memory(bytes),
            SourceKind::Stream(reader) => {
                let mut input = Input::from_reader(reader);
                let header = Header::read(&mut input, limits, check)?;
                let access = Access::Stream(ForkLock::new(Some(input)));
                return Ok(Self { name, header, access, identity: None });
            }
        };
        let identity = Identity::of(&source).map_err(FeedError::io)?;
        let len = match (&source, &identity) {
            (Source::Memory(bytes), _) => bytes.len() as u64,
            (_, identity) => identity.as_ref().map_or(0, |identity| identity.len),
        };
        // First: of a file that was cut, the header may be cut too.
        expected.map_or(Ok(()), |expected| expected.check_len(len))?;
        let header = Header::read(&mut input(&source, 0..len), limits, check)?;
        Ok(Self { name, header, access: Access::Random { source, len }, identity })
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
            Access::Random { source, len } => {
                Some(BlockScanner::new(source.clone(), *len, &self.header, &options.limits))
            }
            Access::Stream(_) => None,
        }
    }

    /// Its bytes; none for a stream.
    pub(crate) fn len(&self) -> Option<u64> {
        match self.access {
            Access::Random { len, .. } => Some(len),
            Access::Stream(_) => None,
        }
    }

    /// The bytes that its blocks take; to the end of time for a stream.
    pub(crate) fn body(&self) -> Range<u64> {
        match &self.access {
            Access::Random { len, .. } => self.header.len..*len,
            Access::Stream(_) => self.header.len..u64::MAX,
        }
    }

    /// Reads blocks; a stream gives all it has, once.
    fn input(&self) -> Result<Input, FeedError> {
        match &self.access {
            Access::Random { source, len } => Ok(input(source, self.header.len..*len)),
            Access::Stream(input) => input
                .with(Option::take)
                .flatten()
                .ok_or_else(|| FeedError::new(FeedErrorKind::Internal, "expected a stream, found it taken")),
        }
    }

    /// An error if the file is not what it was when it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), FeedError> {
        let (Some(was), Access::Random { source, .. }) = (&self.identity, &self.access) else {
            return Ok(());
        };
        let is = Identity::of(source).map_err(|error| FeedError::io(error).in_file(&self.name))?;
        let Some(is) = is.filter(|is| is != was) else {
            return Ok(());
        };
        let (was, is) = (thousands(was.len), thousands(is.len));
        let message =
            format!("expected the file as it was opened, of {was} bytes, found it changed, of {is} bytes");
        Err(FeedError::new(FeedErrorKind::Changed, message).in_file(&self.name))
    }
}

impl Identity {
    fn of(source: &Source) -> io::Result<Option<Self>> {
        Ok(match source {
            Source::File(file) => {
                let metadata = file.metadata()?;
                Some(Self { len: metadata.len(), modified: metadata.modified().ok() })
            }
            Source::Seekable(file) => Some(Self { len: file.len()?, modified: None }),
            Source::Memory(_) => None,
        })
    }
}

/// Reads a range of a source; of memory, all bytes after the start can be read.
fn input(source: &Source, range: Range<u64>) -> Input {
    match source {
        Source::Memory(bytes) => {
            let start = usize::try_from(range.start).unwrap_or(usize::MAX);
            Input::from_bytes(bytes.clone(), start..bytes.len())
        }
        source => Input::from_source(source.clone(), range),
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
