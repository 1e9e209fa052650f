//! Memory of copies, measured and reserved before the kernels make them.
//!
//! The kernels end the process if an allocation fails, and panic or fail late if offsets overflow. So the bytes of a large
//! copy are allocated in one piece before, and freed: if this succeeds, the kernel finds the same memory, unless another
//! thread takes it in between. Copies of up to [`SMALL`] bytes are not tested. Where the exact size takes time, as much as the
//! copy may take is tried first.

use std::io;
use std::{error, fmt};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, OffsetSizeTrait, downcast_integer_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, DataType, UnionMode};

use crate::ranges::RANGE;
use crate::slices::Slice;
use crate::types::{contains_dense_union, contains_list, has_one_width, interleaves_by_ranges};

/// Largest copy that is made without a test.
const SMALL: usize = 1 << 20;

/// Bytes that glibc always maps apart. If a smaller allocation is freed, glibc keeps later ones of up to this size in its heap.
const MAPPED: usize = 33 << 20;

/// Bytes of a place `(array, slot)`.
const PLACE: usize = size_of::<(usize, usize)>();

/// A test of the memory of slots `(array, slot)`.
pub(crate) type CheckSlots = fn(&[&dyn Array], &[(usize, usize)]) -> Result<(), ArrowError>;

/// Memory for a copy that could not be allocated. The inner error of [`ArrowError::IoError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLittleMemory {
    /// The bytes of the copy.
    pub bytes: usize,
}

impl fmt::Display for TooLittleMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} bytes of memory for a column, found too little memory", self.bytes)
    }
}

impl error::Error for TooLittleMemory {}

/// Returns an error if the slots of all slices do not fit into memory or into one array.
pub(crate) fn check_slices(
    arrays: &[&dyn Array],
    slices: impl Iterator<Item = Slice> + Clone,
    slots: usize,
) -> Result<(), ArrowError> {
    check(arrays, slices, slots, Kernel::joining(arrays, 0))
}

/// Returns an error if the slots `(array, slot)` do not fit into memory or into one array.
pub(crate) fn check_slots(arrays: &[&dyn Array], slots: &[(usize, usize)]) -> Result<(), ArrowError> {
    let slices = slots.iter().map(|&(array, start)| Slice { array, start, len: 1 });
    check(arrays, slices, slots.len(), Kernel::joining(arrays, place(arrays)))
}

/// Bytes for each item of lists: the kernel makes a list of the places of all items.
fn place(arrays: &[&dyn Array]) -> usize {
    let by_ranges = arrays.first().is_some_and(|array| interleaves_by_ranges(array.data_type()));
    if by_ranges { 0 } else { PLACE }
}

/// The same for slots of which none appears twice. Tries the memory of all slots of the arrays first, whose size takes less time
/// except for dense unions, where each slot of the arrays would count.
pub(crate) fn check_distinct(arrays: &[&dyn Array], slots: &[(usize, usize)]) -> Result<(), ArrowError> {
    if arrays.first().is_some_and(|array| contains_dense_union(array.data_type())) {
        return check_slots(arrays, slots);
    }
    let all = arrays.iter().enumerate();
    let all = all.map(|(array, it)| Slice { array, start: 0, len: it.len() });
    match check(arrays, all, slots.len(), Kernel::joining(arrays, place(arrays))) {
        Ok(()) => Ok(()),
        Err(_) => check_slots(arrays, slots),
    }
}

/// Returns an error if the slots at `indices` do not fit into memory or into one array.
///
/// # Panics
/// An index is out of range.
pub(crate) fn check_taken(array: &dyn Array, indices: &dyn Array) -> Result<(), ArrowError> {
    let (slots, kernel) = (indices.len(), Kernel::selecting(array));
    if has_one_width(array.data_type()) {
        return check(&[array], std::iter::empty(), slots, kernel);
    }
    if let Some(longest) = longest(array, slots) {
        let most = longest.saturating_add(size_of::<i64>() + PLACE).saturating_mul(slots);
        if reserve(most).is_ok() {
            return Ok(());
        }
    }
    reserve(slots.saturating_mul(size_of::<Slice>()))?;
    let mut slices = Vec::with_capacity(slots);
    downcast_integer_array!(
        indices => slices.extend(indices.iter().map(|index| match index {
            Some(index) => Slice { array: 0, start: index.as_usize(), len: 1 },
            None => Slice { array: 0, start: 0, len: 0 },
        })),
        // The kernel returns the error.
        _ => return Ok(())
    );
    check(&[array], slices.iter().copied(), slots, kernel)
}

/// Returns an error if the slots of all `columns` where `mask` is set do not fit into memory.
pub(crate) fn check_filtered<'a>(
    columns: impl Iterator<Item = &'a dyn Array> + Clone,
    mask: &BooleanArray,
) -> Result<(), ArrowError> {
    let slots = mask.true_count();
    if slots == 0 || slots == mask.len() || columns.clone().any(|column| column.len() != mask.len()) {
        return Ok(());
    }
    let all = |slices: &[Slice]| -> Result<usize, ArrowError> {
        // The kernel makes a list of the rows or of their ranges.
        let mut bytes = slots.saturating_mul(PLACE);
        for column in columns.clone() {
            let kernel = Kernel::selecting(column);
            let own = measured(&[column], slices.iter().copied(), slots, kernel)?;
            bytes = bytes.saturating_add(kernel.peak(own, slots));
        }
        Ok(bytes)
    };
    // No slot is copied twice.
    if reserve(all(&[Slice { array: 0, start: 0, len: mask.len() }])?).is_ok() {
        return Ok(());
    }
    reserve(slots.saturating_mul(size_of::<Slice>()))?;
    let set = match mask.nulls() {
        Some(nulls) => mask.values() & nulls.inner(),
        None => mask.values().clone(),
    };
    let slices = set.set_slices().map(|(start, end)| Slice { array: 0, start, len: end - start });
    reserve(all(&slices.collect::<Vec<_>>())?)
}

/// How a kernel uses memory.
#[derive(Debug, Clone, Copy)]
struct Kernel {
    /// Bytes for each item of lists beside the copies.
    place: usize,
    /// Whether copies grow: the old memory and the new one, which is twice as large, exist at the same time.
    grows: bool,
    /// Whether copies of dictionaries share the values.
    shares: bool,
}

impl Kernel {
    /// Joins slots of arrays.
    fn joining(arrays: &[&dyn Array], place: usize) -> Self {
        let grows = |array: &&dyn Array| {
            interleaves_by_ranges(array.data_type()) || matches!(array.data_type(), DataType::Union(..))
        };
        Self { place, grows: arrays.first().is_some_and(grows), shares: false }
    }

    /// Selects slots of an array.
    fn selecting(array: &dyn Array) -> Self {
        let grows = contains_list(array.data_type()) || matches!(array.data_type(), DataType::Union(..));
        Self { place: 0, grows, shares: true }
    }

    /// Bytes that exist at the same time, for copies of `bytes` bytes.
    fn peak(self, bytes: usize, slots: usize) -> usize {
        match self.grows {
            true => slots.saturating_mul(RANGE).saturating_add(bytes).saturating_mul(3),
            false => bytes,
        }
    }
}

fn check(
    arrays: &[&dyn Array],
    slices: impl Iterator<Item = Slice> + Clone,
    slots: usize,
    kernel: Kernel,
) -> Result<(), ArrowError> {
    let bytes = measured(arrays, slices, slots, kernel)?;
    reserve(kernel.peak(bytes, slots))
}

/// Returns an error if this many bytes cannot be allocated, and are more than a small copy.
pub(crate) fn reserve(bytes: usize) -> Result<(), ArrowError> {
    if bytes <= SMALL { Ok(()) } else { check_memory(bytes) }
}

/// Allocates bytes, and frees them. A later allocation of as many ends the process if it fails, unlike this one.
///
/// # Errors
/// They cannot be allocated: [`TooLittleMemory`].
pub fn check_memory(bytes: usize) -> Result<(), ArrowError> {
    if can_allocate(bytes.max(MAPPED)) || can_allocate(bytes) {
        return Ok(());
    }
    let error = TooLittleMemory { bytes };
    Err(ArrowError::IoError(error.to_string(), io::Error::new(io::ErrorKind::OutOfMemory, error)))
}

fn can_allocate(bytes: usize) -> bool {
    let mut memory: Vec<u8> = Vec::new();
    let can = memory.try_reserve_exact(bytes).is_ok();
    // Keeps the compiler from removing the unused allocation.
    std::hint::black_box(&memory);
    can
}

/// The bytes of a copy. Values of runs, and of dictionaries unless they are shared, count whole, since a kernel may copy all of
/// them.
fn measured(
    arrays: &[&dyn Array],
    slices: impl Iterator<Item = Slice> + Clone,
    slots: usize,
    kernel: Kernel,
) -> Result<usize, ArrowError> {
    let Some(first) = arrays.first() else { return Ok(0) };
    if arrays.iter().any(|array| array.data_type() != first.data_type()) {
        // The kernel returns the error.
        return Ok(0);
    }
    let has_nulls = arrays.iter().any(|array| array.nulls().is_some());
    let nulls = if has_nulls { slots.div_ceil(8) } else { 0 };
    let of_slots = |width: usize| slots.saturating_mul(width);
    let values = match first.data_type() {
        DataType::Utf8 => strings(arrays, slices, slots, |array| array.as_string::<i32>().value_offsets())?,
        DataType::Binary => strings(arrays, slices, slots, |array| array.as_binary::<i32>().value_offsets())?,
        DataType::LargeUtf8 => {
            strings(arrays, slices, slots, |array| array.as_string::<i64>().value_offsets())?
        }
        DataType::LargeBinary => {
            strings(arrays, slices, slots, |array| array.as_binary::<i64>().value_offsets())?
        }
        DataType::List(_) => lists(arrays, slices, (slots, kernel), |array| {
            let list = array.as_list::<i32>();
            (list.value_offsets(), list.values().clone())
        })?,
        DataType::LargeList(_) => lists(arrays, slices, (slots, kernel), |array| {
            let list = array.as_list::<i64>();
            (list.value_offsets(), list.values().clone())
        })?,
        DataType::Map(..) => lists(arrays, slices, (slots, kernel), |array| {
            let map = array.as_map();
            (map.value_offsets(), std::sync::Arc::new(map.entries().clone()))
        })?,
        DataType::FixedSizeList(_, size) => {
            let size = size.unsigned_abs() as usize;
            let items: Vec<_> =
                arrays.iter().map(|array| array.as_fixed_size_list().values().as_ref()).collect();
            let slices = slices.map(|it| Slice { start: it.start * size, len: it.len * size, ..it });
            let slices = collected(slices)?;
            measured(&items, slices.iter().copied(), of_slots(size), kernel)?
        }
        DataType::Struct(fields) => {
            let columns = (0..fields.len()).map(|i| {
                let column: Vec<&dyn Array> =
                    arrays.iter().map(|array| array.as_struct().column(i).as_ref()).collect();
                let slices = collected(slices.clone())?;
                measured(&column, slices.iter().copied(), slots, kernel)
            });
            columns.sum::<Result<usize, ArrowError>>()?
        }
        DataType::Union(fields, mode) => {
            let children = fields.iter().map(|(id, _)| {
                let column: Vec<&dyn Array> =
                    arrays.iter().map(|array| array.as_union().child(id).as_ref()).collect();
                let slices = match mode {
                    UnionMode::Sparse => collected(slices.clone())?,
                    UnionMode::Dense => branch(arrays, id, slices.clone())?,
                };
                measured(&column, slices.iter().copied(), slices.iter().map(|it| it.len).sum(), kernel)
            });
            children
                .sum::<Result<usize, ArrowError>>()?
                .saturating_add(of_slots(size_of::<i8>() + size_of::<i32>()))
        }
        DataType::Dictionary(keys, _) => {
            let values = arrays.iter().map(|array| array.as_any_dictionary().values());
            let values = if kernel.shares { 0 } else { stored(values) };
            of_slots(keys.primitive_width().unwrap_or_default()).saturating_add(values)
        }
        DataType::RunEndEncoded(..) => {
            let all =
                arrays.iter().map(|array| array.get_buffer_memory_size()).fold(0, usize::saturating_add);
            of_slots(PLACE + size_of::<i64>()).saturating_add(all)
        }
        DataType::Utf8View | DataType::BinaryView => of_slots(size_of::<u128>()),
        DataType::ListView(_) | DataType::LargeListView(_) => {
            let all =
                arrays.iter().map(|array| array.get_buffer_memory_size()).fold(0, usize::saturating_add);
            of_slots(2 * size_of::<i64>()).saturating_add(all)
        }
        DataType::FixedSizeBinary(size) => of_slots(size.unsigned_abs() as usize),
        DataType::Boolean => slots.div_ceil(8),
        other => of_slots(other.primitive_width().unwrap_or_default()),
    };
    Ok(values.saturating_add(nulls))
}

/// The values of dictionaries, each counted once if neighbors share them.
fn stored<'a>(values: impl Iterator<Item = &'a ArrayRef>) -> usize {
    let (mut bytes, mut last) = (0_usize, None);
    for values in values {
        if last.is_none_or(|last| !std::sync::Arc::ptr_eq(last, values)) {
            bytes = bytes.saturating_add(values.get_buffer_memory_size());
        }
        last = Some(values);
    }
    bytes
}

fn strings<'a, O: OffsetSizeTrait>(
    arrays: &[&'a dyn Array],
    slices: impl Iterator<Item = Slice>,
    slots: usize,
    offsets: impl Fn(&'a dyn Array) -> &'a [O],
) -> Result<usize, ArrowError> {
    let offsets: Vec<&[O]> = arrays.iter().map(|array| offsets(*array)).collect();
    let mut bytes = 0_usize;
    for slice in slices {
        bytes = bytes.saturating_add(span(offsets[slice.array], slice));
    }
    fitting::<O>(bytes, slots)?.checked_add(bytes).ok_or(ArrowError::OffsetOverflowError(bytes))
}

fn lists<'a, O: OffsetSizeTrait>(
    arrays: &[&'a dyn Array],
    slices: impl Iterator<Item = Slice> + Clone,
    (slots, kernel): (usize, Kernel),
    parts: impl Fn(&'a dyn Array) -> (&'a [O], ArrayRef),
) -> Result<usize, ArrowError> {
    let (offsets, items): (Vec<&[O]>, Vec<ArrayRef>) = arrays.iter().map(|array| parts(*array)).unzip();
    let count = slices.clone().fold(0, |count: usize, it| count.saturating_add(span(offsets[it.array], it)));
    let own = fitting::<O>(count, slots)?;
    let data_type = items.first().map(|items| items.data_type());
    if let Some(width) = data_type.and_then(DataType::primitive_width) {
        return Ok(count.saturating_mul(width).saturating_add(count.div_ceil(8)).saturating_add(own));
    }
    let slices = collected(slices.map(|it| Slice {
        array: it.array,
        start: offsets[it.array][it.start].as_usize(),
        len: span(offsets[it.array], it),
    }))?;
    let items: Vec<&dyn Array> = items.iter().map(AsRef::as_ref).collect();
    let inside = measured(&items, slices.iter().copied(), count, kernel)?;
    Ok(inside.saturating_add(count.saturating_mul(kernel.place)).saturating_add(own))
}

/// The bytes of the offsets, if they can address `end`.
fn fitting<O: OffsetSizeTrait>(end: usize, slots: usize) -> Result<usize, ArrowError> {
    O::from_usize(end).ok_or(ArrowError::OffsetOverflowError(end))?;
    Ok(slots.saturating_add(1).saturating_mul(size_of::<O>()))
}

/// Values of a dictionary without a row may have any offsets.
#[inline]
fn span<O: OffsetSizeTrait>(offsets: &[O], Slice { start, len, .. }: Slice) -> usize {
    offsets[start + len].as_usize().saturating_sub(offsets[start].as_usize())
}

/// The length of the longest byte string, if there are not many more of them than `slots`; `None` for other types.
fn longest(array: &dyn Array, slots: usize) -> Option<usize> {
    fn of<O: OffsetSizeTrait>(offsets: &[O]) -> Option<usize> {
        let lengths = offsets.windows(2).map(|pair| pair[1].as_usize().saturating_sub(pair[0].as_usize()));
        Some(lengths.max().unwrap_or(0))
    }
    if array.len() > slots {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => of(array.as_string::<i32>().value_offsets()),
        DataType::Binary => of(array.as_binary::<i32>().value_offsets()),
        DataType::LargeUtf8 => of(array.as_string::<i64>().value_offsets()),
        DataType::LargeBinary => of(array.as_binary::<i64>().value_offsets()),
        _ => None,
    }
}

/// The slots of slices of dense unions in the branch `id`.
fn branch(
    arrays: &[&dyn Array],
    id: i8,
    slices: impl Iterator<Item = Slice>,
) -> Result<Vec<Slice>, ArrowError> {
    let mut slots = Vec::new();
    for Slice { array, start, len } in slices {
        let union = arrays[array].as_union();
        reserve(slots.len().saturating_add(len).saturating_mul(2 * size_of::<Slice>()))?;
        let own = (start..start + len).filter(|slot| union.type_id(*slot) == id);
        slots.extend(own.map(|slot| Slice { array, start: union.value_offset(slot), len: 1 }));
    }
    Ok(slots)
}

/// Collects slices; fails if there is not enough memory for them.
fn collected(slices: impl Iterator<Item = Slice> + Clone) -> Result<Vec<Slice>, ArrowError> {
    let mut all = Vec::new();
    let count = slices.clone().count();
    reserve(count.saturating_mul(size_of::<Slice>()))?;
    all.extend(slices);
    Ok(all)
}
