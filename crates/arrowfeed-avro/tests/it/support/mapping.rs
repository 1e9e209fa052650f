//! The Arrow type and value of each Avro type: a second implementation of the table in the documentation.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit, UnionFields, UnionMode};
use arrowfeed_avro::StringType;

use super::decode::{unscaled, uuid};
use super::schema::{Definition, Logical, Schema, Type, field_path};
use super::value::Value;

/// Mapping of one schema to Arrow, before any encoding adds lists.
pub(crate) struct Mapping<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) strings: StringType,
    /// Whether numbers widen, logical types are ignored, and text is bytes.
    pub(crate) tfx: bool,
    pub(crate) lengths: BTreeMap<String, i32>,
}

impl<'a> Mapping<'a> {
    pub(crate) fn new(schema: &'a Schema, strings: StringType) -> Self {
        Self { schema, strings, tfx: false, lengths: BTreeMap::new() }
    }

    /// The columns, or the column `value` for a root that is not a record. A recursive type is null.
    pub(crate) fn columns(&self) -> Vec<Field> {
        match self.schema.fields(&self.schema.root) {
            Some(_) => match self.field("", &self.schema.root, "").data_type() {
                DataType::Struct(fields) => fields.iter().map(|field| (**field).clone()).collect(),
                // A recursive record.
                _ => Vec::new(),
            },
            None => vec![self.field("value", &self.schema.root, "value")],
        }
    }

    /// The values of one row's columns.
    pub(crate) fn cells(&self, row: &Value) -> Vec<Value> {
        match self.value(&self.schema.root, row) {
            Value::Record(cells) if self.schema.fields(&self.schema.root).is_some() => cells,
            cell => vec![cell],
        }
    }

    pub(crate) fn field(&self, name: &str, ty: &Type, path: &str) -> Field {
        let mut metadata = HashMap::new();
        let (data_type, nullable) = match ty {
            Type::Primitive(primitive, logical) => {
                if *primitive == "string" && logical.is_some() && !self.tfx {
                    metadata.insert("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned());
                }
                (self.primitive(primitive, logical.as_ref()), *primitive == "null")
            }
            Type::Array(items) => {
                let item = Arc::new(self.field("item", items, &format!("{path}[]")));
                let list = match self.lengths.get(path) {
                    Some(n) => DataType::FixedSizeList(item, *n),
                    None => DataType::List(item),
                };
                (list, false)
            }
            Type::Map(values) => {
                let key = Field::new("key", self.primitive("string", None), false);
                let value = self.field("value", values, &format!("{path}[]"));
                let entries = DataType::Struct(Fields::from(vec![key, value]));
                (DataType::Map(Arc::new(Field::new("entries", entries, false)), false), false)
            }
            Type::Union(branches) => match Schema::nullable(branches) {
                Some((_, other)) => return self.field(name, other, path).with_nullable(true),
                None => (self.union(branches, path), branches.iter().any(is_null)),
            },
            Type::Named(full) => match self.schema.definition(full) {
                Definition::Record(_) if full.starts_with("t.Tree") => (DataType::Null, true),
                Definition::Record(fields) => {
                    let field =
                        |f: &super::schema::Field| self.field(&f.name, &f.ty, &field_path(path, &f.name));
                    (DataType::Struct(fields.iter().map(field).collect()), false)
                }
                Definition::Enum { symbols, .. } => {
                    let symbols = serde_json::Value::from(symbols.clone()).to_string();
                    metadata.insert("avro.enum.symbols".to_owned(), symbols);
                    (DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)), false)
                }
                Definition::Fixed(size, logical) => {
                    if *logical == Some(Logical::Simple("uuid")) && !self.tfx {
                        metadata.insert("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned());
                    }
                    (self.fixed(*size, logical.as_ref()), false)
                }
            },
        };
        Field::new(name, data_type, nullable).with_metadata(metadata)
    }

    fn primitive(&self, name: &str, logical: Option<&Logical>) -> DataType {
        let text = |utf8, large, view| match self.strings {
            _ if self.tfx => DataType::LargeBinary,
            StringType::Utf8 => utf8,
            StringType::LargeUtf8 => large,
            StringType::Utf8View => view,
        };
        let instant = |unit, utc: bool| DataType::Timestamp(unit, utc.then(|| "UTC".into()));
        use TimeUnit::{Microsecond, Millisecond, Nanosecond};
        match (name, logical) {
            ("null", _) => DataType::Null,
            ("boolean" | "int" | "long", _) if self.tfx => DataType::Int64,
            ("boolean", _) => DataType::Boolean,
            ("int", None) => DataType::Int32,
            ("long", None) => DataType::Int64,
            ("float", _) => DataType::Float32,
            ("double", _) => DataType::Float64,
            ("bytes", Some(logical)) => match decimal(logical) {
                Some(decimal) if !self.tfx => decimal,
                _ => text(DataType::Binary, DataType::LargeBinary, DataType::BinaryView),
            },
            ("bytes", None) => text(DataType::Binary, DataType::LargeBinary, DataType::BinaryView),
            ("string", Some(_)) if !self.tfx => DataType::FixedSizeBinary(16),
            ("string", _) => text(DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View),
            (_, Some(Logical::Simple(logical))) => match *logical {
                "date" => DataType::Date32,
                "time-millis" => DataType::Time32(Millisecond),
                "time-micros" => DataType::Time64(Microsecond),
                "timestamp-millis" => instant(Millisecond, true),
                "timestamp-micros" => instant(Microsecond, true),
                "timestamp-nanos" => instant(Nanosecond, true),
                "local-timestamp-millis" => instant(Millisecond, false),
                "local-timestamp-micros" => instant(Microsecond, false),
                "local-timestamp-nanos" => instant(Nanosecond, false),
                other => panic!("{other} of {name}"),
            },
            other => panic!("no type {other:?}"),
        }
    }

    fn fixed(&self, size: usize, logical: Option<&Logical>) -> DataType {
        let plain = DataType::FixedSizeBinary(size as i32);
        match logical {
            Some(Logical::Simple("duration")) if !self.tfx => DataType::Interval(IntervalUnit::MonthDayNano),
            Some(logical) if !self.tfx => decimal(logical).unwrap_or(plain),
            _ => plain,
        }
    }

    fn union(&self, branches: &[Type], path: &str) -> DataType {
        let field = |ty: &Type| {
            let name = match ty {
                Type::Primitive(name, _) => name,
                Type::Array(_) => "array",
                Type::Map(_) => "map",
                Type::Named(name) => name,
                Type::Union(_) => panic!("a union in a union"),
            };
            self.field(name, ty, path)
        };
        let fields = UnionFields::try_from_fields(branches.iter().map(field)).expect("few branches");
        DataType::Union(fields, UnionMode::Dense)
    }

    pub(crate) fn value(&self, ty: &Type, value: &Value) -> Value {
        match (ty, value) {
            (Type::Primitive("boolean", _), Value::Bool(value)) if self.tfx => Value::Int((*value).into()),
            (Type::Primitive("string", _), Value::Text(text)) if self.tfx => {
                Value::Bytes(text.clone().into())
            }
            (Type::Primitive("string", Some(_)), Value::Text(text)) => {
                Value::Bytes(uuid(text).expect("a uuid"))
            }
            (Type::Primitive(_, Some(logical)), Value::Bytes(bytes)) => self.bytes(bytes, logical),
            (Type::Primitive(..), value) => value.clone(),
            (Type::Array(ty), Value::List(items)) => {
                Value::List(items.iter().map(|item| self.value(ty, item)).collect())
            }
            (Type::Map(ty), Value::Map(entries)) => {
                let string = Type::Primitive("string", None);
                let entry = |(key, value): &(Value, Value)| (self.value(&string, key), self.value(ty, value));
                Value::Map(entries.iter().map(entry).collect())
            }
            (Type::Union(branches), Value::Branch(branch, value)) => match Schema::nullable(branches) {
                Some((null, _)) if null == *branch => Value::Null,
                Some((_, other)) => self.value(other, value),
                None => Value::Branch(*branch, Box::new(self.value(&branches[*branch], value))),
            },
            (Type::Named(name), value) => match (self.schema.definition(name), value) {
                (Definition::Record(_), _) if name.starts_with("t.Tree") => Value::Null,
                (Definition::Record(fields), Value::Record(values)) => {
                    let values = fields.iter().zip(values);
                    Value::Record(values.map(|(field, value)| self.value(&field.ty, value)).collect())
                }
                (Definition::Enum { symbols, .. }, Value::Symbol(index)) => {
                    Value::Text(symbols[*index].clone())
                }
                (Definition::Fixed(_, Some(logical)), Value::Bytes(bytes)) => self.bytes(bytes, logical),
                (_, value) => value.clone(),
            },
            (ty, value) => panic!("{value:?} is no {ty:?}"),
        }
    }

    fn bytes(&self, bytes: &[u8], logical: &Logical) -> Value {
        match logical {
            Logical::Simple("duration") if !self.tfx => {
                let part =
                    |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes"));
                Value::Interval(part(0) as i32, part(1) as i32, i64::from(part(2)) * 1_000_000)
            }
            Logical::Decimal { .. } if !self.tfx && decimal(logical).is_some() => {
                Value::Decimal(unscaled(bytes).expect("a decimal").to_string())
            }
            _ => Value::Bytes(bytes.to_vec()),
        }
    }
}

/// Whether a branch of a union is null, which makes the Arrow union nullable.
fn is_null(ty: &Type) -> bool {
    matches!(ty, Type::Primitive("null", _))
}

fn decimal(logical: &Logical) -> Option<DataType> {
    let Logical::Decimal { precision, scale } = logical else { return None };
    match *precision {
        1..=38 => Some(DataType::Decimal128(*precision as u8, *scale as i8)),
        39..=76 => Some(DataType::Decimal256(*precision as u8, *scale as i8)),
        _ => None,
    }
}
