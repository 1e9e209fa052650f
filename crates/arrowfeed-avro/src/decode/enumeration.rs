//! Columns of enums: keys into a dictionary that all batches share.

use std::sync::Arc;

use arrow_array::{ArrayRef, DictionaryArray, Int32Array, types::Int32Type};
use arrow_buffer::ScalarBuffer;

use super::assemble::dictionary;
use super::column_builder::ColumnBuilder;
use super::leaf::Leaf;
use crate::memory::{Filled, Slot, SlotRange, Slots};
use crate::plan::node::EnumNode;
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A column of enum values. Invariant: every key is below the length of `dictionary`, or 0 for a null.
#[derive(Debug)]
pub(crate) struct EnumColumn {
    keys: Slots<i32>,
    /// The key of each symbol of the writer; `None` if the reader has no key for it.
    map: Arc<[Option<i32>]>,
    dictionary: ArrayRef,
    symbol_bytes: usize,
}

impl EnumColumn {
    pub(crate) fn new(node: &EnumNode) -> Self {
        let (map, dictionary) = (node.keys.clone(), node.dictionary.clone());
        Self { keys: Slots::new(), map, dictionary, symbol_bytes: node.symbol_bytes }
    }
}

impl Leaf for EnumColumn {
    #[inline(always)]
    fn read<P: Pack>(&mut self, slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let index = cur.index(self.map.len())?;
        self.keys.set(slot, self.map[index].ok_or(Stop::Invalid)?);
        Ok(())
    }

    #[inline(always)]
    fn set_null(&mut self, slot: Slot) {
        self.keys.set(slot, 0);
    }
}

impl ColumnBuilder for EnumColumn {
    fn deferred_bytes(&self) -> usize {
        self.symbol_bytes
    }

    fn prepare(&mut self, likely: usize) -> usize {
        self.keys.prepare(likely)
    }

    fn make_room(&mut self, len: usize, slots: usize) {
        self.keys.make_room(len, slots);
    }

    fn pad(&mut self, slots: SlotRange) {
        self.keys.set_all(slots, 0);
    }

    fn finish(&mut self, filled: Filled) -> ArrayRef {
        let keys = Int32Array::new(ScalarBuffer::new(self.keys.take(filled), 0, filled.len()), None);
        let array: DictionaryArray<Int32Type> = dictionary(keys, self.dictionary.clone());
        Arc::new(array)
    }
}
