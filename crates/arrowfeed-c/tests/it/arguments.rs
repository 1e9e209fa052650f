use std::ptr;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrowfeed_c::*;
use serde_json::json;

use crate::support::*;

#[test]
fn null_is_an_error_that_names_the_argument() {
    let dataset = open(&example_with(json!({}))).unwrap();
    let null = |call: &dyn Fn(*mut *mut Error) -> i32| called(call).unwrap_err().shown();
    let expected = |name: &str| (ErrorKind::Argument, format!("{name}: expected a pointer, found NULL"));
    let (text, len) = (c"{}".as_ptr(), NUL_TERMINATED);
    // SAFETY: NULL is refused; the other arguments are valid.
    unsafe {
        let mut out = ptr::null_mut();
        let out = &raw mut out;
        assert_eq!(null(&|e| arrowfeed_open(ptr::null(), 0, ptr::null(), out, e)), expected("options"));
        assert_eq!(null(&|e| arrowfeed_open(text, len, ptr::null(), ptr::null_mut(), e)), expected("out"));
        assert_eq!(null(&|e| arrowfeed_schema(dataset.0, ptr::null_mut(), e)), expected("out"));
        assert_eq!(null(&|e| arrowfeed_count(dataset.0, ptr::null(), ptr::null_mut(), e)), expected("out"));
        let mut stream = FFI_ArrowArrayStream::empty();
        let stream = &raw mut stream;
        assert_eq!(
            null(&|e| arrowfeed_read(ptr::null(), text, len, ptr::null(), stream, e)),
            expected("dataset")
        );
        assert_eq!(
            null(&|e| arrowfeed_read(dataset.0, text, len, ptr::null(), ptr::null_mut(), e)),
            expected("out")
        );
        assert_eq!(
            null(&|e| arrowfeed_read_split(dataset.0, ptr::null(), 0, text, len, ptr::null(), stream, e)),
            expected("split")
        );
        let mut texts = ptr::null_mut();
        let texts = &raw mut texts;
        assert_eq!(null(&|e| arrowfeed_report(ptr::null(), texts, e)), expected("dataset"));
        assert_eq!(
            null(&|e| arrowfeed_plan_splits(ptr::null(), 1, ptr::null(), texts, e)),
            expected("dataset")
        );
        assert_eq!(null(&|e| arrowfeed_tensor_specs(ptr::null(), texts, e)), expected("dataset"));
        assert_eq!(null(&|e| arrowfeed_tensor_stream_state(ptr::null(), texts, e)), expected("stream"));
        let mut batch = ptr::null_mut();
        let batch = &raw mut batch;
        assert_eq!(null(&|e| arrowfeed_tensor_stream_next(ptr::null_mut(), batch, e)), expected("stream"));
        let mut part = ptr::null_mut();
        let part = &raw mut part;
        assert_eq!(null(&|e| arrowfeed_tensor_part(ptr::null(), 0, 1, 0, part, e)), expected("batch"));
    }
}

#[test]
fn freeing_null_has_no_effect() {
    // SAFETY: NULL is allowed.
    unsafe {
        arrowfeed_dataset_free(ptr::null_mut());
        arrowfeed_cancel_free(ptr::null_mut());
        arrowfeed_cancel(ptr::null());
        arrowfeed_string_free(ptr::null_mut());
        arrowfeed_tensor_stream_free(ptr::null_mut());
        arrowfeed_tensor_batch_free(ptr::null_mut());
    }
}

#[test]
fn texts_are_utf8_of_their_length() {
    let mut out = ptr::null_mut();
    let bytes = b"{\"paths\": \"a\xff\"}";
    // SAFETY: the text has this length; the place is a variable.
    let failure = called(|error| unsafe {
        arrowfeed_open(bytes.as_ptr().cast(), bytes.len(), ptr::null(), &raw mut out, error)
    });
    let expected = "options: expected UTF-8, found an invalid byte at 12";
    assert_eq!(failure.unwrap_err().shown(), (ErrorKind::Argument, expected.to_owned()));
    // SAFETY: the length is refused before the text is read.
    let failure = called(|error| unsafe {
        arrowfeed_open(bytes.as_ptr().cast(), 1 << 63, ptr::null(), &raw mut out, error)
    });
    let expected = "options: expected a length below 2^63, found 9223372036854775808";
    assert_eq!(failure.unwrap_err().shown(), (ErrorKind::Argument, expected.to_owned()));
}

#[test]
fn a_stream_of_another_library_is_refused() {
    let expected = "stream: expected a stream of arrowfeed that is not released, found another";
    let foreign = FFI_ArrowArrayStream::new(Box::new(arrow_array::RecordBatchIterator::new(
        Vec::new(),
        arrow_schema::Schema::empty().into(),
    )));
    let released = FFI_ArrowArrayStream::empty();
    for stream in [&raw const foreign, &raw const released, ptr::null()] {
        let mut state = ptr::null_mut();
        // SAFETY: the structs are valid; the place is a variable.
        let failure = called(|error| unsafe { arrowfeed_stream_state(stream, &raw mut state, error) });
        assert_eq!(failure.unwrap_err().shown(), (ErrorKind::Argument, expected.to_owned()));
        // SAFETY: as above.
        assert!(unsafe { arrowfeed_stream_error(stream) }.is_null());
    }
}
