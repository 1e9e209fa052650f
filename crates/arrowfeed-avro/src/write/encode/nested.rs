//! Columns with children: lists, unions, indexed values, null handling around them, and defaults.

use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrowfeed_source::{FeedError, FeedErrorKind, counted, thousands};

use super::body::Body;
use super::buffer::BlockBuffer;
use super::leaf::Tags;

/// The item ranges of the slots of a list, in any of Arrow's layouts.
#[derive(Debug)]
pub(super) enum Ranges {
    Offsets(OffsetBuffer<i32>),
    LargeOffsets(OffsetBuffer<i64>),
    Views(ScalarBuffer<i32>, ScalarBuffer<i32>),
    LargeViews(ScalarBuffer<i64>, ScalarBuffer<i64>),
    Fixed(usize),
}

impl Ranges {
    /// The item range of a slot that is not null.
    #[inline(always)]
    pub(super) fn of(&self, slot: usize) -> Range<usize> {
        let view = |start: usize, len: usize| start..start + len;
        match self {
            Self::Offsets(offsets) => offsets[slot] as usize..offsets[slot + 1] as usize,
            Self::LargeOffsets(offsets) => offsets[slot] as usize..offsets[slot + 1] as usize,
            Self::Views(offsets, sizes) => view(offsets[slot] as usize, sizes[slot] as usize),
            Self::LargeViews(offsets, sizes) => view(offsets[slot] as usize, sizes[slot] as usize),
            Self::Fixed(size) => view(slot * size, *size),
        }
    }
}

/// Lists as arrays, and maps as maps: one block of items, then the end marker.
#[derive(Debug)]
pub(super) struct List {
    pub(super) ranges: Ranges,
    /// The index of the first item in `items`: items that no row refers to are cut off.
    pub(super) first: usize,
    pub(super) items: Body,
    /// Maximum number of items that readers accept if the items have no bytes.
    pub(super) most: Option<u64>,
}

impl List {
    /// Prefetches the items of adjacent slots into the cache, if the items are adjacent too.
    pub(super) fn fetch(&self, start: usize, end: usize) {
        let (start, end) = match &self.ranges {
            Ranges::Offsets(offsets) => (offsets[start] as usize, offsets[end] as usize),
            Ranges::LargeOffsets(offsets) => (offsets[start] as usize, offsets[end] as usize),
            Ranges::Fixed(size) => (start * size, end * size),
            Ranges::Views(..) | Ranges::LargeViews(..) => return,
        };
        if self.first <= start && start < end {
            self.items.fetch(start - self.first, end - self.first);
        }
    }

    pub(super) fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        let Range { start, end } = self.ranges.of(slot);
        if start < end {
            let n = (end - start) as u64;
            if let Some(most) = self.most.filter(|most| n > *most) {
                let (most, found) = (thousands(most), counted(n, "item"));
                let message = format!("expected at most {most} items without bytes in a list, found {found}");
                return Err(FeedError::limit_reached("zero_byte_elements", message));
            }
            out.long(n as i64);
            self.items.put_run(start - self.first, end - self.first, out)?;
        }
        out.byte(0);
        Ok(())
    }
}

/// A field without a column: the same bytes for each row.
#[derive(Debug)]
pub(super) struct Constant(pub(super) Arc<[u8]>);

impl Constant {
    pub(super) fn put(&self, _slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        out.extend(&self.0);
        Ok(())
    }
}

/// A column with children inside a union with null.
#[derive(Debug)]
pub(super) struct Optional {
    pub(super) nulls: Option<NullBuffer>,
    pub(super) tags: Tags,
    pub(super) value: Body,
}

impl Optional {
    pub(super) fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(slot)) {
            out.byte(self.tags.null);
            return Ok(());
        }
        out.byte(self.tags.value);
        self.value.put(slot, out)
    }
}

/// Unions behind a nullable index, in a union with null: the value writes its own branch.
#[derive(Debug)]
pub(super) struct NullBranch {
    pub(super) nulls: NullBuffer,
    pub(super) index: i64,
    pub(super) value: Body,
}

impl NullBranch {
    pub(super) fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        if self.nulls.is_null(slot) {
            out.long(self.index);
            return Ok(());
        }
        self.value.put(slot, out)
    }
}

/// A column with nulls whose Avro type has no null: writing a null is an error.
#[derive(Debug)]
pub(super) struct Required {
    pub(super) nulls: NullBuffer,
    pub(super) value: Body,
    pub(super) path: Box<str>,
}

impl Required {
    pub(super) fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        if self.nulls.is_null(slot) {
            let message = "expected a value, found null: the Avro type of this column has no null";
            return Err(FeedError::new(FeedErrorKind::Conversion, message).in_field(&*self.path));
        }
        self.value.put(slot, out)
    }
}

/// The index of the value of each slot, in any of the widths of a dictionary or a run-end encoded column.
#[derive(Debug)]
pub(super) enum Keys {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
}

impl Keys {
    /// The key of a slot that is not null.
    #[inline(always)]
    pub(super) fn of(&self, slot: usize) -> usize {
        match self {
            Self::I8(keys) => keys[slot] as usize,
            Self::I16(keys) => keys[slot] as usize,
            Self::I32(keys) => keys[slot] as usize,
            Self::I64(keys) => keys[slot] as usize,
            Self::U8(keys) => keys[slot].into(),
            Self::U16(keys) => keys[slot].into(),
            Self::U32(keys) => keys[slot] as usize,
            Self::U64(keys) => keys[slot] as usize,
        }
    }
}

/// Values that are stored once and referred to by index: dictionaries and run-end encoded columns.
#[derive(Debug)]
pub(super) struct Indexed {
    pub(super) keys: Keys,
    pub(super) values: Body,
}

impl Indexed {
    pub(super) fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        self.values.put(self.keys.of(slot), out)
    }
}

/// A union: writes the branch of each slot, then its value.
#[derive(Debug)]
pub(super) struct Union {
    pub(super) type_ids: ScalarBuffer<i8>,
    /// Slots of the children; `None` if each child has all slots.
    pub(super) offsets: Option<ScalarBuffer<i32>>,
    /// Branches by type id; `None` for ids that the type does not have.
    pub(super) branches: Vec<Option<Branch>>,
}

/// A child of a union as a branch of the Avro union.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) index: i64,
    pub(super) nulls: Option<NullBuffer>,
    /// The branch for nulls of this child.
    pub(super) null_index: Option<i64>,
    pub(super) value: Body,
    pub(super) path: Box<str>,
}

impl Union {
    pub(super) fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        let id = self.type_ids[slot];
        let branch = usize::try_from(id).ok().and_then(|id| self.branches.get(id)?.as_ref());
        let Some(branch) = branch else {
            let message = format!("expected the type id of a union's field, found {id}");
            return Err(FeedError::new(FeedErrorKind::Conversion, message));
        };
        let slot = self.offsets.as_ref().map_or(slot, |offsets| offsets[slot] as usize);
        if branch.nulls.as_ref().is_some_and(|nulls| nulls.is_null(slot)) {
            let Some(null) = branch.null_index else {
                let message = "expected a value, found null: the Avro union of this column has no null";
                return Err(FeedError::new(FeedErrorKind::Conversion, message).in_field(&*branch.path));
            };
            out.long(null);
            return Ok(());
        }
        out.long(branch.index);
        branch.value.put(slot, out)
    }
}
