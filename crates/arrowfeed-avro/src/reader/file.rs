//! An open file: its header read, its plan made.

use std::fs::{File, Metadata};
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
use crate::{AvroSchema, ReadOptions};

/// A file whose header was read.
pub(crate) struct OpenFile {
    pub(crate) name: Arc<str>,
    pub(crate) header: Header,
    pub(crate) access: Access,
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
#[derive(Debug)]
struct Identity {
    file: Arc<File>,
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
                let (file, metadata) = open_regular(&path)?;
                let file = Arc::new(file);
                let len = metadata.len();
                let identity = Identity { file: file.clone(), len, modified: metadata.modified().ok() };
                let header = Header::read(&mut Input::from_file(file.clone(), 0..len), limits)?;
                let access = Access::Random { source: Source::File(file), len };
                Ok(Self { name, header, access, identity: Some(identity) })
            }
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
            Access::Random { source: Source::File(file), len } => {
                Ok(Input::from_file(file.clone(), self.header.len..*len))
            }
            Access::Random { source: Source::Memory(bytes), .. } => {
                Ok(Input::from_bytes(bytes.clone(), 0..bytes.len()))
            }
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
        let Some(was) = &self.identity else {
            return Ok(());
        };
        let metadata = was.file.metadata().map_err(|error| AvroError::io(error).in_file(&self.name))?;
        if metadata.len() == was.len && metadata.modified().ok() == was.modified {
            return Ok(());
        }
        let (was, is) = (thousands(was.len), thousands(metadata.len()));
        let message =
            format!("expected the file as it was opened, of {was} bytes, found it changed, of {is} bytes");
        Err(AvroError::new(AvroErrorKind::Changed, message).in_file(&self.name))
    }
}

/// Opens what can be read at any offset; a pipe would block, a device never end.
fn open_regular(path: &Path) -> Result<(File, Metadata), AvroError> {
    let what = |metadata: &Metadata| match metadata {
        m if m.is_dir() => Err(std::io::Error::from(std::io::ErrorKind::IsADirectory)),
        m if m.is_file() => Ok(()),
        _ => Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "expected a regular file, found a pipe or a device",
        )),
    };
    let open = || {
        what(&std::fs::metadata(path)?)?;
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        what(&metadata)?;
        Ok((file, metadata))
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
