//! Opens and reads the file of the tests with any options of the C interface. Expects a reading, or an error with a message that is
//! not a defect.

#![expect(unsafe_code, reason = "calls the functions of the C interface")]

use std::ffi::CStr;
use std::ptr;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrowfeed_c::*;
use arrowfeed_tensor::dlpack::Managed;
use serde_json::Value;

use crate::input::decoded;

/// Maximum number of batches that are read: the number of epochs may be infinite.
const MOST_BATCHES: usize = 4;

/// Frees an error, which is not a defect and has a message.
fn checked(error: *mut Error) {
    // SAFETY: the error comes from the interface.
    unsafe {
        assert_ne!(arrowfeed_error_kind(error), ErrorKind::Internal as i32);
        assert!(!CStr::from_ptr(arrowfeed_error_message(error)).is_empty());
        arrowfeed_error_free(error);
    }
}

/// Maximum number in the options of tensors, whose shapes and paddings state how much memory is needed.
const LARGEST_SIZE: u64 = 1000;

/// The value with no integer above [`LARGEST_SIZE`].
fn with_small_sizes(value: &mut Value) {
    match value {
        Value::Number(number) if number.as_u64().is_some_and(|number| number > LARGEST_SIZE) => {
            *value = LARGEST_SIZE.into();
        }
        Value::Array(items) => items.iter_mut().for_each(with_small_sizes),
        Value::Object(fields) => fields.values_mut().for_each(with_small_sizes),
        _ => (),
    }
}

/// The options with the file of the tests. Options that name other paths, directories or threads are left out.
fn with_path(options: &str) -> Option<String> {
    let mut options = serde_json::from_str::<Value>(options).ok()?;
    let object = options.as_object_mut()?;
    for name in ["cache", "index"] {
        object.remove(name);
    }
    if let Some(tensors) = object.get_mut("tensors") {
        with_small_sizes(tensors);
    }
    object.insert("paths".into(), concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/example.avro").into());
    Some(options.to_string())
}

pub(crate) fn run(bytes: &[u8]) {
    let Some(text) = decoded::<&str>(bytes) else { return };
    let (of_dataset, of_iteration) = text.split_once('\0').unwrap_or((text, "{}"));
    // A text that is not an object is an error of the parser.
    let options = with_path(of_dataset).unwrap_or_else(|| of_dataset.to_owned());
    let of_iteration = threads_limited(of_iteration);
    let (mut dataset, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the texts have their lengths, and the places are variables. All objects are freed once.
    unsafe {
        let (text, len) = (options.as_ptr().cast(), options.len());
        if arrowfeed_open(text, len, ptr::null(), &raw mut dataset, &raw mut error) != 0 {
            return checked(error);
        }
        read(dataset, &of_iteration);
        tensors(dataset, &of_iteration);
        described(dataset);
        split(dataset, &of_iteration);
        arrowfeed_dataset_free(dataset);
    }
}

/// The options without a number of threads that would exhaust the system.
fn threads_limited(options: &str) -> String {
    match serde_json::from_str::<Value>(options) {
        Ok(Value::Object(mut object)) => {
            object.insert("threads".into(), 1.into());
            object.remove("decodes_ahead");
            Value::Object(object).to_string()
        }
        _ => options.to_owned(),
    }
}

/// # Safety
/// The dataset is that of the interface.
unsafe fn read(dataset: *const Dataset, options: &str) {
    let (mut stream, mut error) = (FFI_ArrowArrayStream::empty(), ptr::null_mut());
    // SAFETY: as above.
    unsafe {
        let (text, len) = (options.as_ptr().cast(), options.len());
        if arrowfeed_read(dataset, text, len, ptr::null(), &raw mut stream, &raw mut error) != 0 {
            return checked(error);
        }
        // The options are also a text that is not a state.
        if arrowfeed_stream_load_state(&raw mut stream, text, len, &raw mut error) != 0 {
            checked(error);
        }
        let next = stream.get_next.expect("a function");
        for _ in 0..MOST_BATCHES {
            let mut array = FFI_ArrowArray::empty();
            if next(&raw mut stream, &raw mut array) != 0 {
                return checked(arrowfeed_stream_error(&raw const stream));
            }
        }
    }
}

/// # Safety
/// The dataset is that of the interface.
unsafe fn tensors(dataset: *const Dataset, options: &str) {
    let (mut stream, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: as above.
    unsafe {
        let (text, len) = (options.as_ptr().cast(), options.len());
        if arrowfeed_tensors(dataset, text, len, ptr::null(), &raw mut stream, &raw mut error) != 0 {
            return checked(error);
        }
        for _ in 0..MOST_BATCHES {
            let mut batch = ptr::null_mut();
            if arrowfeed_tensor_stream_next(stream, &raw mut batch, &raw mut error) != 0 {
                checked(error);
                break;
            }
            parts(batch);
            arrowfeed_tensor_batch_free(batch);
        }
        arrowfeed_tensor_stream_free(stream);
    }
}

/// # Safety
/// The batch is NULL or that of the interface.
unsafe fn parts(batch: *const TensorBatch) {
    // SAFETY: as above.
    unsafe {
        // One index, part and level more than there are.
        for index in 0..=arrowfeed_tensor_count(batch) {
            for (part, level) in (0..7).flat_map(|part| [(part, 0), (part, 1)]) {
                let (mut out, mut error) = (ptr::null_mut(), ptr::null_mut());
                match arrowfeed_tensor_part(batch, index, part, level, &raw mut out, &raw mut error) {
                    0 => drop(Managed::from_raw(out)),
                    _ => checked(error),
                }
            }
        }
    }
}

/// # Safety
/// The dataset is that of the interface.
unsafe fn described(dataset: *const Dataset) {
    let mut error = ptr::null_mut();
    let taken = |kind, text, error| match kind {
        // SAFETY: the text comes from the interface.
        0 => unsafe { arrowfeed_string_free(text) },
        _ => checked(error),
    };
    // SAFETY: as above; the places are variables.
    unsafe {
        let (mut rows, mut text) = (0, ptr::null_mut());
        if arrowfeed_count(dataset, ptr::null(), &raw mut rows, &raw mut error) != 0 {
            checked(error);
        }
        taken(arrowfeed_tensor_specs(dataset, &raw mut text, &raw mut error), text, error);
        taken(arrowfeed_report(dataset, &raw mut text, &raw mut error), text, error);
        taken(arrowfeed_plan_splits(dataset, 100, ptr::null(), &raw mut text, &raw mut error), text, error);
    }
}

/// Reads a split of which the options are the text.
///
/// # Safety
/// The dataset is that of the interface.
unsafe fn split(dataset: *const Dataset, text: &str) {
    let (mut stream, mut error) = (FFI_ArrowArrayStream::empty(), ptr::null_mut());
    // SAFETY: as above; the text has this length.
    unsafe {
        let (text, len) = (text.as_ptr().cast(), text.len());
        let none = ptr::null();
        if arrowfeed_read_split(dataset, text, len, none, 0, ptr::null(), &raw mut stream, &raw mut error)
            != 0
        {
            return checked(error);
        }
        let (next, mut array) = (stream.get_next.expect("a function"), FFI_ArrowArray::empty());
        if next(&raw mut stream, &raw mut array) != 0 {
            checked(arrowfeed_stream_error(&raw const stream));
        }
    }
}

/// Options of the C interface: those of a dataset without paths, and of an iteration after a NUL.
const SEEDS: [&str; 9] = [
    "{}\0{}",
    r#"{"columns": ["id"], "filter": "id > 1", "skip": 1, "take": 2}"#,
    "{\"file_column\": \"f\", \"limits\": {\"batch_bytes\": 9}}\0{\"batch_size\": 2, \"epochs\": 2, \"shuffle_buffer_size\": 3, \"seed\": 1}",
    r#"{"format_options": {"reader_schema": {"type": "record", "name": "r", "fields": [{"name": "id", "type": "double"}]}}}"#,
    "{\"tensors\": {\"a\": {\"kind\": \"dense\", \"column\": \"id\", \"shape\": [1], \"default\": 0, \"pad\": true}}}\0{\"by_length\": {\"column\": \"id\", \"window\": 9}}",
    "{\"exclude\": [\"tags\"], \"row_column\": \"r\", \"partitioning\": [{\"name\": \"day\", \"type\": \"Int32\"}], \"limits\": {\"schema_depth\": 99}}\0{\"global\": {\"size\": 2, \"streams\": 2, \"even\": \"drop\"}, \"shard\": [0, 2]}",
    "{\"format\": \"csv\", \"format_options\": {\"delimiter\": \"|\", \"header\": false, \"schema\": [{\"name\": \"a\", \"type\": \"Utf8\"}]}}\0{\"on_error\": \"skip_file\", \"rows\": [0, 9]}",
    "{\"tensors\": {\"a\": {\"kind\": \"var_len_sparse\", \"column\": \"tags\"}, \"b\": {\"kind\": \"var_len_ragged\", \"column\": \"tags\", \"padding\": {\"to\": {\"multiple_of\": 4}, \"value\": \"\"}}, \"c\": {\"kind\": \"ragged\", \"path\": [\"tags\"], \"row_splits_dtype\": \"int32\"}}}\0{\"drop_remainder\": true, \"across_epochs\": true, \"batch_size\": 2, \"epochs\": null}",
    r#"{"tensors": {"s": {"kind": "sparse", "index_columns": ["id"], "value_column": "id", "dense_shape": [null]}, "t": {"kind": "structured", "columns": ["id"]}}}"#,
];

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    SEEDS.map(Vec::from).into()
}
