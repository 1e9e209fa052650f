//! Compiles a program of the plan to the steps of a [`Skipper`].

use super::{CalledStep, Items, SkipStep, Skipper};
use crate::plan::skip::{Program, Skip, Skips};

/// Maximum number of steps in one skipper. A schema that refers to the same records many times could expand to far more.
const MAX_SKIP_STEPS: usize = 4096;

/// Maximum nesting of arrays, unions and records, because each level uses the machine stack.
const MAX_DEPTH: usize = 32;

impl Skipper {
    /// Creates a skipper for the values that `program` skips.
    pub(crate) fn new(program: &Program, skips: &Skips) -> Self {
        Lowering { skips, open: Vec::new(), depth: 0, left: MAX_SKIP_STEPS }.program(program)
    }
}

struct Lowering<'a> {
    skips: &'a Skips,
    /// The records that are being lowered. A record that occurs inside itself is a recursive type.
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
        let lowered = match step {
            Skip::Advance(bytes) => SkipStep::Advance(*bytes),
            Skip::Boolean => SkipStep::Boolean { times: 1 },
            Skip::Int => SkipStep::Int { times: 1 },
            Skip::Long => SkipStep::Long { times: 1 },
            Skip::Bytes => SkipStep::String { times: 1 },
            Skip::Symbol(count) => SkipStep::Symbol(*count),
            step if self.depth >= MAX_DEPTH || self.left == 0 => {
                SkipStep::Called(CalledStep::Program(Program::of(step.clone())))
            }
            Skip::Union { branches, .. } => self.union(branches),
            Skip::Items { program, number, fixed, .. } => match self.skips.item_bytes(*number) {
                // Items without bytes are counted against a budget.
                0 => SkipStep::Called(CalledStep::Program(Program::of(step.clone()))),
                min_bytes => self.items(program, *fixed, min_bytes),
            },
            Skip::Record(number) if self.open.contains(number) => {
                SkipStep::Called(CalledStep::Program(Program::of(step.clone())))
            }
            Skip::Record(number) => {
                let skips = self.skips;
                self.open.push(*number);
                self.append(skips.record(*number), skipper);
                self.open.pop();
                return;
            }
        };
        skipper.push(lowered);
    }

    fn items(&mut self, program: &Program, fixed: Option<usize>, min_bytes: usize) -> SkipStep {
        match (fixed, program.steps()) {
            (Some(bytes), _) => SkipStep::FixedItems(bytes),
            (None, [Skip::Int]) => SkipStep::Called(CalledStep::Ints),
            (None, [Skip::Long]) => SkipStep::Called(CalledStep::Longs),
            (None, _) => SkipStep::Items(Items { item: self.program(program), min_bytes }),
        }
    }

    fn union(&mut self, branches: &[Program]) -> SkipStep {
        let (null, value) = match branches {
            [null, value] if null.steps().is_empty() => (0, value),
            [value, null] if null.steps().is_empty() => (2, value),
            _ => return SkipStep::Union(branches.iter().map(|branch| self.program(branch)).collect()),
        };
        match value.steps() {
            [Skip::Advance(bytes)] => SkipStep::OptionalAdvance { null, bytes: *bytes, times: 1 },
            [Skip::Boolean] => SkipStep::Called(CalledStep::OptionalBoolean { null, times: 1 }),
            [Skip::Int] => SkipStep::OptionalInt { null },
            [Skip::Long] => SkipStep::OptionalLong { null },
            [Skip::Bytes] => SkipStep::OptionalString { null, times: 1 },
            _ => SkipStep::Union(branches.iter().map(|branch| self.program(branch)).collect()),
        }
    }
}
