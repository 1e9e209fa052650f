//! Columns of unions, except unions of null and one other type.

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, new_empty_array, new_null_array};
use arrow_schema::{DataType, UnionFields};

use super::assemble::{dense_union, interleaved};
use super::body::Body;
use super::column_builder::{ColumnBuilder, Marks, MarksIter};
use super::context::{Context, Moved};
use super::converted::Converter;
use crate::memory::{Filled, Slot, SlotRange, Slots};
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A union under construction: the writer's branch of each slot, and the index of its value in the column of
/// that branch. Branches are mapped to those of the reader when the batch ends.
#[derive(Debug)]
pub(crate) struct UnionColumn {
    tagged: bool,
    /// The writer's branches; `None` if the reader does not accept such a value.
    branches: Box<[Option<BranchColumn>]>,
    /// The writer's branch of each slot.
    tags: Slots<i8>,
    /// Index of each slot's value in its branch.
    places: Slots<i32>,
    result: UnionOutput,
    /// Converts the dense union. It is not an op of its own, because one more op costs the loop over the ops of `nested` 7 %
    /// of its instructions.
    converter: Option<Box<Converter>>,
}

#[derive(Debug)]
pub(crate) struct BranchColumn {
    pub(crate) body: Body,
    /// Index of the reader's branch.
    pub(crate) to: usize,
}

/// The Arrow type that the slots become.
#[derive(Debug, Clone)]
pub(crate) enum UnionOutput {
    Dense(UnionFields),
    /// One column of this type. `null` is the index of the writer's null branch.
    One {
        data_type: DataType,
        null: Option<usize>,
    },
}

impl UnionColumn {
    pub(crate) fn new(
        tagged: bool,
        branches: Box<[Option<BranchColumn>]>,
        result: UnionOutput,
        converter: Option<Box<Converter>>,
    ) -> Self {
        Self { tagged, branches, tags: Slots::new(), places: Slots::new(), result, converter }
    }

    pub(crate) fn read<'a, P: Pack>(
        &mut self,
        slot: Slot,
        cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        let left = cur.left();
        let result = self.try_read(slot, cur, context);
        let result = match (&self.converter, result) {
            (None, result) => result,
            (Some(converter), Ok(after)) => converter.count(left - after.left(), context).map(|()| after),
            (Some(_), stop) => stop,
        };
        context.moved(result)
    }

    #[inline(always)]
    fn try_read<'a, P: Pack>(
        &mut self,
        slot: Slot,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Result<Cursor<'a, P>, Stop> {
        let tag = if self.tagged { cur.index(self.branches.len())? } else { 0 };
        let branch = self.branches[tag].as_mut().ok_or(Stop::Invalid)?;
        self.places.set(slot, i32::try_from(branch.body.len()).map_err(|_| Stop::Full)?);
        // The plan refuses unions of more than 127 branches.
        self.tags.set(slot, tag as i8);
        let moved = branch.body.run(1, cur, context);
        context.result(moved)
    }

    fn bodies(&mut self) -> impl Iterator<Item = &mut Body> {
        self.branches.iter_mut().flatten().map(|branch| &mut branch.body)
    }

    fn finish_dense(&mut self, fields: &UnionFields, filled: Filled) -> ArrayRef {
        let mut parts: Vec<Vec<ArrayRef>> = vec![Vec::new(); fields.len()];
        // The reader's branch, and the index of the writer's branch among its parts.
        let mut moves = vec![(0, 0); self.branches.len()];
        for (branch, moved) in self.branches.iter_mut().zip(&mut moves) {
            if let Some(BranchColumn { body, to }) = branch {
                *moved = (*to, parts[*to].len());
                parts[*to].push(body.finish());
            }
        }
        // The values of a branch must be in the order of their slots, so several parts are interleaved.
        let mut slots: Vec<Vec<(usize, usize)>> = vec![Vec::new(); fields.len()];
        let tags = self.tags.values(filled);
        let types = tags.iter().map(|tag| moves[*tag as usize].0 as i8).collect();
        let place = |(place, tag): (&i32, &i8)| {
            let (to, part) = moves[*tag as usize];
            if parts[to].len() == 1 {
                return *place;
            }
            slots[to].push((part, *place as usize));
            slots[to].len() as i32 - 1
        };
        let places = self.places.values(filled).iter().zip(tags).map(place).collect();
        let children = fields.iter().zip(parts).zip(slots);
        let children = children.map(|(((_, field), parts), slots)| match parts.as_slice() {
            [] => new_empty_array(field.data_type()),
            [one] => one.clone(),
            several => interleaved(several, &slots),
        });
        dense_union(fields, types, places, children.collect())
    }

    fn finish_one(&mut self, data_type: &DataType, null: Option<usize>, filled: Filled) -> ArrayRef {
        let finish = |(i, branch): (usize, &mut Option<BranchColumn>)| {
            let values = branch.as_mut().map(|branch| branch.body.finish());
            match values {
                _ if Some(i) == null => new_null_array(data_type, 1),
                Some(values) => values,
                None => new_empty_array(data_type),
            }
        };
        let arrays: Vec<ArrayRef> = self.branches.iter_mut().enumerate().map(finish).collect();
        let slots = self.tags.values(filled).iter().zip(self.places.values(filled));
        let slots = slots.map(|(tag, place)| {
            let branch = *tag as usize;
            (branch, if Some(branch) == null { 0 } else { *place as usize })
        });
        interleaved(&arrays, &slots.collect::<Vec<_>>())
    }
}

impl ColumnBuilder for UnionColumn {
    /// Returns the largest value of any branch, and what its conversion takes.
    fn deferred_bytes(&self) -> usize {
        let branches = self.branches.iter().flatten().map(|branch| branch.body.deferred_bytes());
        let converted = self.converter.as_ref().map_or(0, |converter| converter.deferred_bytes());
        branches.max().unwrap_or(0).saturating_add(converted)
    }

    fn prepare(&mut self, likely: usize) -> usize {
        self.bodies().for_each(Body::prepare);
        self.tags.prepare(likely).min(self.places.prepare(likely))
    }

    fn make_room(&mut self, len: usize, slots: usize) {
        self.tags.make_room(len, slots);
        self.places.make_room(len, slots);
    }

    fn pad(&mut self, slots: SlotRange) {
        let first = self.branches.iter_mut().enumerate().find_map(|(i, branch)| Some((i, branch.as_mut()?)));
        let (tag, branch) = first.expect("a union that is read has a branch that can be");
        let start = branch.body.len() as i32;
        branch.body.pad(slots.len());
        self.tags.set_all(slots, tag as i8);
        slots.iter().zip(start..).for_each(|(slot, place)| self.places.set(slot, place));
    }

    fn mark(&self, marks: &mut Marks) {
        self.branches.iter().flatten().for_each(|branch| branch.body.mark(marks));
    }

    fn rollback(&mut self, _len: usize, marks: &mut MarksIter<'_>) {
        self.bodies().for_each(|body| body.rollback(marks));
    }

    fn check_utf8(&mut self, _filled: Filled) -> Result<(), Stop> {
        self.bodies().try_for_each(Body::check_utf8)
    }

    fn finish(&mut self, filled: Filled) -> ArrayRef {
        let array = match self.result.clone() {
            UnionOutput::Dense(fields) => self.finish_dense(&fields, filled),
            UnionOutput::One { data_type, null } => self.finish_one(&data_type, null, filled),
        };
        match &self.converter {
            None => array,
            Some(converter) => converter.convert(array.as_union()),
        }
    }
}
