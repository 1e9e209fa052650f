//! Imports a struct of DLPack with any numbers. Expects a tensor with the elements that are in memory, or an error.

#![expect(unsafe_code, reason = "makes structs as other libraries do")]

use std::cell::Cell;

use arbitrary::{Arbitrary, Unstructured};
use arrowfeed_tensor::dlpack::{
    CPU, DataType, Device, Export, Managed, RawTensor, Version, VersionedTensor, import,
};

/// The numbers of a struct.
#[derive(Debug, Arbitrary)]
struct Numbers {
    major: u32,
    device: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    ndim: i32,
    shape: Vec<i64>,
    strides: Option<Vec<i64>>,
    byte_offset: u64,
    has_data: bool,
    /// Makes likely what is valid: bits of the fields that stay as they are.
    wild: u8,
}

thread_local! {
    static RELEASED: Cell<u32> = const { Cell::new(0) };
}

unsafe extern "C" fn release(_: *mut VersionedTensor) {
    RELEASED.set(RELEASED.get() + 1);
}

pub(crate) fn run(bytes: &[u8]) {
    let Ok(mut numbers) = Numbers::arbitrary(&mut Unstructured::new(bytes)) else { return };
    let wild = |bit: u8| numbers.wild & (1 << bit) != 0;
    // The memory has the elements that the struct states, as its owner vouches.
    numbers.shape.truncate(64);
    numbers.shape.resize(numbers.shape.len().max(1), 3);
    if !wild(0) {
        numbers.shape.iter_mut().for_each(|size| *size = size.rem_euclid(5));
    }
    let ndim = if wild(1) { numbers.ndim } else { numbers.shape.len() as i32 };
    if ndim > numbers.shape.len() as i32 && ndim <= 64 {
        numbers.shape.resize(ndim as usize, 1);
    }
    let mut strides = numbers.strides.map(|mut strides| {
        strides.resize(numbers.shape.len(), 1);
        strides
    });
    let bits = if wild(2) { numbers.bits } else { 8 << (numbers.bits % 4) };
    let offset = if wild(3) { numbers.byte_offset } else { numbers.byte_offset % 16 };
    let dimensions = usize::try_from(ndim).unwrap_or(0).min(numbers.shape.len());
    let elements = numbers.shape[..dimensions]
        .iter()
        .try_fold(1_usize, |all, size| all.checked_mul(usize::try_from(*size).ok()?));
    let needed = elements.and_then(|all| all.checked_mul(8)?.checked_add(usize::try_from(offset).ok()?));
    // A struct with more memory than there is has none, unless its numbers are refused.
    let memory: Vec<u8> = match needed {
        Some(needed) if needed < 1 << 16 => (0..needed).map(|byte| byte as u8).collect(),
        _ => Vec::new(),
    };
    let fits = !memory.is_empty();
    let data =
        if numbers.has_data && fits { memory.as_ptr().cast_mut().cast() } else { std::ptr::null_mut() };
    let mut managed = VersionedTensor {
        version: Version { major: if wild(4) { numbers.major } else { 1 }, minor: 0 },
        manager_ctx: std::ptr::null_mut(),
        deleter: Some(release),
        flags: 0,
        tensor: RawTensor {
            data,
            device: Device {
                device_type: if wild(5) { numbers.device } else { CPU.device_type },
                device_id: 0,
            },
            ndim,
            dtype: DataType { code: numbers.code % 8, bits, lanes: if wild(6) { numbers.lanes } else { 1 } },
            shape: numbers.shape.as_mut_ptr(),
            strides: strides.as_mut().map_or(std::ptr::null_mut(), |strides| strides.as_mut_ptr()),
            byte_offset: offset,
        },
    };
    RELEASED.set(0);
    // SAFETY: the memory, the shape and the strides live until the end of this function, and the tensor does too.
    let managed = unsafe { Managed::from_raw(&raw mut managed) }.expect("not null");
    if let Ok(tensor) = import(managed) {
        assert_eq!(tensor.shape().iter().product::<usize>(), tensor.values().len());
        if let Some(buffer) = tensor.values().buffer().filter(|buffer| !buffer.is_empty()) {
            let start = usize::try_from(offset).expect("an offset inside of memory");
            assert_eq!(buffer.as_slice(), &memory[start..start + buffer.len()]);
        }
        let again = Export::of_dense(&tensor).expect("a tensor that can be handed over");
        assert_eq!(import(again.into_managed::<VersionedTensor>()).expect("the same tensor"), tensor);
    }
    assert_eq!(RELEASED.get(), 1);
}
