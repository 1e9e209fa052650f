//! Tests that every byte source returns the same bytes.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::{Check, FeedErrorKind};

const BYTES: &[u8] = b"0123456789";

/// A temporary file of one test, removed at its end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("arrowfeed-{}-{name}", std::process::id()));
        std::fs::write(&path, BYTES).unwrap();
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A reader that returns one byte at a time, and `Interrupted` before each.
struct Slow {
    file: Cursor<&'static [u8]>,
    interrupted: bool,
}

impl Read for Slow {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = into.len().min(1);
        self.file.read(&mut into[..n])
    }
}

impl Seek for Slow {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A reader and source that reports more bytes than were requested.
#[derive(Debug)]
struct Liar;

impl Read for Liar {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(into.len() + 1)
    }
}

impl Seek for Liar {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Ok(0)
    }
}

impl ByteSource for Liar {
    fn read_at(&self, _: u64, into: &mut [u8]) -> io::Result<usize> {
        Ok(into.len() + 1)
    }

    fn version(&self) -> io::Result<FileVersion> {
        Ok(FileVersion::new(10))
    }
}

#[test]
fn every_source_gives_the_same_bytes() {
    let temporary = Temporary::new("sources");
    let sources: [Arc<dyn ByteSource>; 4] = [
        Arc::new(Memory::new(BYTES.to_vec())),
        Arc::new(LocalFile::open(&temporary.0, &Check::never()).unwrap()),
        Arc::new(LocalFile::new(File::open(&temporary.0).unwrap()).unwrap()),
        Arc::new(Seekable::new(Slow { file: Cursor::new(BYTES), interrupted: false })),
    ];
    for source in &sources {
        assert_eq!(source.version().unwrap().len, 10, "{source:?}");
        for (offset, n) in [(0, 10), (0, 4), (3, 4), (8, 4), (10, 4), (11, 4), (u64::MAX, 4), (5, 0)] {
            let start = usize::try_from(offset).unwrap_or(usize::MAX).min(10);
            let expected = &BYTES[start..(start + n).min(10)];
            let mut into = vec![b'x'; n];
            let found = checked_read_at(source, offset, &mut into).unwrap();
            assert_eq!(&into[..found], expected, "{source:?} {offset} {n}");
        }
    }
    let same = sources[1].version().unwrap() == sources[2].version().unwrap();
    assert!(same && sources[1].version().unwrap().modified.is_some());
}

#[test]
fn a_source_that_returns_too_much_is_an_error() {
    let mut into = [0; 4];
    let error = checked_read_at(&Liar, 0, &mut into).unwrap_err();
    assert_eq!(error.to_string(), "expected at most 4 bytes from the file, found 5");
    let error = Seekable::new(Liar).read_at(0, &mut into).unwrap_err();
    assert_eq!(error.to_string(), "the file reported more bytes than were requested");
}

#[test]
fn a_stored_file_is_opened_again() {
    let temporary = Temporary::new("stored");
    let file = StoredFile::Path(temporary.0.clone());
    assert_eq!(file.size(&Arc::default(), &Check::never()).unwrap(), 10);
    for _ in 0..2 {
        assert_eq!(file.open(&Arc::default(), &Check::never()).unwrap().version().unwrap().len, 10);
    }
    let open = StoredFile::Open(file.open(&Arc::default(), &Check::never()).unwrap());
    drop(temporary);
    assert_eq!(
        (
            open.size(&Arc::default(), &Check::never()).unwrap(),
            open.open(&Arc::default(), &Check::never()).unwrap().version().unwrap().len
        ),
        (10, 10)
    );
    let missing = file.open(&Arc::default(), &Check::never()).unwrap_err();
    assert_eq!(missing.io_error().map(io::Error::kind), Some(io::ErrorKind::NotFound));
    assert_eq!(file.size(&Arc::default(), &Check::never()).unwrap_err().kind(), FeedErrorKind::Io);
    let folder = StoredFile::Path(std::env::temp_dir()).open(&Arc::default(), &Check::never()).unwrap_err();
    assert_eq!(folder.io_error().map(io::Error::kind), Some(io::ErrorKind::IsADirectory));
}
