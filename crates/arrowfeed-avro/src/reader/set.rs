//! Files that are read again and again, as a whole or in parts.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::io::StoredFile;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, Interrupt, OnError, quoted};

use super::file::OpenFile;
use super::files::differs;
use super::identity::{Expected, FileIdentity};
use crate::AvroSchema;
use crate::container::scan::BlockHead;
use crate::options::ReadOptions;
use crate::plan::DecodePlan;
use crate::source::{AvroSource, SourceKind};

/// Plans that are kept, one for each text of a schema.
pub(super) const MOST_PLANS: usize = 64;

/// Files of one Arrow schema that can be read any number of times, in any order.
///
/// No file of a path is kept open. A file that is opened again and is not what it was is an error.
pub struct AvroFiles {
    options: ReadOptions,
    files: Vec<Entry>,
    schema: SchemaRef,
    first: First,
    plans: ForkLock<HashMap<String, Arc<DecodePlan>>>,
}

/// The file that gave the schema its shape.
#[derive(Clone)]
struct First {
    name: Arc<str>,
    schema: AvroSchema,
    json: String,
}

#[derive(Clone)]
struct Entry {
    name: String,
    file: StoredFile,
    /// The identity of the file when it was first opened.
    identity: Arc<ForkLock<Option<FileIdentity>>>,
    /// What the file must be, where the caller knows.
    expected: Option<Expected>,
}

/// A block of a file, known by its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockInfo {
    /// Its number in the file; of blocks behind one that cannot be read, at least.
    pub number: u64,
    /// Where it starts: right after the sync marker before it.
    pub offset: u64,
    /// Where it ends: right after its own sync marker.
    pub end: u64,
    /// Rows that it declares.
    pub rows: u64,
}

impl AvroFiles {
    /// Opens the first file that can be opened, for the schema.
    ///
    /// # Errors
    /// A source is a stream; there is no file, or no plan for its schema and the options; no file can be opened.
    pub fn open(
        sources: impl IntoIterator<Item = AvroSource>,
        options: ReadOptions,
    ) -> Result<Self, FeedError> {
        let (files, first) = entries(sources, &options, &Check::never())?;
        Self::of(files, first, options, DecodePlan::compile)
    }

    /// As [`open`](Self::open); where not all columns can be read because a type contains itself, without what does, and
    /// with the error that says so. Of such files, only [`with_columns`](Self::with_columns) is to be read. `interrupt` is
    /// asked before each file is opened.
    ///
    /// # Errors
    /// As [`open`](Self::open); or the caller wants to stop.
    pub fn open_ending(
        sources: impl IntoIterator<Item = AvroSource>,
        options: ReadOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<(Self, Option<FeedError>), FeedError> {
        let (files, first) = entries(sources, &options, &Check::of(interrupt))?;
        match Self::of(files.clone(), first.clone(), options.clone(), DecodePlan::compile) {
            Ok(files) => Ok((files, None)),
            Err(error) if options.columns.is_some() || error.kind() != FeedErrorKind::Schema => Err(error),
            Err(error) => match Self::of(files, first, options, DecodePlan::compile_ending) {
                Ok(files) => Ok((files, Some(error))),
                Err(_) => Err(error),
            },
        }
    }

    fn of(
        files: Vec<Entry>,
        first: First,
        options: ReadOptions,
        compile: impl Fn(&AvroSchema, &ReadOptions) -> Result<DecodePlan, FeedError>,
    ) -> Result<Self, FeedError> {
        let plan = compile(&first.schema, &options).map_err(|error| error.in_file(&first.name))?;
        let plan = Arc::new(plan);
        let schema = plan.schema().clone();
        let plans = ForkLock::new(HashMap::from([(first.json.clone(), plan)]));
        Ok(Self { options, files, schema, first, plans })
    }

    /// The same files with other columns, see [`ReadOptions::columns`]. None is opened.
    ///
    /// # Errors
    /// A column is not there.
    pub fn with_columns(&self, columns: Vec<String>) -> Result<Self, FeedError> {
        let options = ReadOptions { columns: Some(columns), ..self.options.clone() };
        Self::of(self.files.clone(), self.first.clone(), options, DecodePlan::compile)
    }

    /// The schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// How the files are read, apart from what each reading chooses.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// Number of files, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// What messages call a file.
    pub fn name(&self, file: usize) -> &str {
        &self.files[file].name
    }

    /// Bytes of a file; its header is not read.
    ///
    /// # Errors
    /// The system refuses.
    pub fn file_len(&self, file: usize) -> Result<u64, FeedError> {
        let entry = &self.files[file];
        entry.file.size().map_err(|error| error.in_file(&entry.name))
    }

    /// What a file is, by its header.
    ///
    /// # Errors
    /// It cannot be opened, or is no Avro file.
    pub fn identity(&self, file: usize) -> Result<FileIdentity, FeedError> {
        match self.files[file].identity.with(|known| *known).flatten() {
            Some(identity) => Ok(identity),
            None => identity_of(&self.open_file(file, &Check::never())?),
        }
    }

    /// The blocks of a file, in order, with one small read each; and what is wrong with others, as `on_error` allows.
    /// `interrupt` is asked once a block, and while blocks are looked for.
    ///
    /// # Errors
    /// The file cannot be opened, or is no Avro file; a block cannot be read and may not be left out; or the caller
    /// wants to stop.
    pub fn blocks(
        &self,
        file: usize,
        on_error: OnError,
        interrupt: Option<&Interrupt>,
    ) -> Result<(Vec<BlockInfo>, Vec<FeedError>), FeedError> {
        let check = Check::of(interrupt);
        let open = self.open_file(file, &check)?;
        let Some(mut scanner) = open.scanner(&self.options) else {
            return Err(FeedError::new(FeedErrorKind::Internal, "expected a file, found a stream"));
        };
        let (mut blocks, mut faults) = (Vec::new(), Vec::new());
        loop {
            check.now()?;
            let error = match scanner.next(&check) {
                Ok(Some(BlockHead { index: number, offset, end, count: rows, .. })) => {
                    blocks.push(BlockInfo { number, offset, end, rows });
                    continue;
                }
                Ok(None) => return Ok((blocks, faults)),
                Err(error) => error.in_file(&open.name),
            };
            if on_error == OnError::Raise || !error.is_of_the_file() {
                return Err(error);
            }
            let from = error.location().offset.unwrap_or(u64::MAX).saturating_add(1);
            faults.push(error);
            let next = match on_error {
                OnError::SkipBlock => scanner.first_block_at_or_after(from, &check)?,
                _ => None,
            };
            match next {
                Some(offset) => scanner = scanner.at(offset),
                None => return Ok((blocks, faults)),
            }
        }
    }

    /// Opens a file, which must be what it was when it was opened before.
    pub(super) fn open_file(&self, file: usize, check: &Check<'_>) -> Result<OpenFile, FeedError> {
        let entry = &self.files[file];
        let open = OpenFile::open(entry.source(), &self.options, check)?;
        let found = identity_of(&open)?;
        // Another thread may have been first.
        let known = entry.identity.with(|known| *known.get_or_insert(found));
        let known = known.ok_or_else(|| {
            let message = "a thread of another process was opening this file: make new readers after a fork";
            FeedError::new(FeedErrorKind::Internal, message).in_file(&entry.name)
        })?;
        let known = entry.expected(known);
        known
            .check_len(found.len)
            .and_then(|()| known.check_sync(&found.sync))
            .map_err(|error| error.in_file(&entry.name))?;
        Ok(open)
    }

    /// The plan for a file's schema.
    pub(super) fn plan(&self, file: &OpenFile) -> Result<Arc<DecodePlan>, FeedError> {
        let json = &file.header.schema_json;
        if let Some(plan) = self.plans.with(|plans| plans.get(json).cloned()).flatten() {
            return Ok(plan);
        }
        let plan = DecodePlan::compile(&file.schema(&self.options)?, &self.options);
        let plan = plan.map_err(|error| error.in_file(&file.name))?;
        if plan.schema() != &self.schema {
            return Err(differs(&self.first.name, &self.schema, file, plan.schema()));
        }
        let plan = Arc::new(plan);
        self.plans.with(|plans| {
            if plans.len() >= MOST_PLANS {
                plans.clear();
            }
            plans.insert(json.clone(), plan.clone());
        });
        Ok(plan)
    }
}

/// What there is to read, and the first file of it that can be opened.
fn entries(
    sources: impl IntoIterator<Item = AvroSource>,
    options: &ReadOptions,
    check: &Check<'_>,
) -> Result<(Vec<Entry>, First), FeedError> {
    let files = sources.into_iter().map(Entry::try_from).collect::<Result<Vec<_>, _>>()?;
    let mut failure = None;
    for entry in &files {
        check.now()?;
        let opened = OpenFile::open(entry.source(), options, check);
        match opened.and_then(|file| Ok((file.schema(options)?, file))) {
            Ok((schema, file)) => {
                let first = First { name: file.name, schema, json: file.header.schema_json };
                return Ok((files, first));
            }
            Err(error) if error.is_of_the_file() => failure = failure.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(failure.unwrap_or_else(|| {
        FeedError::new(FeedErrorKind::Options, "expected at least one file, found an empty list")
    }))
}

impl Entry {
    fn source(&self) -> AvroSource {
        let kind = SourceKind::Stored(self.file.clone());
        let known = self.identity.with(|known| *known).flatten();
        let expected = known.map(|identity| self.expected(identity));
        AvroSource { name: self.name.clone(), kind, expected }
    }

    fn expected(&self, identity: FileIdentity) -> Expected {
        self.expected.unwrap_or(Expected { identity, when: "it was first read" })
    }
}

impl TryFrom<AvroSource> for Entry {
    type Error = FeedError;

    fn try_from(source: AvroSource) -> Result<Self, FeedError> {
        let (name, expected) = (source.name().to_owned(), source.expected);
        let file = match source.kind {
            SourceKind::Stored(file) => file,
            SourceKind::Stream(_) => {
                let message = format!(
                    "expected files or bytes, which can be read more than once, found the stream {}",
                    quoted(&name)
                );
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
        };
        Ok(Self { name, file, identity: Arc::default(), expected })
    }
}

fn identity_of(file: &OpenFile) -> Result<FileIdentity, FeedError> {
    file.identity().ok_or_else(|| FeedError::new(FeedErrorKind::Internal, "expected a file, found a stream"))
}

impl fmt::Debug for AvroFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroFiles")
            .field("files", &self.files.len())
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
