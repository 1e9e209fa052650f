//! Programs that skip values outside the projection.
//!
//! A program is compiled from the writer's schema alone. It accepts the same bytes as decoding, with three differences:
//! strings are not checked for UTF-8, values of logical types (uuid, decimal, duration, time) are not checked for
//! their range, and an array block that states its size is skipped by that size.

use std::collections::HashMap;
use std::sync::Arc;

use arrowfeed_source::Limits;

use crate::schema::graph::{Graph, Type, TypeId};
use crate::wire::Reads;

/// A sequence of values to skip, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program(Arc<[Skip]>);

/// One step of a program.
#[derive(Debug, Clone)]
pub(crate) enum Skip {
    /// A run of fixed-width values, as their total width.
    Advance(usize),
    Boolean,
    Int,
    Long,
    /// A string or bytes.
    Bytes,
    /// An enum with this many symbols.
    Symbol(usize),
    /// `flat`: no branch needs a stack.
    Union {
        branches: Box<[Program]>,
        flat: bool,
    },
    /// Items of an array, or entries of a map, whose program includes the key. `number` is their index in [`Skips`];
    /// `fixed` is the size of each item if all have the same; `flat`: the items need no stack.
    Items {
        program: Program,
        number: usize,
        fixed: Option<usize>,
        flat: bool,
    },
    /// A record, by its number in [`Skips`]. Records are shared, so they may be recursive.
    Record(usize),
}

/// Programs of the skipped records of one plan, and properties of the items of its arrays.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skips {
    records: Vec<Program>,
    /// Minimum size of an item in bytes, by array number.
    item_bytes: Vec<usize>,
    /// Whether items are known to have no bytes, by array number.
    item_is_empty: Vec<bool>,
}

/// Compiles skip programs. Each record type is compiled once, so the schema is not expanded. Records are compiled one
/// after the other, so a long chain of references needs no deep recursion.
#[derive(Debug)]
pub(crate) struct SkipCompiler<'a> {
    graph: &'a Graph,
    by_type: HashMap<TypeId, usize>,
    /// The type of each record, by its number. Those from `records.len()` on are not compiled yet.
    types: Vec<TypeId>,
    records: Vec<Program>,
    /// The program for the items of each array.
    items: Vec<Program>,
}

/// Number of passes that compute the minimum size of records from that of the records in them. A minimum only grows
/// from pass to pass, so stopping early leaves a lower bound. Likewise, each pass can only add records known to be empty.
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
            // In reverse: inner records usually have higher numbers.
            for (number, program) in self.records.iter().enumerate().rev() {
                empty[number] = program.is_empty_with(&empty);
            }
        }
        let item_bytes = self.items.iter().map(|program| program.min_bytes_with(&records)).collect();
        let item_is_empty = self.items.iter().map(|program| program.is_empty_with(&empty)).collect();
        Skips { records: self.records, item_bytes, item_is_empty }
    }

    /// The recursion is bounded: unnamed types nest no deeper than the schema's text, and records are left to `finish`.
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
    /// Whether values are skipped without a stack. Unions do not nest directly, so the recursion is at most two calls deep.
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

    /// The steps, in order.
    pub(crate) fn steps(&self) -> &[Skip] {
        &self.0
    }

    /// A lower bound on the size; records count as 0, since their size is not known yet.
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

    /// Whether the program skips no bytes; `records` tells which records are known to be empty.
    fn is_empty_with(&self, records: &[bool]) -> bool {
        self.0.iter().all(|op| matches!(op, Skip::Record(number) if records[*number]))
    }
}

impl Skips {
    /// The program of a record.
    pub(crate) fn record(&self, number: usize) -> &Program {
        &self.records[number]
    }

    /// Minimum size of an item of an array in bytes.
    pub(crate) fn item_bytes(&self, number: usize) -> usize {
        self.item_bytes[number]
    }

    /// Whether the skipped values may include an array of elements without bytes.
    pub(crate) fn has_zero_byte_elements(&self) -> bool {
        self.item_bytes.contains(&0)
    }
}

/// The size of array items, as needed to skip their blocks.
#[derive(Debug, Clone, Copy)]
struct Width {
    fixed: Option<usize>,
    min: usize,
}

/// A running program, and how often it still has to run.
#[derive(Debug)]
struct Frame<'a> {
    ops: &'a [Skip],
    next: usize,
    repeats: usize,
    /// Set for the items of an array: after the last item, the header of the next block follows.
    items: Option<Width>,
}

/// Skips one value of `program`. Nested values use an explicit stack, never the call stack.
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

/// Skips a value that needs no stack.
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

/// Skips an array whose items need no stack.
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

/// Reads the header of an array block. Returns the number of items to skip one by one, or `None` at the end.
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

/// The remaining limits of one record.
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

    /// Restores the budget for the next record.
    #[inline(always)]
    pub(crate) fn reset(&mut self) {
        self.zero_byte_elements = self.limit;
    }

    /// The number of elements without bytes in the record so far.
    pub(crate) fn used(&self) -> u64 {
        self.limit - self.zero_byte_elements
    }

    /// Subtracts `count` elements without bytes from the record's budget.
    pub(crate) fn zero_byte_elements<R: Reads>(&mut self, count: usize, reader: &R) -> Result<(), R::Error> {
        match self.zero_byte_elements.checked_sub(count as u64) {
            Some(rest) => self.zero_byte_elements = rest,
            None => return Err(reader.limit("zero_byte_elements", self.limit)),
        }
        Ok(())
    }
}
