//! A server of the files of a directory with a part of the interface of S3: listings and ranges.

#![expect(clippy::disallowed_types, reason = "this program does not fork")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The time of change of all objects.
const MODIFIED: (&str, &str) = ("Thu, 01 Jan 2026 00:00:00 GMT", "2026-01-01T00:00:00.000Z");

/// A running server. It ends with the process.
pub(crate) struct Server {
    pub(crate) endpoint: String,
    state: Arc<State>,
}

struct State {
    bucket: PathBuf,
    bytes: AtomicU64,
    files: Mutex<BTreeSet<String>>,
}

impl Server {
    pub(crate) fn start(bucket: PathBuf) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let state = Arc::new(State { bucket, bytes: AtomicU64::new(0), files: Default::default() });
        let served = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = served.clone();
                // A client that closes its connection is not an error.
                thread::spawn(move || state.serve(&stream).ok());
            }
        });
        Ok(Self { endpoint, state })
    }

    /// Bytes in the bodies of files.
    pub(crate) fn bytes(&self) -> u64 {
        self.state.bytes.load(Ordering::Relaxed)
    }

    /// Number of files of which bytes were read.
    pub(crate) fn files(&self) -> usize {
        self.state.files.lock().map_or(0, |files| files.len())
    }
}

impl State {
    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        let mut lines = BufReader::new(stream).lines();
        while let Some(request) = lines.next() {
            let request = request?;
            let mut range = None;
            for line in lines.by_ref() {
                let line = line?.to_ascii_lowercase();
                if line.is_empty() {
                    break;
                }
                range = line.strip_prefix("range: bytes=").map(str::to_owned).or(range);
            }
            let mut words = request.split(' ');
            let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            let (path, query) = target.split_once('?').unwrap_or((target, ""));
            let path = path.replace("%3D", "=");
            let key = path.trim_start_matches("/bucket").trim_start_matches('/');
            let (head, body) = match key {
                "" => self.listing(query),
                key => self.object(key, range.as_deref()),
            };
            let mut response = head.into_bytes();
            if method != "HEAD" {
                response.extend(body);
            }
            let mut stream = stream;
            stream.write_all(&response)?;
        }
        Ok(())
    }

    fn listing(&self, query: &str) -> (String, Vec<u8>) {
        let prefix = query.split('&').find_map(|part| part.strip_prefix("prefix=")).unwrap_or("");
        let prefix = prefix.replace("%2F", "/").replace("%3D", "=");
        let mut xml = "<ListBucketResult><IsTruncated>false</IsTruncated>".to_owned();
        for (key, len) in files(&self.bucket, "").into_iter().filter(|(key, _)| key.starts_with(&prefix)) {
            let (tag, modified) = (tag(&key, len), MODIFIED.1);
            xml += &format!(
                "<Contents><Key>{key}</Key><LastModified>{modified}</LastModified><ETag>{tag}</ETag>\
                 <Size>{len}</Size></Contents>"
            );
        }
        xml += "</ListBucketResult>";
        (head("200 OK", xml.len(), "Content-Type: application/xml\r\n"), xml.into_bytes())
    }

    fn object(&self, key: &str, range: Option<&str>) -> (String, Vec<u8>) {
        let Ok(bytes) = fs::read(self.bucket.join(key)) else {
            return (head("404 Not Found", 0, ""), Vec::new());
        };
        let more = format!("ETag: {}\r\nLast-Modified: {}\r\n", tag(key, bytes.len() as u64), MODIFIED.0);
        let range = range.and_then(|range| range.split_once('-'));
        let (status, body, more) = match range.map(|(start, end)| (start.parse(), end.parse::<usize>())) {
            Some((Ok(start), Ok(end))) => {
                let (start, end): (usize, usize) = (start, end.min(bytes.len().saturating_sub(1)));
                let more = format!("{more}Content-Range: bytes {start}-{end}/{}\r\n", bytes.len());
                ("206 Partial Content", bytes[start..=end].to_vec(), more)
            }
            _ => ("200 OK", bytes, more),
        };
        self.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
        if let Ok(mut files) = self.files.lock() {
            files.insert(key.to_owned());
        }
        (head(status, body.len(), &more), body)
    }
}

fn head(status: &str, len: usize, more: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {len}\r\n{more}\r\n")
}

fn tag(key: &str, len: u64) -> String {
    format!("\"{}-{len}\"", key.len())
}

/// The names and lengths of all files below a directory, sorted.
fn files(directory: &Path, prefix: &str) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => found.extend(files(&entry.path(), &format!("{name}/"))),
            Ok(metadata) => found.push((name, metadata.len())),
            Err(_) => {}
        }
    }
    found.sort();
    found
}
