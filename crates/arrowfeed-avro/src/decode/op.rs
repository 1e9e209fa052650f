//! The ops of the flat plan: every kind of column, and the step over unread values, listed once.

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray};
use arrow_buffer::i256;

use super::bytes::BytesColumn;
use super::context::{Context, Moved};
use super::decimal::Decimals;
use super::enumeration::EnumColumn;
use super::fill::{Fill, Marks, MarksIter};
use super::fixed::{Durations, FixedColumn, UuidStrings};
use super::leaf::{Leaf, Nullable};
use super::list::ListColumn;
use super::number::{BooleanWire, Booleans, DoubleWire, FloatWire, IntWire, LongWire, Numbers, Same};
use super::optional::Optional;
use super::union::UnionColumn;
use crate::plan::skip::{self, Program};
use crate::wire::cursor::{Cursor, Stop};

/// Lists the ops by how they are read: `leaf` columns inline, `rare` ones and those with `parts` by a call.
macro_rules! ops {
    (
        leaf { $($leaf:ident($leaf_type:ty),)+ }
        rare { $($rare:ident($rare_type:ty),)+ }
        parts { $($part:ident($part_type:ty),)+ }
    ) => {
        /// One step of the flat plan, with the column that it fills. The tag is a byte of its own, so that the hot
        /// loop need not work it out.
        #[derive(Debug)]
        #[repr(u8)]
        pub(crate) enum Op {
            /// Values that nobody reads.
            Skip(Program),
            $(#[allow(missing_docs)] $leaf($leaf_type),)+
            $(#[allow(missing_docs)] $rare($rare_type),)+
            $(#[allow(missing_docs)] $part(Box<$part_type>),)+
        }

        impl Op {
            /// One value for each of some ops of one kind.
            #[inline(always)]
            pub(crate) fn read_group<'a>(
                group: &mut [Op],
                mut cur: Cursor<'a>,
                context: &mut Context,
            ) -> Result<Cursor<'a>, Stop> {
                match group.first() {
                    $(Some(Op::$leaf(_)) => {
                        for op in group {
                            if let Op::$leaf(column) = op {
                                column.read(&mut cur)?;
                            }
                        }
                    })+
                    $(Some(Op::$rare(_)) => {
                        for op in group {
                            if let Op::$rare(column) = op {
                                // A copy: a call that is given the address of `cur` would keep it out of registers.
                                let mut copy = cur;
                                column.read(&mut copy)?;
                                cur = copy;
                            }
                        }
                    })+
                    $(Some(Op::$part(_)) => {
                        for op in group {
                            if let Op::$part(column) = op {
                                let moved = column.read(cur, context);
                                cur = context.result(moved)?;
                            }
                        }
                    })+
                    Some(Op::Skip(_)) => {
                        for op in group {
                            if let Op::Skip(program) = op {
                                let moved = step_over(program, 1, cur, context);
                                cur = context.result(moved)?;
                            }
                        }
                    }
                    None => {}
                }
                Ok(cur)
            }

            /// `n` values in a row: one dispatch for all.
            #[inline(never)]
            pub(crate) fn read_n<'a>(
                &mut self,
                n: usize,
                mut cur: Cursor<'a>,
                context: &mut Context,
            ) -> Moved<'a> {
                match self {
                    $(Op::$leaf(column) => {
                        if let Err(stop) = column.read_n(n, &mut cur) {
                            return context.moved(Err(stop));
                        }
                    })+
                    $(Op::$rare(column) => {
                        if let Err(stop) = column.read_n(n, &mut cur) {
                            return context.moved(Err(stop));
                        }
                    })+
                    $(Op::$part(column) => {
                        for _ in 0..n {
                            cur = column.read(cur, context)?;
                        }
                    })+
                    Op::Skip(program) => return step_over(program, n, cur, context),
                }
                Some(cur)
            }

            pub(crate) fn column(&mut self) -> Option<&mut dyn Fill> {
                match self {
                    $(Op::$leaf(column) => Some(column),)+
                    $(Op::$rare(column) => Some(column),)+
                    $(Op::$part(column) => Some(column.as_mut()),)+
                    Op::Skip(_) => None,
                }
            }

            pub(crate) fn column_ref(&self) -> Option<&dyn Fill> {
                match self {
                    $(Op::$leaf(column) => Some(column),)+
                    $(Op::$rare(column) => Some(column),)+
                    $(Op::$part(column) => Some(column.as_ref()),)+
                    Op::Skip(_) => None,
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
        NullableInt(Nullable<Numbers<IntWire, i32>>),
        IntToI64(Numbers<IntWire, i64>),
        NullableIntToI64(Nullable<Numbers<IntWire, i64>>),
        IntToF32(Numbers<IntWire, f32>),
        IntToF64(Numbers<IntWire, f64>),
        Long(Numbers<LongWire, i64>),
        NullableLong(Nullable<Numbers<LongWire, i64>>),
        LongToF32(Numbers<LongWire, f32>),
        LongToF64(Numbers<LongWire, f64>),
        Float(Numbers<Same, f32>),
        NullableFloat(Nullable<Numbers<Same, f32>>),
        FloatToF64(Numbers<FloatWire, f64>),
        Double(Numbers<Same, f64>),
        NullableDouble(Nullable<Numbers<Same, f64>>),
        DoubleToF32(Numbers<DoubleWire, f32>),
        Bytes(BytesColumn),
        NullableBytes(Nullable<BytesColumn>),
        Enum(EnumColumn),
        NullableEnum(Nullable<EnumColumn>),
        Fixed(FixedColumn),
    }
    rare {
        Uuid(UuidStrings),
        Decimal128(Decimals<i128>),
        Decimal256(Decimals<i256>),
        Duration(Durations),
    }
    parts {
        List(ListColumn),
        Optional(Optional),
        Union(UnionColumn),
    }
}

#[inline(never)]
fn step_over<'a>(program: &Program, n: usize, mut cur: Cursor<'a>, context: &mut Context) -> Moved<'a> {
    for _ in 0..n {
        if let Err(stop) = skip::run(program, &context.skips, &mut context.budget, &mut cur) {
            return context.moved(Err(stop));
        }
    }
    Some(cur)
}

/// Values of the null type: a count.
#[derive(Debug, Default)]
pub(crate) struct Nulls(usize);

impl Leaf for Nulls {
    #[inline(always)]
    fn read(&mut self, _cur: &mut Cursor<'_>) -> Result<(), Stop> {
        self.0 += 1;
        Ok(())
    }

    fn read_n(&mut self, n: usize, _cur: &mut Cursor<'_>) -> Result<(), Stop> {
        self.0 += n;
        Ok(())
    }

    fn push_null(&mut self) {
        self.0 += 1;
    }
}

impl Fill for Nulls {
    fn prepare(&mut self) {
        // A count needs no memory.
    }

    fn pad(&mut self, n: usize) {
        self.0 += n;
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.0);
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.0 = marks.next();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(NullArray::new(std::mem::take(&mut self.0)))
    }
}
