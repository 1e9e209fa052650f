//! A chunk index as a file: the identity of each file and the positions of its chunks.
//!
//! The format is JSON; `docs/datasets.md` describes each key. The checksum detects damage, not manipulation: wrong
//! numbers may pass all checks. They lead to an error or to missing rows, never to a panic; a text record that is read
//! from its middle may have wrong values.

use std::io::{BufWriter, Write};
use std::path::Path;

use arrowfeed_source::format::Chunk;
use arrowfeed_source::io::{ByteSource, FileIdentity, LocalFile, Target, checked_read_at};
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits, counted, quoted, thousands};
use serde::{Deserialize, Serialize};

use super::chunk_index::ChunkIndex;
use super::indexed::{Indexed, PassingRows};

/// Version of the format. Indexes of other versions are rejected.
const VERSION: u32 = 1;

/// Maximum size of an index in bytes: about 25 million chunks.
const MOST_BYTES: u64 = 1 << 30;

/// Used in messages: the time at which a file had the expected identity.
const WHEN: &str = "its index was saved";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedIndex {
    #[serde(rename = "version")]
    _version: u32,
    files: Vec<SavedFile>,
    #[serde(default)]
    filters: Vec<SavedFilter>,
    checksum: u32,
}

/// The number of rows that pass a predicate, of each chunk of each file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedFilter {
    predicate: String,
    rows: Vec<Vec<u64>>,
}

/// A file and its non-empty chunks. Each list has one item per chunk.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedFile {
    name: String,
    identity: String,
    numbers: Vec<u64>,
    offsets: Vec<u64>,
    ends: Vec<u64>,
    rows: Vec<u64>,
}

/// Writes the index of files, and the numbers of rows that pass predicates. It appears under its name only when it is complete.
pub(crate) fn save(
    path: &Path,
    files: &FileSet,
    index: &ChunkIndex,
    counts: &PassingRows,
    check: &Check<'_>,
) -> Result<(), FeedError> {
    write(path, files, (index, counts), check).map_err(|error| error.in_file(&path.display().to_string()))
}

/// Reads the index of files without opening them. Their names and lengths must be those in the index.
pub(crate) fn load(path: &Path, files: &FileSet, check: &Check<'_>) -> Result<Indexed, FeedError> {
    let name = path.display().to_string();
    let limits = files.format().limits();
    let saved = read(path, check).and_then(|bytes| parse(&bytes, limits, check));
    let saved = saved.and_then(|(saved, counts)| Ok((same_number(files, saved)?, counts)));
    let (saved, counts) = saved.map_err(|error| error.in_file(&name))?;
    let (mut identities, mut chunks) = (Vec::new(), Vec::new());
    for (number, file) in saved.into_iter().enumerate() {
        if file.name != files.name(number) {
            let (name, found) = (quoted(&name), quoted(&file.name));
            let message = format!("expected this file as file {number} of the index {name}, found {found}");
            return Err(changed(message).in_file(files.name(number)));
        }
        identities.push(file.identity);
        chunks.push((Some(file.identity), file.chunks));
    }
    let files = files.with_identities(&identities, WHEN, check)?;
    let index = ChunkIndex::of(chunks).map_err(|error| error.in_file(&name))?;
    Ok(Indexed::with_index(files, index, counts))
}

fn write(
    path: &Path,
    files: &FileSet,
    (index, counts): (&ChunkIndex, &PassingRows),
    check: &Check<'_>,
) -> Result<(), FeedError> {
    let limits = files.format().limits();
    let mut out = BufWriter::new(Target::create(path).map_err(FeedError::io)?);
    let mut checksum = crc32fast::Hasher::new();
    let mut written = 0;
    let mut put = |bytes: &[u8]| {
        written += bytes.len() as u64;
        check_size(written)?;
        out.write_all(bytes).map_err(FeedError::io)
    };
    put(format!("{{\"version\":{VERSION},\"files\":[").as_bytes())?;
    for file in 0..files.len() {
        check.now()?;
        let chunks = index.chunks(file);
        let identity = files.identity(file)?;
        // Ensures that the saved index can be loaded.
        let before = [None].into_iter().chain(chunks.iter().map(Some));
        for (chunk, before) in chunks.iter().zip(before) {
            check_chunk(chunk, before, identity.len, limits)
                .map_err(|(_, error)| error.in_block(chunk.number, chunk.offset).in_file(files.name(file)))?;
        }
        let saved = SavedFile::new(files.name(file), identity, chunks);
        saved.add_to(&mut checksum);
        if file > 0 {
            put(b",")?;
        }
        put(&serde_json::to_vec(&saved).map_err(|error| FeedError::io(error.into()))?)?;
    }
    put(b"]")?;
    for (number, (predicate, rows)) in counts.iter().enumerate() {
        check.now()?;
        let saved = SavedFilter { predicate: predicate.clone(), rows: rows.to_vec() };
        saved.add_to(&mut checksum);
        put(if number == 0 { b",\"filters\":[" } else { b"," })?;
        put(&serde_json::to_vec(&saved).map_err(|error| FeedError::io(error.into()))?)?;
    }
    if !counts.is_empty() {
        put(b"]")?;
    }
    put(format!(",\"checksum\":{}}}\n", checksum.finalize()).as_bytes())?;
    let target = out.into_inner().map_err(|error| FeedError::io(error.into_error()))?;
    check.now()?;
    target.commit().map_err(FeedError::io)
}

fn read(path: &Path, check: &Check<'_>) -> Result<Vec<u8>, FeedError> {
    let file = LocalFile::open(path, check)?;
    let len = file.version().map_err(FeedError::io)?.len;
    check_size(len)?;
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    let found = checked_read_at(&file, 0, &mut bytes).map_err(FeedError::io)?;
    bytes.truncate(found);
    Ok(bytes)
}

/// A file of an index whose chunks have been validated.
#[derive(Debug)]
struct Parsed {
    name: String,
    identity: FileIdentity,
    chunks: Vec<Chunk>,
}

fn parse(bytes: &[u8], limits: &Limits, check: &Check<'_>) -> Result<(Vec<Parsed>, PassingRows), FeedError> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } = serde_json::from_slice(bytes).map_err(other_data)?;
    if version != VERSION {
        let expected = format!("expected an index of version {VERSION}, found version {version}");
        return Err(wrong(format!("{expected}: save it again with this version of arrowfeed")));
    }
    check.now()?;
    let SavedIndex { files, filters, checksum, .. } = serde_json::from_slice(bytes).map_err(other_data)?;
    let mut found = crc32fast::Hasher::new();
    let mut parsed = Vec::with_capacity(files.len());
    for (number, file) in files.into_iter().enumerate() {
        check.now()?;
        file.add_to(&mut found);
        parsed.push(file.parsed(&format!("files[{number}]"), limits)?);
    }
    let mut counts = PassingRows::new();
    for (number, filter) in filters.into_iter().enumerate() {
        check.now()?;
        filter.add_to(&mut found);
        filter.check(&format!("filters[{number}].rows"), &parsed)?;
        counts.insert(filter.predicate, filter.rows.into());
    }
    let found = found.finalize();
    if found != checksum {
        let message = format!("expected {found}, the checksum of the files in this index, found {checksum}");
        return Err(wrong(message).in_field("checksum"));
    }
    Ok((parsed, counts))
}

impl SavedFilter {
    fn add_to(&self, checksum: &mut crc32fast::Hasher) {
        checksum.update(self.predicate.as_bytes());
        checksum.update(&[0]);
        self.rows.iter().flatten().for_each(|number| checksum.update(&number.to_le_bytes()));
    }

    /// Checks that each chunk has a number of rows, and at least as many rows. `field` is the path of the numbers in the index.
    fn check(&self, field: &str, files: &[Parsed]) -> Result<(), FeedError> {
        if self.rows.len() != files.len() {
            let (files, found) = (counted(files.len() as u64, "list"), self.rows.len());
            return Err(wrong(format!("expected {files}, as many as files, found {found}")).in_field(field));
        }
        for (number, (rows, file)) in self.rows.iter().zip(files).enumerate() {
            let in_file = |error: FeedError| error.in_field(format!("{field}[{number}]"));
            if rows.len() != file.chunks.len() {
                let (chunks, found) = (counted(file.chunks.len() as u64, "number"), rows.len());
                let message = format!("expected {chunks}, as many as offsets, found {found}");
                return Err(in_file(wrong(message)));
            }
            let above = rows.iter().zip(&file.chunks).position(|(rows, chunk)| *rows > chunk.rows);
            if let Some(nth) = above {
                let (most, found) = (file.chunks[nth].rows, rows[nth]);
                let message = format!("expected at most {most}, the rows of the chunk, found {found}");
                return Err(wrong(message).in_field(format!("{field}[{number}][{nth}]")));
            }
        }
        Ok(())
    }
}

impl SavedFile {
    fn new(name: &str, identity: FileIdentity, chunks: &[Chunk]) -> Self {
        let each = |number: fn(&Chunk) -> u64| chunks.iter().map(number).collect();
        Self {
            name: name.to_owned(),
            identity: identity.to_string(),
            numbers: each(|chunk| chunk.number),
            offsets: each(|chunk| chunk.offset),
            ends: each(|chunk| chunk.end),
            rows: each(|chunk| chunk.rows),
        }
    }

    fn add_to(&self, checksum: &mut crc32fast::Hasher) {
        for text in [&self.name, &self.identity] {
            checksum.update(text.as_bytes());
            checksum.update(&[0]);
        }
        for list in [&self.numbers, &self.offsets, &self.ends, &self.rows] {
            list.iter().for_each(|number| checksum.update(&number.to_le_bytes()));
        }
    }

    /// Validates the identity and the chunks. `field` is the path of the file in the index.
    fn parsed(self, field: &str, limits: &Limits) -> Result<Parsed, FeedError> {
        let Self { name, identity, numbers, offsets, ends, rows } = self;
        let identity: FileIdentity = identity
            .parse()
            .map_err(|error: FeedError| wrong(error.message()).in_field(format!("{field}.identity")))?;
        for (list, found) in [("numbers", &numbers), ("ends", &ends), ("rows", &rows)] {
            if found.len() != offsets.len() {
                let (offsets, found) = (counted(offsets.len() as u64, "number"), found.len());
                let message = format!("expected {offsets}, as many as offsets, found {found}");
                return Err(wrong(message).in_field(format!("{field}.{list}")));
            }
        }
        let mut chunks: Vec<Chunk> = Vec::with_capacity(offsets.len());
        let lists = offsets.into_iter().zip(numbers).zip(ends).zip(rows);
        for (nth, (((offset, number), end), rows)) in lists.enumerate() {
            let chunk = Chunk { number, offset, end, rows };
            check_chunk(&chunk, chunks.last(), identity.len, limits)
                .map_err(|(list, error)| error.in_field(format!("{field}.{list}[{nth}]")))?;
            chunks.push(chunk);
        }
        Ok(Parsed { name, identity, chunks })
    }
}

/// Validates a chunk of a file of `len` bytes. The error comes with the name of the list that has the wrong number.
fn check_chunk(
    chunk: &Chunk,
    before: Option<&Chunk>,
    len: u64,
    limits: &Limits,
) -> Result<(), (&'static str, FeedError)> {
    let Chunk { number, offset, end, rows } = *chunk;
    let least = before.map_or(0, |before| before.end);
    let least_number = before.map_or(0, |before| before.number + 1);
    if offset < least {
        let message = format!("expected {least} or more, the end of the previous chunk, found {offset}");
        return Err(("offsets", wrong(message)));
    }
    if end <= offset || end > len {
        let message =
            format!("expected more than {offset}, the offset, and at most {len}, the length of the file");
        return Err(("ends", wrong(format!("{message}, found {end}"))));
    }
    // Each chunk has at least one byte, so there are no more chunks than bytes.
    if number < least_number || number >= len {
        let message = format!("expected {least_number} or more and less than {len}, found {number}");
        return Err(("numbers", wrong(message)));
    }
    match rows {
        0 => Err(("rows", wrong("expected 1 or more, found 0"))),
        _ => limits.check_chunk_rows(rows).map_err(|error| ("rows", error)),
    }
}

fn same_number(files: &FileSet, saved: Vec<Parsed>) -> Result<Vec<Parsed>, FeedError> {
    if saved.len() == files.len() {
        return Ok(saved);
    }
    let (expected, found) = (counted(files.len() as u64, "file"), thousands(saved.len() as u64));
    Err(changed(format!("expected an index of {expected}, found one of {found}")))
}

fn check_size(found: u64) -> Result<(), FeedError> {
    if found <= MOST_BYTES {
        return Ok(());
    }
    let (most, found) = (thousands(MOST_BYTES), thousands(found));
    let message = format!("expected an index of at most {most} bytes, found {found}");
    Err(FeedError::new(FeedErrorKind::Limit, message))
}

#[cold]
fn other_data(error: serde_json::Error) -> FeedError {
    wrong(format!("expected an index that save_index wrote, found other data: {error}"))
}

#[cold]
fn wrong(message: impl Into<String>) -> FeedError {
    FeedError::new(FeedErrorKind::Format, message)
}

#[cold]
fn changed(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Changed, message)
}
