//! The lists that the `feature` and `tfx` encodings add around native columns: their types and their values.

use std::sync::Arc;

use arrow_schema::{DataType, Field};

use super::value::Value;

/// One of the two encodings, described by its differences from the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrap {
    pub(crate) tfx: bool,
}

impl Wrap {
    /// The path of the first type that has no such encoding: a union other than of null and one type.
    pub(crate) fn refused(native: &DataType, path: &str) -> Option<String> {
        let items = format!("{path}[]");
        match native {
            DataType::Union(..) => Some(path.to_owned()),
            DataType::List(field) | DataType::FixedSizeList(field, _) => {
                Self::refused(field.data_type(), &items)
            }
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(entry) => Self::refused(entry[1].data_type(), &items),
                other => panic!("entries of {other}"),
            },
            DataType::Struct(fields) => fields
                .iter()
                .find_map(|field| Self::refused(field.data_type(), &format!("{path}.{}", field.name()))),
            _ => None,
        }
    }

    /// A column, or a field of a struct: always a list.
    pub(crate) fn field(self, native: &Field) -> Field {
        let data_type = match native.data_type() {
            DataType::Null => DataType::Null,
            DataType::List(items) => self.list(self.item(items)),
            DataType::FixedSizeList(items, n) if !self.tfx => {
                DataType::FixedSizeList(Arc::new(self.item(items)), *n)
            }
            DataType::FixedSizeList(items, _) => self.list(self.item(items)),
            DataType::Map(entries, _) => self.list(self.alone(entries)),
            DataType::Struct(_) => self.list(self.alone(native)),
            _ if self.tfx => self.list(self.alone(native)),
            _ => DataType::FixedSizeList(Arc::new(self.alone(native)), 1),
        };
        Field::new(native.name(), data_type, self.tfx || native.is_nullable())
    }

    fn list(self, items: Field) -> DataType {
        if self.tfx { DataType::LargeList(Arc::new(items)) } else { DataType::List(Arc::new(items)) }
    }

    /// The single value of a list that exists only for the encoding. The list tells whether it is null.
    fn alone(self, native: &Field) -> Field {
        self.of_value(native, Field::new("item", self.inside(native.data_type()), self.tfx))
    }

    /// Keeps the metadata of a value, such as that of an extension type. In tfx, values have no metadata.
    fn of_value(self, native: &Field, item: Field) -> Field {
        if self.tfx { item } else { item.with_metadata(native.metadata().clone()) }
    }

    /// An item of a native list, which is a list again or a value.
    fn item(self, native: &Field) -> Field {
        let data_type = match native.data_type() {
            DataType::List(_) | DataType::FixedSizeList(..) | DataType::Map(..) => {
                self.field(native).data_type().clone()
            }
            native => self.inside(native),
        };
        self.of_value(native, Field::new("item", data_type, self.tfx || native.is_nullable()))
    }

    fn inside(self, native: &DataType) -> DataType {
        match native {
            DataType::Struct(fields) => {
                DataType::Struct(fields.iter().map(|field| self.field(field)).collect())
            }
            DataType::Dictionary(..) | DataType::FixedSizeBinary(_) if self.tfx => DataType::LargeBinary,
            native => native.clone(),
        }
    }

    /// A value of a column or of a struct field.
    pub(crate) fn value(self, native: &DataType, value: &Value) -> Value {
        match (native, value) {
            (_, Value::Null) => Value::Null,
            (DataType::List(items) | DataType::FixedSizeList(items, _), Value::List(values)) => {
                Value::List(values.iter().map(|value| self.item_value(items.data_type(), value)).collect())
            }
            (DataType::Map(entries, _), Value::Map(values)) => {
                let entry = |(key, value): &(Value, Value)| {
                    let entry = Value::Record(vec![key.clone(), value.clone()]);
                    self.inside_value(entries.data_type(), &entry)
                };
                Value::List(values.iter().map(entry).collect())
            }
            (native, value) => Value::List(vec![self.inside_value(native, value)]),
        }
    }

    fn item_value(self, native: &DataType, value: &Value) -> Value {
        match native {
            DataType::List(_) | DataType::FixedSizeList(..) | DataType::Map(..) => self.value(native, value),
            native => self.inside_value(native, value),
        }
    }

    fn inside_value(self, native: &DataType, value: &Value) -> Value {
        match (native, value) {
            (DataType::Struct(fields), Value::Record(values)) => {
                let fields = fields.iter().zip(values);
                Value::Record(fields.map(|(field, value)| self.value(field.data_type(), value)).collect())
            }
            (DataType::Dictionary(..), Value::Text(symbol)) if self.tfx => {
                Value::Bytes(symbol.clone().into())
            }
            (_, value) => value.clone(),
        }
    }
}
