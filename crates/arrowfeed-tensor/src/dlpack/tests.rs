#![expect(
    unsafe_code,
    reason = "attacks the import with structs of any numbers, and releases structs as C would"
)]

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{
    ArrayRef, BooleanArray, Float16Array, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array,
    Int64Array, LargeBinaryArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use half::f16;

use super::*;
use crate::{DenseTensor, RowSplits, Values};

fn dense(array: ArrayRef, shape: &[usize]) -> DenseTensor {
    DenseTensor::try_new(Values::try_new(array).unwrap(), shape.to_vec()).unwrap()
}

fn arrays() -> Vec<ArrayRef> {
    vec![
        Arc::new(BooleanArray::from(vec![true, false, true, true, false, true])),
        Arc::new(Int8Array::from_iter_values(-3..3)),
        Arc::new(Int16Array::from_iter_values(-3..3)),
        Arc::new(Int32Array::from_iter_values(-3..3)),
        Arc::new(Int64Array::from_iter_values(-3..3)),
        Arc::new(UInt8Array::from_iter_values(0..6)),
        Arc::new(UInt16Array::from_iter_values(0..6)),
        Arc::new(UInt32Array::from_iter_values(0..6)),
        Arc::new(UInt64Array::from_iter_values(0..6)),
        Arc::new(Float16Array::from_iter_values((0..6).map(|i| f16::from_f32(i as f32)))),
        Arc::new(Float32Array::from_iter_values((0..6).map(|i| i as f32))),
        Arc::new(Float64Array::from_iter_values((0..6).map(f64::from))),
    ]
}

#[test]
fn each_type_and_form_comes_back_as_it_was() {
    for array in arrays() {
        for (array, shape) in
            [(array.clone(), vec![2, 3]), (array.slice(1, 5), vec![5, 1]), (array.slice(6, 0), vec![3, 0])]
        {
            let tensor = dense(array, &shape);
            let export = Export::of_dense(&tensor).unwrap();
            assert_eq!(import(export.clone().into_managed::<VersionedTensor>()).unwrap(), tensor);
            assert_eq!(import(export.into_managed::<LegacyTensor>()).unwrap(), tensor);
        }
    }
    let scalar = dense(Arc::new(Int64Array::from(vec![7])), &[]);
    assert_eq!(import(Export::of_dense(&scalar).unwrap().into_managed::<VersionedTensor>()).unwrap(), scalar);
}

#[test]
fn numbers_share_their_memory_and_bools_are_copied() {
    for array in arrays() {
        let tensor = dense(array, &[6]);
        let managed: Managed<VersionedTensor> = Export::of_dense(&tensor).unwrap().into_managed();
        let address = managed.get().tensor.data as usize;
        let flag = managed.get().flags;
        let imported = import(managed).unwrap();
        match tensor.values().buffer() {
            Some(buffer) => {
                assert_eq!((address, flag), (buffer.as_ptr() as usize, flags::READ_ONLY));
                assert_eq!(imported.values().buffer().unwrap().as_ptr(), buffer.as_ptr());
            }
            None => assert_eq!(flag, flags::IS_COPIED),
        }
    }
}

#[test]
fn the_memory_stays_until_the_last_user_is_gone() {
    let tensor = dense(Arc::new(Int64Array::from_iter_values(0..1000)), &[10, 100]);
    let exported: Managed<VersionedTensor> = Export::of_dense(&tensor).unwrap().into_managed();
    drop(tensor);
    let imported = import(exported).unwrap();
    let copy = imported.clone();
    drop(imported);
    assert_eq!(copy.values().as_i64().unwrap()[999], 999);
    // The strides follow the shape.
    let managed: Managed<LegacyTensor> = Export::of_dense(&copy).unwrap().into_managed();
    // SAFETY: the tensor has two dimensions.
    let sizes = unsafe {
        let tensor = managed.get().tensor();
        (std::slice::from_raw_parts(tensor.shape, 2), std::slice::from_raw_parts(tensor.strides, 2))
    };
    assert_eq!(sizes, (&[10, 100][..], &[100, 1][..]));
}

#[test]
fn row_splits_have_their_width() {
    let splits = RowSplits::from_i32(vec![0, 1, 1, 3].into()).unwrap();
    let imported = import(Export::of_row_splits(&splits).unwrap().into_managed::<VersionedTensor>()).unwrap();
    assert_eq!(imported.values().as_i32(), Some(&[0, 1, 1, 3][..]));
    let splits = RowSplits::from_i64(vec![0, 2].into()).unwrap();
    let imported = import(Export::of_row_splits(&splits).unwrap().into_managed::<VersionedTensor>()).unwrap();
    assert_eq!(imported.values().as_i64(), Some(&[0, 2][..]));
}

#[test]
fn what_dlpack_lacks_is_an_error_of_the_export() {
    let bytes = dense(Arc::new(LargeBinaryArray::from(vec![&b"a"[..]])), &[1]);
    let numbers = dense(Arc::new(Int64Array::from(vec![7])), &[1; 65]);
    let message = |export: Result<Export, DlpackError>| export.unwrap_err().to_string();
    let expected = "expected numbers or bools, found byte strings, which DLPack does not have";
    assert_eq!(message(Export::of_dense(&bytes)), expected);
    let expected = "expected at most 64 dimensions of sizes below 2^63, found 65 dimensions";
    assert_eq!(message(Export::of_dense(&numbers)), expected);
    let expected = "expected memory of int64 [2], found 8 bytes";
    assert_eq!(message(Export::of_int64(&vec![1].into(), &[2])), expected);
}

/// A struct of another library, as hostile as its fields.
struct Foreign {
    data: Vec<u64>,
    shape: Vec<i64>,
    strides: Option<Vec<i64>>,
    edit: fn(&mut VersionedTensor),
}

impl Foreign {
    fn new(shape: &[i64], edit: fn(&mut VersionedTensor)) -> Self {
        Self { data: (0..6).collect(), shape: shape.to_vec(), strides: None, edit }
    }
}

/// Imports the struct, and checks that it is freed once.
fn imported(foreign: Foreign) -> Result<DenseTensor, String> {
    unsafe extern "C" fn delete(managed: *mut VersionedTensor) {
        // SAFETY: the context is the counter of the call below, and the struct is its box.
        unsafe {
            let counter = Arc::from_raw((*managed).manager_ctx.cast::<AtomicUsize>());
            counter.fetch_add(1, Ordering::Relaxed);
            drop(Box::from_raw(managed));
        }
    }
    let Foreign { mut data, mut shape, mut strides, edit } = foreign;
    let counter = Arc::new(AtomicUsize::new(0));
    let tensor = RawTensor {
        data: data.as_mut_ptr().cast::<c_void>(),
        device: CPU,
        ndim: shape.len() as i32,
        dtype: DataType { code: 0, bits: 64, lanes: 1 },
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut().map_or(ptr::null_mut(), |strides| strides.as_mut_ptr()),
        byte_offset: 0,
    };
    let mut managed = Box::new(VersionedTensor {
        version: Version { major: 1, minor: 3 },
        manager_ctx: Arc::into_raw(counter.clone()).cast_mut().cast(),
        deleter: Some(delete),
        flags: 0,
        tensor,
    });
    edit(&mut managed);
    // SAFETY: the vectors live until the end of this function, and the tensor until then.
    let managed = unsafe { Managed::from_raw(Box::into_raw(managed)) }.unwrap();
    let imported = import(managed).map_err(|error| error.to_string());
    // The values are read before their memory goes.
    let copied = imported.map(|tensor| {
        let rows = tensor.values().len();
        let indices = arrow_array::UInt64Array::from_iter_values(0..rows as u64);
        let array = arrow_select::take::take(&**tensor.values().array(), &indices, None).unwrap();
        dense(array, tensor.shape())
    });
    assert_eq!(counter.load(Ordering::Relaxed), 1, "freed once");
    copied
}

#[test]
fn a_tensor_without_strides_is_in_row_major_order() {
    let tensor = imported(Foreign::new(&[2, 3], |_| ())).unwrap();
    assert_eq!((tensor.shape(), tensor.values().as_i64().unwrap()), (&[2, 3][..], &[0, 1, 2, 3, 4, 5][..]));
    // Strides of dimensions of size 1 are arbitrary.
    let odd = Foreign { strides: Some(vec![3, -77, 1]), ..Foreign::new(&[2, 1, 3], |_| ()) };
    assert_eq!(imported(odd).unwrap().shape(), [2, 1, 3]);
    let empty = Foreign {
        strides: Some(vec![5, 5]),
        ..Foreign::new(&[i64::MAX, 0], |tensor| {
            tensor.tensor.data = ptr::null_mut();
        })
    };
    assert_eq!(imported(empty).unwrap().shape(), [i64::MAX as usize, 0]);
}

#[test]
fn an_offset_leads_to_the_first_element_and_unaligned_memory_is_copied() {
    let offset = imported(Foreign::new(&[2], |tensor| tensor.tensor.byte_offset = 16)).unwrap();
    assert_eq!(offset.values().as_i64().unwrap(), [2, 3]);
    let unaligned = imported(Foreign::new(&[2], |tensor| {
        tensor.tensor.byte_offset = 7;
        tensor.tensor.dtype.bits = 16;
    }));
    assert_eq!(unaligned.unwrap().values().array().data_type(), &arrow_schema::DataType::Int16);
    let bools = imported(Foreign::new(&[3, 8], |tensor| {
        tensor.tensor.dtype = DataType { code: 6, bits: 8, lanes: 1 };
    }));
    let bools = bools.unwrap();
    assert_eq!(bools.values().bools().unwrap()[..17].iter().filter(|bool| **bool == 1).count(), 2);
}

#[test]
fn hostile_numbers_are_errors_that_name_them() {
    let strided =
        |strides: &[i64]| Foreign { strides: Some(strides.to_vec()), ..Foreign::new(&[2, 3], |_| ()) };
    let of = Foreign::new;
    let cases: Vec<(Foreign, &str)> = vec![
        (of(&[6], |t| t.version.major = 2), "expected a tensor of version 1, found version 2.3"),
        (of(&[6], |t| t.version.major = 0), "expected a tensor of version 1, found version 0.3"),
        (
            of(&[6], |t| t.tensor.device.device_type = 2),
            "expected memory of the CPU, device type 1, found device type 2",
        ),
        (
            of(&[6], |t| t.tensor.dtype.lanes = 2),
            "expected numbers of 8 to 64 bits, floats of 16 to 64 bits, or bools of 8 bits, found code 0 with 64 bits and 2 lanes",
        ),
        (
            of(&[6], |t| t.tensor.dtype = DataType { code: 4, bits: 16, lanes: 1 }),
            "expected numbers of 8 to 64 bits, floats of 16 to 64 bits, or bools of 8 bits, found code 4 with 16 bits and 1 lanes",
        ),
        (of(&[6], |t| t.tensor.ndim = -1), "expected 0 to 64 dimensions, found -1"),
        (of(&[6], |t| t.tensor.ndim = i32::MAX), "expected 0 to 64 dimensions, found 2147483647"),
        (of(&[6], |t| t.tensor.shape = ptr::null_mut()), "expected a shape, found a null pointer"),
        (of(&[6, -1], |_| ()), "expected sizes of 0 or more, found [6, -1]"),
        (
            of(&[i64::MAX, 2], |_| ()),
            "expected int64 of less than 2^63 bytes, found the shape [9223372036854775807, 2]",
        ),
        (
            of(&[1 << 60, 1], |_| ()),
            "expected int64 of less than 2^63 bytes, found the shape [1152921504606846976, 1]",
        ),
        (of(&[6], |t| t.tensor.data = ptr::null_mut()), "expected elements, found a null pointer"),
        (
            of(&[6], |t| t.tensor.byte_offset = u64::MAX),
            "expected elements inside of the address space, found the byte offset 18446744073709551615",
        ),
        (
            strided(&[1, 2]),
            "expected elements in row-major order, found the shape [2, 3] with the strides [1, 2]: make it contiguous",
        ),
        (
            strided(&[-3, 1]),
            "expected elements in row-major order, found the shape [2, 3] with the strides [-3, 1]: make it contiguous",
        ),
        (
            strided(&[i64::MIN, i64::MAX]),
            "expected elements in row-major order, found the shape [2, 3] with the strides [-9223372036854775808, 9223372036854775807]: make it contiguous",
        ),
    ];
    for (case, expected) in cases {
        assert_eq!(imported(case).unwrap_err(), expected);
    }
}

#[test]
fn a_struct_without_a_deleter_is_valid() {
    let mut data = [1_i64, 2];
    let mut shape = [2_i64];
    let mut managed = VersionedTensor {
        version: Version::OF_THIS_CRATE,
        manager_ctx: ptr::null_mut(),
        deleter: None,
        flags: 0,
        tensor: RawTensor {
            data: data.as_mut_ptr().cast(),
            device: CPU,
            ndim: 1,
            dtype: DataType { code: 0, bits: 64, lanes: 1 },
            shape: shape.as_mut_ptr(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        },
    };
    // SAFETY: the struct and its memory live until the end of this function.
    let tensor = import(unsafe { Managed::from_raw(&raw mut managed) }.unwrap()).unwrap();
    assert_eq!(tensor.values().as_i64().unwrap(), [1, 2]);
    // SAFETY: a null pointer is no struct.
    assert!(unsafe { Managed::<LegacyTensor>::from_raw(ptr::null_mut()) }.is_none());
}
