//! Skips unread values quickly, by running a program of the plan as runs of values of one kind.
//!
//! Accepts exactly what [`plan::skip`](crate::plan::skip) accepts. That module is still used for recursive
//! types, for locating faults, and as the test oracle of this one.

mod lower;

use arrow_schema::DataType;

use super::bytes::BytesColumn;
use super::context::{Context, Moved};
use crate::memory::SlotRange;
use crate::plan::skip::{self, Program};
use crate::wire::Reads;
use crate::wire::cursor::{Cursor, Pack, Stop};
use crate::wire::optional_varints::{MAX_SKIPPED, skip_optional_varints};
use crate::wire::varints::{skip_ints, skip_longs};

/// A sequence of values to skip.
#[derive(Debug, Default)]
pub(crate) struct Skipper {
    steps: Vec<SkipStep>,
    /// The bytes of all values, if they are kept. Not an op of its own, because that would cost the loop over
    /// ops 7 % of its instructions on `nested`.
    kept: Option<Box<BytesColumn>>,
}

/// Consecutive values of one kind; `times` is at least 1. The tag is a separate byte, as that of an [`Op`](super::op::Op).
#[derive(Debug)]
#[repr(u8)]
enum SkipStep {
    /// Bytes of values of fixed width.
    Advance(usize),
    Boolean {
        times: usize,
    },
    Int {
        times: usize,
    },
    Long {
        times: usize,
    },
    String {
        times: usize,
    },
    /// An enum with this number of symbols.
    Symbol(usize),
    /// Unions of null, which has the encoded index `null`, and a value of `bytes` bytes.
    OptionalAdvance {
        null: u8,
        bytes: usize,
        times: usize,
    },
    OptionalInt {
        null: u8,
    },
    OptionalLong {
        null: u8,
    },
    /// Unions of null and a long, or an int where the bit of the union's number is set in `ints`. `times` is 2 to
    /// [`MAX_SKIPPED`].
    OptionalVarints {
        null: u8,
        ints: u64,
        times: usize,
    },
    OptionalString {
        null: u8,
        times: usize,
    },
    /// The branches of any other union.
    Union(Box<[Skipper]>),
    /// An array of items of this size.
    FixedItems(usize),
    /// Any other array or map.
    Items(Items),
    /// A step that is a call.
    Called(CalledStep),
}

/// The steps that are calls.
#[derive(Debug)]
enum CalledStep {
    /// An array of ints.
    Ints,
    /// An array of longs.
    Longs,
    OptionalBoolean {
        null: u8,
        times: usize,
    },
    /// Values that can only be skipped with an explicit stack.
    Program(Program),
}

#[derive(Debug)]
struct Items {
    item: Skipper,
    /// Minimum size of an item, at least 1.
    min_bytes: usize,
}

impl Skipper {
    /// Makes the skipper keep the bytes of the values as a column.
    pub(crate) fn keeping(self, data_type: &DataType) -> Self {
        Self { kept: Some(Box::new(BytesColumn::new(data_type.clone(), false))), ..self }
    }

    /// Returns the column of the kept bytes.
    pub(crate) fn kept(&mut self) -> Option<&mut BytesColumn> {
        self.kept.as_deref_mut()
    }

    /// Returns the column of the kept bytes for reading.
    pub(crate) fn kept_ref(&self) -> Option<&BytesColumn> {
        self.kept.as_deref()
    }

    /// Skips one value for each slot, and stores their bytes if they are kept.
    #[inline(always)]
    pub(crate) fn read<'a, P: Pack>(
        &mut self,
        slots: SlotRange,
        cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        if self.kept.is_some() { self.keep(slots, cur, context) } else { self.run(slots.len(), cur, context) }
    }

    #[inline(never)]
    fn keep<'a, P: Pack>(
        &mut self,
        slots: SlotRange,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        for slot in slots.iter() {
            let after = self.run(1, cur, context)?;
            let skipped = cur.take(cur.left() - after.left());
            let kept = self.kept.as_deref_mut().map_or(Ok(()), |kept| kept.set(slot, skipped?));
            if let Err(stop) = kept {
                return context.moved(Err(stop));
            }
            cur = after;
        }
        Some(cur)
    }

    /// Skips `n` values. `lower` limits the depth of the recursion.
    #[inline(never)]
    pub(crate) fn run<'a, P: Pack>(
        &self,
        n: usize,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        for _ in 0..n {
            cur = self.once(cur, context)?;
        }
        Some(cur)
    }

    #[inline(always)]
    fn once<'a, P: Pack>(&self, mut cur: Cursor<'a, P>, context: &mut Context) -> Moved<'a, P> {
        for step in &self.steps {
            let result = match step {
                SkipStep::Advance(bytes) => cur.skip(*bytes),
                SkipStep::Boolean { times } => repeat(*times, || cur.boolean().map(|_| ())),
                SkipStep::Int { times } => repeat(*times, || cur.skip_int()),
                SkipStep::Long { times } => repeat(*times, || cur.skip_varint()),
                SkipStep::String { times } => repeat(*times, || cur.skip_string()),
                SkipStep::Symbol(count) => cur.index(*count).map(|_| ()),
                SkipStep::OptionalAdvance { null, bytes, times } => {
                    repeat(*times, || cur.skip_optional(*null, *bytes))
                }
                SkipStep::OptionalInt { null } => cur.skip_optional_int(*null),
                SkipStep::OptionalLong { null } => cur.optional_varint(*null).map(|_| ()),
                SkipStep::OptionalVarints { null, ints, times } => {
                    let skipped = skip_optional_varints(cur, *null, *times, *ints);
                    skipped.map(|after| cur = after)
                }
                SkipStep::OptionalString { null, times } => {
                    repeat(*times, || cur.optional_string(*null).map(|_| ()))
                }
                SkipStep::Union(branches) => match cur.index(branches.len()) {
                    Ok(branch) => {
                        let branch = &branches[branch];
                        if !branch.steps.is_empty() {
                            cur = branch.run(1, cur, context)?;
                        }
                        Ok(())
                    }
                    Err(stop) => Err(stop),
                },
                SkipStep::FixedItems(bytes) => fixed_items(*bytes, &mut cur),
                SkipStep::Items(items) => {
                    if !cur.skip_end_of_items() {
                        cur = items.run(cur, context)?;
                    }
                    Ok(())
                }
                SkipStep::Called(step) => step.skip(cur, context).map(|after| cur = after),
            };
            if let Err(stop) = result {
                return context.moved(Err(stop));
            }
        }
        Some(cur)
    }

    /// Appends the values that `next` skips.
    pub(crate) fn append(&mut self, next: Skipper) {
        next.steps.into_iter().for_each(|step| self.push(step));
    }

    /// Appends a step, or merges it into the previous step if both have the same kind.
    fn push(&mut self, step: SkipStep) {
        use SkipStep::{Advance, Boolean, Called, Int, Long, OptionalAdvance, OptionalString, String};

        if let Some(last) = self.steps.last_mut()
            && let Some(joined) = joined_varints(last, &step)
        {
            *last = joined;
            return;
        }
        match (self.steps.last_mut(), &step) {
            (_, Advance(0)) => {}
            (Some(Advance(bytes)), Advance(more)) => *bytes = bytes.saturating_add(*more),
            (Some(Boolean { times }), Boolean { times: more })
            | (Some(Int { times }), Int { times: more })
            | (Some(Long { times }), Long { times: more })
            | (Some(String { times }), String { times: more }) => *times += more,
            (
                Some(Called(CalledStep::OptionalBoolean { null, times })),
                Called(CalledStep::OptionalBoolean { null: other, times: more }),
            )
            | (Some(OptionalString { null, times }), OptionalString { null: other, times: more })
                if null == other =>
            {
                *times += more;
            }
            (
                Some(OptionalAdvance { null, bytes, times }),
                OptionalAdvance { null: other, bytes: size, times: more },
            ) if null == other && bytes == size => *times += more,
            _ => self.steps.push(step),
        }
    }
}

/// Returns one step for two steps of unions of null and a varint, if there is one.
fn joined_varints(first: &SkipStep, second: &SkipStep) -> Option<SkipStep> {
    let run = |step: &SkipStep| match *step {
        SkipStep::OptionalInt { null } => Some((null, 1, 1)),
        SkipStep::OptionalLong { null } => Some((null, 0, 1)),
        SkipStep::OptionalVarints { null, ints, times } => Some((null, ints, times)),
        _ => None,
    };
    let ((null, ints, times), (other, more_ints, more)) = (run(first)?, run(second)?);
    (null == other && times + more <= MAX_SKIPPED).then(|| SkipStep::OptionalVarints {
        null,
        ints: ints | more_ints << times,
        times: times + more,
    })
}

#[inline(always)]
fn repeat(times: usize, mut skip: impl FnMut() -> Result<(), Stop>) -> Result<(), Stop> {
    for _ in 0..times {
        skip()?;
    }
    Ok(())
}

/// Skips an array of items of `bytes` bytes each.
#[inline(always)]
fn fixed_items<P: Pack>(bytes: usize, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
    loop {
        let (count, size) = cur.items()?;
        if count == 0 {
            return Ok(());
        }
        let bytes = count.checked_mul(bytes).ok_or(Stop::Invalid)?;
        if size.is_some_and(|size| size != bytes) {
            return Err(Stop::Invalid);
        }
        cur.skip(bytes)?;
    }
}

impl CalledStep {
    /// A call, which leaves the registers to the loop over the steps: inlined, optional booleans cost 7 % on `nested`.
    #[inline(never)]
    fn skip<'a, P: Pack>(
        &self,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Result<Cursor<'a, P>, Stop> {
        match self {
            CalledStep::Ints => blocks(cur, skip_ints),
            CalledStep::Longs => blocks(cur, skip_longs),
            CalledStep::OptionalBoolean { null, times } => {
                repeat(*times, || cur.optional_boolean(*null).map(|_| ()))?;
                Ok(cur)
            }
            CalledStep::Program(program) => {
                skip::run(program, &context.skips, &mut context.budget, &mut cur)?;
                Ok(cur)
            }
        }
    }
}

/// Skips an array whose items `skip` skips, of at least one byte each.
#[inline(always)]
fn blocks<'a, P: Pack>(
    mut cur: Cursor<'a, P>,
    skip: impl Fn(&mut Cursor<'a, P>, usize) -> Result<(), Stop>,
) -> Result<Cursor<'a, P>, Stop> {
    loop {
        let (count, size) = cur.items()?;
        if count == 0 {
            return Ok(cur);
        }
        cur.room_for(count, 1)?;
        match size {
            Some(size) => cur.skip(size)?,
            None => skip(&mut cur, count)?,
        }
    }
}

impl Items {
    #[inline(never)]
    fn run<'a, P: Pack>(&self, mut cur: Cursor<'a, P>, context: &mut Context) -> Moved<'a, P> {
        loop {
            let head = cur.items().and_then(|(count, size)| {
                cur.room_for(count, self.min_bytes)?;
                size.map_or(Ok(()), |size| cur.skip(size))?;
                Ok((count, size.is_some()))
            });
            match head {
                Ok((0, _)) => return Some(cur),
                Ok((_, true)) => {}
                Ok((count, false)) => {
                    for _ in 0..count {
                        cur = self.item.once(cur, context)?;
                    }
                }
                Err(stop) => return context.moved(Err(stop)),
            }
        }
    }
}
