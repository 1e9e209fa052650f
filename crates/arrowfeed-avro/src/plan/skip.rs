//! Stepping over values that nobody reads.
//!
//! A program is compiled from the writer's schema alone. It accepts the bytes that decoding accepts, with three
//! differences: strings are not checked for UTF-8, nor the values of logical types (uuid, decimal, duration, time)
//! for their range, and the items of an array block that states its size are stepped over by that size.

use std::collections::HashMap;
use std::sync::Arc;

use arrowfeed_source::Limits;

use crate::schema::graph::{Graph, Type, TypeId};
use crate::wire::Reads;

/// What to step over, one value after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program(Arc<[Skip]>);

/// One step of a program.
#[derive(Debug, Clone)]
pub(crate) enum Skip {
    /// Values of fixed width, any number of them.
    Advance(usize),
    Boolean,
    Int,
    Long,
    /// A string or bytes.
    Bytes,
    /// An enum of so many symbols.
    Symbol(usize),
    /// `flat`: no branch needs a stack.
    Union {
        branches: Box<[Program]>,
        flat: bool,
    },
    /// Items of an array, or entries of a map, its keys among the program. `number` is theirs in [`Skips`],
    /// `fixed` the bytes of each where they are all alike; `flat`: they need no stack.
    Items {
        program: Program,
        number: usize,
        fixed: Option<usize>,
        flat: bool,
    },
    /// A record, by its number in [`Skips`]: shared, and so able to contain itself.
    Record(usize),
}

/// The records of one plan that are stepped over, and what is known of the items of its arrays.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skips {
    records: Vec<Program>,
    /// Least bytes of each item, by the number of its array.
    item_bytes: Vec<usize>,
    /// Whether no item has bytes, where that is known, by the number of its array.
    item_is_empty: Vec<bool>,
}

/// Compiles programs; records by their type, so that a schema is not expanded, and one after the other, so that
/// a long chain of references needs no deep recursion.
#[derive(Debug)]
pub(crate) struct SkipCompiler<'a> {
    graph: &'a Graph,
    by_type: HashMap<TypeId, usize>,
    /// The type of each record, by its number; those from `records.len()` on are still to be compiled.
    types: Vec<TypeId>,
    records: Vec<Program>,
    /// The items of each array.
    items: Vec<Program>,
}

/// How often the least size of records is worked out from that of the records in them. Each time it can only
/// grow, so stopping early leaves a lower bound. Likewise, each time more records are known to have no bytes.
const MIN_BYTES_PASSES: usize = 8;

impl<'a> SkipCompiler<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Self {
        Self { graph, by_type: HashMap::new(), types: Vec::new(), records: Vec::new(), items: Vec::new() }
    }

    pub(crate) fn finish(mut self) -> Skips {
        while let Some(ty) = self.types.get(self.records.len()) {
            let mut ops = Vec::new();
            if let Type::Record(record) = &self.graph.types[*ty] {
                record.fields.iter().for_each(|field| self.append(field.ty, &mut ops));
            }
            self.records.push(Program(ops.into()));
        }
        let (mut records, mut empty) = (vec![0; self.records.len()], vec![false; self.records.len()]);
        for _ in 0..MIN_BYTES_PASSES {
            records = self.records.iter().map(|program| program.min_bytes_with(&records)).collect();
            // Backwards: records that are met in others have higher numbers as a rule.
            for (number, program) in self.records.iter().enumerate().rev() {
                empty[number] = program.is_empty_with(&empty);
            }
        }
        let item_bytes = self.items.iter().map(|program| program.min_bytes_with(&records)).collect();
        let item_is_empty = self.items.iter().map(|program| program.is_empty_with(&empty)).collect();
        Skips { records: self.records, item_bytes, item_is_empty }
    }

    /// Recursion ends: unnamed types nest no deeper than the schema's text, records are left for `finish`.
    pub(crate) fn compile(&mut self, ty: TypeId) -> Program {
        let mut ops = Vec::new();
        self.append(ty, &mut ops);
        Program(ops.into())
    }

    fn append(&mut self, ty: TypeId, ops: &mut Vec<Skip>) {
        let skip = match &self.graph.types[ty] {
            Type::Null => return,
            Type::Boolean => Skip::Boolean,
            Type::Int(_) => Skip::Int,
            Type::Long(_) => Skip::Long,
            Type::Float => Skip::Advance(4),
            Type::Double => Skip::Advance(8),
            Type::Fixed(fixed) => Skip::Advance(fixed.size),
            Type::Bytes(_) | Type::String { .. } => Skip::Bytes,
            Type::Enum(symbols) => Skip::Symbol(symbols.symbols.len()),
            Type::Union(branches) => {
                let branches: Box<[Program]> = branches.iter().map(|branch| self.compile(*branch)).collect();
                let flat = branches.iter().flat_map(|branch| branch.0.iter()).all(Skip::is_flat);
                Skip::Union { branches, flat }
            }
            Type::Array(items) => self.items(*items, Vec::new()),
            Type::Map(values) => self.items(*values, vec![Skip::Bytes]),
            Type::Record(_) => Skip::Record(self.record(ty)),
        };
        match (ops.last_mut(), skip) {
            (_, Skip::Advance(0)) => {}
            (Some(Skip::Advance(before)), Skip::Advance(more)) => *before = before.saturating_add(more),
            (_, skip) => ops.push(skip),
        }
    }

    fn items(&mut self, ty: TypeId, mut ops: Vec<Skip>) -> Skip {
        self.append(ty, &mut ops);
        let fixed = match ops.as_slice() {
            [] => Some(0),
            [Skip::Advance(width)] => Some(*width),
            _ => None,
        };
        let flat = ops.iter().all(Skip::is_flat);
        let (program, number) = (Program(ops.into()), self.items.len());
        self.items.push(program.clone());
        Skip::Items { program, number, fixed, flat }
    }

    fn record(&mut self, ty: TypeId) -> usize {
        if let Some(number) = self.by_type.get(&ty) {
            return *number;
        }
        let number = self.types.len();
        self.by_type.insert(ty, number);
        self.types.push(ty);
        number
    }
}

impl Skip {
    /// Whether values are stepped over without a stack. Unions do not nest directly: two calls deep at most.
    fn is_flat(&self) -> bool {
        match self {
            Skip::Items { .. } | Skip::Record(_) => false,
            Skip::Union { flat, .. } => *flat,
            _ => true,
        }
    }
}

impl Program {
    /// A program of one step.
    pub(crate) fn of(step: Skip) -> Program {
        Program([step].into())
    }

    /// What it does, step by step.
    pub(crate) fn steps(&self) -> &[Skip] {
        &self.0
    }

    /// A lower bound; records count as none, since their size is not known yet.
    pub(crate) fn min_bytes(&self) -> usize {
        self.min_bytes_with(&[])
    }

    fn min_bytes_with(&self, records: &[usize]) -> usize {
        let bytes = |op: &Skip| match op {
            Skip::Advance(n) => *n,
            Skip::Record(number) => records.get(*number).copied().unwrap_or(0),
            _ => 1,
        };
        self.0.iter().map(bytes).fold(0, usize::saturating_add)
    }

    /// Whether it steps over nothing, of records those that are known to have no bytes.
    fn is_empty_with(&self, records: &[bool]) -> bool {
        self.0.iter().all(|op| matches!(op, Skip::Record(number) if records[*number]))
    }
}

impl Skips {
    /// What steps over a record.
    pub(crate) fn record(&self, number: usize) -> &Program {
        &self.records[number]
    }

    /// Least bytes of an item of an array.
    pub(crate) fn item_bytes(&self, number: usize) -> usize {
        self.item_bytes[number]
    }

    /// Whether an array of elements without bytes may be among what is stepped over.
    pub(crate) fn has_zero_byte_elements(&self) -> bool {
        self.item_bytes.contains(&0)
    }
}

/// The items of an array, as its blocks need to know them.
#[derive(Debug, Clone, Copy)]
struct Width {
    fixed: Option<usize>,
    min: usize,
}

/// A program that is being run, and how often it is still to be run.
#[derive(Debug)]
struct Frame<'a> {
    ops: &'a [Skip],
    next: usize,
    repeats: usize,
    /// Of the items of an array: when they are done, the head of its next block follows.
    items: Option<Width>,
}

/// Steps over one value of `program`. Nested values are kept on a stack of our own, never on the machine's.
pub(crate) fn run<R: Reads>(
    program: &Program,
    skips: &Skips,
    budget: &mut Budget,
    reader: &mut R,
) -> Result<(), R::Error> {
    let mut stack = Vec::new();
    let mut frame = Frame { ops: &program.0, next: 0, repeats: 1, items: None };
    loop {
        if let Some(op) = frame.ops.get(frame.next) {
            frame.next += 1;
            let (ops, items) = match op {
                Skip::Union { branches, flat: false } => (&branches[reader.branch(branches.len())?].0, None),
                Skip::Record(number) => (&skips.records[*number].0, None),
                Skip::Items { program, number, fixed, flat } => {
                    let empty = skips.item_is_empty[*number].then_some(0);
                    let width = Width { fixed: fixed.or(empty), min: skips.item_bytes[*number] };
                    if *flat {
                        flat_items(program, width, budget, reader)?;
                        continue;
                    }
                    (&program.0, Some(width))
                }
                op => {
                    flat(op, reader)?;
                    continue;
                }
            };
            if stack.len() >= budget.depth {
                return Err(reader.limit("skipped_depth", budget.depth as u64));
            }
            let (next, repeats) = if items.is_some() { (ops.len(), 0) } else { (0, 1) };
            stack.push(std::mem::replace(&mut frame, Frame { ops, next, repeats, items }));
        } else if frame.repeats > 1 {
            frame.repeats -= 1;
            frame.next = 0;
        } else if let Some(width) = frame.items
            && let Some(count) = next_items(width, budget, reader)?
        {
            frame.repeats = count;
            frame.next = if count == 0 { frame.ops.len() } else { 0 };
        } else if let Some(outer) = stack.pop() {
            frame = outer;
        } else {
            return Ok(());
        }
    }
}

/// Steps over a value that needs no stack.
#[inline]
fn flat<R: Reads>(op: &Skip, reader: &mut R) -> Result<(), R::Error> {
    match op {
        Skip::Advance(n) => reader.skip(*n),
        Skip::Boolean => reader.boolean().map(|_| ()),
        Skip::Int => reader.int().map(|_| ()),
        Skip::Long => reader.long().map(|_| ()),
        Skip::Bytes => {
            let length = reader.length()?;
            reader.skip(length)
        }
        Skip::Symbol(count) => reader.symbol(*count).map(|_| ()),
        Skip::Union { branches, .. } => {
            let branch = reader.branch(branches.len())?;
            branches[branch].0.iter().try_for_each(|op| flat(op, reader))
        }
        Skip::Items { .. } | Skip::Record(_) => unreachable!("not flat"),
    }
}

/// Steps over an array whose items need no stack.
fn flat_items<R: Reads>(
    program: &Program,
    width: Width,
    budget: &mut Budget,
    reader: &mut R,
) -> Result<(), R::Error> {
    while let Some(count) = next_items(width, budget, reader)? {
        for _ in 0..count {
            program.0.iter().try_for_each(|op| flat(op, reader))?;
        }
    }
    Ok(())
}

/// Reads the head of an array block. `Some`: so many items are to be stepped over one by one. `None`: the end.
fn next_items<R: Reads>(
    width: Width,
    budget: &mut Budget,
    reader: &mut R,
) -> Result<Option<usize>, R::Error> {
    let (count, size) = reader.items()?;
    if count == 0 {
        return Ok(None);
    }
    if width.min == 0 {
        budget.zero_byte_elements(count, reader)?;
    }
    reader.room_for(count, width.min)?;
    match (width.fixed, size) {
        (Some(width), None) => reader.skip(count * width)?,
        (Some(width), Some(size)) => {
            reader.stated_size(size, count * width)?;
            reader.skip(size)?;
        }
        (None, Some(size)) => reader.skip(size)?,
        (None, None) => return Ok(Some(count)),
    }
    Ok(Some(0))
}

/// What one record may still use.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    zero_byte_elements: u64,
    limit: u64,
    depth: usize,
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Self {
        let limit = limits.zero_byte_elements;
        Self { zero_byte_elements: limit, limit, depth: limits.skipped_depth }
    }

    /// For the next record.
    #[inline(always)]
    pub(crate) fn reset(&mut self) {
        self.zero_byte_elements = self.limit;
    }

    /// Elements without bytes that the record has so far.
    pub(crate) fn used(&self) -> u64 {
        self.limit - self.zero_byte_elements
    }

    /// Takes `count` elements without bytes out of the record's budget.
    pub(crate) fn zero_byte_elements<R: Reads>(&mut self, count: usize, reader: &R) -> Result<(), R::Error> {
        match self.zero_byte_elements.checked_sub(count as u64) {
            Some(rest) => self.zero_byte_elements = rest,
            None => return Err(reader.limit("zero_byte_elements", self.limit)),
        }
        Ok(())
    }
}
