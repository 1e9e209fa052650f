//! The C interface with types that free what it makes.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::ptr;

use arrow_array::RecordBatch;
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrowfeed_c::*;
use serde_json::json;

/// The text of a C string that C owns.
pub(crate) fn text(text: *const c_char) -> Option<String> {
    // SAFETY: the interface returns NULL or a text that ends with NUL.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned())
}

/// An error, as its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) file: Option<String>,
    pub(crate) field: Option<String>,
    pub(crate) limit: Option<String>,
    /// Block, record, offset.
    pub(crate) place: (i64, i64, i64),
    pub(crate) errno: i32,
}

impl Failure {
    /// Reads an error and frees it.
    pub(crate) fn of(error: *mut Error) -> Self {
        // SAFETY: the error comes from the interface, and is freed once.
        unsafe {
            let failure = Self {
                kind: ErrorKind::of(arrowfeed_error_kind(error)).unwrap(),
                message: text(arrowfeed_error_message(error)).unwrap(),
                file: text(arrowfeed_error_file(error)),
                field: text(arrowfeed_error_field(error)),
                limit: text(arrowfeed_error_limit(error)),
                place: (
                    arrowfeed_error_block(error),
                    arrowfeed_error_record(error),
                    arrowfeed_error_offset(error),
                ),
                errno: arrowfeed_error_errno(error),
            };
            arrowfeed_error_free(error);
            failure
        }
    }

    /// Its kind and its message.
    pub(crate) fn shown(self) -> (ErrorKind, String) {
        (self.kind, self.message)
    }
}

/// Calls a function of the interface, and checks that its result and its error agree.
pub(crate) fn called(call: impl FnOnce(*mut *mut Error) -> c_int) -> Result<(), Failure> {
    // An address that the call must replace.
    let mut error = ptr::without_provenance_mut(8);
    let result = call(&raw mut error);
    if error.is_null() {
        assert_eq!(result, 0);
        return Ok(());
    }
    let failure = Failure::of(error);
    assert_eq!(result, failure.kind as c_int);
    Err(failure)
}

/// A text that C owns, which is freed.
pub(crate) fn taken(given: *mut c_char) -> String {
    let taken = text(given).unwrap();
    // SAFETY: the text comes from the interface, and is freed once.
    unsafe { arrowfeed_string_free(given) };
    taken
}

pub(crate) struct Opened(pub(crate) *mut Dataset);

// SAFETY: the header allows several threads to use a dataset.
unsafe impl Sync for Opened {}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: the dataset comes from the interface, and is freed once.
        unsafe { arrowfeed_dataset_free(self.0) };
    }
}

pub(crate) fn open(options: &str) -> Result<Opened, Failure> {
    open_with(options, ptr::null())
}

pub(crate) fn open_with(options: &str, cancel: *const Cancel) -> Result<Opened, Failure> {
    let mut out = ptr::without_provenance_mut(8);
    // SAFETY: the text has this length; the places are variables.
    let result = called(|error| unsafe {
        arrowfeed_open(options.as_ptr().cast(), options.len(), cancel, &raw mut out, error)
    });
    assert_eq!(result.is_err(), out.is_null());
    result.map(|()| Opened(out))
}

/// The file of the tests: 3 records.
pub(crate) fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro")
}

/// The options of [`example`] with further ones.
pub(crate) fn example_with(others: serde_json::Value) -> String {
    let mut options = json!({"paths": example()});
    options.as_object_mut().unwrap().extend(others.as_object().unwrap().clone());
    options.to_string()
}

/// A file that is removed at the end.
pub(crate) struct TempFile(pub(crate) PathBuf);

impl TempFile {
    pub(crate) fn new(name: &str, bytes: &[u8]) -> Self {
        let directory = std::env::temp_dir().join(format!("arrowfeed-c-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join(name);
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }

    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        open(&json!({"paths": self.0}).to_string())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Opened {
    pub(crate) fn read(&self, options: &str) -> Result<FFI_ArrowArrayStream, Failure> {
        self.read_with(options, ptr::null())
    }

    pub(crate) fn read_with(
        &self,
        options: &str,
        cancel: *const Cancel,
    ) -> Result<FFI_ArrowArrayStream, Failure> {
        let options = CString::new(options).unwrap();
        let mut stream = FFI_ArrowArrayStream::empty();
        // SAFETY: the text ends with NUL; the places are variables.
        called(|error| unsafe {
            arrowfeed_read(self.0, options.as_ptr(), NUL_TERMINATED, cancel, &raw mut stream, error)
        })?;
        Ok(stream)
    }

    pub(crate) fn batches(&self, options: &str) -> Vec<RecordBatch> {
        batches(self.read(options).unwrap())
    }

    pub(crate) fn rows(&self) -> u64 {
        let mut rows = u64::MAX;
        // SAFETY: the places are variables.
        called(|error| unsafe { arrowfeed_count(self.0, ptr::null(), &raw mut rows, error) }).unwrap();
        rows
    }
}

/// The batches of a stream, read by arrow-rs.
pub(crate) fn batches(stream: FFI_ArrowArrayStream) -> Vec<RecordBatch> {
    ArrowArrayStreamReader::try_new(stream).unwrap().map(Result::unwrap).collect()
}
