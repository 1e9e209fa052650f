//! Stepping over values that nobody reads.
//!
//! A program is compiled from the writer's schema alone. It accepts the bytes that decoding accepts, with two
//! differences: strings are not checked for UTF-8, and the items of an array block that states its size are
//! stepped over by that size.

use std::collections::HashMap;
use std::sync::Arc;

use crate::schema::graph::{Graph, Type, TypeId};
use crate::wire::Reads;
use crate::Limits;

/// What to step over, one value after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program(Arc<[Skip]>);

#[derive(Debug, Clone)]
enum Skip {
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
    Union { branches: Box<[Program]>, flat: bool },
    /// Items of an array, or entries of a map, its keys among the program; `flat`: they need no stack.
    Items { program: Program, width: Width, flat: bool },
    /// A record, by its number in [`Skips`]: shared, and so able to contain itself.
    Record(usize),
}

#[derive(Debug, Clone, Copy)]
enum Width {
    /// Every item has this many bytes.
    Fixed(usize),
    /// Every item has at least this many.
    AtLeast(usize),
}

/// The records of one plan that are stepped over.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skips {
    records: Vec<Program>,
    /// Least bytes of each record.
    min_bytes: Vec<usize>,
    /// Whether an array of elements without bytes is among what is stepped over.
    pub(crate) has_zero_byte_elements: bool,
}

/// Compiles programs; records by their type, so that a schema is not expanded.
#[derive(Debug)]
pub(crate) struct SkipCompiler<'a> {
    graph: &'a Graph,
    by_type: HashMap<TypeId, usize>,
    skips: Skips,
}

impl<'a> SkipCompiler<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Self {
        Self { graph, by_type: HashMap::new(), skips: Skips::default() }
    }

    pub(crate) fn finish(self) -> Skips {
        self.skips
    }

    /// Recursion ends: unnamed types nest no deeper than the schema, records are entered once.
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
        let width = match ops.as_slice() {
            [] => Width::Fixed(0),
            [Skip::Advance(width)] => Width::Fixed(*width),
            ops => Width::AtLeast(self.skips.min_bytes(ops)),
        };
        let flat = ops.iter().all(Skip::is_flat);
        self.skips.has_zero_byte_elements |= matches!(width, Width::Fixed(0) | Width::AtLeast(0));
        Skip::Items { program: Program(ops.into()), width, flat }
    }

    fn record(&mut self, ty: TypeId) -> usize {
        if let Some(number) = self.by_type.get(&ty) {
            return *number;
        }
        let number = self.skips.records.len();
        self.by_type.insert(ty, number);
        self.skips.records.push(Program::default());
        self.skips.min_bytes.push(0);
        if let Type::Record(record) = &self.graph.types[ty] {
            let mut ops = Vec::new();
            record.fields.iter().for_each(|field| self.append(field.ty, &mut ops));
            self.skips.min_bytes[number] = self.skips.min_bytes(&ops);
            self.skips.records[number] = Program(ops.into());
        }
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
    /// This one and then `next`.
    pub(crate) fn then(&self, next: &Program) -> Program {
        let mut ops = self.0.to_vec();
        for op in next.0.iter() {
            match (ops.last_mut(), op) {
                (Some(Skip::Advance(before)), Skip::Advance(more)) => *before = before.saturating_add(*more),
                (_, op) => ops.push(op.clone()),
            }
        }
        Program(ops.into())
    }

    /// A lower bound; records count as none, since their size is known to [`Skips`] only.
    pub(crate) fn min_bytes(&self) -> usize {
        Skips::default().min_bytes(&self.0)
    }
}

impl Skips {
    fn min_bytes(&self, ops: &[Skip]) -> usize {
        let bytes = |op: &Skip| match op {
            Skip::Advance(n) => *n,
            Skip::Record(number) => self.min_bytes.get(*number).copied().unwrap_or(0),
            _ => 1,
        };
        ops.iter().map(bytes).fold(0, usize::saturating_add)
    }
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
                Skip::Items { program, width, flat: false } => (&program.0, Some(*width)),
                Skip::Items { program, width, .. } => {
                    flat_items(program, *width, budget, reader)?;
                    continue;
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
fn next_items<R: Reads>(width: Width, budget: &mut Budget, reader: &mut R) -> Result<Option<usize>, R::Error> {
    let (count, size) = reader.items()?;
    if count == 0 {
        return Ok(None);
    }
    let (Width::Fixed(min) | Width::AtLeast(min)) = width;
    if min == 0 {
        budget.zero_byte_elements(count, reader)?;
    }
    reader.room_for(count, min)?;
    match (width, size) {
        (Width::Fixed(width), None) => reader.skip(count * width)?,
        (Width::Fixed(width), Some(size)) => {
            reader.stated_size(size, count * width)?;
            reader.skip(size)?;
        }
        (Width::AtLeast(_), Some(size)) => reader.skip(size)?,
        (Width::AtLeast(_), None) => return Ok(Some(count)),
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

    /// Takes `count` elements without bytes out of the record's budget.
    pub(crate) fn zero_byte_elements<R: Reads>(&mut self, count: usize, reader: &R) -> Result<(), R::Error> {
        match self.zero_byte_elements.checked_sub(count as u64) {
            Some(rest) => self.zero_byte_elements = rest,
            None => return Err(reader.limit("zero_byte_elements", self.limit)),
        }
        Ok(())
    }
}
