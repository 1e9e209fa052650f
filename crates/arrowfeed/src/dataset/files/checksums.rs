//! The files of a state: checksums of their names, lengths and contents, which do not change when their directory moves.

use arrowfeed_source::{Check, FeedError, Interrupt};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use super::counted_files::CountedFiles;
use super::relative_names::RelativeNames;
use crate::dataset::options::{FileMatch, ask};
use crate::error::{StateError, StateErrorKind};

/// Checksums of [counted files](CountedFiles), in the order of their list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedFiles {
    count: usize,
    /// One checksum for each file, of its length and of its name below the common parent of all files.
    marks: String,
    /// Checksum of all lengths.
    lengths: u32,
    /// Checksum of the values of partitions, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    partitions: Option<u32>,
    /// Checksum of the identities of all files. `None`: not known, or part of the checksum of the chunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contents: Option<u32>,
}

/// Checksums of the counted files, and one of the complete names of all files.
#[derive(Debug, Clone)]
pub(crate) struct FileChecksums {
    saved: SavedFiles,
    /// Checksum of the complete names and of the lengths of all files.
    pub(crate) digest: u32,
}

impl FileChecksums {
    pub(crate) fn of(counted: &CountedFiles<'_>, interrupt: Option<&Interrupt>) -> Result<Self, FeedError> {
        let files = counted.files;
        let mut marks = Vec::with_capacity(4 * counted.len());
        let mut complete_marks = Vec::with_capacity(4 * files.len());
        let mut lengths = crc32fast::Hasher::new();
        let names = RelativeNames::of(counted);
        let mark = |name: &str, len: &[u8]| {
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(name.as_bytes());
            hasher.update(len);
            hasher.finalize().to_le_bytes()
        };
        for file in 0..files.len() {
            ask(interrupt)?;
            let len = files.file_len(file, &Check::of(interrupt))?.to_le_bytes();
            complete_marks.extend(mark(files.name(file), &len));
            if counted.in_set().binary_search(&file).is_ok() {
                lengths.update(&len);
                marks.extend(mark(&names.name(files, file), &len));
            }
        }
        let saved = SavedFiles {
            count: counted.len(),
            marks: BASE64_STANDARD.encode(marks),
            lengths: lengths.finalize(),
            partitions: files.partition_checksum(counted.in_set()),
            contents: None,
        };
        Ok(Self { saved, digest: crc32fast::hash(BASE64_STANDARD.encode(complete_marks).as_bytes()) })
    }

    /// The files of a state. `contents`: the result of [`contents_of`].
    pub(crate) fn with_contents(self, contents: Option<u32>) -> SavedFiles {
        SavedFiles { contents, ..self.saved }
    }
}

/// Checksum of the identities of the files. Opens those that were not opened before.
pub(crate) fn contents_of(
    counted: &CountedFiles<'_>,
    interrupt: Option<&Interrupt>,
) -> Result<u32, FeedError> {
    let (files, mut contents) = (counted.files, crc32fast::Hasher::new());
    for &file in counted.in_set() {
        ask(interrupt)?;
        let identity = match files.known_identity(file) {
            Some(identity) => identity,
            None => files.identity(file)?,
        };
        contents.update(&identity.len.to_le_bytes());
        contents.update(&identity.fingerprint);
    }
    Ok(contents.finalize())
}

impl SavedFiles {
    /// Checks that these files, of a state, are `own`, which are those of `files`. `same_chunks`: whether the checksums of all
    /// chunks are equal; `None`: the state has none.
    pub(crate) fn check(
        &self,
        own: &Self,
        files: &CountedFiles<'_>,
        how: FileMatch,
        same_chunks: Option<bool>,
    ) -> Result<(), StateError> {
        if self.count != own.count {
            let s = if own.count == 1 { "" } else { "s" };
            return different(format!("{} file{s}", own.count), format!("a state of {}", self.count));
        }
        match how {
            FileMatch::Names => self.check_names(own, files, same_chunks)?,
            FileMatch::Contents => self.check_lengths(own, same_chunks)?,
        }
        if self.partitions != own.partitions {
            return different(
                "the values of partitions of these files",
                "a state of files with other values",
            );
        }
        match same_chunks {
            Some(false) => different("files with the same blocks", "files with different blocks"),
            _ => Ok(()),
        }
    }

    fn check_names(
        &self,
        own: &Self,
        files: &CountedFiles<'_>,
        same_chunks: Option<bool>,
    ) -> Result<(), StateError> {
        let (Ok(found), Ok(expected)) =
            (BASE64_STANDARD.decode(&self.marks), BASE64_STANDARD.decode(&own.marks))
        else {
            return Err(StateError::new(StateErrorKind::Invalid, "checksums of files", "different text"));
        };
        let same = found.chunks(4).zip(expected.chunks(4)).take_while(|(found, own)| found == own).count();
        if found.len() == expected.len() && same == own.count {
            return Ok(());
        }
        let name = files.name(same.min(own.count - 1));
        let mut other = "a state of a file with a different name or size".to_owned();
        if self.may_have_contents_of(own, same_chunks) {
            other.push_str(": the match `contents` compares lengths and contents, without names");
        }
        different(format!("{name} as file {same} of the list"), other)
    }

    fn check_lengths(&self, own: &Self, same_chunks: Option<bool>) -> Result<(), StateError> {
        if self.lengths != own.lengths {
            return different(
                "files of these lengths in this order",
                "a state of files of other lengths, or in another order",
            );
        }
        if same_chunks.is_none() && self.contents.is_none() {
            let found = "one without: load it with the match `names`. States of shuffles and of shards have the checksum, and so \
                         have those of a dataset with a saved index";
            let expected = "a state with a checksum of the contents of its files";
            return Err(StateError::new(StateErrorKind::Options, expected, found));
        }
        Ok(())
    }

    /// Whether [`FileMatch::Contents`] may accept these files. If the contents of `own` are not known yet, it may.
    fn may_have_contents_of(&self, own: &Self, same_chunks: Option<bool>) -> bool {
        let may = match (same_chunks, self.contents, own.contents) {
            (Some(same), ..) => same,
            (None, Some(found), Some(own)) => found == own,
            (None, found, _) => found.is_some(),
        };
        may && self.lengths == own.lengths && self.partitions == own.partitions
    }

    /// Checks that the contents are the same, if they are known of both.
    pub(crate) fn check_contents(&self, own: &Self) -> Result<(), StateError> {
        match (self.contents, own.contents) {
            (Some(found), Some(own)) if found != own => {
                different("files with the same contents", "a state of files with different contents")
            }
            _ => Ok(()),
        }
    }
}

fn different(expected: impl Into<String>, found: impl Into<String>) -> Result<(), StateError> {
    Err(StateError::new(StateErrorKind::Files, expected.into(), found.into()))
}
