//! Outputs of the ops: tensors as components.
//!
//! Numbers are passed without a copy, and kept alive until TensorFlow releases them. TensorFlow copies memory that is not
//! aligned, and does not write to memory that it does not own. Bools and strings are copied in one pass.
//!
//! Unsafe: the memory that TensorFlow receives is as long as its shape says, which is checked, and the argument of its
//! deallocator keeps it alive.
#![expect(unsafe_code, reason = "passes memory, and the object that keeps it alive, to TensorFlow")]

use std::ffi::{c_int, c_void};

use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_buffer::Buffer;
use arrowfeed_tensor::{DType, DenseTensor, RowSplits, Tensor, Values};

use crate::api::{self, Api, OpKernelContext, STRING};
use crate::source::{Code, Failure};
use crate::status::Status;
use crate::string::TfString;

/// The outputs of one step. Those before `next` are written.
pub(crate) struct Outputs<'a> {
    api: &'a Api,
    context: *mut OpKernelContext,
    status: Status<'a>,
    next: c_int,
}

const BOOL: c_int = 10;
const INT64: c_int = 9;

/// The `TF_DataType` of a type.
fn type_of(dtype: DType) -> c_int {
    match dtype {
        DType::Float32 => 1,
        DType::Float64 => 2,
        DType::Int32 => 3,
        DType::UInt8 => 4,
        DType::Int16 => 5,
        DType::Int8 => 6,
        DType::Bytes => STRING,
        DType::Int64 => INT64,
        DType::Bool => BOOL,
        DType::UInt16 => 17,
        DType::Float16 => 19,
        DType::UInt32 => 22,
        DType::UInt64 => 23,
    }
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(api: &'a Api, context: *mut OpKernelContext) -> Self {
        Self { api, context, status: Status::new(api), next: 0 }
    }

    /// Writes the components of all tensors, in the order of their names.
    pub(crate) fn tensors(&mut self, tensors: &[(String, Tensor)]) -> Result<(), Failure> {
        let mut sorted: Vec<&(String, Tensor)> = tensors.iter().collect();
        sorted.sort_by_key(|(name, _)| name);
        sorted.into_iter().try_for_each(|(_, tensor)| self.tensor(tensor))
    }

    fn tensor(&mut self, tensor: &Tensor) -> Result<(), Failure> {
        match tensor {
            Tensor::Dense(dense) => self.dense(dense),
            Tensor::Sparse(sparse) => {
                let values = sparse.values();
                let shape = [values.len() as i64, sparse.rank() as i64];
                self.numbers(INT64, &shape, sparse.indices().inner().clone())?;
                self.values(values, &[values.len() as i64])?;
                let sizes = Buffer::from_vec(sparse.dense_shape().to_vec());
                self.numbers(INT64, &[sparse.rank() as i64], sizes)
            }
            Tensor::Ragged(ragged) => {
                self.dense(ragged.flat_values())?;
                ragged.row_splits().iter().try_for_each(|splits| self.row_splits(splits))
            }
            Tensor::Structured(structured) => self.tensors(structured.fields()),
        }
    }

    fn dense(&mut self, dense: &DenseTensor) -> Result<(), Failure> {
        let shape: Vec<i64> = dense.shape().iter().map(|size| *size as i64).collect();
        self.values(dense.values(), &shape)
    }

    fn row_splits(&mut self, splits: &RowSplits) -> Result<(), Failure> {
        let shape = [splits.rows() as i64 + 1];
        match (splits.as_i32(), splits.as_i64()) {
            (Some(splits), _) => self.numbers(type_of(DType::Int32), &shape, splits.inner().clone()),
            (None, Some(splits)) => self.numbers(INT64, &shape, splits.inner().clone()),
            (None, None) => Err(mismatch("row splits", "none")),
        }
    }

    fn values(&mut self, values: &Values, shape: &[i64]) -> Result<(), Failure> {
        if let Some(buffer) = values.buffer() {
            return self.numbers(type_of(values.dtype()), shape, buffer);
        }
        if let Some(bools) = values.bools() {
            return self.numbers(BOOL, shape, Buffer::from_vec(bools));
        }
        self.strings(values.array(), shape)
    }

    /// Writes numbers, without a copy.
    fn numbers(&mut self, dtype: c_int, shape: &[i64], buffer: Buffer) -> Result<(), Failure> {
        self.expect(dtype)?;
        let (data, len) = (buffer.as_ptr().cast_mut().cast::<c_void>(), buffer.len());
        let owner = Box::into_raw(Box::new(buffer)).cast();
        // SAFETY: `owner` keeps the memory alive until `release`, which TensorFlow calls once. TensorFlow checks that there are
        // as many bytes as the shape and the type say.
        let tensor = unsafe {
            (self.api.new_tensor)(dtype, shape.as_ptr(), shape.len() as c_int, data, len, release, owner)
        };
        self.set(tensor)
    }

    /// Writes strings of any of Arrow's types.
    fn strings(&mut self, array: &ArrayRef, shape: &[i64]) -> Result<(), Failure> {
        use arrow_schema::DataType::*;
        match array.data_type() {
            Utf8 => self.each_string(shape, array.as_string::<i32>().iter().map(|it| it.map(str::as_bytes))),
            LargeUtf8 => {
                self.each_string(shape, array.as_string::<i64>().iter().map(|it| it.map(str::as_bytes)))
            }
            Utf8View => {
                self.each_string(shape, array.as_string_view().iter().map(|it| it.map(str::as_bytes)))
            }
            Binary => self.each_string(shape, array.as_binary::<i32>().iter()),
            LargeBinary => self.each_string(shape, array.as_binary::<i64>().iter()),
            BinaryView => self.each_string(shape, array.as_binary_view().iter()),
            FixedSizeBinary(_) => self.each_string(shape, array.as_fixed_size_binary().iter()),
            other => Err(mismatch("strings", &other.to_string())),
        }
    }

    /// Writes one string, as a scalar.
    pub(crate) fn string(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.each_string(&[], std::iter::once(Some(bytes)))
    }

    fn each_string<'b>(
        &mut self,
        shape: &[i64],
        strings: impl ExactSizeIterator<Item = Option<&'b [u8]>>,
    ) -> Result<(), Failure> {
        self.expect(STRING)?;
        let count = strings.len();
        if shape.iter().product::<i64>() != count as i64 {
            return Err(mismatch(&format!("strings of the shape {shape:?}"), &format!("{count} strings")));
        }
        let (api, dims) = (self.api, shape.len() as c_int);
        // SAFETY: the context is that of the call; TensorFlow makes as many empty strings as the shape has elements.
        let tensor = unsafe {
            let bytes = count * size_of::<TfString>();
            (api.allocate_output)(
                self.context,
                self.next,
                STRING,
                shape.as_ptr(),
                dims,
                bytes,
                self.status.as_ptr(),
            )
        };
        self.status.check()?;
        self.next += 1;
        // SAFETY: the tensor was made above.
        let places = unsafe { (api.tensor_data)(tensor) }.cast::<TfString>();
        let mut written = Ok(());
        for (i, bytes) in strings.enumerate() {
            let Some(string) = TfString::new(bytes.unwrap_or_default()) else {
                written = Err(Failure::new(Code::Unknown, "expected memory for strings, found none"));
                break;
            };
            // SAFETY: the tensor has `count` strings. The overwritten string is empty, and needs no release.
            unsafe { places.add(i).write(string) };
        }
        // SAFETY: the context has its own reference to the tensor.
        unsafe { (api.delete_tensor)(tensor) };
        written
    }

    fn set(&mut self, tensor: *mut api::Tensor) -> Result<(), Failure> {
        if tensor.is_null() {
            return Err(Failure::new(Code::Internal, "expected a tensor of TensorFlow, found none"));
        }
        // SAFETY: the context is that of the call, and has its own reference to the tensor once the output is set.
        unsafe {
            (self.api.set_output)(self.context, self.next, tensor, self.status.as_ptr());
            (self.api.delete_tensor)(tensor);
        }
        self.next += 1;
        self.status.check()
    }

    /// Fails unless the graph expects this type for the next output.
    fn expect(&self, dtype: c_int) -> Result<(), Failure> {
        // SAFETY: the context is that of the call.
        let count = unsafe { (self.api.num_outputs)(self.context) };
        if self.next >= count {
            return Err(mismatch(&format!("{count} outputs, as in the graph"), "more"));
        }
        // SAFETY: the output with this number exists.
        let expected = unsafe { (self.api.expected_output_type)(self.context, self.next) };
        if expected == dtype {
            return Ok(());
        }
        let place = format!("output {} of type {expected}, as in the graph", self.next);
        Err(mismatch(&place, &format!("type {dtype}")))
    }

    /// Fails unless all outputs were written.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        // SAFETY: the context is that of the call.
        let count = unsafe { (self.api.num_outputs)(self.context) };
        if self.next == count {
            return Ok(());
        }
        Err(mismatch(&format!("{count} outputs, as in the graph"), &self.next.to_string()))
    }
}

#[cold]
fn mismatch(expected: &str, found: &str) -> Failure {
    Failure::new(Code::InvalidArgument, format!("expected {expected}, found {found}"))
}

/// Releases the memory of an output.
unsafe extern "C" fn release(_data: *mut c_void, _len: usize, owner: *mut c_void) {
    // SAFETY: `numbers` made the owner, and TensorFlow releases it once.
    drop(unsafe { Box::from_raw(owner.cast::<Buffer>()) });
}
