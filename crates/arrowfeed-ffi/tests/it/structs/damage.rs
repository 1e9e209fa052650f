//! Damage to structs, of all kinds that an import can detect.

use std::ptr;

use arbitrary::{Result, Unstructured};
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_schema::DataType;

use super::build::{ArrayNode, Structs};

const NEGATIVE: [i64; 3] = [-1, -7, i64::MIN];

/// Makes one change to one array.
pub(crate) fn array(u: &mut Unstructured<'_>, structs: &mut Structs) -> Result<()> {
    let index = u.choose_index(structs.arrays.len())?;
    // The batch itself comes last, after all of its parts.
    let last = structs.arrays.len() - 1;
    let node = &mut structs.arrays[index];
    // SAFETY: this test owns the struct, and nothing else points to its fields.
    let array = unsafe { &mut *node.array };
    let negative = *u.choose(&NEGATIVE)?;
    let any: i64 = *u.choose(&[-1, i64::MIN, 0, 1, 2, 3, 4, 1 << 32, i64::MAX])?;
    match u.int_in_range(0..=20)? {
        0 => array.length = negative,
        1 => array.offset = negative,
        2 if !node.is_fixed => {
            node.is_fixed = true;
            array.length = u.int_in_range(0..=array.length.max(0))?;
        }
        3 if !node.is_fixed => {
            node.is_fixed = true;
            array.offset = u.int_in_range(0..=array.offset.max(0))?;
        }
        4 => array.null_count = any,
        // Any number in between would make a data buffer the buffer with the lengths.
        5 if is_view(&node.data_type) => array.n_buffers = *u.choose(&[-1, i64::MIN, 0, 1, 2, 3])?,
        5 => array.n_buffers = any,
        6 => array.buffers = ptr::null_mut(),
        7 if array.n_buffers > 0 && !array.buffers.is_null() && !node.buffers.is_empty() => {
            // SAFETY: there are as many pointers as there were buffers.
            unsafe { array.buffers.add(u.choose_index(node.buffers.len())?).write(ptr::null()) };
        }
        8 => array.n_children = any,
        9 => array.children = ptr::null_mut(),
        10 if node.children > 0 && !array.children.is_null() => {
            // SAFETY: there is a pointer.
            unsafe { array.children.write(ptr::null_mut()) };
        }
        11 => array.dictionary = ptr::null_mut(),
        12 if array.dictionary.is_null() => array.dictionary = node.array,
        13 if index != last => array.release = None,
        _ => contents(u, node)?,
    }
    Ok(())
}

/// Overwrites a number in a buffer.
fn contents(u: &mut Unstructured<'_>, node: &mut ArrayNode) -> Result<()> {
    use DataType::*;
    if node.buffers.is_empty() {
        return Ok(());
    }
    let index = u.choose_index(node.buffers.len())?;
    let (start, bytes) = node.buffers[index];
    let width = match (&node.data_type, index) {
        (LargeList(_) | LargeListView(_) | LargeUtf8 | LargeBinary, 1 | 2) => 8,
        (Boolean, _) | (Union(..), 0) => 1,
        (data_type, _) => data_type.primitive_width().unwrap_or(4),
    };
    let is_text = matches!(node.data_type, Utf8 | Binary | LargeUtf8 | LargeBinary);
    let mut places = bytes / width;
    let mut number =
        *u.choose(&[-1, i64::MIN, i64::MAX, 0, 1, 2, 9, 1000, i64::from(i32::MAX), i64::from(i32::MIN)])?;
    if is_text && index == 1 {
        if node.is_fixed {
            return Ok(());
        }
        node.is_fixed = true;
        places -= 1;
    }
    let mut width = width;
    if is_view(&node.data_type) && index + 1 == node.buffers.len() {
        // Lengths of buffers are trusted, so they are never increased.
        (number, width, places) = (number.min(20), 8, 2);
    }
    if places > 0 {
        let place = u.choose_index(places)?;
        let number = i128::from(number).to_ne_bytes();
        // SAFETY: the range is inside the buffer.
        unsafe { ptr::copy_nonoverlapping(number.as_ptr(), start.add(place * width), width.min(16)) };
    }
    Ok(())
}

fn is_view(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8View | DataType::BinaryView)
}

const FORMATS: [&[u8]; 40] = [
    b"",
    b"n",
    b"zz",
    b"l",
    b"vu",
    b"w:",
    b"w:-1",
    b"w:99999999999",
    b"w:3",
    b"w:x",
    b"d:",
    b"d:5",
    b"d:5,2,256",
    b"d:99,2",
    b"d:0,0",
    b"d:-1,-2",
    b"+l",
    b"+L",
    b"+s",
    b"+m",
    b"+w:",
    b"+w:-1",
    b"+w:2147483647",
    b"+w:2",
    b"+ud:0,1",
    b"+ud:0",
    b"+ud:",
    b"+us:-1",
    b"+us:0,0",
    b"+us:a",
    b"+r",
    b"+vl",
    b"+vL",
    b"ts",
    b"tsx:UTC",
    b"tdD",
    b"tiM",
    b"\xff\xfe",
    b"+",
    b":",
];

/// Makes one change to one schema. Returns whether arrays of it still have the same layout.
pub(crate) fn schema(u: &mut Unstructured<'_>, structs: &mut Structs) -> Result<bool> {
    let schema = *u.choose(&structs.schemas)?;
    let other = *u.choose(&structs.schemas)?;
    // SAFETY: this test owns the struct, and nothing else points to its fields.
    let schema: &mut FFI_ArrowSchema = unsafe { &mut *schema };
    let negative = *u.choose(&NEGATIVE)?;
    let kind = u.int_in_range(0..=15)?;
    match kind {
        0 => schema.name = ptr::null(),
        1 => schema.name = structs.text(*u.choose(&[&b"\xff\xfe"[..], b"", b"a.b", b"\x1b[2J"])?),
        2 => schema.flags = *u.choose(&[-1, 0, 1, 5, 8, i64::MAX])?,
        3 => schema.metadata = ptr::null(),
        4 => {
            let entries = *u.choose(&[-1, 0, 1, i32::MIN])?;
            let key = *u.choose(&[-1, 0, 1, i32::MIN])?;
            let lengths = [entries.to_ne_bytes(), key.to_ne_bytes()].concat();
            schema.metadata = structs.bytes(&lengths, b"\xff\0\0\0\0\0\0\0").cast();
        }
        5 => schema.format = ptr::null(),
        6 | 7 => schema.format = structs.text(*u.choose(&FORMATS)?),
        8 => schema.n_children = negative,
        9 => schema.n_children = u.int_in_range(0..=schema.n_children.max(0))?,
        10 => schema.children = ptr::null_mut(),
        11 | 12 if schema.n_children > 0 && !schema.children.is_null() => {
            // A recursive struct, or none.
            let child = if kind == 11 { other } else { ptr::null_mut() };
            // SAFETY: there is a pointer.
            unsafe { schema.children.write(child) };
        }
        13 => schema.dictionary = other,
        14 => schema.dictionary = ptr::null_mut(),
        15 => schema.release = None,
        _ => {}
    }
    Ok(kind < 5)
}
