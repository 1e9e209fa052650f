//! Tests of writing new objects.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use arrowfeed_source::FeedErrorKind;
use arrowfeed_store::{Store, StoreOptions, create, resolve};

use crate::server::{Reply, Server, ask, bytes, options, stop_after};

const PART: usize = 8 << 20;

fn read(url: &str) -> Option<Vec<u8>> {
    let object = Store::open(url, &StoreOptions::default()).unwrap().object(url).unwrap();
    ask(&object, Some(0..u64::MAX), None, &Arc::default()).ok().map(|response| bytes(&response))
}

#[test]
fn an_object_is_visible_after_its_commit() {
    for (name, len) in
        [("empty", 0), ("small", 10), ("part", PART), ("large", 3 * PART + 10), ("many", 9 * PART)]
    {
        let url = format!("memory://written/{name}.avro");
        let content: Vec<u8> = (0..len).map(|i| (i / 1000 % 251) as u8).collect();
        let mut writer = create(&url, &StoreOptions::default(), None, None).unwrap();
        for piece in content.chunks(1 << 20) {
            writer.write_all(piece).unwrap();
        }
        assert_eq!(read(&url), None);
        writer.commit().unwrap();
        assert!(read(&url) == Some(content), "{name}");
    }
    let files = resolve("memory://written/", "avro", &StoreOptions::default(), None, None).unwrap();
    assert_eq!(files.len(), 5);
}

#[test]
fn a_dropped_writer_leaves_nothing() {
    let url = "memory://dropped/a.avro";
    let mut writer = create(url, &StoreOptions::default(), None, None).unwrap();
    writer.write_all(&vec![1; 2 * PART + 1]).unwrap();
    drop(writer);
    assert_eq!(read(url), None);
}

fn s3(server: &Server) -> StoreOptions {
    s3_with(server, "5")
}

fn s3_with(server: &Server, request_timeout: &str) -> StoreOptions {
    let endpoint = server.url("");
    options(&[
        ("request_timeout", request_timeout),
        ("endpoint", &endpoint),
        ("allow_http", "true"),
        ("skip_signature", "true"),
    ])
}

/// Replies like S3 to the parts of an object.
fn parts(request: &crate::server::Request) -> Reply {
    match (request.method.as_str(), request.target.contains("uploadId")) {
        ("POST", false) => Reply::new(
            "200 OK",
            b"<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>",
        ),
        ("POST", true) => Reply::new(
            "200 OK",
            b"<CompleteMultipartUploadResult><ETag>\"e\"</ETag></CompleteMultipartUploadResult>",
        ),
        _ => Reply::new("200 OK", b"").with("etag", "\"e\""),
    }
}

#[test]
fn parts_are_tried_again() {
    let server = Server::start(|request| match request.number {
        1 | 2 => Reply::new("503 Service Unavailable", b""),
        _ => parts(request),
    });
    let mut writer = create("s3://b/a.avro", &s3(&server), None, None).unwrap();
    writer.write_all(&vec![1; 2 * PART]).unwrap();
    writer.commit().unwrap();
    let mut methods: Vec<String> = server.requests().into_iter().map(|request| request.method).collect();
    methods.sort();
    assert_eq!(methods, ["POST", "POST", "PUT", "PUT", "PUT", "PUT"]);
}

#[test]
fn a_part_that_fails_is_an_error_and_ends_the_upload() {
    let server = Server::start(|request| match request.method.as_str() {
        "PUT" => Reply::new("403 Forbidden", b"<Error><Code>AccessDenied</Code></Error>"),
        _ => parts(request),
    });
    let mut writer = create("s3://b/a.avro", &s3(&server), None, None).unwrap();
    writer.write_all(&vec![1; PART + 1]).unwrap();
    let error = writer.commit().unwrap_err();
    let text = "expected to write part 1 of the object, found status 403 Forbidden (AccessDenied)";
    assert!(
        error.to_string().starts_with(text) || error.to_string().starts_with(&text.replace('1', "2")),
        "{error}"
    );
    assert!(server.requests().iter().any(|request| request.method == "DELETE"));
    let mut writer = create("s3://b/a.avro", &s3(&server), None, None).unwrap();
    writer.write_all(&[1]).unwrap();
    let text = "expected to write the object, found status 403 Forbidden (AccessDenied)";
    assert_eq!(writer.commit().unwrap_err().to_string(), text);
}

#[test]
fn writing_can_be_stopped() {
    let (stopped, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (may_answer, answers) = (stopped.clone(), answered.clone());
    let server = Server::start(move |request| {
        if request.method == "PUT" {
            // No part is written before the writer has stopped.
            while !may_answer.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            answers.fetch_add(1, Ordering::SeqCst);
        }
        parts(request)
    });
    let interrupt = stop_after(Duration::from_millis(500));
    let options = s3_with(&server, "3600");
    let mut writer = create("s3://b/a.avro", &options, None, Some(interrupt)).unwrap();
    let error = writer.write_all(&vec![1; 9 * PART]).unwrap_err();
    assert_eq!(answered.load(Ordering::SeqCst), 0);
    stopped.store(true, Ordering::SeqCst);
    let error = arrowfeed_source::FeedError::io(error);
    assert_eq!(error.kind(), FeedErrorKind::Interrupted, "{error}");
}

#[test]
fn nothing_is_written_to_http_or_a_directory() {
    let message = |url: &str| create(url, &options(&[]), None, None).unwrap_err().to_string();
    let text = "expected a store that can be written to, found an HTTP server";
    assert_eq!(message("http://127.0.0.1/a.avro"), text);
    assert_eq!(message("memory:///a/"), "expected the name of a new object, found a directory");
}
