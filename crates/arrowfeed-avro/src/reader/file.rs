//! An open file: its header read, its plan made.

use std::fs::{File, Metadata};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::unit::BlockRun;
use crate::container::block::BlockReader;
use crate::container::header::Header;
use crate::container::input::Input;
use crate::container::scan::BlockScanner;
use crate::container::source::Source;
use crate::decode::batcher::Batcher;
use crate::error::{AvroError, AvroErrorKind, thousands};
use crate::plan::DecodePlan;
use crate::source::{AvroSource, SourceKind};
use crate::{AvroSchema, Limits, ReadOptions};

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
    Stream(Mutex<Option<Input>>),
}

/// What must stay as it is while a file is read.
#[derive(Debug, PartialEq)]
struct Identity {
    len: u64,
    modified: Option<SystemTime>,
}

impl OpenFile {
    pub(crate) fn open(source: AvroSource, options: &ReadOptions) -> Result<Self, AvroError> {
        let name: Arc<str> = source.name().into();
        Self::open_named(name.clone(), source, options).map_err(|error| error.in_file(&name))
    }

    fn open_named(name: Arc<str>, source: AvroSource, options: &ReadOptions) -> Result<Self, AvroError> {
        let limits = &options.limits;
        match source.kind {
            SourceKind::Path(path) => {
                let source = Source::File(Arc::new(open_regular(&path)?));
                Self::with_identity(name, source, limits)
            }
            SourceKind::Seekable(file) => Self::with_identity(name, Source::Seekable(file), limits),
            SourceKind::Bytes(bytes) => {
                let header = Header::read(&mut Input::from_bytes(bytes.clone(), 0..bytes.len()), limits)?;
                let len = bytes.len() as u64;
                Ok(Self {
                    name,
                    header,
                    access: Access::Random { source: Source::Memory(bytes), len },
                    identity: None,
                })
            }
            SourceKind::Stream(reader) => {
                let mut input = Input::from_reader(reader);
                let header = Header::read(&mut input, limits)?;
                Ok(Self { name, header, access: Access::Stream(Mutex::new(Some(input))), identity: None })
            }
        }
    }

    fn with_identity(name: Arc<str>, source: Source, limits: &Limits) -> Result<Self, AvroError> {
        let identity = Identity::of(&source).map_err(AvroError::io)?;
        let len = identity.as_ref().map_or(0, |identity| identity.len);
        let header = Header::read(&mut Input::from_source(source.clone(), 0..len), limits)?;
        Ok(Self { name, header, access: Access::Random { source, len }, identity })
    }

    pub(crate) fn schema(&self, options: &ReadOptions) -> Result<AvroSchema, AvroError> {
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
    fn input(&self) -> Result<Input, AvroError> {
        match &self.access {
            Access::Random { source: Source::Memory(bytes), .. } => {
                Ok(Input::from_bytes(bytes.clone(), 0..bytes.len()))
            }
            Access::Random { source, len } => Ok(Input::from_source(source.clone(), self.header.len..*len)),
            Access::Stream(input) => {
                let input = input.lock().unwrap_or_else(PoisonError::into_inner).take();
                input.ok_or_else(|| {
                    AvroError::new(AvroErrorKind::Internal, "expected a stream, found it taken")
                })
            }
        }
    }

    /// An error if the file is not what it was when it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), AvroError> {
        let (Some(was), Access::Random { source, .. }) = (&self.identity, &self.access) else {
            return Ok(());
        };
        let is = Identity::of(source).map_err(|error| AvroError::io(error).in_file(&self.name))?;
        let Some(is) = is.filter(|is| is != was) else {
            return Ok(());
        };
        let (was, is) = (thousands(was.len), thousands(is.len));
        let message =
            format!("expected the file as it was opened, of {was} bytes, found it changed, of {is} bytes");
        Err(AvroError::new(AvroErrorKind::Changed, message).in_file(&self.name))
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

/// Opens what can be read at any offset; a pipe would block, a device never end.
fn open_regular(path: &Path) -> Result<File, AvroError> {
    let what = |metadata: &Metadata| match metadata {
        m if m.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        m if m.is_file() => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "expected a regular file, found a pipe or a device",
        )),
    };
    let open = || {
        what(&std::fs::metadata(path)?)?;
        let file = File::open(path)?;
        what(&file.metadata()?)?;
        Ok(file)
    };
    open().map_err(AvroError::io)
}

/// A plan and the decoders that were made for it: their memory is warm.
pub(crate) struct Decoders {
    pub(crate) plan: Arc<DecodePlan>,
    idle: Mutex<Vec<Batcher>>,
}

impl Decoders {
    pub(crate) fn new(plan: Arc<DecodePlan>) -> Self {
        Self { plan, idle: Mutex::default() }
    }

    pub(crate) fn take(&self, options: &ReadOptions) -> Batcher {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| Batcher::new(self.plan.clone(), options))
    }

    /// Only a decoder that has come to its end without an error.
    pub(crate) fn give_back(&self, batcher: Batcher) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(batcher);
    }
}

/// A file that is being read: shared by all who decode parts of it.
pub(crate) struct FileReading {
    /// Number of the file among those that are read.
    pub(crate) number: usize,
    pub(crate) file: OpenFile,
    pub(crate) decoders: Arc<Decoders>,
    /// Block readers whose buffers are warm.
    idle: Mutex<Vec<BlockReader>>,
}

impl FileReading {
    pub(crate) fn new(number: usize, file: OpenFile, decoders: Arc<Decoders>) -> Self {
        Self { number, file, decoders, idle: Mutex::default() }
    }

    pub(crate) fn take_blocks(&self, run: BlockRun, options: &ReadOptions) -> Result<BlockReader, AvroError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut blocks) = idle {
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
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(blocks);
        }
    }
}
