//! Plain conversions of dense unions: to structs, and to JSON text.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, TimeUnit};
use serde_json::Value as Json;

use super::value::Value;

/// Changes fields and their values at every union, from the innermost to the outermost or only at the outermost.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    Struct,
    /// JSON, in a column of this type.
    Json(DataType),
}

impl Form {
    pub(crate) fn fields(&self, fields: &Fields) -> Vec<Field> {
        fields.iter().map(|field| self.field(field)).collect()
    }

    pub(crate) fn field(&self, field: &Field) -> Field {
        let data_type = match (field.data_type(), self) {
            (DataType::Union(..), Form::Json(text)) => text.clone(),
            (DataType::Union(branches, _), Form::Struct) => {
                let stored = branches.iter().filter(|(_, branch)| *branch.data_type() != DataType::Null);
                DataType::Struct(stored.map(|(_, branch)| self.field(branch).with_nullable(true)).collect())
            }
            (DataType::List(item), _) => DataType::List(Arc::new(self.field(item))),
            (DataType::FixedSizeList(item, n), _) => DataType::FixedSizeList(Arc::new(self.field(item)), *n),
            (DataType::Map(entries, sorted), _) => DataType::Map(Arc::new(self.field(entries)), *sorted),
            (DataType::Struct(fields), _) => DataType::Struct(self.fields(fields).into()),
            (other, _) => other.clone(),
        };
        let field_of = field.clone().with_data_type(data_type);
        match (field.data_type(), self) {
            (DataType::Union(..), Form::Json(_)) => {
                field_of.with_metadata([("avro.union".to_owned(), "json".to_owned())].into())
            }
            _ => field_of,
        }
    }

    pub(crate) fn row(&self, fields: &Fields, row: &[Value]) -> Vec<Value> {
        fields.iter().zip(row).map(|(field, value)| self.value(field, value)).collect()
    }

    fn value(&self, field: &Field, value: &Value) -> Value {
        let item =
            |field: &Field, items: &[Value]| items.iter().map(|item| self.value(field, item)).collect();
        match (field.data_type(), value) {
            (_, Value::Null) => Value::Null,
            (DataType::Union(branches, _), Value::Branch(to, value)) => {
                let chosen = branches.iter().nth(*to).expect("a branch").1;
                match (chosen.data_type(), self) {
                    (DataType::Null, _) => Value::Null,
                    (_, Form::Json(text)) => {
                        let json = format!("{{{}:{}}}", quoted(chosen.name()), json(chosen, value));
                        if *text == DataType::LargeBinary {
                            Value::Bytes(json.into())
                        } else {
                            Value::Text(json)
                        }
                    }
                    (_, Form::Struct) => {
                        let stored =
                            branches.iter().filter(|(_, branch)| *branch.data_type() != DataType::Null);
                        let cell = |(_, branch): (i8, &Arc<Field>)| match Arc::ptr_eq(branch, chosen) {
                            true => self.value(branch, value),
                            false => Value::Null,
                        };
                        Value::Record(stored.map(cell).collect())
                    }
                }
            }
            (DataType::List(field) | DataType::FixedSizeList(field, _), Value::List(items)) => {
                Value::List(item(field, items))
            }
            (DataType::Map(entries, _), Value::Map(pairs)) => {
                let DataType::Struct(entry) = entries.data_type() else { panic!("entries") };
                let pair = |(key, value): &(Value, Value)| (key.clone(), self.value(&entry[1], value));
                Value::Map(pairs.iter().map(pair).collect())
            }
            (DataType::Struct(fields), Value::Record(values)) => Value::Record(self.row(fields, values)),
            (_, value) => value.clone(),
        }
    }
}

fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// The text of a native value.
fn json(field: &Field, value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(",");
    match (field.data_type(), value) {
        (_, Value::Null) => "null".to_owned(),
        (DataType::Union(branches, _), Value::Branch(to, value)) => {
            let branch = branches.iter().nth(*to).expect("a branch").1;
            match branch.data_type() {
                DataType::Null => "null".to_owned(),
                _ => format!("{{{}:{}}}", quoted(branch.name()), json(branch, value)),
            }
        }
        (DataType::List(field) | DataType::FixedSizeList(field, _), Value::List(items)) => {
            format!("[{}]", joined(items.iter().map(|item| json(field, item)).collect()))
        }
        (DataType::Map(entries, _), Value::Map(pairs)) => {
            let DataType::Struct(entry) = entries.data_type() else { panic!("entries") };
            // The place of the first and the value of the last entry with a key.
            let mut last: Vec<&(Value, Value)> = Vec::new();
            for pair in pairs {
                match last.iter_mut().find(|other| other.0 == pair.0) {
                    Some(other) => *other = pair,
                    None => last.push(pair),
                }
            }
            let pair = |(key, value): &&(Value, Value)| {
                format!("{}:{}", json(&entry[0], key), json(&entry[1], value))
            };
            format!("{{{}}}", joined(last.iter().map(pair).collect()))
        }
        (DataType::Struct(fields), Value::Record(values)) => {
            let cell = |(field, value): (&Arc<Field>, &Value)| {
                format!("{}:{}", quoted(field.name()), json(field, value))
            };
            format!("{{{}}}", joined(fields.iter().zip(values).map(cell).collect()))
        }
        (DataType::Date32, Value::Int(days)) => format!("\"{}\"", date(*days)),
        (DataType::Time32(_), Value::Int(time)) => format!("\"{}\"", clock(*time, 3)),
        (DataType::Time64(_), Value::Int(time)) => format!("\"{}\"", clock(*time, 6)),
        (DataType::Timestamp(unit, zone), Value::Int(time)) => {
            let (digits, units) = match unit {
                TimeUnit::Second => (0, 1),
                TimeUnit::Millisecond => (3, 1_000),
                TimeUnit::Microsecond => (6, 1_000_000),
                TimeUnit::Nanosecond => (9, 1_000_000_000),
            };
            let day = 86_400 * units;
            let (date, clock) = (date(time.div_euclid(day)), clock(time.rem_euclid(day), digits));
            format!("\"{date}T{clock}{}\"", if zone.is_some() { "Z" } else { "" })
        }
        (DataType::Decimal128(_, scale) | DataType::Decimal256(_, scale), Value::Decimal(digits)) => {
            let (sign, digits) = digits.strip_prefix('-').map_or(("", &**digits), |digits| ("-", digits));
            let scale = *scale as usize;
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            format!("\"{sign}{whole}{}{fraction}\"", if scale > 0 { "." } else { "" })
        }
        (_, Value::Interval(months, days, nanoseconds)) => {
            format!("{{\"months\":{months},\"days\":{days},\"milliseconds\":{}}}", nanoseconds / 1_000_000)
        }
        (DataType::FixedSizeBinary(16), Value::Bytes(bytes)) if !field.metadata().is_empty() => {
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let parts = [0..4, 4..6, 6..8, 8..10, 10..16].map(|range| hex[range].concat());
            format!("\"{}\"", parts.join("-"))
        }
        (_, Value::Bytes(bytes)) => quoted(&bytes.iter().map(|byte| char::from(*byte)).collect::<String>()),
        (_, Value::Text(text)) => quoted(text),
        (_, Value::Bool(value)) => value.to_string(),
        (_, Value::Int(value)) => value.to_string(),
        (_, Value::Float(bits)) => {
            let value = f32::from_bits(*bits);
            if value.is_finite() {
                serde_json::to_string(&value).expect("a number")
            } else {
                special(value.into())
            }
        }
        (_, Value::Double(bits)) => {
            let value = f64::from_bits(*bits);
            if value.is_finite() { serde_json::to_string(&value).expect("a number") } else { special(value) }
        }
        (data_type, value) => panic!("{value:?} is no {data_type}"),
    }
}

fn special(value: f64) -> String {
    let name = match value {
        _ if value.is_nan() => "NaN",
        _ if value > 0.0 => "Infinity",
        _ => "-Infinity",
    };
    quoted(name)
}

/// Days from 1970-01-01 to the first day of a year.
fn new_year(year: i64) -> i64 {
    let leap_days = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * (year - 1970) + leap_days(year - 1) - leap_days(1969)
}

fn date(days: i64) -> String {
    let mut year = 1970 + days.div_euclid(if days < 0 { 365 } else { 366 });
    while new_year(year + 1) <= days {
        // Never too far, because no year has more than 366 days.
        year += 1 + (days - new_year(year + 1)) / 366;
    }
    let february = new_year(year + 1) - new_year(year) - 337;
    let (mut month, mut day) = (1, days - new_year(year) + 1);
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day <= length {
            break;
        }
        day -= length;
        month += 1;
    }
    let sign = if year < 0 { "-" } else { "" };
    format!("{sign}{:04}-{month:02}-{day:02}", year.abs())
}

fn clock(time: i64, digits: u32) -> String {
    let units = 10_i64.pow(digits);
    let (seconds, rest) = (time / units, time % units);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds % 3_600 / 60, seconds % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{rest:0width$}", width = digits as usize)
}
