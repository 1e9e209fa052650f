//! The ops of the flat plan: every kind of column, and skipping, in one list.

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray};
use arrow_buffer::i256;

use super::bytes::BytesColumn;
use super::column_builder::ColumnBuilder;
use super::context::{Context, Moved};
use super::decimal::Decimals;
use super::enumeration::EnumColumn;
use super::fixed::{Durations, FixedColumn, UuidStrings};
use super::leaf::{Leaf, Nullable};
use super::list::ListColumn;
use super::number::{BooleanWire, Booleans, DoubleWire, FloatWire, Identity, IntWire, LongWire, Numbers};
use super::optional::Optional;
use super::skipper::Skipper;
use super::time::TimeWire;
use super::union::UnionColumn;
use super::varint_run::VarintRun;
use crate::memory::{Filled, Slot, SlotRange};
use crate::wire::cursor::{Cursor, Pack, Stop};

/// Declares the ops, grouped by how they are read: `leaf` columns inline, neighbouring `run` columns together, `rare`
/// columns and columns with `parts` through a call.
macro_rules! ops {
    (
        leaf { $($leaf:ident($leaf_type:ty),)+ }
        run { $($run:ident($run_type:ty),)+ }
        rare { $($rare:ident($rare_type:ty),)+ }
        parts { $($part:ident($part_type:ty),)+ }
    ) => {
        /// One step of the flat plan: one or more neighbouring columns of the same kind. The tag is a separate
        /// byte, so that the hot loop does not have to compute it.
        #[derive(Debug)]
        #[repr(u8)]
        pub(crate) enum Op {
            /// Values that are skipped, or kept as their bytes.
            Skip(Skipper),
            $(#[allow(missing_docs, reason = "the names say it")] $leaf(Vec<$leaf_type>),)+
            $(#[allow(missing_docs, reason = "the names say it")] $run($run_type),)+
            $(#[allow(missing_docs, reason = "the names say it")] $rare(Vec<$rare_type>),)+
            $(#[allow(missing_docs, reason = "the names say it")] $part(Vec<$part_type>),)+
        }

        impl Op {
            /// Reads one value of each column.
            #[inline(always)]
            pub(crate) fn read<'a, P: Pack>(
                &mut self,
                slot: Slot,
                mut cur: Cursor<'a, P>,
                context: &mut Context,
            ) -> Result<Cursor<'a, P>, Stop> {
                match self {
                    $(Op::$leaf(columns) => {
                        for column in columns {
                            column.read(slot, &mut cur)?;
                        }
                    })+
                    $(Op::$run(run) => cur = run.read(slot, cur, context)?,)+
                    $(Op::$rare(columns) => {
                        for column in columns {
                            // Passes a copy, because passing the address of `cur` would keep it out of registers.
                            let mut copy = cur;
                            column.read(slot, &mut copy)?;
                            cur = copy;
                        }
                    })+
                    $(Op::$part(columns) => {
                        for column in columns {
                            let moved = column.read(slot, cur, context);
                            cur = context.result(moved)?;
                        }
                    })+
                    Op::Skip(skipper) => {
                        let moved = skipper.read(slot.into(), cur, context);
                        return context.result(moved);
                    }
                }
                Ok(cur)
            }

            /// Reads consecutive values of each column in turn, with a single dispatch.
            #[inline(never)]
            pub(crate) fn read_n<'a, P: Pack>(
                &mut self,
                slots: SlotRange,
                mut cur: Cursor<'a, P>,
                context: &mut Context,
            ) -> Moved<'a, P> {
                let result = match self {
                    $(Op::$leaf(columns) => read_leaves(columns, slots, &mut cur),)+
                    $(Op::$run(run) => run.read_n(slots, cur, context).map(|after| cur = after),)+
                    $(Op::$rare(columns) => read_leaves(columns, slots, &mut cur),)+
                    $(Op::$part(columns) => {
                        for slot in slots.iter() {
                            for column in columns.iter_mut() {
                                cur = column.read(slot, cur, context)?;
                            }
                        }
                        Ok(())
                    })+
                    Op::Skip(skipper) => return skipper.read(slots, cur, context),
                };
                context.moved(result.map(|()| cur))
            }

            /// Calls `with` for each column.
            pub(crate) fn for_each(&mut self, mut with: impl FnMut(&mut dyn ColumnBuilder)) {
                match self {
                    $(Op::$leaf(columns) => columns.iter_mut().for_each(|column| with(column)),)+
                    $(Op::$run(run) => run.columns_mut().iter_mut().for_each(|column| with(column)),)+
                    $(Op::$rare(columns) => columns.iter_mut().for_each(|column| with(column)),)+
                    $(Op::$part(columns) => columns.iter_mut().for_each(|column| with(column)),)+
                    Op::Skip(skipper) => skipper.kept().into_iter().for_each(|column| with(column)),
                }
            }

            /// Calls `with` for each column.
            pub(crate) fn for_each_ref(&self, mut with: impl FnMut(&dyn ColumnBuilder)) {
                match self {
                    $(Op::$leaf(columns) => columns.iter().for_each(|column| with(column)),)+
                    $(Op::$run(run) => run.columns().iter().for_each(|column| with(column)),)+
                    $(Op::$rare(columns) => columns.iter().for_each(|column| with(column)),)+
                    $(Op::$part(columns) => columns.iter().for_each(|column| with(column)),)+
                    Op::Skip(skipper) => skipper.kept_ref().into_iter().for_each(|column| with(column)),
                }
            }

            /// Merges `next` into `self` if both have the same kind, and returns the index of the new column.
            /// Otherwise returns `next`, which has one column.
            pub(crate) fn absorb(&mut self, next: Op) -> Result<usize, Op> {
                match (self, next) {
                    $((Op::$leaf(columns), Op::$leaf(mut next)) => {
                        columns.append(&mut next);
                        Ok(columns.len() - 1)
                    })+
                    $((Op::$run(run), Op::$run(next)) => match run.append(next) {
                        Ok(()) => Ok(run.columns().len() - 1),
                        Err(next) => Err(Op::$run(next)),
                    },)+
                    $((Op::$rare(columns), Op::$rare(mut next)) => {
                        columns.append(&mut next);
                        Ok(columns.len() - 1)
                    })+
                    $((Op::$part(columns), Op::$part(mut next)) => {
                        columns.append(&mut next);
                        Ok(columns.len() - 1)
                    })+
                    (Op::Skip(skipper), Op::Skip(next)) => {
                        skipper.append(next);
                        Ok(0)
                    }
                    (_, next) => Err(next),
                }
            }
        }
    };
}

ops! {
    leaf {
        Null(Nulls),
        Boolean(Booleans),
        NullableBoolean(Nullable<Booleans>),
        BooleanToI64(Numbers<BooleanWire, i64>),
        Int(Numbers<IntWire, i32>),
        IntToI64(Numbers<IntWire, i64>),
        IntToF32(Numbers<IntWire, f32>),
        IntToF64(Numbers<IntWire, f64>),
        Long(Numbers<LongWire, i64>),
        LongToF32(Numbers<LongWire, f32>),
        LongToF64(Numbers<LongWire, f64>),
        Float(Numbers<Identity, f32>),
        NullableFloat(Nullable<Numbers<Identity, f32>>),
        FloatToF64(Numbers<FloatWire, f64>),
        Double(Numbers<Identity, f64>),
        NullableDouble(Nullable<Numbers<Identity, f64>>),
        DoubleToF32(Numbers<DoubleWire, f32>),
        Bytes(BytesColumn),
        NullableBytes(Nullable<BytesColumn>),
        Enum(EnumColumn),
        NullableEnum(Nullable<EnumColumn>),
        Fixed(FixedColumn),
    }
    run {
        NullableInt(VarintRun<IntWire, i32>),
        NullableIntToI64(VarintRun<IntWire, i64>),
        NullableLong(VarintRun<LongWire, i64>),
    }
    rare {
        Uuid(UuidStrings),
        Decimal128(Decimals<i128>),
        Decimal256(Decimals<i256>),
        Duration(Durations),
        TimeMillis(Numbers<TimeWire<IntWire>, i32>),
        NullableTimeMillis(Nullable<Numbers<TimeWire<IntWire>, i32>>),
        TimeMicros(Numbers<TimeWire<LongWire>, i64>),
        NullableTimeMicros(Nullable<Numbers<TimeWire<LongWire>, i64>>),
        IntToTimeMicros(Numbers<TimeWire<IntWire>, i64>),
    }
    parts {
        List(ListColumn),
        Optional(Optional),
        Union(UnionColumn),
    }
}

/// Reads consecutive values of each column. A single column reads all its values at once, and so do columns without
/// encoded bytes, whose order does not matter.
#[inline(always)]
fn read_leaves<C: Leaf, P: Pack>(
    columns: &mut [C],
    slots: SlotRange,
    cur: &mut Cursor<'_, P>,
) -> Result<(), Stop> {
    if let [column] = columns {
        return column.read_n(slots, cur);
    }
    if !C::HAS_BYTES {
        return columns.iter_mut().try_for_each(|column| column.read_n(slots, cur));
    }
    for slot in slots.iter() {
        for column in columns.iter_mut() {
            column.read(slot, cur)?;
        }
    }
    Ok(())
}

/// A column of the null type, which has no memory.
#[derive(Debug, Default)]
pub(crate) struct Nulls;

impl Leaf for Nulls {
    const HAS_BYTES: bool = false;

    #[inline(always)]
    fn read<P: Pack>(&mut self, _slot: Slot, _cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        Ok(())
    }

    fn read_n<P: Pack>(&mut self, _slots: SlotRange, _cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        Ok(())
    }

    fn set_null(&mut self, _slot: Slot) {}
}

impl ColumnBuilder for Nulls {
    fn prepare(&mut self, _likely: usize) -> usize {
        usize::MAX
    }

    fn make_room(&mut self, _len: usize, _slots: usize) {}

    fn pad(&mut self, _slots: SlotRange) {}

    fn finish(&mut self, filled: Filled) -> ArrayRef {
        Arc::new(NullArray::new(filled.len()))
    }
}
