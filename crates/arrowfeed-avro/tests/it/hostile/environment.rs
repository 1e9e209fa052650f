//! Class F: files that change, paths that are not regular files, and devices that fail.

use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Duration;

use arrow_buffer::Buffer;
use arrowfeed_avro::{Codec, FeedErrorKind, FileSource};
use arrowfeed_source::io::{ByteSource, FileVersion};

use super::refused;
use crate::support::open::open;
use crate::support_hostile::container::Container;
use crate::support_hostile::outcome::Outcome;
use crate::support_hostile::ways::{TemporaryFile, temporary_path};
use crate::support_hostile::wire::longs;

const BLOCKS: usize = 5;

fn blocks() -> Container {
    (0..BLOCKS).fold(Container::new("\"long\"", Codec::Null), |file, _| file.block(10, &longs(0..10)))
}

#[test]
fn f1_a_tail_that_a_crash_has_cut_or_zeroed_is_reported() {
    let whole = blocks().bytes;
    let cut = whole.len() - 20;
    refused(
        &whole[..cut],
        40,
        "Truncated: block 4 at byte 169: expected 26 bytes of data and sync marker, found the end of the file after 6",
    );
    let zeros = |from: usize, to: usize| {
        let mut bytes = whole.clone();
        bytes.resize(whole.len().max(to), 0);
        bytes[from..to].fill(0);
        bytes
    };
    let frame = 2 + 10 + 16;
    let last = whole.len() - frame;
    refused(
        &zeros(last, whole.len() + 4096),
        40,
        "CorruptBlock: block 4 at byte 169: expected the sync marker a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff after 0 bytes of data, found 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 (is the rest of the file filled with zeros?)",
    );
    refused(
        &zeros(last + 5, whole.len()),
        40,
        "CorruptBlock: block 4 at byte 169: expected the sync marker a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff after 10 bytes of data, found 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
    );
    // A hole in the middle, as long as a block.
    refused(
        &zeros(last - frame, last),
        30,
        "CorruptBlock: block 3 at byte 141: expected the sync marker a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff after 0 bytes of data, found 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 (is the rest of the file filled with zeros?)",
    );
    refused(
        &zeros(0, 512),
        0,
        "Format: expected the magic bytes 4f 62 6a 01 of an Avro file, found 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 (zeros)",
    );
}

/// Opens a file of blocks, changes it, and reads on.
fn changed_after(change: impl FnOnce(&TemporaryFile)) -> Outcome {
    let file = TemporaryFile::new(&blocks().bytes);
    let reader = open(&file.path).unwrap();
    // Longer than the clock resolution of a file system.
    std::thread::sleep(Duration::from_millis(30));
    change(&file);
    Outcome::of(Ok(reader))
}

#[test]
fn f2_a_file_that_grows_is_reported() {
    let outcome = changed_after(|file| std::fs::write(&file.path, blocks().block(1, &[2]).bytes).unwrap());
    let message =
        "expected the file to be unchanged since it was opened (197 bytes), found it changed (216 bytes)";
    assert_eq!(outcome.verdict(), format!("Changed: {message}"));
}

#[test]
fn f3_a_file_that_is_truncated_or_overwritten_is_reported() {
    let cut = |len| changed_after(move |file| std::fs::write(&file.path, &blocks().bytes[..len]).unwrap());
    assert_eq!(
        cut(100).verdict(),
        "Changed: expected the file to be unchanged since it was opened (197 bytes), found it changed (100 bytes)"
    );
    assert_eq!(
        cut(0).verdict(),
        "Changed: expected the file to be unchanged since it was opened (197 bytes), found it changed (0 bytes)"
    );
    let other = Container::new("\"long\"", Codec::Null).block(10, &[9; 10]).bytes;
    let overwritten = changed_after(|file| {
        let mut bytes = blocks().bytes;
        bytes[..other.len()].copy_from_slice(&other);
        std::fs::write(&file.path, bytes).unwrap();
    });
    assert_eq!(
        overwritten.verdict(),
        "Changed: expected the file to be unchanged since it was opened (197 bytes), found it changed (197 bytes)"
    );
}

#[test]
fn f3_a_file_that_is_replaced_or_removed_is_read_as_it_was() {
    let replaced = changed_after(|file| {
        let other = TemporaryFile::new(b"something else");
        std::fs::rename(&other.path, &file.path).unwrap();
    });
    assert_eq!((replaced.rows(), replaced.verdict().as_str()), (50, "ok"));
    let removed = changed_after(|file| std::fs::remove_file(&file.path).unwrap());
    assert_eq!((removed.rows(), removed.verdict().as_str()), (50, "ok"));
}

#[test]
fn f4_paths_that_are_not_files_are_refused_without_waiting() {
    let verdict = |path: PathBuf| Outcome::of(open(path)).verdict();
    assert_eq!(verdict(std::env::temp_dir()), "Io: is a directory");
    assert_eq!(verdict(temporary_path()), "Io: No such file or directory (os error 2)");
    assert_eq!(verdict("a\0b".into()), "Io: a\\0b: file name contained an unexpected NUL byte");
    assert_eq!(verdict("x".repeat(5000).into()), "Io: File name too long (os error 36)");
    assert_eq!(verdict("file://host/part.avro".into()), "Io: No such file or directory (os error 2)");
}

#[cfg(unix)]
#[test]
fn f4_pipes_devices_sockets_and_loops_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let verdict = |path: PathBuf| Outcome::of(open(path)).verdict();
    let no_file = "Io: expected a regular file, found a pipe or a device";
    assert_eq!(verdict("/dev/zero".into()), no_file);
    let [pipe, socket, link] = [(); 3].map(|()| TemporaryFile { path: temporary_path() });
    assert!(std::process::Command::new("mkfifo").arg(&pipe.path).status().unwrap().success());
    assert_eq!(verdict(pipe.path.clone()), no_file);
    let _listener = std::os::unix::net::UnixListener::bind(&socket.path).unwrap();
    assert_eq!(verdict(socket.path.clone()), no_file);
    std::os::unix::fs::symlink(&link.path, &link.path).unwrap();
    assert_eq!(verdict(link.path.clone()), "Io: Too many levels of symbolic links (os error 40)");
    let not_text = std::ffi::OsStr::from_bytes(b"/no/such/\xff");
    assert_eq!(verdict(not_text.into()), "Io: No such file or directory (os error 2)");
}

#[cfg(target_os = "linux")]
#[test]
fn f4_a_file_of_size_0_is_empty() {
    let outcome = Outcome::of(open("/proc/self/status"));
    assert_eq!(outcome.verdict(), "Truncated: expected an Avro object container file, found an empty file");
}

/// A reader that returns a few bytes at a time and fails at one of the calls.
struct Failing {
    rest: io::Cursor<Vec<u8>>,
    left: usize,
}

impl Read for Failing {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.left.checked_sub(1) {
            None => Err(io::Error::other("the device failed")),
            Some(left) => {
                self.left = left;
                let n = into.len().min(7);
                self.rest.read(&mut into[..n])
            }
        }
    }
}

#[test]
fn f6_a_device_error_at_any_read_is_reported_after_the_rows_before_it() {
    let bytes = blocks().bytes;
    let calls = bytes.len().div_ceil(7) + 1;
    let mut rows = 0;
    for call in 0..=calls {
        let stream = Failing { rest: io::Cursor::new(bytes.clone()), left: call };
        let outcome = Outcome::of(open(FileSource::reader("stream", stream)));
        assert!(
            outcome.rows() >= rows && outcome.rows().is_multiple_of(10),
            "rows come in blocks and in order"
        );
        rows = outcome.rows();
        match outcome.fault {
            Some(fault) => {
                assert_eq!(fault.kind, FeedErrorKind::Io, "{fault}");
                assert!(fault.to_string().ends_with("the device failed"), "{fault}");
                assert!(call < calls, "all bytes and the end were read");
            }
            None => assert_eq!((call, rows), (calls, 10 * BLOCKS), "silently short"),
        }
    }
}

#[test]
fn f6_a_stream_that_misreports_its_bytes_is_refused() {
    struct Liar;
    impl Read for Liar {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            Ok(into.len() + 1)
        }
    }
    let outcome = Outcome::of(open(FileSource::reader("stream", Liar)));
    assert_eq!(outcome.verdict(), "Io: byte 0: the stream reported more bytes than were requested");
}

#[test]
fn f7_a_byte_source_that_misreports_its_bytes_is_refused() {
    #[derive(Debug)]
    struct Liar;
    impl ByteSource for Liar {
        fn read_at(&self, _: u64, into: &mut [u8]) -> io::Result<usize> {
            Ok(into.len() + 1)
        }

        fn version(&self) -> io::Result<FileVersion> {
            Ok(FileVersion::new(100))
        }
    }
    let outcome = Outcome::of(open(FileSource::from_source("source", Liar)));
    assert_eq!(outcome.verdict(), "Io: byte 0: expected at most 100 bytes from the file, found 101");
}

#[test]
fn f8_a_source_whose_memory_has_another_length_is_refused() {
    #[derive(Debug)]
    struct Liar(Buffer);
    impl ByteSource for Liar {
        fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
            Ok(0)
        }

        fn version(&self) -> io::Result<FileVersion> {
            Ok(FileVersion::new(2000))
        }

        fn memory(&self) -> Option<&Buffer> {
            Some(&self.0)
        }
    }
    let source = FileSource::from_source("source", Liar(Buffer::from(vec![0_u8; 100])));
    let outcome = Outcome::of(open(source));
    assert_eq!(
        outcome.verdict(),
        "Io: expected 2,000 bytes in memory, the length that the source reports, found 100"
    );
}
