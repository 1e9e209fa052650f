use std::ffi::c_int;
use std::ptr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrowfeed_c::*;
use serde_json::json;

use crate::support::*;

/// A file whose only block is cut off in its last record.
fn cut() -> TempFile {
    let bytes = std::fs::read(example()).unwrap();
    TempFile::new("cut.avro", &bytes[..bytes.len() - 30])
}

#[test]
fn an_error_has_its_kind_and_its_place() {
    let file = cut();
    let dataset = file.open().unwrap();
    let mut stream = dataset.read("{}").unwrap();
    let mut array = FFI_ArrowArray::empty();
    // SAFETY: the stream is that of this library, and the place is a variable.
    let (result, message) = unsafe {
        let result = stream.get_next.unwrap()(&raw mut stream, &raw mut array);
        (result, text(stream.get_last_error.unwrap()(&raw mut stream)).unwrap())
    };
    assert_eq!(result, libc::EINVAL);
    assert!(array.is_released());
    // SAFETY: as above.
    let failure = Failure::of(unsafe { arrowfeed_stream_error(&raw const stream) });
    assert_eq!(failure.kind, ErrorKind::Truncated);
    assert_eq!(failure.message, message);
    assert_eq!(failure.file.as_deref(), file.0.to_str());
    assert_eq!(failure.place.0, 0);
    assert!(failure.place.2 > 0, "{failure:?}");
    assert!(message.starts_with(file.0.to_str().unwrap()), "{message}");

    // The stream has ended, and the error of the last call is gone.
    // SAFETY: as above.
    let result = unsafe { stream.get_next.unwrap()(&raw mut stream, &raw mut array) };
    assert_eq!((result, array.is_released()), (0, true));
    // SAFETY: as above.
    assert!(unsafe { arrowfeed_stream_error(&raw const stream) }.is_null());
}

#[test]
fn a_missing_file_has_the_error_number_of_the_system() {
    let failure = open("{\"paths\": \"/nowhere/a.avro\"}").err().unwrap();
    assert_eq!((failure.kind, failure.errno), (ErrorKind::Io, libc::ENOENT));
    assert_eq!(failure.message, "/nowhere/a.avro: No such file or directory (os error 2)");
    assert_eq!(failure.file.as_deref(), Some("/nowhere/a.avro"));
    assert_eq!(failure.place, (-1, -1, -1));
}

#[test]
fn an_exceeded_limit_is_named() {
    let failure = open(&example_with(json!({"limits": {"header_bytes": 10}}))).err().unwrap();
    assert_eq!((failure.kind, failure.limit.as_deref()), (ErrorKind::Limit, Some("header_bytes")));
}

#[test]
fn an_error_may_be_ignored_and_null_is_no_error() {
    let (mut out, options) = (ptr::null_mut(), "{}");
    // SAFETY: the text has this length; the place is a variable; no error is wanted.
    let kind = unsafe {
        arrowfeed_open(options.as_ptr().cast(), options.len(), ptr::null(), &raw mut out, ptr::null_mut())
    };
    assert_eq!(kind, ErrorKind::Options as c_int);
    // SAFETY: NULL is allowed.
    unsafe {
        let none: *const Error = ptr::null();
        assert_eq!(arrowfeed_error_kind(none), 0);
        assert_eq!(text(arrowfeed_error_message(none)).as_deref(), Some(""));
        assert_eq!(arrowfeed_error_block(none), -1);
        assert!(arrowfeed_error_file(none).is_null());
        arrowfeed_error_free(ptr::null_mut());
    }
}

#[test]
fn each_kind_has_a_name() {
    let names = ErrorKind::ALL.map(|kind| text(arrowfeed_error_kind_name(kind as c_int)).unwrap());
    assert_eq!(
        (names[0].as_str(), names[3].as_str(), names[10].as_str()),
        ("io", "corrupt block", "cancelled")
    );
    assert_eq!(text(arrowfeed_error_kind_name(0)).as_deref(), Some("no error"));
    assert_eq!(text(arrowfeed_error_kind_name(99)).as_deref(), Some("unknown"));
}

#[test]
fn a_name_with_nul_is_an_error_of_the_schema() {
    let file = TempFile::new("nul.jsonl", b"{\"a\\u0000b\": 1}\n");
    let dataset = file.open().unwrap();
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the places are variables.
    let failure = called(|error| unsafe { arrowfeed_schema(dataset.0, &raw mut schema, error) }).unwrap_err();
    let expected = r#"a\0b: expected a name without the character NUL, which Arrow's C data interface needs, found "a\0b""#;
    assert_eq!(failure.field.as_deref(), Some("a\\0b"));
    assert_eq!(failure.shown(), (ErrorKind::Schema, expected.to_owned()));
    let mut stream = dataset.read("{}").unwrap();
    // SAFETY: the stream is that of this library, and the place is a variable.
    let message = unsafe {
        assert_eq!(stream.get_schema.unwrap()(&raw mut stream, &raw mut schema), libc::EINVAL);
        text(stream.get_last_error.unwrap()(&raw mut stream)).unwrap()
    };
    assert_eq!(message, expected);
}
