//! Functions of TensorFlow's C API, looked up in its library.
//!
//! Unsafe: each symbol has the type that TensorFlow's headers declare for it (`tensorflow/c/*.h`, the same in 2.16 and 2.21).
//! The library is never unloaded, because TensorFlow itself is not.
#![expect(unsafe_code, reason = "looks up and calls functions of TensorFlow's C API")]

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

/// Opaque types of TensorFlow, of which this crate only has pointers.
macro_rules! opaque {
    ($($name:ident)*) => {
        $(
            #[repr(C)]
            pub(crate) struct $name {
                _private: [u8; 0],
            }
        )*
    };
}

opaque!(Status Tensor OpKernelContext OpKernelConstruction KernelBuilder OpDefinitionBuilder ShapeInferenceContext);

/// `TF_DataType` of strings.
pub(crate) const STRING: c_int = 7;

pub(crate) type Create = unsafe extern "C" fn(*mut OpKernelConstruction) -> *mut c_void;
pub(crate) type Compute = unsafe extern "C" fn(*mut c_void, *mut OpKernelContext);
pub(crate) type Delete = unsafe extern "C" fn(*mut c_void);
pub(crate) type InferShapes = unsafe extern "C" fn(*mut ShapeInferenceContext, *mut Status);
pub(crate) type Deallocate = unsafe extern "C" fn(*mut c_void, usize, *mut c_void);

macro_rules! functions {
    ($($field:ident = $symbol:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Functions of the C API, each under the last part of its name.
        pub(crate) struct Api {
            $(pub(crate) $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Api {
            /// Looks up all functions in the library at this path, which TensorFlow has already loaded.
            pub(crate) fn load(library: &Path) -> Result<Self, libloading::Error> {
                // SAFETY: TensorFlow has already loaded the library, so its initialisers do not run again.
                let library = std::mem::ManuallyDrop::new(unsafe { Library::new(library)? });
                // SAFETY: each symbol has the declared type, and the library is never unloaded.
                unsafe { Ok(Self { $($field: *library.get(concat!(stringify!($symbol), "\0").as_bytes())?,)* }) }
            }
        }
    };
}

functions! {
    new_status = TF_NewStatus() -> *mut Status;
    delete_status = TF_DeleteStatus(*mut Status);
    set_status = TF_SetStatus(*mut Status, c_int, *const c_char);
    get_code = TF_GetCode(*const Status) -> c_int;
    message = TF_Message(*const Status) -> *const c_char;

    new_op_definition_builder = TF_NewOpDefinitionBuilder(*const c_char) -> *mut OpDefinitionBuilder;
    add_attr = TF_OpDefinitionBuilderAddAttr(*mut OpDefinitionBuilder, *const c_char);
    add_input = TF_OpDefinitionBuilderAddInput(*mut OpDefinitionBuilder, *const c_char);
    add_output = TF_OpDefinitionBuilderAddOutput(*mut OpDefinitionBuilder, *const c_char);
    set_shape_function = TF_OpDefinitionBuilderSetShapeInferenceFunction(*mut OpDefinitionBuilder, InferShapes);
    register_op = TF_RegisterOpDefinition(*mut OpDefinitionBuilder, *mut Status);
    set_unknown_shape = TF_ShapeInferenceContextSetUnknownShape(*mut ShapeInferenceContext, *mut Status);

    new_kernel_builder = TF_NewKernelBuilder(*const c_char, *const c_char, Option<Create>, Compute, Option<Delete>)
        -> *mut KernelBuilder;
    register_kernel = TF_RegisterKernelBuilder(*const c_char, *mut KernelBuilder, *mut Status);
    get_attr_size = TF_OpKernelConstruction_GetAttrSize(*mut OpKernelConstruction, *const c_char, *mut i32, *mut i32,
        *mut Status);
    get_attr_string = TF_OpKernelConstruction_GetAttrString(*mut OpKernelConstruction, *const c_char, *mut c_char, usize,
        *mut Status);
    construction_failure = TF_OpKernelConstruction_Failure(*mut OpKernelConstruction, *mut Status);
    context_failure = TF_OpKernelContext_Failure(*mut OpKernelContext, *mut Status);

    get_input = TF_GetInput(*mut OpKernelContext, c_int, *mut *mut Tensor, *mut Status);
    num_outputs = TF_NumOutputs(*mut OpKernelContext) -> c_int;
    expected_output_type = TF_ExpectedOutputDataType(*mut OpKernelContext, c_int) -> c_int;
    allocate_output = TF_AllocateOutput(*mut OpKernelContext, c_int, c_int, *const i64, c_int, usize, *mut Status)
        -> *mut Tensor;
    set_output = TF_SetOutput(*mut OpKernelContext, c_int, *const Tensor, *mut Status);

    new_tensor = TF_NewTensor(c_int, *const i64, c_int, *mut c_void, usize, Deallocate, *mut c_void) -> *mut Tensor;
    delete_tensor = TF_DeleteTensor(*mut Tensor);
    tensor_data = TF_TensorData(*const Tensor) -> *mut c_void;
    tensor_type = TF_TensorType(*const Tensor) -> c_int;
    num_dims = TF_NumDims(*const Tensor) -> c_int;
    element_count = TF_TensorElementCount(*const Tensor) -> i64;
}
