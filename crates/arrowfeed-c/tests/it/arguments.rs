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
    let dataset = open(&example_with(json!({"columns": ["id"]}))).unwrap();
    let mut batches = dataset.read("{}").unwrap();
    let (text, len) = (c"a\xff".as_ptr(), NUL_TERMINATED);
    let none = ptr::null();
    let refused = |name: &str, call: &dyn Fn(*mut *mut Error) -> i32| {
        let expected = format!("{name}: expected UTF-8, found an invalid byte at 1");
        assert_eq!(called(call).unwrap_err().shown(), (ErrorKind::Argument, expected));
    };
    // SAFETY: the texts end with NUL; the places are variables; addresses that the calls must replace are not used.
    unsafe {
        let mut out = ptr::without_provenance_mut(8);
        let place = &raw mut out;
        refused("options", &|error| arrowfeed_open(text, len, none, place, error));
        assert!(out.is_null());
        let mut stream = FFI_ArrowArrayStream::empty();
        let place = &raw mut stream;
        refused("options", &|error| arrowfeed_read(dataset.0, text, len, ptr::null(), place, error));
        refused("split", &|error| {
            arrowfeed_read_split(dataset.0, text, len, ptr::null(), 0, ptr::null(), place, error)
        });
        refused("options", &|error| {
            arrowfeed_read_split(dataset.0, c"{}".as_ptr(), len, text, len, ptr::null(), place, error)
        });
        assert!(stream.release.is_none());
        let batches = &raw mut batches;
        refused("state", &|error| arrowfeed_stream_load_state(batches, text, len, error));
        let mut tensors = ptr::without_provenance_mut(8);
        let place = &raw mut tensors;
        refused("options", &|error| arrowfeed_tensors(dataset.0, text, len, ptr::null(), place, error));
        assert!(tensors.is_null());
        called(|error| arrowfeed_tensors(dataset.0, ptr::null(), 0, ptr::null(), place, error)).unwrap();
        refused("state", &|error| arrowfeed_tensor_stream_load_state(tensors, text, len, error));
        arrowfeed_tensor_stream_free(tensors);
    }
}

#[test]
fn a_length_below_2_63_is_expected() {
    let mut out = ptr::null_mut();
    // SAFETY: the length is refused before the text is read.
    let failure =
        called(|error| unsafe { arrowfeed_open(c"{}".as_ptr(), 1 << 63, ptr::null(), &raw mut out, error) });
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
