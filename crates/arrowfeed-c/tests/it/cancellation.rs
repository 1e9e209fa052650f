use std::io::Read;
use std::net::TcpListener;
use std::ptr;
use std::time::Duration;

use arrow_array::ffi::FFI_ArrowArray;
use arrowfeed_c::*;
use serde_json::json;

use crate::support::*;

/// A handle that another thread uses.
struct Handle(*mut Cancel);

// SAFETY: the header allows several threads to use a handle.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle comes from the interface, and is freed once.
        unsafe { arrowfeed_cancel_free(self.0) };
    }
}

#[test]
fn a_blocked_call_ends_when_it_is_cancelled() {
    // A server that never answers. Without the cancellation, the call would wait for an hour.
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/a.avro", server.local_addr().unwrap());
    let patient = json!({"request_timeout": 3600});
    let options = json!({"paths": url, "format": "avro", "storage_options": patient}).to_string();
    let cancel = Handle(arrowfeed_cancel_new());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| open_with(&options, { &cancel }.0).err().unwrap().kind);
        // The request has arrived, so the call waits.
        let (mut connection, _) = server.accept().unwrap();
        assert!(connection.read(&mut [0; 16]).unwrap() > 0);
        std::thread::sleep(Duration::from_millis(30));
        assert!(!waiting.is_finished());
        // SAFETY: the handle is freed later.
        unsafe { arrowfeed_cancel(cancel.0) };
        assert_eq!(waiting.join().unwrap(), ErrorKind::Cancelled);
    });
}

#[test]
fn a_stream_keeps_its_cancellation_after_the_handle_is_freed() {
    let dataset = open(&example_with(json!({}))).unwrap();
    let cancel = Handle(arrowfeed_cancel_new());
    let mut stream = dataset.read_with("{\"epochs\": null, \"threads\": 1}", cancel.0).unwrap();
    let mut next = || {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is that of this library, and the place is a variable.
        unsafe { stream.get_next.unwrap()(&raw mut stream, &raw mut array) }
    };
    assert_eq!(next(), 0);
    // SAFETY: the handle is freed once, after this call.
    unsafe { arrowfeed_cancel(cancel.0) };
    drop(cancel);
    assert_eq!((0..10_000).map(|_| next()).find(|result| *result != 0), Some(libc::ECANCELED));
    // SAFETY: as above.
    let failure = Failure::of(unsafe { arrowfeed_stream_error(&raw const stream) });
    assert_eq!(failure.shown(), (ErrorKind::Cancelled, "the caller asked to stop".to_owned()));
    // SAFETY: NULL is allowed.
    unsafe { arrowfeed_cancel(ptr::null()) };
}
