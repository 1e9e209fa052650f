//! The slow decoder, which finds the fault in a value that the fast decoder refuses.
//!
//! It decodes with the same plan, value by value, and discards the values. It refuses what the fast decoder refuses, but
//! reports the field, and what was expected and found. The defaults of a reader schema are checked in the same way when
//! the plan is compiled.

use arrow_buffer::i256;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits, counted, field_path, quoted, thousands};

use super::node::{
    Branch, DecimalWidth, EnumNode, FieldStep, ListNode, Node, RecordNode, Time, UnionNode, Wire,
};
use super::skip::{self, Budget, Skips};
use crate::decode::decimal::Unscaled;
use crate::decode::fixed::{duration, parse_uuid};
use crate::wire::Reads;
use crate::wire::plain::{PlainReader, invalid};

/// Checks the encoded default of a field as if it were data: its logical types, its fixed lengths and the
/// limits. `schema` describes in messages which schema contains the default.
pub(crate) fn check_default(
    schema: &str,
    field: &str,
    node: &Node,
    skips: &Skips,
    limits: &Limits,
    bytes: &[u8],
) -> Result<(), FeedError> {
    // A default is short, because the size of its schema is limited.
    let check = Check::never();
    let mut walk = FaultLocator::new(skips, limits, bytes, &check);
    walk.kind(node).map_err(|error| {
        let message = format!("{} in the default of the {schema}", error.message());
        let error = match error.limit() {
            Some(limit) => FeedError::limit_reached(limit, message),
            None => FeedError::new(FeedErrorKind::Schema, message),
        };
        error.in_field(format!("{field}{}", walk.path.concat()))
    })
}

/// Cost of a value, as the number of bytes that the fast decoder decodes in the same time.
const VALUE_WORK: usize = 64;

/// Decodes values one by one and discards them. After an error, it stands at the fault.
pub(crate) struct FaultLocator<'a> {
    skips: &'a Skips,
    budget: Budget,
    pub(crate) reader: PlainReader<'a>,
    /// Path from the root to the value: fields, and items in brackets.
    path: Vec<String>,
    check: &'a Check<'a>,
}

impl<'a> FaultLocator<'a> {
    pub(crate) fn new(skips: &'a Skips, limits: &Limits, bytes: &'a [u8], check: &'a Check<'a>) -> Self {
        let (budget, reader) = (Budget::new(limits), PlainReader::new(bytes));
        Self { skips, budget, reader, path: Vec::new(), check }
    }

    /// Reads one record of a block. An error has the path of the field.
    pub(crate) fn block_record(&mut self, node: &Node) -> Result<(), FeedError> {
        self.budget.reset();
        self.value(node).map_err(|error| {
            let field = self.path.concat().trim_start_matches('.').to_owned();
            if field.is_empty() { error } else { error.in_field(field) }
        })
    }

    /// Runs `work` one level deeper in the path. After an error, the path stays at the fault.
    fn inside(
        &mut self,
        step: String,
        work: impl FnOnce(&mut Self) -> Result<(), FeedError>,
    ) -> Result<(), FeedError> {
        self.path.push(step);
        work(self)?;
        self.path.pop();
        Ok(())
    }

    /// Reads one value. An error has the offset of the innermost value that is invalid.
    fn value(&mut self, node: &Node) -> Result<(), FeedError> {
        self.check.after(VALUE_WORK)?;
        self.located(|walk| walk.kind(node))
    }

    /// Runs `work` and sets the offset of its error to the current position, unless the error already has one.
    fn located<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, FeedError>) -> Result<T, FeedError> {
        let start = self.reader.pos() as u64;
        work(self).map_err(|error| error.at_offset(start))
    }

    /// Reads a value of any kind of node.
    fn kind(&mut self, node: &Node) -> Result<(), FeedError> {
        match node {
            Node::Null => Ok(()),
            Node::Boolean | Node::Number { wire: Wire::Boolean, .. } => self.reader.boolean().map(|_| ()),
            Node::Number { wire: Wire::Int, .. } => self.reader.int().map(|_| ()),
            Node::Number { wire: Wire::Long, .. } => self.reader.long().map(|_| ()),
            Node::Number { wire: Wire::Float, .. } => self.reader.take(4, "a float").map(|_| ()),
            Node::Number { wire: Wire::Double, .. } => self.reader.take(8, "a double").map(|_| ()),
            Node::Time(time @ (Time::Millis | Time::IntMicros)) => of_day(*time, self.reader.int()?.into()),
            Node::Time(time @ Time::Micros) => of_day(*time, self.reader.long()?),
            Node::Bytes { utf8 } => self.bytes(*utf8).map(|_| ()),
            Node::UuidString => {
                let text = self.bytes(false)?;
                let found = || quoted(&String::from_utf8_lossy(text));
                parse_uuid(text)
                    .map(|_| ())
                    .ok_or_else(|| invalid(format!("expected a uuid, found {}", found())))
            }
            Node::Fixed { size } => self.fixed(*size).map(|_| ()),
            Node::DecimalBytes { width, precision } => {
                let bytes = self.bytes(false)?;
                decimal(bytes, *width, *precision)
            }
            Node::DecimalFixed { size, width, precision } => {
                let bytes = self.fixed(*size)?;
                decimal(bytes, *width, *precision)
            }
            Node::Duration => {
                let bytes = self.fixed(12)?;
                let parts = <[u8; 12]>::try_from(bytes).ok().and_then(duration);
                let fits = "expected a duration of at most 2,147,483,647 months and days, found more";
                parts.map(|_| ()).ok_or_else(|| invalid(fits.to_owned()))
            }
            Node::Enum(node) => self.symbol(node),
            Node::List(list) => self.list(list),
            Node::Map { values } => self.map(&values.node, values.node.min_bytes().saturating_add(1)),
            Node::Record(record) => self.record(record),
            Node::Raw(program) => skip::run(program, self.skips, &mut self.budget, &mut self.reader),
            Node::Nullable { null_branch, value } => match self.reader.branch(2)? {
                branch if branch == *null_branch => Ok(()),
                _ => self.value(value),
            },
            Node::Union(union) => self.union(union),
        }
    }

    fn bytes(&mut self, utf8: bool) -> Result<&'a [u8], FeedError> {
        let length = self.reader.length()?;
        let bytes = self.reader.take(length, "a string")?;
        match std::str::from_utf8(bytes) {
            Err(error) if utf8 => {
                let at = counted(error.valid_up_to() as u64, "byte");
                Err(invalid(format!("expected a string in UTF-8, found other bytes after {at} of it")))
            }
            _ => Ok(bytes),
        }
    }

    fn fixed(&mut self, size: usize) -> Result<&'a [u8], FeedError> {
        self.reader.take(size, &format!("a fixed of {}", counted(size as u64, "byte")))
    }

    fn symbol(&mut self, node: &EnumNode) -> Result<(), FeedError> {
        let index = self.reader.symbol(node.keys.len())?;
        match node.keys[index] {
            Some(_) => Ok(()),
            None => {
                let symbol = quoted(&node.symbols[index]);
                let message =
                    format!("expected a symbol of the reader's enum, which has no default, found {symbol}");
                Err(invalid(message))
            }
        }
    }

    fn list(&mut self, list: &ListNode) -> Result<(), FeedError> {
        let node = &list.items.node;
        let items =
            self.items(node.min_bytes(), |walk, i| walk.inside(format!("[{i}]"), |walk| walk.value(node)))?;
        match list.fixed {
            Some(n) if n != items => {
                let (n, items) = (counted(n as u64, "item"), thousands(items as u64));
                Err(FeedError::new(FeedErrorKind::Conversion, format!("expected {n}, found {items}")))
            }
            _ => Ok(()),
        }
    }

    fn map(&mut self, values: &Node, min_bytes: usize) -> Result<(), FeedError> {
        let entry = |walk: &mut Self, _| {
            let mut key = String::new();
            walk.inside("[key]".to_owned(), |walk| {
                key = String::from_utf8_lossy(walk.located(|walk| walk.bytes(true))?).into_owned();
                Ok(())
            })?;
            walk.inside(format!("[{}]", quoted(&key)), |walk| walk.value(values))
        };
        self.items(min_bytes, entry).map(|_| ())
    }

    /// Reads the blocks of an array and returns the number of items.
    fn items(
        &mut self,
        min_bytes: usize,
        mut item: impl FnMut(&mut Self, usize) -> Result<(), FeedError>,
    ) -> Result<usize, FeedError> {
        let mut items = 0;
        loop {
            let (count, size) = self.reader.items()?;
            if count == 0 {
                return Ok(items);
            }
            if min_bytes == 0 {
                self.budget.zero_byte_elements(count, &self.reader)?;
            }
            self.reader.room_for(count, min_bytes)?;
            let start = self.reader.pos();
            for _ in 0..count {
                item(self, items)?;
                items += 1;
            }
            if let Some(size) = size {
                self.reader.stated_size(size, self.reader.pos() - start)?;
            }
        }
    }

    fn record(&mut self, record: &RecordNode) -> Result<(), FeedError> {
        for step in &record.steps {
            match step {
                FieldStep::Read { name, column } => {
                    self.inside(field_path::step(name, false), |walk| walk.value(&column.node))?;
                }
                FieldStep::Skip { name, program } => self.inside(field_path::step(name, false), |walk| {
                    walk.located(|walk| skip::run(program, walk.skips, &mut walk.budget, &mut walk.reader))
                })?,
            }
        }
        Ok(())
    }

    fn union(&mut self, union: &UnionNode) -> Result<(), FeedError> {
        let branch = if union.tagged { self.reader.branch(union.branches.len())? } else { 0 };
        match &union.branches[branch] {
            Branch::Read { column, .. } => self.value(&column.node),
            Branch::Refused { branch, reader } => {
                let branch = quoted(branch);
                Err(invalid(format!(
                    "expected a branch that resolves to the reader's {reader}, found branch {branch}"
                )))
            }
        }
    }
}

fn of_day(time: Time, found: i64) -> Result<(), FeedError> {
    if time.contains(found) {
        return Ok(());
    }
    let (last, unit) = (thousands(time.day().unsigned_abs() - 1), time.unit());
    Err(invalid(format!("expected a time of day of 0 to {last} {unit}, found {found}")))
}

fn decimal(bytes: &[u8], width: DecimalWidth, precision: u8) -> Result<(), FeedError> {
    let fits = match width {
        DecimalWidth::Bits128 => digits_fit::<i128>(bytes, precision),
        DecimalWidth::Bits256 => digits_fit::<i256>(bytes, precision),
    };
    match (fits, bytes.len()) {
        (true, _) => Ok(()),
        (false, 0) => Err(invalid("expected a decimal, found no bytes".to_owned())),
        (false, n) => {
            let (most, n) = (counted(precision.into(), "digit"), counted(n as u64, "byte"));
            Err(invalid(format!("expected a decimal of at most {most}, found a larger one in {n}")))
        }
    }
}

fn digits_fit<T: Unscaled>(bytes: &[u8], precision: u8) -> bool {
    T::from_big_endian(bytes).is_some_and(|value| value.is_within(T::largest(precision)))
}
