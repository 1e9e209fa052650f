//! The operations that write the columns of one batch, in wire order. They run once for each row.

use arrow_array::types::{Float32Type, Float64Type};
use arrow_buffer::NullBuffer;
use arrowfeed_source::FeedError;

use super::buffer::BlockBuffer;
use super::leaf::{Booleans, Computed, Fixed, Floats, Integers, Leaf, Nullable, Tags, Text};
use super::nested::{Constant, Indexed, List, NullBranch, Optional, Required, Union};

/// All operations that write one value. Records are flattened into the operations around them.
#[derive(Debug)]
pub(crate) struct Body(Box<[Op]>);

/// Defines the operations in two groups: `leaf` columns, which also have a nullable form, and `parts`.
macro_rules! ops {
    (
        leaf { $($leaf:ident / $nullable:ident($leaf_type:ty),)+ }
        parts { $($part:ident($part_type:ty),)+ }
    ) => {
        /// Adjacent columns of one kind, at least one, which share one dispatch.
        #[derive(Debug)]
        pub(super) enum Op {
            $($leaf(Vec<$leaf_type>), $nullable(Vec<Nullable<$leaf_type>>),)+
            $($part(Vec<$part_type>),)+
        }

        impl Op {
            /// Writes one value of each column.
            #[inline(always)]
            fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
                match self {
                    $(
                        Op::$leaf(columns) => columns.iter().try_for_each(|column| column.put(slot, out)),
                        Op::$nullable(columns) => columns.iter().try_for_each(|column| column.put(slot, out)),
                    )+
                    $(Op::$part(columns) => columns.iter().try_for_each(|column| column.put(slot, out)),)+
                }
            }

            /// Writes the values of adjacent slots: for each slot, the values of all columns.
            fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
                match self {
                    $(
                        Op::$leaf(columns) => put_leaves(columns, start, end, out),
                        Op::$nullable(columns) => put_leaves(columns, start, end, out),
                    )+
                    $(Op::$part(columns) => (start..end)
                        .try_for_each(|slot| columns.iter().try_for_each(|column| column.put(slot, out))),)+
                }
            }

            /// Prefetches the values of adjacent slots into the cache, including those of list items.
            fn fetch(&self, start: usize, end: usize) {
                match self {
                    $(
                        Op::$leaf(columns) => columns.iter().for_each(|column| column.fetch(start, end)),
                        Op::$nullable(columns) => columns.iter().for_each(|column| column.fetch(start, end)),
                    )+
                    Op::List(columns) => columns.iter().for_each(|column| column.fetch(start, end)),
                    Op::Optional(columns) => columns.iter().for_each(|column| column.value.fetch(start, end)),
                    _ => {}
                }
            }

            /// Appends the columns of an operation of the same kind, or returns the operation.
            fn absorb(&mut self, next: Op) -> Option<Op> {
                match (self, next) {
                    $(
                        (Op::$leaf(columns), Op::$leaf(mut next)) => {
                            columns.append(&mut next);
                            None
                        }
                        (Op::$nullable(columns), Op::$nullable(mut next)) => {
                            columns.append(&mut next);
                            None
                        }
                    )+
                    $((Op::$part(columns), Op::$part(mut next)) => {
                        columns.append(&mut next);
                        None
                    })+
                    (_, next) => Some(next),
                }
            }

            /// Puts the operation inside a union with null. Returns it unchanged if it is not a leaf.
            pub(super) fn nullable(self, nulls: Option<NullBuffer>, tags: Tags) -> Result<Op, Op> {
                match self {
                    $(Op::$leaf(columns) => Ok(Op::$nullable(
                        columns
                            .into_iter()
                            .map(|leaf| Nullable { leaf, nulls: nulls.clone(), tags })
                            .collect(),
                    )),)+
                    other => Err(other),
                }
            }
        }
    };
}

fn put_leaves<L: Leaf>(
    columns: &[L],
    start: usize,
    end: usize,
    out: &mut BlockBuffer,
) -> Result<(), FeedError> {
    match columns {
        [column] => column.put_run(start, end, out),
        columns => {
            (start..end).try_for_each(|slot| columns.iter().try_for_each(|column| column.put(slot, out)))
        }
    }
}

ops! {
    leaf {
        Boolean / NullableBoolean(Booleans),
        I8 / NullableI8(Integers<i8>),
        I16 / NullableI16(Integers<i16>),
        I32 / NullableI32(Integers<i32>),
        I64 / NullableI64(Integers<i64>),
        U8 / NullableU8(Integers<u8>),
        U16 / NullableU16(Integers<u16>),
        U32 / NullableU32(Integers<u32>),
        Float / NullableFloat(Floats<Float32Type>),
        Double / NullableDouble(Floats<Float64Type>),
        Text / NullableText(Text<i32>),
        LargeText / NullableLargeText(Text<i64>),
        Fixed / NullableFixed(Fixed),
        Computed / NullableComputed(Computed),
    }
    parts {
        List(List),
        Optional(Optional),
        Required(Required),
        NullBranch(NullBranch),
        Indexed(Indexed),
        Union(Union),
        Constant(Constant),
    }
}

impl Body {
    /// Merges adjacent operations of one kind.
    pub(super) fn new(ops: Vec<Op>) -> Self {
        let mut merged: Vec<Op> = Vec::with_capacity(ops.len());
        for op in ops {
            let rest = match merged.last_mut() {
                Some(last) => last.absorb(op),
                None => Some(op),
            };
            merged.extend(rest);
        }
        Self(merged.into())
    }

    /// Prefetches the values of adjacent slots into the cache.
    pub(crate) fn fetch(&self, start: usize, end: usize) {
        self.0.iter().for_each(|op| op.fetch(start, end));
    }

    /// Writes the value of a slot.
    pub(crate) fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        self.0.iter().try_for_each(|op| op.put(slot, out))
    }

    /// Writes the values of adjacent slots.
    pub(super) fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        match &*self.0 {
            [op] => op.put_run(start, end, out),
            _ => (start..end).try_for_each(|slot| self.put(slot, out)),
        }
    }
}
