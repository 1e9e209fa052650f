//! Inputs of the ops: tensors of strings.
//!
//! Unsafe: a tensor of strings has as many strings as elements, in TensorFlow's layout, and is alive until it is deleted.
#![expect(unsafe_code, reason = "reads the strings of TensorFlow's tensors")]

use std::ffi::c_int;
use std::{ptr, slice};

use crate::api::{self, Api, OpKernelContext, STRING};
use crate::source::{Code, Failure};
use crate::status::Status;
use crate::string::TfString;

/// An input of strings. Deletes the tensor when it is dropped.
pub(crate) struct Strings<'a> {
    api: &'a Api,
    tensor: *mut api::Tensor,
}

impl<'a> Strings<'a> {
    /// Gets the input with this number. `name` is for messages, and `rank` is the required number of dimensions.
    pub(crate) fn input(
        api: &'a Api,
        context: *mut OpKernelContext,
        number: c_int,
        name: &str,
        rank: c_int,
    ) -> Result<Self, Failure> {
        let status = Status::new(api);
        let mut tensor = ptr::null_mut();
        // SAFETY: the context is that of the call.
        unsafe { (api.get_input)(context, number, &raw mut tensor, status.as_ptr()) };
        status.check()?;
        let strings = Self { api, tensor };
        // SAFETY: the tensor is alive until it is deleted.
        let (dtype, found) = unsafe { ((api.tensor_type)(tensor), (api.num_dims)(tensor)) };
        if dtype != STRING || found != rank {
            let message =
                format!("{name}: expected strings of rank {rank}, found type {dtype} of rank {found}");
            return Err(Failure::new(Code::InvalidArgument, message));
        }
        Ok(strings)
    }

    /// The bytes of the first string, which is the only one of a scalar.
    pub(crate) fn first(&self) -> &[u8] {
        self.iter().next().unwrap_or_default()
    }

    /// The bytes of each string.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        // SAFETY: the tensor has `count` strings and is alive. Without elements its address may be null.
        let strings: &[TfString] = unsafe {
            let count = usize::try_from((self.api.element_count)(self.tensor)).unwrap_or(0);
            let data = (self.api.tensor_data)(self.tensor).cast::<TfString>();
            if count == 0 || data.is_null() { &[] } else { slice::from_raw_parts(data, count) }
        };
        // SAFETY: TensorFlow made the strings.
        strings.iter().map(|string| unsafe { string.bytes() })
    }
}

impl Drop for Strings<'_> {
    fn drop(&mut self) {
        // SAFETY: the tensor is not used any more.
        unsafe { (self.api.delete_tensor)(self.tensor) }
    }
}
