//! Set of files of one format that can be read repeatedly, as a whole or in parts.

use std::iter;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::batch_columns::{Added, schema_of};
use super::files::{Entry, Files, not_a_file};
use super::filter::{Filter, FilterLevel};
use super::part::NumberedFile;
use super::remote_files::RemoteFiles;
use super::row_starts::{next_chunk, skip_damage};
use crate::format::{Chunk, FileFormat, FormatFile, Unit, check_selection, remaining_columns};
use crate::io::remote::{OnArrival, RemoteFile};
use crate::io::{Expected, FileBytes, FileIdentity, FileSource, Opened, StoredFile};
use crate::report::Requests;
use crate::stats::{Stage, enter_for};
use crate::{Check, FeedError, FeedErrorKind, ForkLock, OnError, SchemaMerge};

/// Files of one format and one Arrow schema that can be read any number of times, in any order.
///
/// Files given by path are not kept open. Opening a file again is an error if it has changed.
///
/// [`ChunkSource`](crate::format::ChunkSource) has an example.
#[derive(Debug, Clone)]
pub struct FileSet {
    pub(super) files: Files,
    /// The format, which also decodes the columns of the predicate of the filter.
    pub(super) format: Arc<dyn FileFormat>,
    /// Columns that are not stored in the files.
    pub(super) added: Option<Arc<Added>>,
    /// The columns that the caller has selected, as field paths. `None`: all columns.
    pub(super) columns: Option<Arc<[String]>>,
    /// The filters, in the order in which they apply.
    pub(super) levels: Arc<[FilterLevel]>,
    pub(super) filter: Option<Arc<Filter>>,
    /// Which files have no row that passes. `None`: this is not known for any.
    pub(super) pruned: Option<Arc<[bool]>>,
    /// The version of the table whose rows the files have, for states.
    pub(super) version: Option<Arc<str>>,
    /// The result of the merge that made the schema, if there was one.
    pub(super) merge: Option<Arc<SchemaMerge>>,
    /// The requests of the reading for which this set was created.
    pub(super) remote: Option<Arc<RemoteFiles>>,
}

impl FileSet {
    /// Creates the set without opening a file. `files` must contain at least one file and no stream;
    /// [`Files::first_stored`] checks that.
    pub fn new(files: Files, format: Arc<dyn FileFormat>) -> Self {
        Self {
            files,
            format,
            added: None,
            columns: None,
            levels: Arc::default(),
            filter: None,
            pruned: None,
            version: None,
            merge: None,
            remote: None,
        }
    }

    /// Selects columns by their field paths, or all columns except those with the names `exclude`. A dataset reads all selected
    /// columns; otherwise it reads the columns that its tensors need. [`AddedColumns::file`](super::AddedColumns::file) and
    /// [`AddedColumns::row`](super::AddedColumns::row) come after the columns, unless these name them.
    ///
    /// # Errors
    /// A column does not exist, or both are given.
    pub fn selecting(
        self,
        columns: Option<&[String]>,
        exclude: Option<&[String]>,
    ) -> Result<Self, FeedError> {
        check_selection(columns, exclude)?;
        match (columns, exclude) {
            (None, None) => Ok(self),
            (Some(columns), _) => {
                let requested = self.added.iter().flat_map(|added| added.requested(columns));
                let columns: Vec<String> = columns.iter().cloned().chain(requested).collect();
                self.with_columns(&columns)
            }
            (None, Some(excluded)) => self.with_columns(&remaining_columns(&self.column_names()?, excluded)?),
        }
    }

    /// Whether the caller has selected the columns, see [`selecting`](Self::selecting).
    pub fn selects_columns(&self) -> bool {
        self.columns.is_some()
    }

    /// States the version of the table whose rows the files have: `snapshot 7`. States of other versions are refused.
    pub fn of_version(self, version: &str) -> Self {
        Self { version: Some(version.into()), ..self }
    }

    /// The version of the table, see [`of_version`](Self::of_version).
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// States that the schema was merged from those of all files.
    pub fn of_merge(self, merge: SchemaMerge) -> Self {
        Self { merge: Some(Arc::new(merge)), ..self }
    }

    /// The result of the merge, see [`of_merge`](Self::of_merge).
    pub fn merge(&self) -> Option<&Arc<SchemaMerge>> {
        self.merge.as_ref()
    }

    /// Returns the same files for one reading, whose requests to remote stores share one read-ahead. A set without
    /// remote objects, or one that was created for a reading, is returned unchanged.
    pub fn for_reading(self: &Arc<Self>) -> Arc<Self> {
        if self.remote.is_some() || !self.has_objects() {
            return self.clone();
        }
        Arc::new(Self { remote: Some(Arc::default()), ..(**self).clone() })
    }

    /// Whether some files are remote objects.
    pub fn has_objects(&self) -> bool {
        self.files.entries.iter().any(|entry| entry.object().is_some())
    }

    /// Total size of all files in bytes, if all are remote objects and a listing or a response has reported each size.
    pub fn listed_bytes(&self) -> Option<u64> {
        let len = |entry: &Entry| {
            let known = entry.first_identity().map(|known| known.len);
            entry.object()?.known_len().or(known)
        };
        self.files.entries.iter().map(len).sum()
    }

    /// Whether a file is a remote object.
    pub(super) fn is_object(&self, file: usize) -> bool {
        self.files.entries[file].object().is_some()
    }

    /// Whether this set was created for a reading of remote objects.
    pub(super) fn sends_requests(&self) -> bool {
        self.remote.is_some()
    }

    /// Cancels the requests of the reading. Later reads of its files are errors.
    pub fn cancel_requests(&self) {
        if let Some(remote) = &self.remote {
            remote.read_ahead.cancel();
        }
    }

    /// Returns and resets the counts of the requests of the reading, and of those that opened files before any reading.
    pub fn take_requests(&self) -> Requests {
        let mut taken = self.take_own_requests();
        if self.remote.is_some() {
            taken.add(self.files.counts.take());
        }
        taken
    }

    /// Like [`take_requests`](Self::take_requests), without the requests that opened files before any reading.
    pub(super) fn take_own_requests(&self) -> Requests {
        self.remote.as_ref().map(|remote| remote.read_ahead.take_counts()).unwrap_or_default()
    }

    /// Calls `listener` whenever bytes have arrived, until it is dropped.
    pub(super) fn notify(&self, listener: &Arc<OnArrival>) {
        if let Some(remote) = &self.remote {
            remote.read_ahead.notify(listener);
        }
    }

    /// Returns the remote file that the reading has open, before the format opens it, and announces `ranges`. `None` if
    /// the file is not a remote object.
    pub(super) fn remote_file(
        &self,
        file: usize,
        ranges: impl Iterator<Item = Range<u64>>,
        check: &Check<'_>,
    ) -> Result<Option<Arc<RemoteFile>>, FeedError> {
        let entry = &self.files.entries[file];
        let (Some(remote), Some(object)) = (&self.remote, entry.object()) else { return Ok(None) };
        let found = remote.file(file, object, &*self.format, ranges, check);
        found.map(Some).map_err(|error| error.in_file(&entry.name))
    }

    /// Whether the reading waits for a response.
    pub(super) fn has_requests_in_flight(&self) -> bool {
        self.remote.as_ref().is_some_and(|remote| remote.read_ahead.has_requests_in_flight())
    }

    /// Whether a response in flight has bytes of a unit. They may also be of another unit.
    pub(super) fn is_arriving(
        &self,
        numbered: &NumberedFile,
        unit: &Unit,
        check: &Check<'_>,
    ) -> Result<bool, FeedError> {
        let remote = self.remote_file(numbered.number, iter::empty(), check)?;
        Ok(remote.is_some_and(|remote| remote.is_arriving(&numbered.file.unit_ranges(unit))))
    }

    /// Returns the same files with another projection, as field paths. No file is opened.
    ///
    /// # Errors
    /// A column does not exist.
    pub fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        self.rebuilt(Some(columns.into()), self.levels.clone())
    }

    /// Whether no row of a file passes, whatever its rows are: a filter refuses the added values of the file.
    pub fn is_pruned(&self, file: usize) -> bool {
        self.pruned.as_ref().is_some_and(|pruned| pruned[file])
    }

    /// The numbers of the files from which a schema may be inferred: those that are not [ruled out](FileSource::ruled_out), or all
    /// files if there are no others.
    pub fn schema_files(&self) -> Vec<usize> {
        self.files.schema_files().collect()
    }

    /// Adds columns to an open file of the format, and filters its rows.
    pub(super) fn wrapped(&self, number: usize, file: Arc<dyn FormatFile>) -> Arc<dyn FormatFile> {
        let name = &self.files.entries[number].name;
        let file = match &self.added {
            Some(added) => added.to_file((number, name), file, &*self.format),
            None => file,
        };
        match &self.filter {
            Some(filter) => filter.of_file((number, name.clone()), file),
            None => file,
        }
    }

    /// The same files with another format and with added columns, before columns are selected.
    pub(super) fn with_format(self, format: Arc<dyn FileFormat>, added: Added) -> Self {
        Self { format, added: Some(Arc::new(added)), ..self }
    }

    /// One of the files alone, with its bytes from `source`.
    ///
    /// # Errors
    /// The columns form no schema.
    pub(super) fn only(&self, file: usize, source: FileSource) -> Result<Self, FeedError> {
        let added = self.added.as_ref().map(|added| Arc::new(added.of_file(file)));
        let only = Self { files: Files::new([source]), added, ..self.clone() };
        let levels = self.levels.iter().map(|level| level.of_file(file));
        only.rebuilt(self.columns.clone(), levels.collect())
    }

    /// Returns the same files, each of which must have the given identity. `when` describes, for messages, the time of
    /// that identity: `its index was saved`. Checks the length of each file without opening it; for a remote object
    /// only if a listing has reported the length. The fingerprint is checked when a file is opened.
    ///
    /// # Errors
    /// A file has another length ([`Changed`](FeedErrorKind::Changed)); the number of identities differs from the
    /// number of files; a file is a stream; the system reports an error; the caller cancels.
    pub fn with_identities(
        &self,
        identities: &[FileIdentity],
        when: &'static str,
        check: &Check<'_>,
    ) -> Result<Self, FeedError> {
        if identities.len() != self.len() {
            let message =
                format!("expected an identity for each of {} files, found {}", self.len(), identities.len());
            return Err(FeedError::new(FeedErrorKind::Internal, message));
        }
        let mut entries = Vec::with_capacity(self.len());
        for (file, identity) in identities.iter().enumerate() {
            check.now()?;
            let (entry, expected) = (&self.files.entries[file], Expected { identity: *identity, when });
            if entry.object().is_none_or(|object| object.known_len().is_some()) {
                let len = self.file_len(file, check)?;
                expected.check_len(len).map_err(|error| error.in_file(&entry.name))?;
            }
            let FileBytes::Stored(stored) = &entry.bytes else {
                return Err(not_a_file().in_file(&entry.name));
            };
            entries.push(Entry {
                name: entry.name.clone(),
                bytes: FileBytes::Stored(stored.clone()),
                identity: ForkLock::default(),
                expected: Some(expected),
                is_ruled_out: entry.is_ruled_out,
            });
        }
        let files = Files::of(entries.into(), self.files.counts.clone());
        Ok(Self { files, remote: None, ..self.clone() })
    }

    /// The format of the files. Its schema does not have the added columns.
    pub fn format(&self) -> &Arc<dyn FileFormat> {
        &self.format
    }

    /// The schema of all batches.
    pub fn schema(&self) -> &SchemaRef {
        match &self.filter {
            Some(filter) => filter.schema(),
            None => schema_of(&self.format, self.added.as_ref()),
        }
    }

    /// The schema of all columns of the files, also of those that are not read.
    ///
    /// # Errors
    /// The columns form no schema.
    pub fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        let columns = self.format.all_columns()?;
        Ok(match &self.added {
            Some(added) => added.with_all(&columns),
            None => columns,
        })
    }

    /// The names of the columns of [`all_columns`](Self::all_columns), and of those that cannot be read as a whole.
    ///
    /// # Errors
    /// The columns form no schema.
    pub fn column_names(&self) -> Result<Vec<String>, FeedError> {
        let names = self.format.column_names()?;
        let Some(added) = &self.added else { return Ok(names) };
        let stored = names.iter().map(|name| Field::new(name, DataType::Null, true));
        let all = added.with_all(&Schema::new(stored.collect::<Vec<_>>()));
        Ok(all.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// The number of files, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.files.entries.len()
    }

    /// The name of a file in messages.
    pub fn name(&self, file: usize) -> &str {
        self.files.name(file)
    }

    /// The path of a file, or the URL of a remote object without its secrets; `None` for an open file or a file in memory.
    pub fn path(&self, file: usize) -> Option<&Path> {
        self.files.path(file)
    }

    /// Size of a file in bytes. Sends a request for a remote object only if neither a listing nor a response has
    /// reported its size.
    ///
    /// # Errors
    /// The system or the store reports an error; the file is a stream; the caller cancels.
    pub fn file_len(&self, file: usize, check: &Check<'_>) -> Result<u64, FeedError> {
        let entry = &self.files.entries[file];
        let known = entry.first_identity();
        let len = match (&entry.bytes, known) {
            (FileBytes::Stored(StoredFile::Remote(_)), Some(known)) => Ok(known.len),
            (FileBytes::Stored(file), _) => file.size(&self.files.counts, check),
            (FileBytes::Stream(_), _) => Err(not_a_file()),
        };
        len.map_err(|error| error.in_file(&entry.name))
    }

    /// The identity of a file. Opens the file if it has not been opened before.
    ///
    /// # Errors
    /// The file cannot be opened, or is not of the format.
    pub fn identity(&self, file: usize) -> Result<FileIdentity, FeedError> {
        let known = || self.files.entries[file].first_identity();
        if let Some(identity) = known() {
            return Ok(identity);
        }
        self.open(file, &Check::never())?;
        known().ok_or_else(not_a_file)
    }

    /// The identity that the file had when it was first opened, or must have since
    /// [`with_identities`](Self::with_identities); `None` if neither is known.
    pub fn known_identity(&self, file: usize) -> Option<FileIdentity> {
        self.files.entries[file].first_identity().or_else(|| self.expected_identity(file))
    }

    /// The identity that the file must have since [`with_identities`](Self::with_identities), if any.
    pub fn expected_identity(&self, file: usize) -> Option<FileIdentity> {
        self.files.entries[file].expected.map(|expected| expected.identity)
    }

    /// Opens a file and checks that it has not changed since it was first opened.
    ///
    /// # Errors
    /// The file cannot be opened, is not of the format, has other columns, or has changed; the caller cancels.
    pub fn open(&self, file: usize, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let _opening = enter_for(Stage::Open, self.format.name());
        let entry = &self.files.entries[file];
        let opened = match self.remote_file(file, iter::empty(), check)? {
            Some(remote) => entry.opened(remote)?,
            None => entry.open(&self.files.counts, check)?,
        };
        let len = if let Opened::File(file) = &opened { Some(file.len()) } else { None };
        let open = opened.open_unchanged(|opened| self.format.open(opened, check))?;
        if let (Some(len), Some(fingerprint)) = (len, open.fingerprint()) {
            let found = FileIdentity { len, fingerprint: fingerprint.bytes };
            // Another thread may have stored the identity first.
            let known = entry.identity.with(|known| *known.get_or_insert(found));
            let known = known.ok_or_else(|| {
                let message =
                    "a thread of another process was opening this file: make new readers after a fork";
                FeedError::new(FeedErrorKind::Internal, message).in_file(&entry.name)
            })?;
            let known = entry.expected(known);
            known
                .check_len(found.len)
                .and_then(|()| known.check_fingerprint(&fingerprint))
                .map_err(|error| error.in_file(&entry.name))?;
        }
        Ok(self.wrapped(file, open))
    }

    /// Returns the chunks of a file in order, and the errors that were skipped as `on_error` allows. Checks for
    /// cancellation once per chunk, and while it searches for chunks.
    ///
    /// # Errors
    /// The file cannot be opened, or is not of the format; a chunk cannot be read and may not be skipped; the caller cancels.
    pub fn chunks(
        &self,
        file: usize,
        on_error: OnError,
        check: &Check<'_>,
    ) -> Result<(Vec<Chunk>, Vec<FeedError>), FeedError> {
        let _opening = enter_for(Stage::Open, self.format.name());
        self.chunks_of(file, &*self.open(file, check)?, on_error, check)
    }

    /// Returns the chunks of a file that is open, as [`chunks`](Self::chunks) does.
    ///
    /// # Errors
    /// A chunk cannot be read and may not be skipped; the caller cancels.
    pub fn chunks_of(
        &self,
        file: usize,
        open: &dyn FormatFile,
        on_error: OnError,
        check: &Check<'_>,
    ) -> Result<(Vec<Chunk>, Vec<FeedError>), FeedError> {
        let mut scan = open.chunks().ok_or_else(not_a_file)?;
        let limits = self.format.limits();
        let (mut chunks, mut faults) = (Vec::new(), Vec::new());
        loop {
            check.now()?;
            let error = match next_chunk(&mut *scan, limits, check) {
                Ok(Some(chunk)) => {
                    chunks.push(chunk);
                    continue;
                }
                Ok(None) => return Ok((chunks, faults)),
                Err(error) => error.in_file(self.name(file)),
            };
            if on_error == OnError::Raise || !error.is_file_error() {
                return Err(error);
            }
            let resumes = on_error == OnError::SkipBlock
                && skip_damage(&mut *scan, &error, chunks.len() as u64, check)?;
            faults.push(error);
            if !resumes {
                return Ok((chunks, faults));
            }
        }
    }
}
