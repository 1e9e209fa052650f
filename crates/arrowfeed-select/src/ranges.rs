//! Range-wise copies of slots, and a check that offsets do not overflow.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, make_array};
use arrow_buffer::OffsetBuffer;
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType};

/// Bytes of a range in a list.
pub(crate) const RANGE: usize = size_of::<Range>();

/// Ranges of slots to copy, in order. Adjacent ranges are merged.
pub(crate) struct Ranges {
    arrays: Vec<ArrayData>,
    with_nulls: bool,
    slots: usize,
    ranges: Vec<Range>,
}

enum Range {
    Of { array: usize, start: usize, end: usize },
    Nulls(usize),
}

impl Ranges {
    /// Creates an empty list. `slots` is the number of slots in the result. `with_nulls` allows nulls
    /// that are in no input array.
    pub(crate) fn new(arrays: &[&dyn Array], with_nulls: bool, slots: usize) -> Self {
        let arrays = arrays.iter().map(|array| array.to_data()).collect();
        Self { arrays, with_nulls, slots, ranges: Vec::new() }
    }

    pub(crate) fn slot(&mut self, array: usize, slot: usize) {
        self.range(array, slot, slot + 1);
    }

    pub(crate) fn range(&mut self, array: usize, start: usize, end: usize) {
        assert!(start <= end && end <= self.arrays[array].len(), "a slot that is there");
        match self.ranges.last_mut() {
            Some(Range::Of { array: last, end: last_end, .. }) if *last == array && *last_end == start => {
                *last_end = end;
            }
            _ => self.ranges.push(Range::Of { array, start, end }),
        }
    }

    pub(crate) fn null(&mut self) {
        match self.ranges.last_mut() {
            Some(Range::Nulls(n)) => *n += 1,
            _ => self.ranges.push(Range::Nulls(1)),
        }
    }

    pub(crate) fn copy(self) -> Result<ArrayRef, ArrowError> {
        self.data().map(make_array)
    }

    /// The copy as data. Dictionaries of several arrays must have keys for all of their values.
    pub(crate) fn data(self) -> Result<ArrayData, ArrowError> {
        let mut out = MutableArrayData::new(self.arrays.iter().collect(), self.with_nulls, self.slots);
        for range in &self.ranges {
            match range {
                Range::Of { array, start, end } => out.try_extend(*array, *start, *end)?,
                Range::Nulls(n) => out.try_extend_nulls(*n)?,
            }
        }
        Ok(out.freeze())
    }
}

/// Returns an error if the lists together have more items than their offsets can address, at any depth.
pub(crate) fn check_offsets(arrays: &[&dyn Array]) -> Result<(), ArrowError> {
    let Some(first) = arrays.first() else { return Ok(()) };
    let mut items = 0_usize;
    let children: Vec<Vec<ArrayRef>> = match first.data_type() {
        DataType::List(item) => {
            let lists = arrays.iter().filter_map(|array| array.as_list_opt::<i32>());
            items_of(lists, item.data_type(), &mut items)
        }
        DataType::LargeList(item) => {
            let lists = arrays.iter().filter_map(|array| array.as_list_opt::<i64>());
            items_of(lists, item.data_type(), &mut 0)
        }
        DataType::Map(..) => arrays
            .iter()
            .filter_map(|array| array.as_map_opt())
            .map(|map| {
                let entries: ArrayRef = std::sync::Arc::new(map.entries().clone());
                vec![covered(map.offsets(), &entries, &mut items)]
            })
            .collect(),
        DataType::Struct(_) => arrays
            .iter()
            .filter_map(|array| array.as_struct_opt())
            .map(|rows| rows.columns().to_vec())
            .collect(),
        // Other types are copied by ranges, and that copy checks the offsets.
        _ => return Ok(()),
    };
    if i32::try_from(items).is_err() {
        return Err(ArrowError::OffsetOverflowError(items));
    }
    let width = children.first().map_or(0, Vec::len);
    (0..width).try_for_each(|i| {
        let parts: Vec<&dyn Array> =
            children.iter().filter_map(|parts| parts.get(i)).map(AsRef::as_ref).collect();
        check_offsets(&parts)
    })
}

/// Returns the items of lists, if they are lists or have lists inside, and adds their number to `items`.
fn items_of<'a, O: OffsetSizeTrait>(
    lists: impl Iterator<Item = &'a GenericListArray<O>>,
    item: &DataType,
    items: &mut usize,
) -> Vec<Vec<ArrayRef>> {
    let mut children = Vec::new();
    for list in lists {
        if item.is_nested() {
            children.push(vec![covered(list.offsets(), list.values(), items)]);
        } else {
            let offsets = list.offsets();
            *items = items.saturating_add((offsets[offsets.len() - 1] - offsets[0]).as_usize());
        }
    }
    children
}

/// Returns the items of all lists, and adds their number to `items`.
fn covered<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>, values: &ArrayRef, items: &mut usize) -> ArrayRef {
    let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    *items = items.saturating_add(last - first);
    values.slice(first, last - first)
}
