//! Arrow's C interface: what capsules carry, taken over as it is. Nothing is checked here but that it is there.
//!
//! Unsafe: a capsule carries a raw pointer, and what it points to says of itself where its memory is. The proof is one
//! for all blocks. The name of a capsule says what its pointer points to; a struct that was taken from it before has no
//! release function, and is refused. Taking it leaves such a struct behind, so that there is one owner always. Lengths
//! and pointers inside are believed, as the interface has nothing to hold them against; all other numbers are compared
//! by `valid` before an array is made.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};
use std::ptr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

const RELEASED: &str = "a capsule that was used before";

/// What is made of the schema in a capsule.
pub(super) fn schema<T>(
    capsule: &Bound<'_, PyCapsule>,
    make: impl FnOnce(&FFI_ArrowSchema) -> Result<T, ArrowError>,
) -> PyResult<Result<T, ArrowError>> {
    let pointer = capsule.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    // SAFETY: the capsule is alive, and owns the struct.
    let schema = unsafe { pointer.as_ref() };
    Ok(match schema.release {
        Some(_) => make(schema),
        None => Err(ArrowError::CDataInterface(RELEASED.to_owned())),
    })
}

/// An array that was taken from its capsule, and may be anything.
pub(super) struct Taken(pub(super) FFI_ArrowArray);

impl Taken {
    /// Leaves the capsule empty.
    pub(super) fn new(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let pointer = capsule.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
        // SAFETY: the capsule is alive, and owned the struct until now.
        Ok(Self(unsafe { FFI_ArrowArray::from_raw(pointer.as_ptr()) }))
    }

    /// The array of a batch of pyarrow's, without its schema.
    pub(super) fn of_pyarrow(batch: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut array = FFI_ArrowArray::empty();
        // pyarrow writes to a struct that is ours and alive, and leaves it empty where it fails.
        batch.call_method1(intern!(batch.py(), "_export_to_c"), ((&raw mut array).expose_provenance(),))?;
        Ok(Self(array))
    }

    /// Number of values on all levels. Panics where the struct contradicts itself.
    pub(super) fn values(&self) -> usize {
        if self.0.release.is_some() { values(&self.0) } else { 0 }
    }

    /// The array's parts in the same memory, which they hold. Panics where the struct contradicts itself.
    pub(super) fn into_data(mut self, data_type: DataType) -> Result<ArrayData, ArrowError> {
        if self.0.release.is_none() {
            return Err(ArrowError::CDataInterface(RELEASED.to_owned()));
        }
        with_offsets(&mut self.0, &data_type);
        // SAFETY: see above.
        unsafe { from_ffi_and_data_type(self.0, data_type) }
    }
}

fn values(array: &FFI_ArrowArray) -> usize {
    let children = (0..array.num_children()).map(|index| values(array.child(index)));
    children.fold(array.len(), usize::saturating_add)
}

/// Offsets of nothing, a single 0, of either width.
static NOTHING: [u64; 1] = [0];

struct Buffers([*const c_void; 3]);

// SAFETY: they point to what never changes.
unsafe impl Sync for Buffers {}

static EMPTY: Buffers =
    Buffers([ptr::null(), (&raw const NOTHING).cast::<c_void>(), (&raw const NOTHING).cast::<c_void>()]);

/// Empty arrays may come without offsets, which arrow-rs wants: they get the 0 that is meant.
fn with_offsets(array: &mut FFI_ArrowArray, data_type: &DataType) {
    use DataType::*;
    let has_offsets =
        matches!(data_type, List(_) | LargeList(_) | Map(..) | Utf8 | LargeUtf8 | Binary | LargeBinary);
    // The producer keeps its buffers in its private data: what the struct says of them is the owner's to change.
    if has_offsets && array.length == 0 && array.offset == 0 && (2..=3).contains(&array.n_buffers) {
        array.buffers = EMPTY.0.as_ptr().cast_mut();
    }
    let children: Vec<&DataType> = match data_type {
        Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        List(items) | LargeList(items) | ListView(items) | LargeListView(items) => vec![items.data_type()],
        FixedSizeList(items, _) | Map(items, _) => vec![items.data_type()],
        _ => Vec::new(),
    };
    if array.children.is_null() {
        return;
    }
    for (child, data_type) in (0..array.num_children()).zip(children) {
        // SAFETY: there are as many pointers as there are children, each to a struct that its parent owns, as we do it.
        if let Some(child) = unsafe { array.children.add(child).read().as_mut() } {
            with_offsets(child, data_type);
        }
    }
}

/// A stream that was taken from its capsule.
pub(super) struct TakenStream(FFI_ArrowArrayStream);

impl TakenStream {
    /// Leaves the capsule empty.
    pub(super) fn new(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: the capsule is alive, and owned the struct until now.
        Ok(Self(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) }))
    }

    /// The field of its arrays.
    pub(super) fn field(&mut self) -> Result<Field, ArrowError> {
        let mut schema = FFI_ArrowSchema::empty();
        let Some(get) = self.0.get_schema.filter(|_| self.0.release.is_some()) else {
            return Err(ArrowError::CDataInterface(RELEASED.to_owned()));
        };
        // SAFETY: the stream is not released; the other struct is empty, and ours.
        match unsafe { get(&raw mut self.0, &raw mut schema) } {
            0 => Field::try_from(&schema),
            _ => Err(self.failure()),
        }
    }

    /// The next array, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Taken>, ArrowError> {
        let mut array = FFI_ArrowArray::empty();
        let Some(get) = self.0.get_next.filter(|_| self.0.release.is_some()) else {
            return Err(ArrowError::CDataInterface(RELEASED.to_owned()));
        };
        // SAFETY: as above.
        match unsafe { get(&raw mut self.0, &raw mut array) } {
            0 => Ok((!array.is_released()).then_some(Taken(array))),
            _ => Err(self.failure()),
        }
    }

    /// What the stream says of its last error.
    fn failure(&mut self) -> ArrowError {
        // SAFETY: the text is the stream's, until it is called again.
        let text = self.0.get_last_error.map(|get| unsafe { get(&raw mut self.0) });
        let text = text.filter(|text| !text.is_null());
        // SAFETY: as above; it ends with a zero.
        let text = text.map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
        ArrowError::CDataInterface(
            text.unwrap_or_else(|| "a stream that failed without a message".to_owned()),
        )
    }
}
