//! Encoding of values as Avro bytes. Every choice that the specification leaves to a writer is made at random.

use super::schema::{Definition, Schema, Type};
use super::value::{Seed, Value};

/// Appends values to `out`.
pub(crate) struct Encoder<'a> {
    schema: &'a Schema,
    pub(crate) out: Vec<u8>,
    pub(crate) seed: Seed,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(schema: &'a Schema, seed: u64) -> Self {
        Self { schema, out: Vec::new(), seed: Seed(seed) }
    }

    pub(crate) fn row(&mut self, row: &Value) {
        self.value(&self.schema.root, row);
    }

    fn value(&mut self, ty: &Type, value: &Value) {
        match (ty, value) {
            (_, Value::Null) => {}
            (_, Value::Bool(value)) => self.out.push(u8::from(*value)),
            (_, Value::Int(value)) => self.long(*value),
            (_, Value::Float(bits)) => self.out.extend(bits.to_le_bytes()),
            (_, Value::Double(bits)) => self.out.extend(bits.to_le_bytes()),
            (_, Value::Text(text)) => self.sized(text.as_bytes()),
            (_, Value::Symbol(index)) => self.long(*index as i64),
            (Type::Primitive(..), Value::Bytes(bytes)) => self.sized(bytes),
            (_, Value::Bytes(bytes)) => self.out.extend(bytes),
            (Type::Array(ty), Value::List(items)) => {
                self.items(items, |encoder, item| encoder.value(ty, item));
            }
            (Type::Map(ty), Value::Map(entries)) => self.items(entries, |encoder, (key, value)| {
                encoder.value(&Type::Primitive("string", None), key);
                encoder.value(ty, value);
            }),
            (Type::Union(branches), Value::Branch(index, value)) => {
                self.long(*index as i64);
                self.value(&branches[*index], value);
            }
            (Type::Named(name), Value::Record(values)) => {
                let Definition::Record(fields) = self.schema.definition(name) else {
                    panic!("{name} is no record");
                };
                fields.iter().zip(values).for_each(|(field, value)| self.value(&field.ty, value));
            }
            (ty, value) => panic!("{value:?} is no {ty:?}"),
        }
    }

    /// Writes one block or several, with or without their sizes.
    fn items<T>(&mut self, items: &[T], item: impl Fn(&mut Self, &T)) {
        let mut rest = items;
        while !rest.is_empty() {
            let n = if self.seed.one_in(3) { 1 + self.seed.below(rest.len()) } else { rest.len() };
            let (block, after) = rest.split_at(n);
            rest = after;
            if self.seed.one_in(3) {
                let outer = std::mem::take(&mut self.out);
                block.iter().for_each(|value| item(self, value));
                let bytes = std::mem::replace(&mut self.out, outer);
                self.long(-(n as i64));
                self.sized(&bytes);
            } else {
                self.long(n as i64);
                block.iter().for_each(|value| item(self, value));
            }
        }
        self.long(0);
    }

    fn sized(&mut self, bytes: &[u8]) {
        self.long(bytes.len() as i64);
        self.out.extend(bytes);
    }

    /// Writes a number, sometimes with more bytes than needed, up to the ten that are allowed.
    fn long(&mut self, value: i64) {
        let zigzag = ((value << 1) ^ (value >> 63)) as u64;
        let least = ((64 - zigzag.leading_zeros()).div_ceil(7)).max(1);
        let spare = if self.seed.one_in(12) { self.seed.below(11 - least as usize) as u32 } else { 0 };
        for i in 0..least + spare {
            let low = zigzag.checked_shr(7 * i).unwrap_or(0) as u8 & 0x7f;
            self.out.push(if i + 1 < least + spare { low | 0x80 } else { low });
        }
    }
}
