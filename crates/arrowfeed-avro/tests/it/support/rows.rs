//! Random values of a schema.

use std::collections::BTreeMap;

use arrow_buffer::i256;

use super::schema::{Definition, Logical, Schema, Type, field_path};
use super::value::{Seed, Value};

/// Generator of values of one schema.
pub(crate) struct Rows<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) seed: Seed,
    /// Fixed lengths of the arrays at these paths.
    pub(crate) lengths: BTreeMap<String, i32>,
    /// Number of items that may still be generated. At 0, arrays are empty and nullable values are null.
    fuel: usize,
}

/// Texts with lengths around the twelve bytes that a string view stores inline.
const TEXTS: [&str; 8] = ["", "a", "twelve bytes", "thirteen byte", "größer", "名前", "🦀", "\0"];

impl<'a> Rows<'a> {
    pub(crate) fn new(schema: &'a Schema, seed: u64) -> Self {
        Self { schema, seed: Seed(seed), lengths: BTreeMap::new(), fuel: 0 }
    }

    pub(crate) fn rows(&mut self, n: usize) -> Vec<Value> {
        let schema = self.schema;
        (0..n).map(|_| self.row(&schema.root)).collect()
    }

    fn row(&mut self, root: &Type) -> Value {
        self.fuel = 60;
        let path = if self.schema.fields(root).is_some() { "" } else { "value" };
        self.value(root, path)
    }

    fn value(&mut self, ty: &Type, path: &str) -> Value {
        match ty {
            Type::Primitive(name, logical) => self.primitive(name, logical.as_ref()),
            Type::Array(items) => {
                let n = self.items(path);
                let path = format!("{path}[]");
                Value::List((0..n).map(|_| self.value(items, &path)).collect())
            }
            Type::Map(values) => {
                let n = self.items("");
                let path = format!("{path}[]");
                Value::Map((0..n).map(|_| (Value::Text(self.text()), self.value(values, &path))).collect())
            }
            Type::Union(branches) => {
                let null = branches.iter().position(|ty| matches!(ty, Type::Primitive("null", _)));
                let branch = match null {
                    Some(null) if self.fuel == 0 => null,
                    _ => self.seed.below(branches.len()),
                };
                self.fuel = self.fuel.saturating_sub(1);
                Value::Branch(branch, Box::new(self.value(&branches[branch], path)))
            }
            Type::Named(name) => match self.schema.definition(name) {
                Definition::Enum { symbols, .. } => Value::Symbol(self.seed.below(symbols.len())),
                Definition::Fixed(size, logical) => Value::Bytes(self.fixed(*size, logical.as_ref())),
                Definition::Record(fields) => {
                    let field = |rows: &mut Self, name: &str, ty| rows.value(ty, &field_path(path, name));
                    Value::Record(fields.iter().map(|f| field(self, &f.name, &f.ty)).collect())
                }
            },
        }
    }

    fn items(&mut self, path: &str) -> usize {
        if let Some(n) = self.lengths.get(path) {
            return *n as usize;
        }
        let wanted = if self.seed.one_in(20) { 40 } else { self.seed.below(4) };
        let n = wanted.min(self.fuel);
        self.fuel -= n;
        n
    }

    fn primitive(&mut self, name: &str, logical: Option<&Logical>) -> Value {
        match (name, logical) {
            ("null", _) => Value::Null,
            ("boolean", _) => Value::Bool(self.seed.one_in(2)),
            ("int", Some(Logical::Simple("time-millis"))) => Value::Int(self.time(86_400_000)),
            ("long", Some(Logical::Simple("time-micros"))) => Value::Int(self.time(86_400_000_000)),
            ("int", _) => Value::Int(i64::from(self.integer() as i32)),
            ("long", _) => Value::Int(self.integer()),
            ("float", _) => {
                let bits = self.seed.next() as u32;
                Value::Float(self.seed.pick(&[bits, 0, 0x8000_0000, 0x7fc0_0001, 0xff80_0000]))
            }
            ("double", _) => {
                let bits = self.seed.next();
                Value::Double(self.seed.pick(&[bits, 0, 1 << 63, 0x7ff8_0000_0000_0001, 0xfff0 << 48]))
            }
            ("bytes", Some(Logical::Decimal { precision, .. })) if *precision <= 76 => {
                let extra = if self.seed.one_in(4) { self.seed.below(40) } else { 0 };
                let number = self.decimal(*precision).to_be_bytes();
                let least = shortest(&number);
                Value::Bytes(resized(&number, least + extra))
            }
            ("bytes", _) => {
                let n = self.seed.below(20);
                Value::Bytes(self.seed.bytes(n))
            }
            ("string", Some(_)) => Value::Text(self.uuid()),
            _ => Value::Text(self.text()),
        }
    }

    fn integer(&mut self) -> i64 {
        let shift = self.seed.below(64) as u32;
        let any = (self.seed.next() >> shift) as i64;
        let edges = [any, -any, i64::MIN, i64::MAX, 0, -1, i64::from(i32::MIN), i64::from(i32::MAX)];
        if self.seed.one_in(3) { self.seed.pick(&edges) } else { self.seed.pick(&[any, -any]) }
    }

    /// A time of day, where a day has `day` units.
    fn time(&mut self, day: i64) -> i64 {
        let any = self.integer().rem_euclid(day);
        self.seed.pick(&[any, any, 0, day - 1])
    }

    fn text(&mut self) -> String {
        let n = if self.seed.one_in(10) { self.seed.below(8) } else { 1 };
        (0..n).map(|_| self.seed.pick(&TEXTS)).collect()
    }

    fn uuid(&mut self) -> String {
        let digits: String = self.seed.bytes(16).iter().map(|byte| format!("{byte:02x}")).collect();
        let digits = if self.seed.one_in(4) { digits.to_uppercase() } else { digits };
        [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
    }

    /// A number of at most `precision` digits.
    fn decimal(&mut self, precision: usize) -> i256 {
        let digits = if self.seed.one_in(3) { precision } else { 1 + self.seed.below(precision) };
        let nines = self.seed.one_in(4);
        let digit = |rows: &mut Self| if nines { 9 } else { rows.seed.below(10) as i128 };
        let number = (0..digits).fold(i256::ZERO, |number, _| {
            number.wrapping_mul(i256::from_i128(10)).wrapping_add(i256::from_i128(digit(self)))
        });
        if self.seed.one_in(2) { number.wrapping_neg() } else { number }
    }

    fn fixed(&mut self, size: usize, logical: Option<&Logical>) -> Vec<u8> {
        match logical {
            Some(Logical::Decimal { precision, .. }) if *precision <= 76 => {
                resized(&self.decimal(*precision).to_be_bytes(), size)
            }
            Some(Logical::Simple("duration")) => {
                let parts =
                    [self.seed.next() as u32 >> 1, self.seed.next() as u32 >> 1, self.seed.next() as u32];
                parts.iter().flat_map(|part| part.to_le_bytes()).collect()
            }
            _ => self.seed.bytes(size),
        }
    }
}

/// The minimum number of bytes of a big-endian number in two's complement.
fn shortest(number: &[u8]) -> usize {
    let spare = |pair: &&[u8]| matches!((pair[0], pair[1] & 0x80), (0, 0) | (0xff, 0x80));
    number.len() - number.windows(2).take_while(spare).count()
}

/// The same number with `size` bytes, which must be enough.
fn resized(number: &[u8], size: usize) -> Vec<u8> {
    let sign = if number[0] & 0x80 == 0 { 0 } else { 0xff };
    let kept = &number[number.len().saturating_sub(size)..];
    [vec![sign; size - kept.len()], kept.to_vec()].concat()
}
