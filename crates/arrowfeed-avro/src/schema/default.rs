//! Encoding of the JSON default of a field as Avro binary.

use arrowfeed_source::{FeedError, FeedErrorKind, Limits, counted, quoted, thousands};
use serde_json::{Map, Value};

use super::graph::{Enum, Fixed, Graph, Record, Type, TypeId};
use super::json::found;

/// Maximum cost of one default: 1 for each value, each byte of its encoding and each 16 symbols of an enum that are
/// searched, and [`MISFIT_COST`] for each union branch that it does not fit. Without this limit, defaults of fields
/// inside defaults could double the work with each level.
const MAX_COST: usize = 4 << 20;

/// Cost of a branch that a default does not fit: each produces an error message.
const MISFIT_COST: usize = 64;

/// Encodes `json` as a value of type `ty`, by the specification's table of field defaults.
///
/// - Bytes and fixed are strings of the code points 0 to 255, one for each byte.
/// - Int and long accept integers in their range; float and double accept any number, including integers. The strings
///   `NaN` and `Infinity` are not defaults, as in Java.
/// - A field that is missing in a record's default takes its own default; a key that is not a field is ignored.
/// - A union takes the first branch that the value fits, as Java does since 1.9; the specification used to allow
///   only the first branch.
pub(crate) fn encode_default(graph: &Graph, ty: TypeId, json: &Value) -> Result<Vec<u8>, FeedError> {
    let mut encoder = Encoder { graph, out: Vec::new(), cost: 0 };
    encoder.value(ty, json, 0)?;
    Ok(encoder.out)
}

struct Encoder<'a> {
    graph: &'a Graph,
    out: Vec<u8>,
    cost: usize,
}

impl<'a> Encoder<'a> {
    fn value(&mut self, ty: TypeId, json: &Value, depth: usize) -> Result<(), FeedError> {
        if depth > Limits::MAX_SCHEMA_DEPTH {
            let most = Limits::MAX_SCHEMA_DEPTH;
            let message = format!("expected a default nested at most {most} deep, found a deeper one");
            return Err(FeedError::limit_reached("schema_depth", message));
        }
        self.spend(1)?;
        let graph = self.graph;
        match (&graph.types[ty], json) {
            (Type::Null, Value::Null) => Ok(()),
            (Type::Boolean, Value::Bool(value)) => self.write(&[u8::from(*value)]),
            (Type::Int(_), Value::Number(number)) => {
                let value = number.as_i64().filter(|value| i32::try_from(*value).is_ok());
                self.long(value.ok_or_else(|| self.misfit(ty, json))?)
            }
            (Type::Long(_), Value::Number(number)) => {
                self.long(number.as_i64().ok_or_else(|| self.misfit(ty, json))?)
            }
            (Type::Float, Value::Number(number)) => {
                let value = number.as_f64().map(|value| value as f32).filter(|value| value.is_finite());
                self.write(&value.ok_or_else(|| self.misfit(ty, json))?.to_le_bytes())
            }
            (Type::Double, Value::Number(number)) => {
                self.write(&number.as_f64().ok_or_else(|| self.misfit(ty, json))?.to_le_bytes())
            }
            (Type::Bytes(_), Value::String(text)) => {
                let bytes = self.code_points("bytes", text)?;
                self.block(&bytes)
            }
            (Type::String { .. }, Value::String(text)) => self.block(text.as_bytes()),
            (Type::Fixed(fixed), Value::String(text)) => self.fixed(fixed, text),
            (Type::Enum(symbols), Value::String(text)) => self.symbol(symbols, text),
            (Type::Array(items), Value::Array(values)) => self.array(*items, values, depth),
            (Type::Map(values), Value::Object(entries)) => self.map(*values, entries, depth),
            (Type::Record(record), Value::Object(members)) => self.record(record, members, depth),
            (Type::Union(branches), json) => self.union(ty, branches, json, depth),
            _ => Err(self.misfit(ty, json)),
        }
    }

    /// The code points of a string as bytes.
    fn code_points(&self, kind: &str, text: &str) -> Result<Vec<u8>, FeedError> {
        let byte = |c: char| u8::try_from(u32::from(c)).map_err(|_| c);
        text.chars().map(byte).collect::<Result<_, _>>().map_err(|c| {
            let found = quoted(c.encode_utf8(&mut [0; 4]));
            invalid(format!("expected a default of code points up to 255 for {kind}, found {found}"))
        })
    }

    fn fixed(&mut self, fixed: &Fixed, text: &str) -> Result<(), FeedError> {
        let kind = format!("fixed {}", quoted(&fixed.name));
        let bytes = self.code_points(&kind, text)?;
        if bytes.len() != fixed.size {
            let (size, found) = (counted(fixed.size as u64, "byte"), thousands(bytes.len() as u64));
            return Err(invalid(format!("expected a default of {size} for {kind}, found {found}")));
        }
        self.write(&bytes)
    }

    fn symbol(&mut self, symbols: &Enum, text: &str) -> Result<(), FeedError> {
        self.spend(symbols.symbols.len() / 16)?;
        let index = symbols.symbols.iter().position(|symbol| symbol == text);
        let index = index.and_then(|index| i64::try_from(index).ok()).ok_or_else(|| {
            let (name, text) = (quoted(&symbols.name), quoted(text));
            invalid(format!("expected a default that is a symbol of enum {name}, found {text}"))
        })?;
        self.long(index)
    }

    fn array(&mut self, items: TypeId, values: &[Value], depth: usize) -> Result<(), FeedError> {
        if !values.is_empty() {
            self.length(values.len())?;
            for value in values {
                self.value(items, value, depth + 1)?;
            }
        }
        self.long(0)
    }

    fn map(&mut self, values: TypeId, entries: &Map<String, Value>, depth: usize) -> Result<(), FeedError> {
        if !entries.is_empty() {
            self.length(entries.len())?;
            for (key, value) in entries {
                self.block(key.as_bytes())?;
                self.value(values, value, depth + 1)?;
            }
        }
        self.long(0)
    }

    fn record(
        &mut self,
        record: &'a Record,
        members: &Map<String, Value>,
        depth: usize,
    ) -> Result<(), FeedError> {
        for field in &record.fields {
            let value = members.get(&field.name).or(field.default.as_ref()).ok_or_else(|| {
                let (field, record) = (quoted(&field.name), quoted(&record.name));
                invalid(format!("expected a default for field {field} of record {record}, found none"))
            })?;
            self.value(field.ty, value, depth + 1)?;
        }
        Ok(())
    }

    fn union(
        &mut self,
        ty: TypeId,
        branches: &[TypeId],
        json: &Value,
        depth: usize,
    ) -> Result<(), FeedError> {
        let start = self.out.len();
        for (index, branch) in branches.iter().enumerate() {
            self.length(index)?;
            match self.value(*branch, json, depth + 1) {
                Err(error) if error.limit().is_none() => {
                    self.out.truncate(start);
                    self.spend(MISFIT_COST)?;
                }
                done => return done,
            }
        }
        Err(self.misfit(ty, json))
    }

    fn block(&mut self, bytes: &[u8]) -> Result<(), FeedError> {
        self.length(bytes.len())?;
        self.write(bytes)
    }

    fn length(&mut self, length: usize) -> Result<(), FeedError> {
        // Data in memory has a length below 2^63.
        self.long(i64::try_from(length).unwrap_or(i64::MAX))
    }

    /// Writes the zigzag code, seven bits in each byte, the lowest bits first.
    fn long(&mut self, value: i64) -> Result<(), FeedError> {
        let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
        let mut bytes = [0; 10];
        let mut used = 0;
        loop {
            let [low, ..] = rest.to_le_bytes();
            rest >>= 7;
            bytes[used] = low & 0x7f | if rest > 0 { 0x80 } else { 0 };
            used += 1;
            if rest == 0 {
                return self.write(&bytes[..used]);
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), FeedError> {
        self.spend(bytes.len())?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn spend(&mut self, cost: usize) -> Result<(), FeedError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > MAX_COST {
            let most = thousands(MAX_COST as u64);
            let message =
                format!("expected a default of at most {most} values and bytes, found a larger one");
            return Err(FeedError::limit_reached("schema_bytes", message));
        }
        Ok(())
    }

    #[cold]
    fn misfit(&self, ty: TypeId, json: &Value) -> FeedError {
        let expected = match &self.graph.types[ty] {
            // A long list of branches would not help.
            Type::Union(branches) if branches.len() <= 8 => {
                let kinds: Vec<&str> =
                    branches.iter().map(|branch| self.graph.types[*branch].kind()).collect();
                kinds.join(" or ")
            }
            Type::Record(Record { name, .. })
            | Type::Enum(Enum { name, .. })
            | Type::Fixed(Fixed { name, .. }) => {
                format!("{} {}", self.graph.types[ty].kind(), quoted(name))
            }
            _ => self.graph.types[ty].kind().to_owned(),
        };
        invalid(format!("expected a default of type {expected}, found {}", found(json)))
    }
}

fn invalid(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Schema, message)
}

#[cfg(test)]
mod tests;
