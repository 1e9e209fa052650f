//! Python file objects as byte streams for reading and writing.

use std::io::{self, Read, Seek, SeekFrom, Write};

use pyo3::exceptions::{PyBlockingIOError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use crate::errors::io_error;
use crate::object::Object;
use crate::shutdown::{self, call_method, has_attribute, try_attach};

/// Reads from the current position of a file object. [`io::Error`] carries its exceptions, which are raised unchanged.
pub(crate) struct PythonFile {
    object: Object,
    /// Name of the argument, for messages.
    argument: &'static str,
}

impl PythonFile {
    /// Wraps the file of the caller.
    pub(crate) fn given(argument: &'static str, file: Bound<'_, PyAny>) -> Self {
        Self { object: Object::new(file.unbind()), argument }
    }

    fn read_some(&mut self, py: Python<'_>, into: &mut [u8]) -> PyResult<usize> {
        let file = self.object.bind(py);
        if has_attribute(file, "read")? {
            let got = call_method(file, "read", (into.len(),))?;
            self.copy(&self.bytes_of(&got)?, into)
        } else {
            let buffer = PyByteArray::new(py, into);
            let got = call_method(file, "readinto", (&buffer,))?;
            if got.is_none() {
                return Err(self.no_data());
            }
            let bytes = buffer.to_vec();
            let got = got.extract::<usize>()?;
            self.copy(bytes.get(..got).ok_or_else(|| self.too_many(got, into.len()))?, into)
        }
    }

    fn bytes_of<'py>(&self, got: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        if got.is_none() {
            return Err(self.no_data());
        }
        match got.cast::<PyBytes>() {
            Ok(bytes) => Ok(bytes.clone()),
            Err(_) if is_buffer(got) => copied(got),
            Err(_) => {
                let hint =
                    if got.is_instance_of::<PyString>() { ": open the file in binary mode" } else { "" };
                let (argument, kind) = (self.argument, got.get_type().name()?);
                let message = format!("{argument}: expected bytes from read(), found {kind}{hint}");
                Err(PyTypeError::new_err(message))
            }
        }
    }

    fn copy(&self, bytes: &(impl AsRef<[u8]> + ?Sized), into: &mut [u8]) -> PyResult<usize> {
        let bytes = bytes.as_ref();
        let (found, most) = (bytes.len(), into.len());
        into.get_mut(..found).ok_or_else(|| self.too_many(found, most))?.copy_from_slice(bytes);
        Ok(found)
    }

    fn too_many(&self, found: usize, most: usize) -> PyErr {
        let argument = self.argument;
        PyValueError::new_err(format!("{argument}: expected at most {most} bytes from a read, found {found}"))
    }

    fn no_data(&self) -> PyErr {
        let argument = self.argument;
        PyBlockingIOError::new_err(format!(
            "{argument}: expected a blocking file object, found a non-blocking one"
        ))
    }
}

impl Read for PythonFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        attached(|py| self.read_some(py, into))
    }
}

/// Only for files that support it.
impl Seek for PythonFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        attached(|py| {
            let file = self.object.bind(py);
            match to {
                SeekFrom::Start(offset) => {
                    call_method(file, "seek", (offset,))?;
                    return Ok(offset);
                }
                SeekFrom::Current(offset) => call_method(file, "seek", (offset, 1))?,
                SeekFrom::End(offset) => call_method(file, "seek", (offset, 2))?,
            };
            // `seek` returns `None` for some files of Beam.
            call_method(file, "tell", ())?.extract()
        })
    }
}

/// Whether an object is a buffer whose bytes can be copied. For a number, `bytes` would return zeros.
pub(crate) fn is_buffer(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>()
}

/// The bytes of a buffer.
pub(crate) fn copied<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    Ok(shutdown::call(&value.py().get_type::<PyBytes>(), (value,))?.cast_into()?)
}

/// Writes to a Python file object. [`io::Error`] carries its exceptions.
pub(crate) struct PythonSink {
    object: Object,
    /// Name of the argument, for messages.
    argument: &'static str,
}

impl PythonSink {
    /// Wraps the file of the caller, which stays open.
    pub(crate) fn new(argument: &'static str, file: Bound<'_, PyAny>) -> Self {
        Self { object: Object::new(file.unbind()), argument }
    }
}

impl Write for PythonSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        attached(|py| {
            let taken = call_method(self.object.bind(py), "write", (PyBytes::new(py, bytes),))?;
            let argument = self.argument;
            if taken.is_none() {
                return Err(PyBlockingIOError::new_err(format!(
                    "{argument}: expected a blocking file object, found a non-blocking one"
                )));
            }
            let taken = taken.extract::<usize>()?;
            if taken == 0 || taken > bytes.len() {
                let found = bytes.len();
                return Err(PyValueError::new_err(format!(
                    "{argument}: expected write() to take some of {found} bytes, found {taken}"
                )));
            }
            Ok(taken)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        attached(|py| {
            let file = self.object.bind(py);
            if has_attribute(file, "flush")? {
                call_method(file, "flush", ())?;
            }
            Ok(())
        })
    }
}

/// Runs `work` with the interpreter. The error carries an exception of Python code.
fn attached<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> io::Result<T> {
    match try_attach(|py| work(py).map_err(|error| io_error(py, error))) {
        Some(done) => done,
        None => Err(io::Error::other("expected a running Python interpreter, found it shut down")),
    }
}
