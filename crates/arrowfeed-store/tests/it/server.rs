//! A scriptable HTTP server for tests.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests do not fork")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use arrowfeed_source::io::remote::{
    ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, RemoteObject, RequestCounts,
};
use arrowfeed_source::io::{ByteSource, LocalFile};
use arrowfeed_source::{FeedError, Interrupt};
use arrowfeed_store::{Store, StoreObject, StoreOptions};

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path and query.
    pub(crate) target: String,
    /// Headers with names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Number of the request, starting at zero.
    pub(crate) number: usize,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first and the last byte of the range.
    pub(crate) fn range(&self) -> Option<(usize, usize)> {
        let (first, last) = self.header("range")?.strip_prefix("bytes=")?.split_once('-')?;
        Some((first.parse().ok()?, last.parse().ok()?))
    }
}

/// The reply of the server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    pub(crate) status: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// Number of body bytes that are sent.
    pub(crate) sent: Option<usize>,
    /// Whether the connection stays open after them.
    pub(crate) stalls: bool,
    /// Time before each byte of the body.
    pub(crate) pause: Option<Duration>,
}

impl Reply {
    pub(crate) fn new(status: &'static str, body: &[u8]) -> Self {
        let headers = vec![("content-length", body.len().to_string())];
        Self { status, headers, body: body.to_vec(), ..Self::default() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self
    }

    pub(crate) fn cut(self, sent: usize) -> Self {
        Self { sent: Some(sent), ..self }
    }

    pub(crate) fn stalled(self, sent: usize) -> Self {
        Self { sent: Some(sent), stalls: true, ..self }
    }

    /// Closes the connection without a reply.
    pub(crate) fn closed() -> Self {
        Self::default()
    }
}

/// The reply of a correct server, for an object with these bytes.
pub(crate) fn right(request: &Request, bytes: &[u8], tag: &str) -> Reply {
    if request.header("if-match").is_some_and(|wanted| wanted != tag) {
        return Reply::new("412 Precondition Failed", b"");
    }
    let reply = match request.range() {
        None => Reply::new("200 OK", bytes),
        Some((first, _)) if first >= bytes.len() => Reply::new("416 Range Not Satisfiable", b"")
            .with("content-range", &format!("bytes */{}", bytes.len())),
        Some((first, last)) => {
            let last = last.min(bytes.len() - 1);
            let reply = Reply::new("206 Partial Content", &bytes[first..=last]);
            reply.with("content-range", &format!("bytes {first}-{last}/{}", bytes.len()))
        }
    };
    if tag.is_empty() { reply } else { reply.with("etag", tag) }
}

type Handler = dyn Fn(&Request) -> Reply + Send + Sync;

/// A server. Its threads end with the process.
pub(crate) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) fn start(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let (handler, count, log): (Arc<Handler>, _, _) =
            (Arc::new(handler), Arc::new(AtomicUsize::new(0)), requests.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (handler, count, log) = (handler.clone(), count.clone(), log.clone());
                std::thread::spawn(move || serve(stream, &*handler, &count, &log));
            }
        });
        Self { port, requests }
    }

    /// Starts a server with an object of 100 bytes. `change` may replace the reply to a request.
    pub(crate) fn with(change: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static) -> Self {
        Self::start(move |request| change(request).unwrap_or_else(|| right(request, &object(), "\"a\"")))
    }

    pub(crate) fn url(&self, rest: &str) -> String {
        format!("http://127.0.0.1:{}/{rest}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn object(&self) -> StoreObject {
        let url = self.url("a.avro");
        Store::open(&url, &options(&[])).unwrap().object(&url).unwrap()
    }
}

/// The bytes of the object of [`Server::with`].
pub(crate) fn object() -> Vec<u8> {
    (0..100).collect()
}

fn serve(stream: TcpStream, handler: &Handler, count: &AtomicUsize, log: &Mutex<Vec<Request>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    if lines.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length =
        headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let _ = std::io::copy(&mut (&mut lines).take(length.unwrap_or(0)), &mut std::io::sink());
    let request = Request { method, target, headers, number: count.fetch_add(1, Ordering::SeqCst) };
    log.lock().unwrap().push(request.clone());
    let reply = handler(&request);
    let mut stream = stream;
    if reply.status.is_empty() {
        let _ = stream.shutdown(Shutdown::Both);
        return;
    }
    let mut text = format!("HTTP/1.1 {}\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        text += &format!("{name}: {value}\r\n");
    }
    let body =
        if request.method == "HEAD" { &[] } else { &reply.body[..reply.sent.unwrap_or(reply.body.len())] };
    let _ = stream.write_all(format!("{text}\r\n").as_bytes());
    match reply.pause {
        Some(pause) => {
            for byte in body {
                std::thread::sleep(pause);
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
            }
        }
        None => _ = stream.write_all(body),
    }
    if reply.stalls {
        let _ = stream.read(&mut [0]);
        std::thread::sleep(Duration::from_secs(5));
    }
}

/// Options with few attempts and short timeouts.
pub(crate) fn options(more: &[(&str, &str)]) -> StoreOptions {
    let few = [("max_retries", "3"), ("request_timeout", "0.4")];
    StoreOptions::parse(few.iter().chain(more).copied()).unwrap()
}

/// Sends a request and waits for the response.
pub(crate) fn ask(
    object: &dyn RemoteObject,
    range: Option<std::ops::Range<u64>>,
    version: Option<ObjectVersion>,
    counts: &Arc<RequestCounts>,
) -> Result<ObjectResponse, FeedError> {
    let (send, receive) = mpsc::channel();
    let request = ObjectRequest { range, version, counts: counts.clone() };
    let _guard = object.request(
        request,
        Box::new(move |response| {
            let _ = send.send(response);
        }),
    );
    receive.recv_timeout(Duration::from_secs(60)).expect("a response")
}

/// The bytes of a response.
pub(crate) fn bytes(response: &ObjectResponse) -> Vec<u8> {
    match &response.body {
        ObjectBody::Range(pieces) => pieces.concat(),
        ObjectBody::Whole(file) => {
            // Requests share the file and its position.
            let mut bytes = vec![0; file.metadata().unwrap().len() as usize];
            let file = LocalFile::new(file.try_clone().unwrap()).unwrap();
            assert_eq!(file.read_at(0, &mut bytes).unwrap(), bytes.len());
            bytes
        }
    }
}

/// The text of an error, with the elapsed time replaced by `T`.
pub(crate) fn text(error: &FeedError) -> String {
    let text = error.to_string();
    match text.rsplit_once(" in ") {
        Some((start, time)) if time.ends_with(" s") => format!("{start} in T"),
        _ => text,
    }
}

/// An interrupt that returns true after some time.
pub(crate) fn stop_after(time: Duration) -> Interrupt {
    let start = Instant::now();
    Arc::new(move || start.elapsed() > time)
}
