//! Columns of enums: keys into a dictionary that all batches share.

use std::sync::Arc;

use arrow_array::{ArrayRef, DictionaryArray, Int32Array, types::Int32Type};
use arrow_buffer::ScalarBuffer;

use super::assemble::dictionary;
use super::fill::{Fill, Marks, MarksIter};
use super::leaf::Leaf;
use crate::memory::Values;
use crate::plan::node::EnumNode;
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A column of enum values. Invariant: every key is below the length of `dictionary`, or 0 for a null.
#[derive(Debug)]
pub(crate) struct EnumColumn {
    keys: Values<i32>,
    /// The key of each symbol of the writer; `None` if the reader has no key for it.
    map: Arc<[Option<i32>]>,
    dictionary: ArrayRef,
    symbol_bytes: usize,
}

impl EnumColumn {
    pub(crate) fn new(node: &EnumNode) -> Self {
        let (map, dictionary) = (node.keys.clone(), node.dictionary.clone());
        Self { keys: Values::new(), map, dictionary, symbol_bytes: node.symbol_bytes }
    }
}

impl Leaf for EnumColumn {
    #[inline(always)]
    fn read<P: Pack>(&mut self, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let index = cur.index(self.map.len())?;
        self.keys.push(self.map[index].ok_or(Stop::Invalid)?);
        Ok(())
    }

    #[inline(always)]
    fn push_null(&mut self) {
        self.keys.push(0);
    }
}

impl Fill for EnumColumn {
    fn deferred_bytes(&self) -> usize {
        self.symbol_bytes
    }

    fn prepare(&mut self) {
        self.keys.prepare();
    }

    fn pad(&mut self, n: usize) {
        self.keys.push_zeros(n);
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.keys.len());
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.keys.truncate(marks.next());
    }

    fn finish(&mut self) -> ArrayRef {
        let len = self.keys.len();
        let keys = Int32Array::new(ScalarBuffer::new(self.keys.take(), 0, len), None);
        let array: DictionaryArray<Int32Type> = dictionary(keys, self.dictionary.clone());
        Arc::new(array)
    }
}
