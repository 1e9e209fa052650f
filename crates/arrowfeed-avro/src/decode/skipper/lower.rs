//! A program of the plan to the hops of a [`Skipper`].

use super::{Hop, ItemKind, Items, Skipper};
use crate::plan::skip::{Program, Skip, Skips};

/// Hops of one skipper: a schema that refers to a record again and again would have no end of them.
const MOST_HOPS: usize = 4096;

/// Arrays, unions and records inside each other: they take the machine's stack.
const MOST_DEPTH: usize = 32;

impl Skipper {
    /// What steps over the values that `program` steps over.
    pub(crate) fn new(program: &Program, skips: &Skips) -> Self {
        Lowering { skips, open: Vec::new(), depth: 0, left: MOST_HOPS }.program(program)
    }
}

struct Lowering<'a> {
    skips: &'a Skips,
    /// The records that are being lowered: met again, the type is recursive.
    open: Vec<usize>,
    depth: usize,
    left: usize,
}

impl Lowering<'_> {
    fn program(&mut self, program: &Program) -> Skipper {
        let mut skipper = Skipper::default();
        self.append(program, &mut skipper);
        skipper
    }

    fn append(&mut self, program: &Program, skipper: &mut Skipper) {
        self.depth += 1;
        program.steps().iter().for_each(|step| self.step(step, skipper));
        self.depth -= 1;
    }

    fn step(&mut self, step: &Skip, skipper: &mut Skipper) {
        self.left = self.left.saturating_sub(1);
        let hop = match step {
            Skip::Advance(bytes) => Hop::Advance(*bytes),
            Skip::Boolean => Hop::Boolean { times: 1 },
            Skip::Int => Hop::Int { times: 1 },
            Skip::Long => Hop::Long { times: 1 },
            Skip::Bytes => Hop::String { times: 1 },
            Skip::Symbol(count) => Hop::Symbol(*count),
            step if self.depth >= MOST_DEPTH || self.left == 0 => Hop::Program(Program::of(step.clone())),
            Skip::Union { branches, .. } => self.union(branches),
            Skip::Items { program, number, fixed, .. } => match self.skips.item_bytes(*number) {
                // Those are counted.
                0 => Hop::Program(Program::of(step.clone())),
                min_bytes => Hop::Items(Items { kind: self.items(program, *fixed), min_bytes }),
            },
            Skip::Record(number) if self.open.contains(number) => Hop::Program(Program::of(step.clone())),
            Skip::Record(number) => {
                let skips = self.skips;
                self.open.push(*number);
                self.append(skips.record(*number), skipper);
                self.open.pop();
                return;
            }
        };
        skipper.push(hop);
    }

    fn items(&mut self, program: &Program, fixed: Option<usize>) -> ItemKind {
        match (fixed, program.steps()) {
            (Some(bytes), _) => ItemKind::Fixed(bytes),
            (None, [Skip::Int]) => ItemKind::Ints,
            (None, [Skip::Long]) => ItemKind::Longs,
            (None, _) => ItemKind::Any(self.program(program)),
        }
    }

    fn union(&mut self, branches: &[Program]) -> Hop {
        let (null, value) = match branches {
            [null, value] if null.steps().is_empty() => (0, value),
            [value, null] if null.steps().is_empty() => (2, value),
            _ => return Hop::Union(branches.iter().map(|branch| self.program(branch)).collect()),
        };
        match value.steps() {
            [Skip::Advance(bytes)] => Hop::OptionalAdvance { null, bytes: *bytes, times: 1 },
            [Skip::Int] => Hop::OptionalInt { null, times: 1 },
            [Skip::Long] => Hop::OptionalLong { null, times: 1 },
            [Skip::Bytes] => Hop::OptionalString { null, times: 1 },
            _ => Hop::Union(branches.iter().map(|branch| self.program(branch)).collect()),
        }
    }
}
