//! Checks of array structs: counts, lengths and pointers of each level are checked against the type.
//!
//! Unsafe: structs of children and dictionaries are behind raw pointers. Each pointer is checked for null, and children
//! are read only if there are as many as the type has. `ArrayData` is built without the checks of arrow-rs, and is read
//! only by `contents`, which has its own checks.
#![expect(unsafe_code, reason = "follows the raw pointers in array structs of other libraries")]

use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::buffers::Buffers;
use crate::invalid::{Checked, Invalid};
use crate::types::name;

/// A struct, and the struct that owns the memory of all. The targets of its pointers are as described by the interface.
#[derive(Clone, Copy)]
pub(crate) struct OwnedStruct<'a> {
    array: &'a FFI_ArrowArray,
    owner: &'a Arc<FFI_ArrowArray>,
}

/// The numbers of a struct, none of which is negative.
pub(crate) struct Size {
    pub(crate) offset: usize,
    pub(crate) len: usize,
    /// Number of stored values: `offset + len`.
    pub(crate) end: usize,
}

impl<'a> OwnedStruct<'a> {
    /// The root struct of an array.
    ///
    /// # Safety
    ///
    /// Non-null pointers in the struct point to memory as described by the C data interface, of the size that
    /// the struct states.
    pub(crate) unsafe fn new(owner: &'a Arc<FFI_ArrowArray>) -> Self {
        Self { array: owner, owner }
    }

    /// Array data of this type over the memory of the struct. Only its structure is valid yet: the targets of its
    /// offsets, indices and views have not been checked.
    pub(crate) fn data(self, data_type: &DataType) -> Checked<ArrayData> {
        let Size { offset, len, end } = self.size(data_type)?;
        if len == 0 {
            // Arrays without values may have no buffers, and nothing in the buffers of those that do is reached.
            return Ok(ArrayData::new_empty(data_type));
        }
        let buffers = Buffers::new(self.array, self.owner, data_type, end)?;
        // SAFETY: guaranteed by the caller of `new`.
        let values = unsafe { buffers.values()? };
        let nulls = if has_bitmap(data_type) { self.nulls(&buffers, offset, len)? } else { None };
        let data = ArrayData::builder(data_type.clone()).len(len).offset(offset).nulls(nulls);
        let data = data.buffers(values).child_data(self.inside(data_type)?);
        // SAFETY: `contents` checks the rest before the data is used. The buffers, each of the required length, and the
        // children are those of the type.
        Ok(unsafe { data.build_unchecked() })
    }

    /// Length and offset, if these and the null count are possible.
    pub(crate) fn size(self, data_type: &DataType) -> Checked<Size> {
        let FFI_ArrowArray { length, offset, null_count, .. } = *self.array;
        if self.array.release.is_none() {
            return Err(Invalid::new(format!("an array of {} that was released", name(data_type))));
        }
        let number = |what, found: i64| {
            usize::try_from(found)
                .map_err(|_| Invalid::new(format!("the {what} {found} of {}", name(data_type))))
        };
        let (len, from) = (number("length", length)?, number("offset", offset)?);
        if null_count < -1 || (null_count > length && *data_type != DataType::Null) {
            return Err(Invalid::new(format!(
                "{null_count} nulls in {length} values of {}",
                name(data_type)
            )));
        }
        let end = offset.checked_add(length).and_then(|end| usize::try_from(end).ok());
        let end = end.ok_or_else(|| Invalid::new(format!("the offset {offset} before {length} values")))?;
        Ok(Size { offset: from, len, end })
    }

    /// The nulls of an array with a bitmap. The null count of the struct is not trusted, unless it is 0.
    pub(crate) fn nulls(
        self,
        buffers: &Buffers<'_>,
        offset: usize,
        len: usize,
    ) -> Checked<Option<NullBuffer>> {
        let count = self.array.null_count;
        if count == 0 {
            return Ok(None);
        }
        // SAFETY: guaranteed by the caller of `new`.
        match unsafe { buffers.bitmap()? } {
            Some(bits) => Ok(Some(NullBuffer::new(BooleanBuffer::new(bits, offset, len)))),
            None if count > 0 => Err(Invalid::new(format!("{count} nulls without a bitmap"))),
            None => Ok(None),
        }
    }

    /// The buffers of the struct.
    pub(crate) fn buffers(self, data_type: &'a DataType, end: usize) -> Checked<Buffers<'a>> {
        Buffers::new(self.array, self.owner, data_type, end)
    }

    fn inside(self, data_type: &DataType) -> Checked<Vec<ArrayData>> {
        use DataType::*;
        match data_type {
            List(items) | LargeList(items) | ListView(items) | LargeListView(items) => {
                self.children(data_type, &[items.data_type()])
            }
            FixedSizeList(items, _) | Map(items, _) => self.children(data_type, &[items.data_type()]),
            RunEndEncoded(ends, values) => self.children(data_type, &[ends.data_type(), values.data_type()]),
            Union(fields, _) => {
                let types: Vec<_> = fields.iter().map(|(_, field)| field.data_type()).collect();
                self.children(data_type, &types)
            }
            Struct(fields) => {
                let children =
                    fields.iter().zip(self.parts(data_type, fields.len())?).map(|(field, child)| {
                        child.data(field.data_type()).map_err(|invalid| invalid.inside(field.name()))
                    });
                children.collect()
            }
            Dictionary(_, values) => {
                self.parts(data_type, 0)?;
                // SAFETY: null, or a struct of the owner, as guaranteed by the caller of `new`.
                let values_of = unsafe { self.array.dictionary.as_ref() };
                let array = values_of.into_iter();
                array.map(|array| OwnedStruct { array, ..self }.data(values)).collect()
            }
            _ => self.children(data_type, &[]),
        }
    }

    fn children(self, data_type: &DataType, types: &[&DataType]) -> Checked<Vec<ArrayData>> {
        let parts = self.parts(data_type, types.len())?;
        types.iter().zip(parts).map(|(data_type, part)| part.data(data_type)).collect()
    }

    /// The structs of all children, if their number is as expected.
    pub(crate) fn parts(self, data_type: &DataType, number: usize) -> Checked<Vec<OwnedStruct<'a>>> {
        let found = self.array.n_children;
        if usize::try_from(found) != Ok(number) {
            let found = format!("{found} children of {}, which has {number}", name(data_type));
            return Err(Invalid::new(found));
        }
        if self.array.dictionary.is_null() == matches!(data_type, DataType::Dictionary(..)) {
            let with = if self.array.dictionary.is_null() { "without" } else { "with" };
            return Err(Invalid::new(format!("an array of {} {with} a dictionary", name(data_type))));
        }
        if number > 0 && self.array.children.is_null() {
            return Err(Invalid::new(format!("a null pointer to the children of {}", name(data_type))));
        }
        let parts = (0..number).map(|index| {
            // SAFETY: there are as many pointers, each null or to a struct of the owner, as guaranteed by the caller of
            // `new`.
            let child = unsafe { self.array.children.add(index).read_unaligned().as_ref() };
            let missing = || Invalid::new(format!("a null pointer to child {index} of {}", name(data_type)));
            Ok(OwnedStruct { array: child.ok_or_else(missing)?, ..self })
        });
        parts.collect()
    }
}

fn has_bitmap(data_type: &DataType) -> bool {
    !matches!(data_type, DataType::Null | DataType::Union(..) | DataType::RunEndEncoded(..))
}
