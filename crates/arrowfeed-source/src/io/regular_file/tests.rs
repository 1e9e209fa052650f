#![expect(clippy::disallowed_methods, reason = "tests do not fork")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use super::*;

const PIPE: &str = "expected a regular file, found a pipe or a device";

/// A temporary directory of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("arrowfeed-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn fifo(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `work` on a thread and returns its result. Panics if it blocks.
fn at_once<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = channel();
    std::thread::spawn(move || done.send(work()));
    result.recv_timeout(Duration::from_secs(60)).expect("an answer at once")
}

#[test]
fn a_fifo_is_refused_at_once_by_the_open_itself() {
    let folder = Folder::new("fifo-read");
    let path = folder.fifo("a.avro");
    let error = at_once(move || open_now(&path).unwrap_err());
    assert_eq!((error.kind(), error.to_string()), (io::ErrorKind::InvalidInput, PIPE.to_owned()));
}

#[test]
fn a_path_that_becomes_a_fifo_between_the_look_and_the_open_is_refused() {
    let folder = Folder::new("fifo-swap");
    let (regular, fifo) = (folder.0.join("regular"), folder.fifo("fifo"));
    let path = folder.0.join("swap.avro");
    std::fs::write(&regular, "rows").unwrap();
    std::fs::hard_link(&regular, &path).unwrap();
    let (stop, swapped) = (AtomicBool::new(false), folder.0.join("next"));
    let (done, ended) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for file in [&fifo, &regular] {
                    std::fs::hard_link(file, &swapped).unwrap();
                    std::fs::rename(&swapped, &path).unwrap();
                }
            }
        });
        let opens = path.clone();
        std::thread::spawn(move || {
            for _ in 0..20_000 {
                let message = open(&opens, &Check::never()).map(drop).map_err(|error| error.to_string());
                assert!(message.is_ok() || message == Err(PIPE.to_owned()), "{message:?}");
            }
            done.send(()).unwrap();
        });
        let ended = ended.recv_timeout(Duration::from_secs(120));
        stop.store(true, Ordering::Relaxed);
        ended.expect("no open waits");
    });
}

#[test]
fn a_device_and_a_directory_are_refused_and_a_file_is_opened() {
    let folder = Folder::new("kinds");
    let message = |path: &Path| open(path, &Check::never()).unwrap_err().to_string();
    assert_eq!(message(Path::new("/dev/zero")), PIPE);
    assert_eq!(message(&folder.0), "is a directory");
    let path = folder.0.join("a.avro");
    std::fs::write(&path, "rows").unwrap();
    let mut text = String::new();
    io::Read::read_to_string(&mut open(&path, &Check::never()).unwrap(), &mut text).unwrap();
    assert_eq!(text, "rows");
}
