//! Decoding of Avro bytes to values, one at a time. Each rule of the format is checked where its value is read.

use arrow_buffer::i256;

use super::schema::{Definition, Logical, Schema, Type};
use super::value::Value;

/// Maximum number of elements without bytes in a record.
pub(crate) const ZERO_BYTE_ELEMENTS: u64 = 1000;

/// Reads the values of one block.
pub(crate) struct Decoder<'a> {
    schema: &'a Schema,
    left: &'a [u8],
    zero_byte_elements: u64,
}

/// The `count` values in `bytes`, or the number of the first invalid one; `count` if bytes are left.
pub(crate) fn decode_block(schema: &Schema, count: u64, bytes: &[u8]) -> Result<Vec<Value>, u64> {
    let mut decoder = Decoder { schema, left: bytes, zero_byte_elements: 0 };
    let mut values = Vec::new();
    for record in 0..count {
        decoder.zero_byte_elements = 0;
        values.push(decoder.value(&schema.root).ok_or(record)?);
    }
    if decoder.left.is_empty() { Ok(values) } else { Err(count) }
}

impl<'a> Decoder<'a> {
    fn value(&mut self, ty: &Type) -> Option<Value> {
        Some(match ty {
            Type::Primitive(name, logical) => self.primitive(name, logical.as_ref())?,
            Type::Array(items) => {
                let mut values = Vec::new();
                self.items(self.schema.is_empty(items), |decoder| {
                    values.push(decoder.value(items)?);
                    Some(())
                })?;
                Value::List(values)
            }
            Type::Map(ty) => {
                let mut entries = Vec::new();
                self.items(false, |decoder| {
                    entries.push((Value::Text(decoder.text()?), decoder.value(ty)?));
                    Some(())
                })?;
                Value::Map(entries)
            }
            Type::Union(branches) => {
                let branch = self.below(branches.len())?;
                Value::Branch(branch, Box::new(self.value(&branches[branch])?))
            }
            Type::Named(name) => match self.schema.definition(name) {
                Definition::Enum { symbols, .. } => Value::Symbol(self.below(symbols.len())?),
                Definition::Fixed(size, logical) => {
                    let bytes = self.take(*size)?;
                    Value::Bytes(valid(bytes, logical.as_ref())?.to_vec())
                }
                Definition::Record(fields) => {
                    Value::Record(fields.iter().map(|field| self.value(&field.ty)).collect::<Option<_>>()?)
                }
            },
        })
    }

    fn primitive(&mut self, name: &str, logical: Option<&Logical>) -> Option<Value> {
        Some(match name {
            "null" => Value::Null,
            "boolean" => match self.take(1)? {
                [0] => Value::Bool(false),
                [1] => Value::Bool(true),
                _ => return None,
            },
            "int" => Value::Int(in_range(i32::try_from(self.long()?).ok()?.into(), logical)?),
            "long" => Value::Int(in_range(self.long()?, logical)?),
            "float" => Value::Float(u32::from_le_bytes(self.take(4)?.try_into().ok()?)),
            "double" => Value::Double(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            "bytes" => {
                let bytes = self.sized()?;
                Value::Bytes(valid(bytes, logical)?.to_vec())
            }
            _ => {
                let text = self.text()?;
                if logical.is_some() && uuid(&text).is_none() {
                    return None;
                }
                Value::Text(text)
            }
        })
    }

    /// Reads the blocks of an array or a map, and counts the items without bytes.
    fn items(&mut self, empty: bool, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        loop {
            let count = self.long()?;
            if count == 0 {
                return Some(());
            }
            let left_after = if count < 0 {
                let size = usize::try_from(self.long()?).ok()?;
                Some(self.left.len().checked_sub(size)?)
            } else {
                None
            };
            let count = count.unsigned_abs();
            if empty {
                self.zero_byte_elements = self.zero_byte_elements.checked_add(count)?;
                (self.zero_byte_elements <= ZERO_BYTE_ELEMENTS).then_some(())?;
            }
            for _ in 0..count {
                item(self)?;
            }
            if left_after.is_some_and(|left| left != self.left.len()) {
                return None;
            }
        }
    }

    fn below(&mut self, n: usize) -> Option<usize> {
        usize::try_from(self.long()?).ok().filter(|index| *index < n)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.sized()?.to_vec()).ok()
    }

    fn sized(&mut self) -> Option<&'a [u8]> {
        let size = usize::try_from(self.long()?).ok()?;
        self.take(size)
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.left.split_at_checked(n)?;
        self.left = left;
        Some(taken)
    }

    /// Reads a number of at most ten bytes and 64 bits, which may have leading zeros.
    fn long(&mut self) -> Option<i64> {
        let mut number = 0_u128;
        for i in 0..10 {
            let [byte] = self.take(1)? else { return None };
            number |= u128::from(byte & 0x7f) << (7 * i);
            if byte & 0x80 == 0 {
                let number = u64::try_from(number).ok()?;
                return Some((number >> 1) as i64 ^ -((number & 1) as i64));
            }
        }
        None
    }
}

/// The bytes, if they are valid for the logical type.
fn valid<'a>(bytes: &'a [u8], logical: Option<&Logical>) -> Option<&'a [u8]> {
    let fine = match logical {
        Some(Logical::Decimal { precision, .. }) if *precision <= 76 => {
            unscaled(bytes)?.to_string().trim_start_matches('-').len() <= *precision
        }
        Some(Logical::Simple("duration")) => {
            // Arrow stores months and days as signed 32-bit numbers.
            let [_, _, _, months, _, _, _, days, ..] = bytes else { return None };
            months & 0x80 == 0 && days & 0x80 == 0
        }
        _ => true,
    };
    fine.then_some(bytes)
}

/// The number, if it is valid for the logical type: a time must be within a day.
pub(crate) fn in_range(number: i64, logical: Option<&Logical>) -> Option<i64> {
    let fine = match logical {
        Some(Logical::Simple("time-millis")) => (0..24 * 60 * 60 * 1000).contains(&number),
        Some(Logical::Simple("time-micros")) => (0..24 * 60 * 60 * 1_000_000).contains(&number),
        _ => true,
    };
    fine.then_some(number)
}

/// The number of a decimal, if it fits in 256 bits.
pub(crate) fn unscaled(bytes: &[u8]) -> Option<i256> {
    let sign = if bytes.first()? & 0x80 == 0 { 0 } else { 0xff };
    let (excess, low) = bytes.split_at(bytes.len().saturating_sub(32));
    let mut wide = [sign; 32];
    wide[32 - low.len()..].copy_from_slice(low);
    let same = excess.iter().all(|byte| *byte == sign) && (wide[0] ^ sign) & 0x80 == 0;
    same.then(|| i256::from_be_bytes(wide))
}

/// The sixteen bytes of a uuid's text: hex digits in groups of 8, 4, 4, 4 and 12.
pub(crate) fn uuid(text: &str) -> Option<Vec<u8>> {
    let groups: Vec<&str> = text.split('-').collect();
    let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let digits = groups.concat();
    if sizes != [8, 4, 4, 4, 12] || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    (0..16).map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok()).collect()
}
