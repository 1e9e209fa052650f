//! An HTTP server of the files of a directory, with support for ranges and a latency before each response.
//!
//! The kernel copies the bytes from the file to the socket (`io::copy` uses `sendfile`), so that the server uses little of
//! the processor time that it shares with the readers. `GET /-/counts` returns the number of requests, and of bytes in
//! bodies, since the last such request.
//!
//! Usage: `bench-store-server DIRECTORY MILLISECONDS`. It prints its port.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Maximum size of a body that is sent in one write with its head.
const SMALL: u64 = 256 << 10;

struct Server {
    directory: PathBuf,
    latency: Duration,
    requests: AtomicU64,
    bytes: AtomicU64,
}

struct Request {
    method: String,
    path: String,
    range: Option<(u64, Option<u64>)>,
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = || io::Error::other("usage: bench-store-server DIRECTORY MILLISECONDS");
    let directory = PathBuf::from(arguments.next().ok_or_else(usage)?);
    let milliseconds: f64 = arguments.next().and_then(|text| text.parse().ok()).ok_or_else(usage)?;
    let latency = Duration::from_secs_f64(milliseconds / 1000.0);
    let server =
        Arc::new(Server { directory, latency, requests: AtomicU64::new(0), bytes: AtomicU64::new(0) });
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    println!("{}", listener.local_addr()?.port());
    io::stdout().flush()?;
    for stream in listener.incoming() {
        let (server, Ok(stream)) = (server.clone(), stream) else { continue };
        std::thread::spawn(move || {
            // A client that closes its connection is not an error.
            let _ = server.serve(&stream);
        });
    }
    Ok(())
}

impl Server {
    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut lines = BufReader::new(stream);
        while let Some(request) = Request::read(&mut lines)? {
            if request.path == "/-/counts" {
                let (requests, bytes) =
                    (self.requests.swap(0, Ordering::Relaxed), self.bytes.swap(0, Ordering::Relaxed));
                let body = format!("{requests} {bytes}");
                write!(&mut &*stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
            } else {
                self.requests.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(self.latency);
                self.send_file(&request, stream)?;
            }
        }
        Ok(())
    }

    fn send_file(&self, request: &Request, mut stream: &TcpStream) -> io::Result<()> {
        let name = Path::new(&request.path).file_name();
        let file =
            name.ok_or(io::ErrorKind::NotFound.into()).and_then(|name| File::open(self.directory.join(name)));
        let Ok(mut file) = file else {
            return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        };
        let len = file.metadata()?.len();
        let (start, end) = match request.range {
            Some((start, end)) => (start.min(len), end.map_or(len, |end| (end + 1).min(len))),
            None => (0, len),
        };
        let mut head = match request.range {
            Some(_) if start >= end => {
                let head = format!("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */{len}\r\n");
                return stream.write_all(format!("{head}Content-Length: 0\r\n\r\n").as_bytes());
            }
            Some(_) => {
                format!("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {start}-{}/{len}\r\n", end - 1)
            }
            None => "HTTP/1.1 200 OK\r\n".to_owned(),
        };
        // The length is a sufficient tag, because the files of a benchmark do not change.
        head +=
            &format!("ETag: \"{len}\"\r\nAccept-Ranges: bytes\r\nContent-Length: {}\r\n\r\n", end - start);
        let len = if request.method == "HEAD" { 0 } else { end - start };
        self.bytes.fetch_add(len, Ordering::Relaxed);
        file.seek(SeekFrom::Start(start))?;
        let mut body = file.take(len);
        if len <= SMALL {
            // Head and body go in one write, so that the client is not woken for the head alone.
            let mut response = head.into_bytes();
            body.read_to_end(&mut response)?;
            return stream.write_all(&response);
        }
        stream.write_all(head.as_bytes())?;
        io::copy(&mut body, &mut stream)?;
        Ok(())
    }
}

impl Request {
    /// Reads the head of the next request; `None` at the end of the connection.
    fn read(lines: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let mut range = None;
        loop {
            line.clear();
            lines.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else {
                return Ok(Some(Self { method, path, range }));
            };
            if name.eq_ignore_ascii_case("range") {
                let bounds = value.trim().strip_prefix("bytes=").and_then(|bounds| bounds.split_once('-'));
                range = bounds.and_then(|(start, end)| Some((start.parse().ok()?, end.parse().ok())));
            }
        }
    }
}
