//! Tests of requests for bytes.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arrowfeed_source::FeedErrorKind;
use arrowfeed_source::io::remote::{ObjectBody, ObjectRequest, ObjectVersion, RemoteObject, RequestCounts};
use arrowfeed_store::{Store, StoreObject};

use crate::server::{Reply, Request, Server, ask, bytes, object, options, right, text};

fn counts() -> Arc<RequestCounts> {
    Arc::default()
}

/// The text and the kind of the error for a request of bytes 10 to 20.
fn failure(server: &Server) -> (String, io::ErrorKind) {
    let error = ask(&server.object(), Some(10..20), None, &counts()).unwrap_err();
    assert_eq!(error.kind(), FeedErrorKind::Io, "{error}");
    (text(&error), error.io_error().unwrap().kind())
}

fn failed(message: &str, kind: io::ErrorKind) -> (String, io::ErrorKind) {
    (format!("expected bytes 10 to 20 of the object, found {message}"), kind)
}

#[test]
fn a_range_is_answered_by_one_request() {
    let server = Server::with(|_| None);
    let counts = counts();
    let response = ask(&server.object(), Some(10..20), None, &counts).unwrap();
    assert_eq!(bytes(&response), object()[10..20]);
    assert_eq!(response.version, ObjectVersion { len: 100, tag: Some("\"a\"".into()), modified: None });
    let taken = counts.take();
    assert_eq!((taken.requests, taken.retries, taken.bytes), (1, 0, 10));
    let requests = server.requests();
    assert_eq!(
        (requests.len(), requests[0].method.as_str(), requests[0].range()),
        (1, "GET", Some((10, 19)))
    );
}

#[test]
fn a_range_may_end_behind_the_end() {
    let server = Server::with(|_| None);
    let response = ask(&server.object(), Some(90..1000), None, &counts()).unwrap();
    assert_eq!(bytes(&response), object()[90..]);
}

#[test]
fn a_range_may_start_behind_the_end() {
    let server = Server::with(|_| None);
    for start in [100, 1000] {
        let response = ask(&server.object(), Some(start..start + 10), None, &counts()).unwrap();
        assert_eq!((bytes(&response).len(), response.version.len), (0, 100));
    }
    let empty = Server::start(|request| right(request, b"", "\"a\""));
    let response = ask(&empty.object(), Some(0..10), None, &counts()).unwrap();
    assert_eq!((bytes(&response).len(), response.version.len), (0, 0));
}

#[test]
fn servers_may_refuse_ranges_that_end_behind_the_end() {
    let server = Server::with(|request| {
        let behind = request.range().is_some_and(|(_, last)| last >= 100);
        behind.then(|| Reply::new("416 Range Not Satisfiable", b""))
    });
    let response = ask(&server.object(), Some(90..1000), None, &counts()).unwrap();
    assert_eq!(bytes(&response), object()[90..]);
}

#[test]
fn the_version_is_asked_for_by_head() {
    let server = Server::with(|_| Some(Reply::new("200 OK", &object()).with("etag", "W/\"w\"")));
    let response = ask(&server.object(), None, None, &counts()).unwrap();
    assert_eq!(response.version, ObjectVersion { len: 100, tag: Some("W/\"w\"".into()), modified: None });
    assert_eq!(server.requests().iter().map(|request| request.method.clone()).collect::<Vec<_>>(), ["HEAD"]);
}

#[test]
fn a_presigned_url_may_refuse_head() {
    let server = Server::with(|request| (request.method == "HEAD").then(|| Reply::new("403 Forbidden", b"")));
    let response = ask(&server.object(), None, None, &counts()).unwrap();
    assert_eq!(response.version.len, 100);
    let missing = Server::with(|_| Some(Reply::new("403 Forbidden", b"")));
    let error = ask(&missing.object(), None, None, &counts()).unwrap_err();
    assert_eq!(text(&error), "expected the object, found status 403 Forbidden");
}

#[test]
fn errors_that_may_pass_are_tried_again() {
    for reply in [
        || Reply::new("503 Service Unavailable", b"<Error><Code>SlowDown</Code></Error>"),
        || Reply::new("429 Too Many Requests", b""),
        || Reply::new("500 Internal Server Error", b""),
        || Reply::closed(),
        || Reply::new("206 Partial Content", &[0; 10]).with("content-range", "bytes 10-19/100").cut(5),
        || Reply::new("206 Partial Content", &[0; 10]).with("content-range", "bytes 10-19/100").stalled(5),
        || Reply::new("206 Partial Content", &[0; 10]).with("content-range", "bytes 20-29/100"),
    ] {
        let server = Server::with(move |request| (request.number < 2).then(reply));
        let counts = counts();
        let response = ask(&server.object(), Some(10..20), None, &counts).unwrap();
        assert_eq!(bytes(&response), object()[10..20]);
        assert_eq!((counts.take().retries, server.requests().len()), (2, 3), "{:?}", reply());
    }
}

#[test]
fn errors_that_last_are_named_with_their_attempts() {
    let code = || Reply::new("503 Service Unavailable", b"<Error><Code>SlowDown</Code></Error>");
    let status =
        failed("status 503 Service Unavailable (SlowDown) after 4 attempts in T", io::ErrorKind::Other);
    assert_eq!(failure(&Server::with(move |_| Some(code()))), status);
    let short = || Reply::new("206 Partial Content", &[0; 10]).with("content-range", "bytes 10-19/100");
    let end = failed("unexpected end of file after 4 attempts in T", io::ErrorKind::Other);
    assert_eq!(failure(&Server::with(move |_| Some(short().cut(5)))), end);
    let stall = failed("no byte within 0.4 s after 4 attempts in T", io::ErrorKind::TimedOut);
    assert_eq!(failure(&Server::with(move |_| Some(short().stalled(5)))), stall);
    let slow = failed("fewer than 400 bytes within 0.4 s after 4 attempts in T", io::ErrorKind::TimedOut);
    let pause = Some(Duration::from_millis(100));
    assert_eq!(failure(&Server::with(move |_| Some(Reply { pause, ..short() }))), slow);
    let closed =
        failed("connection closed before message completed after 4 attempts in T", io::ErrorKind::Other);
    assert_eq!(failure(&Server::with(|_| Some(Reply::closed()))), closed);
    let url = "http://127.0.0.1:9/a.avro";
    let object = Store::open(url, &options(&[])).unwrap().object(url).unwrap();
    let error = ask(&object, Some(10..20), None, &counts()).unwrap_err();
    let refused = failed("connection refused after 4 attempts in T", io::ErrorKind::Other);
    assert_eq!((text(&error), error.io_error().unwrap().kind()), refused);
}

#[test]
fn errors_that_cannot_pass_are_tried_once() {
    for (status, kind) in [
        ("400 Bad Request", io::ErrorKind::Other),
        ("401 Unauthorized", io::ErrorKind::PermissionDenied),
        ("403 Forbidden", io::ErrorKind::PermissionDenied),
        ("404 Not Found", io::ErrorKind::NotFound),
        ("410 Gone", io::ErrorKind::NotFound),
        ("501 Not Implemented", io::ErrorKind::Other),
    ] {
        let server = Server::with(move |_| Some(Reply::new(status, b"")));
        assert_eq!(failure(&server), failed(&format!("status {status}"), kind));
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn attempts_end_with_their_time() {
    let server = Server::with(|_| Some(Reply::new("503 Service Unavailable", b"")));
    let url = server.url("a.avro");
    let store = Store::open(&url, &options(&[("max_retries", "1000"), ("retry_timeout", "0.5")])).unwrap();
    ask(&store.object(&url).unwrap(), Some(0..10), None, &counts()).unwrap_err();
    // The waits between the attempts become longer.
    assert!((1..=10).contains(&server.requests().len()), "{} attempts", server.requests().len());
}

#[test]
fn a_changed_object_is_an_error() {
    let with = |len, tag: Option<&str>| Some(ObjectVersion { len, tag: tag.map(Into::into), modified: None });
    let opened = "expected the object to be unchanged since it was opened";
    let message = |server: &Server, version| {
        let error = ask(&server.object(), Some(10..20), version, &counts()).unwrap_err();
        assert_eq!(error.kind(), FeedErrorKind::Changed, "{error}");
        text(&error)
    };
    let server = Server::with(|_| None);
    let tags = format!("{opened} (ETag \"b\"), found the ETag \"a\"");
    assert_eq!(message(&server, with(100, Some("\"b\""))), tags);
    assert_eq!(server.requests()[0].header("if-match"), Some("\"b\""));
    let len = format!("{opened} (1,100 bytes), found 100 bytes");
    assert_eq!(message(&server, with(1100, Some("\"a\""))), len);
    assert_eq!(message(&server, with(1100, None)), len);
    assert!(ask(&server.object(), Some(10..20), with(100, Some("\"a\"")), &counts()).is_ok());
    // The object ends before the range.
    let error = ask(&server.object(), Some(500..520), with(1100, None), &counts()).unwrap_err();
    assert_eq!((error.kind(), text(&error)), (FeedErrorKind::Changed, len));

    // A weak ETag is compared, but not sent.
    let weak = Server::start(|request| right(request, &object(), "W/\"a\""));
    let tags = format!("{opened} (ETag \"W/\\\"b\"), found the ETag \"W/\\\"a\"");
    assert_eq!(message(&weak, with(100, Some("W/\"b\""))), tags);
    assert_eq!(weak.requests()[0].header("if-match"), None);
    assert!(ask(&weak.object(), Some(10..20), with(100, Some("W/\"a\"")), &counts()).is_ok());

    let dated = Server::start(|request| {
        let day = if request.number == 0 { "Mon, 01" } else { "Tue, 02" };
        right(request, &object(), "").with("last-modified", &format!("{day} Jan 2024 00:00:00 GMT"))
    });
    let version = ask(&dated.object(), Some(10..20), None, &counts()).unwrap().version;
    assert!(version.modified.is_some());
    let modified = format!("{opened}, found a different modification time");
    assert_eq!(message(&dated, Some(version)), modified);
}

/// Replies with the whole object even to range requests.
fn without_ranges(request: &Request) -> Reply {
    let request = Request { headers: Vec::new(), ..request.clone() };
    right(&request, &object(), "\"a\"")
}

/// The process holds the last file that it downloaded, which is this one afterwards.
fn download_another_object() {
    let server = Server::start(without_ranges);
    ask(&server.object(), Some(0..1), None, &counts()).unwrap();
}

#[test]
fn an_object_of_a_server_without_ranges_is_read_once() {
    let server = Server::start(without_ranges);
    let counts = counts();
    let object_of_server = server.object();
    let first = ask(&object_of_server, Some(10..20), None, &counts).unwrap();
    assert_eq!((bytes(&first), first.version.len), (object(), 100));
    let second = ask(&object_of_server, Some(30..40), Some(first.version.clone()), &counts).unwrap();
    let (ObjectBody::Whole(a), ObjectBody::Whole(b)) = (&first.body, &second.body) else { panic!() };
    assert!(Arc::ptr_eq(a, b));
    let taken = counts.take();
    assert_eq!((taken.requests, taken.retries, taken.whole_downloads), (2, 0, 1));
    // Neither a reader nor the process holds the file any more.
    drop((first, second));
    download_another_object();
    ask(&object_of_server, Some(10..20), None, &counts).unwrap();
    assert_eq!(counts.take().whole_downloads, 1);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn requests_at_the_same_time_share_a_download() {
    let server = Server::start(|request| {
        if request.range().is_none() {
            std::thread::sleep(Duration::from_millis(200));
        }
        without_ranges(request)
    });
    let object_of_server = server.object();
    ask(&object_of_server, Some(0..1), None, &counts()).unwrap();
    download_another_object();
    std::thread::scope(|scope| {
        for start in 0..8 {
            let (object_of_server, server_object) = (&object_of_server, object());
            scope.spawn(move || {
                let response = ask(object_of_server, Some(start..start + 10), None, &counts()).unwrap();
                assert_eq!(bytes(&response), server_object);
            });
        }
    });
    assert_eq!(server.requests().iter().filter(|request| request.range().is_none()).count(), 2);
}

#[test]
fn a_download_that_ends_early_is_tried_again() {
    let server = Server::start(|request| {
        let reply = without_ranges(request);
        if request.number < 3 { reply.cut(50) } else { reply }
    });
    let counts = counts();
    let response = ask(&server.object(), Some(10..20), None, &counts).unwrap();
    assert_eq!(bytes(&response), object());
    assert_eq!(counts.take().retries, 2);
}

#[test]
fn a_response_may_have_no_length() {
    let server = Server::start(|request| without_ranges(request).without("content-length"));
    let response = ask(&server.object(), None, None, &counts()).unwrap();
    assert_eq!(response.version.len, 100);
    let response = ask(&server.object(), Some(10..20), Some(response.version), &counts()).unwrap();
    assert_eq!(bytes(&response), object());
}

#[test]
fn a_url_is_sent_as_it_was_given_and_shown_without_secrets() {
    let server =
        Server::with(|request| request.target.contains("no").then(|| Reply::new("403 Forbidden", b"")));
    let secret =
        server.url("a%20b%2Fc/%23+%C3%A9/x.avro?signature=hush%2B&x=1#part").replace("://", "://me:wo%40rd@");
    let store = Store::open(&secret, &options(&[])).unwrap();
    let object = store.object(&secret).unwrap();
    ask(&object, Some(10..20), None, &counts()).unwrap();
    let request = server.requests().remove(0);
    assert_eq!(request.target, "/a%20b%2Fc/%23+%C3%A9/x.avro?signature=hush%2B&x=1");
    assert_eq!(request.header("authorization"), Some("Basic bWU6d29AcmQ="));
    assert_eq!(object.name(), server.url("a%20b%2Fc/%23+%C3%A9/x.avro"));
    assert!(!format!("{object:?} {store:?}").contains("hush"));
    let refused = secret.replace("x.avro", "no.avro");
    let error = ask(&store.object(&refused).unwrap(), Some(10..20), None, &counts()).unwrap_err();
    assert_eq!(text(&error), "expected bytes 10 to 20 of the object, found status 403 Forbidden");
    assert!(!format!("{error:?}").contains("hush"));
}

/// An S3 object on this server.
fn of_s3(server: &Server, more: &[(&str, &str)]) -> StoreObject {
    let endpoint = server.url("");
    let pairs = [&[("endpoint", &*endpoint), ("skip_signature", "true")], more].concat();
    Store::open("s3://b/a b#+%20é.avro", &options(&pairs)).unwrap().object("s3://b/a b#+%20é.avro").unwrap()
}

fn as_s3(request: &Request) -> Reply {
    right(request, &object(), "\"a\"").with("last-modified", "Mon, 01 Jan 2024 00:00:00 GMT")
}

#[test]
fn names_are_percent_encoded_for_s3() {
    let server = Server::start(as_s3);
    let response = ask(&of_s3(&server, &[("allow_http", "true")]), Some(10..20), None, &counts()).unwrap();
    assert_eq!((bytes(&response), response.version.modified.is_some()), (object()[10..20].to_vec(), true));
    assert_eq!(server.requests()[0].target, "/b/a%20b%23%2B%2520%C3%A9.avro");
}

#[test]
fn s3_without_ranges_is_read_once_too() {
    let server = Server::start(|request| as_s3(&Request { headers: Vec::new(), ..request.clone() }));
    let response = ask(&of_s3(&server, &[("allow_http", "true")]), Some(10..20), None, &counts()).unwrap();
    assert_eq!(bytes(&response), object());
}

#[test]
fn s3_without_tls_must_be_allowed() {
    let server = Server::start(as_s3);
    let error = ask(&of_s3(&server, &[]), Some(10..20), None, &counts()).unwrap_err();
    let message = "a URL that is not https: set the option allow_http to allow it";
    assert_eq!(text(&error), format!("expected bytes 10 to 20 of the object, found {message}"));
}

#[test]
fn dropping_a_guard_cancels_a_request() {
    let (started, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count, called) = (started.clone(), done.clone());
    let server = Server::with(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Some(Reply::new("206 Partial Content", &[0; 10]).with("content-range", "bytes 10-19/100").stalled(1))
    });
    let request = ObjectRequest { range: Some(10..20), version: None, counts: counts() };
    let guard =
        server.object().request(request, Box::new(move |_| _ = called.fetch_add(1, Ordering::SeqCst)));
    while started.load(Ordering::SeqCst) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(guard);
    // The request has neither a response nor a second attempt after its timeout.
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!((done.load(Ordering::SeqCst), started.load(Ordering::SeqCst)), (0, 1));
}
