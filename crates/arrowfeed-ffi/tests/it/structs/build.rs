//! Valid structs of the C data interface for any type, over memory of exactly the right size.

use std::cell::Cell;
use std::ffi::CString;
use std::ptr;

use arbitrary::{Result, Unstructured};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_schema::{DataType, Field, UnionMode};

/// All structs of a case, and their memory.
#[derive(Default)]
pub(crate) struct Structs {
    pub(crate) arrays: Vec<ArrayNode>,
    pub(crate) schemas: Vec<*mut FFI_ArrowSchema>,
    memory: Vec<Box<[u8]>>,
    texts: Vec<CString>,
    buffers: Vec<Box<[*const u8]>>,
    array_children: Vec<Box<[*mut FFI_ArrowArray]>>,
    schema_children: Vec<Box<[*mut FFI_ArrowSchema]>>,
}

/// A struct, and the information that is needed to damage it.
pub(crate) struct ArrayNode {
    pub(crate) array: *mut FFI_ArrowArray,
    pub(crate) data_type: DataType,
    /// The start and the size in bytes of each buffer.
    pub(crate) buffers: Vec<(*mut u8, usize)>,
    /// Number of pointers to children.
    pub(crate) children: usize,
    /// Whether its last offset, which states the length of its text, must not change.
    pub(crate) is_fixed: bool,
}

impl Drop for Structs {
    fn drop(&mut self) {
        for node in &self.arrays {
            // SAFETY: each comes from a box, and none is used afterwards. Their release functions are not called.
            drop(unsafe { Box::from_raw(node.array.cast::<std::mem::ManuallyDrop<FFI_ArrowArray>>()) });
        }
        for schema in &self.schemas {
            // SAFETY: as above.
            drop(unsafe { Box::from_raw(schema.cast::<std::mem::ManuallyDrop<FFI_ArrowSchema>>()) });
        }
    }
}

thread_local! {
    static RELEASED: Cell<usize> = const { Cell::new(0) };
}

/// The number of times that the array of the batch was released since the last call.
pub(crate) fn released() -> usize {
    RELEASED.take()
}

unsafe extern "C" fn release_batch(array: *mut FFI_ArrowArray) {
    RELEASED.set(RELEASED.get() + 1);
    // SAFETY: the consumer passes the struct that it releases.
    unsafe { (*array).release = None };
}

unsafe extern "C" fn release_array(_: *mut FFI_ArrowArray) {
    panic!("a child is released by its parent");
}

unsafe extern "C" fn release_schema(_: *mut FFI_ArrowSchema) {
    panic!("a schema is released by its producer");
}

impl Structs {
    pub(crate) fn schema(&mut self, field: &Field) -> *mut FFI_ArrowSchema {
        let made = FFI_ArrowSchema::try_from(field).expect("a schema of any type");
        self.copy(&made)
    }

    /// Copies a schema to structs that can be damaged.
    fn copy(&mut self, made: &FFI_ArrowSchema) -> *mut FFI_ArrowSchema {
        let at = self.schemas.len();
        self.schemas.push(ptr::null_mut());
        let children: Box<[_]> = made.children().map(|child| self.copy(child)).collect();
        let mut schema = FFI_ArrowSchema::empty();
        schema.format = self.text(made.format());
        schema.name = self.text(made.name().unwrap_or_default());
        schema.metadata =
            self.bytes(&[1_i32.to_ne_bytes(), 1_i32.to_ne_bytes()].concat(), b"k\x02\0\0\0vv").cast();
        schema.flags = made.flags().map_or(0, |flags| flags.bits());
        schema.n_children = children.len() as i64;
        schema.dictionary = made.dictionary().map_or(ptr::null_mut(), |values| self.copy(values));
        schema.release = Some(release_schema);
        self.schema_children.push(children);
        schema.children = self.schema_children.last_mut().expect("pushed").as_mut_ptr();
        self.schemas[at] = Box::into_raw(Box::new(schema));
        self.schemas[at]
    }

    pub(crate) fn text(&mut self, text: impl Into<Vec<u8>>) -> *const std::ffi::c_char {
        let text = CString::new(text).expect("no zero");
        self.texts.push(text);
        self.texts.last().expect("pushed").as_ptr()
    }

    pub(crate) fn bytes(&mut self, first: &[u8], then: &[u8]) -> *mut u8 {
        self.memory.push([first, then].concat().into_boxed_slice());
        self.memory.last_mut().expect("pushed").as_mut_ptr()
    }

    /// Builds a valid array of `len` values.
    pub(crate) fn array(
        &mut self,
        u: &mut Unstructured<'_>,
        data_type: &DataType,
        len: usize,
        is_batch: bool,
    ) -> Result<*mut FFI_ArrowArray> {
        use DataType::*;
        let offset = u.int_in_range(0..=2)?;
        let end = offset + len;
        let mut parts = Parts::default();
        if !matches!(data_type, Null | Union(..) | RunEndEncoded(..)) {
            let bits = if is_batch || u.arbitrary()? { None } else { Some(random(u, end.div_ceil(8))?) };
            parts.buffers.push(bits);
        }
        match data_type {
            // polars exports a validity bitmap that does not exist.
            Null if u.ratio(1, 2)? => parts.buffers.push(None),
            Null => {}
            Boolean => parts.push(random(u, end.div_ceil(8))?),
            FixedSizeBinary(size) => parts.push(random(u, end * *size as usize)?),
            Utf8 | Binary | LargeUtf8 | LargeBinary => {
                let offsets = offsets(u, end)?;
                parts.push(numbers(&offsets, if matches!(data_type, Utf8 | Binary) { 4 } else { 8 }));
                parts.push(vec![b'x'; offsets[end]]);
            }
            Utf8View | BinaryView => parts.views(u, end)?,
            List(items) | LargeList(items) | Map(items, _) => {
                let offsets = offsets(u, end)?;
                parts.push(numbers(&offsets, if matches!(data_type, LargeList(_)) { 8 } else { 4 }));
                parts.children.push(self.child(u, items.data_type(), offsets[end])?);
            }
            ListView(items) | LargeListView(items) => {
                let values = u.int_in_range(0..=6)?;
                let mut lists = (Vec::new(), Vec::new());
                for _ in 0..end {
                    let start = u.int_in_range(0..=values)?;
                    lists.0.push(start);
                    lists.1.push(u.int_in_range(0..=values - start)?);
                }
                let width = if matches!(data_type, ListView(_)) { 4 } else { 8 };
                parts.push(numbers(&lists.0, width));
                parts.push(numbers(&lists.1, width));
                parts.children.push(self.child(u, items.data_type(), values)?);
            }
            FixedSizeList(items, size) => {
                parts.children.push(self.child(u, items.data_type(), end * *size as usize)?);
            }
            Struct(fields) => {
                for field in fields {
                    parts.children.push(self.child(u, field.data_type(), end)?);
                }
            }
            Dictionary(keys, values) => {
                let number = u.int_in_range(1..=20)?;
                let named = (0..end).map(|_| u.int_in_range(0..=number - 1)).collect::<Result<Vec<_>>>()?;
                parts.push(numbers(&named, keys.primitive_width().expect("an integer")));
                parts.dictionary = self.child(u, values, number)?;
            }
            RunEndEncoded(ends, values) => {
                let step = u.int_in_range(1..=3)?;
                let runs: Vec<usize> = (1..=end.div_ceil(step)).map(|run| run * step).collect();
                let width = ends.data_type().primitive_width().expect("an integer");
                let ends_of = self.child(u, ends.data_type(), runs.len())?;
                let node = self.arrays.iter_mut().find(|node| node.array == ends_of).expect("just made");
                // SAFETY: this test owns the struct; after its offset it has as many values as there are runs.
                unsafe {
                    let start = node.buffers[1].0.add((*ends_of).offset as usize * width);
                    ptr::copy_nonoverlapping(numbers(&runs, width).as_ptr(), start, runs.len() * width);
                }
                parts.children = vec![ends_of, self.child(u, values.data_type(), runs.len())?];
            }
            Union(fields, mode) => {
                let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
                let chosen = (0..end).map(|_| u.choose(&ids).copied()).collect::<Result<Vec<_>>>()?;
                parts.push(chosen.iter().map(|id| *id as u8).collect());
                let values = if *mode == UnionMode::Sparse { end } else { 4 };
                if *mode == UnionMode::Dense {
                    let places = (0..end).map(|_| u.int_in_range(0..=3)).collect::<Result<Vec<_>>>()?;
                    parts.push(numbers(&places, 4));
                }
                for (_, field) in fields.iter() {
                    parts.children.push(self.child(u, field.data_type(), values)?);
                }
            }
            other => parts.push(random(u, end * other.primitive_width().expect("numbers"))?),
        }
        self.node(u, data_type, parts, (offset, len), is_batch)
    }

    /// Builds an array of `len` values, or of a few more.
    fn child(
        &mut self,
        u: &mut Unstructured<'_>,
        data_type: &DataType,
        len: usize,
    ) -> Result<*mut FFI_ArrowArray> {
        let more = if u.ratio(1, 4)? { 2 } else { 0 };
        self.array(u, data_type, len + more, false)
    }

    fn node(
        &mut self,
        u: &mut Unstructured<'_>,
        data_type: &DataType,
        parts: Parts,
        (offset, len): (usize, usize),
        is_batch: bool,
    ) -> Result<*mut FFI_ArrowArray> {
        let mut buffers = Vec::new();
        for bytes in parts.buffers {
            let Some(bytes) = bytes else {
                buffers.push((ptr::null_mut(), 0));
                continue;
            };
            // The memory may be unaligned.
            let shift: &[u8] = if u.ratio(1, 8)? { b"!" } else { b"" };
            let start = self.bytes(shift, &bytes);
            // SAFETY: the pointer is inside the memory, or at its end.
            buffers.push((unsafe { start.add(shift.len()) }, bytes.len()));
        }
        self.buffers.push(buffers.iter().map(|(start, _)| start.cast_const()).collect());
        self.array_children.push(parts.children.into_boxed_slice());
        let children = self.array_children.last_mut().expect("pushed");
        let mut array = FFI_ArrowArray::empty();
        array.length = len as i64;
        array.offset = offset as i64;
        array.null_count = if *data_type == DataType::Null { len as i64 } else { -1 };
        array.n_buffers = buffers.len() as i64;
        array.buffers = self.buffers.last_mut().expect("pushed").as_mut_ptr().cast();
        array.n_children = children.len() as i64;
        array.children = children.as_mut_ptr();
        array.dictionary = parts.dictionary;
        array.release = Some(if is_batch { release_batch } else { release_array });
        let children = children.len();
        let array = Box::into_raw(Box::new(array));
        self.arrays.push(ArrayNode {
            array,
            data_type: data_type.clone(),
            buffers,
            children,
            is_fixed: false,
        });
        Ok(array)
    }
}

/// Buffers (`None` for a missing bitmap) and child structs.
struct Parts {
    buffers: Vec<Option<Vec<u8>>>,
    children: Vec<*mut FFI_ArrowArray>,
    dictionary: *mut FFI_ArrowArray,
}

impl Default for Parts {
    fn default() -> Self {
        Self { buffers: Vec::new(), children: Vec::new(), dictionary: ptr::null_mut() }
    }
}

impl Parts {
    fn push(&mut self, bytes: Vec<u8>) {
        self.buffers.push(Some(bytes));
    }

    /// Adds strings that are inline in their views, or in one of two buffers.
    fn views(&mut self, u: &mut Unstructured<'_>, end: usize) -> Result<()> {
        let mut views = Vec::new();
        for _ in 0..end {
            let view = match u.int_in_range(0..=15_u32)? {
                len @ 0..=12 => [len, 0, 0, 0],
                len => [len, u32::from_ne_bytes(*b"yyyy"), u.int_in_range(0..=1)?, u.int_in_range(0..=5)?],
            };
            views.extend(view.iter().flat_map(|part| part.to_ne_bytes()));
        }
        self.push(views);
        self.push(vec![b'y'; 20]);
        self.push(vec![b'y'; 20]);
        self.push(numbers(&[20, 20], 8));
        Ok(())
    }
}

fn random(u: &mut Unstructured<'_>, bytes: usize) -> Result<Vec<u8>> {
    (0..bytes).map(|_| u.arbitrary()).collect()
}

/// Non-decreasing offsets for `values` values.
fn offsets(u: &mut Unstructured<'_>, values: usize) -> Result<Vec<usize>> {
    let mut at = u.int_in_range(0..=2)?;
    let mut offsets = vec![at];
    for _ in 0..values {
        at += u.int_in_range(0..=3)?;
        offsets.push(at);
    }
    Ok(offsets)
}

fn numbers(numbers: &[usize], width: usize) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes().into_iter().take(width)).collect()
}
