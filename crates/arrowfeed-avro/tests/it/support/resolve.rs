//! The specification's schema resolution, one value at a time.

use serde_json::Value as Json;

use super::schema::{Definition, Field, Schema, Type};
use super::value::Value;

/// Resolves values of the writer's schema to the reader's schema.
pub(crate) struct Resolver<'a> {
    pub(crate) writer: &'a Schema,
    pub(crate) reader: &'a Schema,
}

impl Resolver<'_> {
    /// Converts a row of the writer's schema to the reader's.
    pub(crate) fn row(&self, row: &Value) -> Value {
        self.value(&self.writer.root, &self.reader.root, row)
    }

    fn value(&self, w: &Type, r: &Type, value: &Value) -> Value {
        match (w, r, value) {
            (Type::Union(branches), _, Value::Branch(i, value)) => self.value(&branches[*i], r, value),
            (_, Type::Union(branches), value) => {
                let i = self.branch(w, branches).unwrap_or_else(|| panic!("no branch of {r:?} for {w:?}"));
                Value::Branch(i, Box::new(self.value(w, &branches[i], value)))
            }
            (Type::Primitive(w, _), Type::Primitive(r, _), value) => primitive(w, r, value),
            (Type::Array(w), Type::Array(r), Value::List(items)) => {
                Value::List(items.iter().map(|item| self.value(w, r, item)).collect())
            }
            (Type::Map(w), Type::Map(r), Value::Map(entries)) => {
                let entry = |(key, value): &(Value, Value)| (key.clone(), self.value(w, r, value));
                Value::Map(entries.iter().map(entry).collect())
            }
            (Type::Named(w), Type::Named(r), value) => self.named(w, r, value),
            (w, r, value) => panic!("{value:?} of {w:?} is no {r:?}"),
        }
    }

    fn named(&self, w: &str, r: &str, value: &Value) -> Value {
        match (self.writer.definition(w), self.reader.definition(r), value) {
            (Definition::Record(w), Definition::Record(r), Value::Record(values)) => {
                let value = |field: &Field| {
                    let known = |name: &String| *name == field.name || field.aliases.contains(name);
                    match w.iter().position(|w| known(&w.name)) {
                        Some(i) => self.value(&w[i].ty, &field.ty, &values[i]),
                        None => default(self.reader, &field.ty, field.default.as_ref().expect("a default"))
                            .expect("a default of its type"),
                    }
                };
                Value::Record(r.iter().map(value).collect())
            }
            (
                Definition::Enum { symbols: w, .. },
                Definition::Enum { symbols: r, default },
                Value::Symbol(i),
            ) => {
                let place = |symbol: &String| r.iter().position(|other| other == symbol);
                let found = place(&w[*i]).or_else(|| place(default.as_ref()?));
                Value::Symbol(found.expect("a symbol or a default"))
            }
            (_, _, value) => value.clone(),
        }
    }

    /// The branch of the same type, or else the first branch that the type can be promoted to, or else the only record.
    fn branch(&self, w: &Type, branches: &[Type]) -> Option<usize> {
        let same = branches.iter().position(|r| match (w, r) {
            (Type::Primitive(w, _), Type::Primitive(r, _)) => w == r,
            (Type::Named(w), Type::Named(r)) => w == r || self.reader.named[r].aliases.contains(w),
            (Type::Array(_), Type::Array(_)) | (Type::Map(_), Type::Map(_)) => true,
            _ => false,
        });
        let promotion = |r: &Type| match (w, r) {
            // A logical type cannot become another one.
            (Type::Primitive("int", Some(_)), Type::Primitive("long", Some(_))) => false,
            (Type::Primitive(w, _), Type::Primitive(r, _)) => {
                PROMOTIONS.iter().any(|(from, to)| from == w && to.contains(r))
            }
            _ => false,
        };
        same.or_else(|| branches.iter().position(promotion)).or_else(|| self.only_record(w, branches))
    }

    /// The record beside null, which any record resolves to as if it were alone: only branches of several types need names.
    fn only_record(&self, w: &Type, branches: &[Type]) -> Option<usize> {
        let is_record = |schema: &Schema, ty: &Type| match ty {
            Type::Named(name) => matches!(schema.definition(name), Definition::Record(_)),
            _ => false,
        };
        let mut others =
            branches.iter().enumerate().filter(|(_, ty)| !matches!(ty, Type::Primitive("null", _)));
        let (number, only) = others.next().filter(|_| others.next().is_none())?;
        (is_record(self.writer, w) && is_record(self.reader, only)).then_some(number)
    }
}

/// Promotions from the first type to each of the others.
pub(crate) const PROMOTIONS: [(&str, &[&str]); 4] = [
    ("int", &["long", "float", "double"]),
    ("long", &["float", "double"]),
    ("float", &["double"]),
    ("string", &["bytes"]),
];

fn primitive(w: &str, r: &str, value: &Value) -> Value {
    match (w, r, value) {
        (_, "float", Value::Int(value)) => Value::Float((*value as f32).to_bits()),
        (_, "double", Value::Int(value)) => Value::Double((*value as f64).to_bits()),
        (_, "double", Value::Float(bits)) => Value::Double(f64::from(f32::from_bits(*bits)).to_bits()),
        (_, "bytes", Value::Text(text)) => Value::Bytes(text.clone().into()),
        _ => value.clone(),
    }
}

/// The value of a default in JSON; for a union, of the first branch that fits.
fn default(schema: &Schema, ty: &Type, json: &Json) -> Option<Value> {
    Some(match (ty, json) {
        (Type::Union(branches), json) => {
            let mut fits = branches.iter().map(|branch| default(schema, branch, json)).enumerate();
            let (i, value) = fits.find_map(|(i, value)| Some((i, value?)))?;
            Value::Branch(i, Box::new(value))
        }
        (Type::Primitive("null", _), Json::Null) => Value::Null,
        (Type::Primitive("boolean", _), Json::Bool(value)) => Value::Bool(*value),
        (Type::Primitive("int" | "long", _), Json::Number(number)) => Value::Int(number.as_i64()?),
        (Type::Primitive("float", _), Json::Number(number)) => {
            Value::Float((number.as_f64()? as f32).to_bits())
        }
        (Type::Primitive("double", _), Json::Number(number)) => Value::Double(number.as_f64()?.to_bits()),
        (Type::Primitive("string", _), Json::String(text)) => Value::Text(text.clone()),
        (Type::Primitive("bytes", _), Json::String(text)) => {
            Value::Bytes(text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<_>>()?)
        }
        (Type::Array(ty), Json::Array(items)) => {
            Value::List(items.iter().map(|item| default(schema, ty, item)).collect::<Option<_>>()?)
        }
        (Type::Map(ty), Json::Object(entries)) => {
            let entry = |(key, value)| Some((Value::Text(String::clone(key)), default(schema, ty, value)?));
            Value::Map(entries.iter().map(entry).collect::<Option<_>>()?)
        }
        (Type::Named(name), json) => match (schema.definition(name), json) {
            (Definition::Enum { symbols, .. }, Json::String(text)) => {
                Value::Symbol(symbols.iter().position(|symbol| symbol == text)?)
            }
            (Definition::Record(fields), Json::Object(members)) => {
                let value = |field: &Field| {
                    default(schema, &field.ty, members.get(&field.name).or(field.default.as_ref())?)
                };
                Value::Record(fields.iter().map(value).collect::<Option<_>>()?)
            }
            (Definition::Fixed(size, _), Json::String(text)) => {
                let bytes: Vec<u8> =
                    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<_>>()?;
                (bytes.len() == *size).then_some(Value::Bytes(bytes))?
            }
            _ => return None,
        },
        _ => return None,
    })
}
