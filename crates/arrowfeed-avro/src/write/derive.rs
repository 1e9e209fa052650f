//! The Avro schema of an Arrow schema: the table in `docs/arrow-to-avro.md`.

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use arrowfeed_source::{FeedError, Limits, thousands};
use serde_json::{Map, Value, json};

use super::names::{Names, is_avro_name};
use super::options::Unsigned;
use super::plan::{self, list_item, map_value, stored_type};
use crate::plan::leaf::ENUM_SYMBOLS;
use crate::schema::graph::COLUMN_NAME;

/// The name of the record of a row.
const ROOT: &str = "topLevelRecord";

/// Maximum symbols of an enum, and bytes in them. A dictionary with more is written as a column of its values.
const MAX_SYMBOLS: usize = 10_000;
const MAX_SYMBOL_BYTES: usize = 1 << 20;

/// The JSON text of an Avro schema for rows of `schema`. Dictionaries whose values in `first`, the first rows, are all
/// Avro names become enums.
///
/// # Errors
/// A column has a type without a form in Avro.
pub(super) fn derive(
    schema: &Schema,
    first: Option<&[ArrayRef]>,
    unsigned: Unsigned,
) -> Result<String, FeedError> {
    let mut deriver = Deriver { types: Names::default(), unsigned };
    let name = deriver.types.named_type(ROOT, "");
    let place = FieldPosition { path: "", namespace: &name, depth: 1, is_branch: false };
    let fields = deriver.fields(schema.fields(), first, &place)?;
    Ok(json!({"type": "record", "name": name, "fields": fields}).to_string())
}

struct Deriver {
    types: Names,
    unsigned: Unsigned,
}

/// The position of a type in the schema.
#[derive(Clone, Copy)]
struct FieldPosition<'a> {
    /// The path of the column, for messages.
    path: &'a str,
    /// The namespace of the types inside.
    namespace: &'a str,
    depth: usize,
    /// Whether it is a child of a union, whose name may be the full name of a type.
    is_branch: bool,
}

impl Deriver {
    fn fields(
        &mut self,
        fields: &Fields,
        arrays: Option<&[ArrayRef]>,
        place: &FieldPosition<'_>,
    ) -> Result<Vec<Value>, FeedError> {
        let mut names = Names::default();
        let field = |(index, field): (usize, &arrow_schema::FieldRef)| {
            let name = names.field(field.name());
            let path = plan::joined(place.path, field.name());
            let array = arrays.and_then(|arrays| arrays.get(index));
            let ty =
                self.nullable(field, array, &FieldPosition { path: &path, is_branch: false, ..*place })?;
            let mut object =
                Map::from_iter([("name".to_owned(), name.clone().into()), ("type".to_owned(), ty)]);
            if name != *field.name() {
                object.insert(COLUMN_NAME.to_owned(), field.name().clone().into());
            }
            Ok(Value::Object(object))
        };
        fields.iter().enumerate().map(field).collect()
    }

    /// The type of a field, in a union with null if the field is nullable.
    fn nullable(
        &mut self,
        field: &Field,
        array: Option<&ArrayRef>,
        place: &FieldPosition<'_>,
    ) -> Result<Value, FeedError> {
        let ty = self.value(field, array, place)?;
        Ok(match ty {
            Value::String(name) if name == "null" => name.into(),
            Value::Array(mut branches) => {
                // A dictionary of unions: the union type contains no null, but the keys may be null.
                let is_stored = !matches!(field.data_type(), DataType::Union(..));
                if is_stored && field.is_nullable() && !branches.contains(&"null".into()) {
                    branches.insert(0, "null".into());
                }
                Value::Array(branches)
            }
            ty if field.is_nullable() => json!(["null", ty]),
            ty => ty,
        })
    }

    fn value(
        &mut self,
        field: &Field,
        array: Option<&ArrayRef>,
        place: &FieldPosition<'_>,
    ) -> Result<Value, FeedError> {
        let most = Limits::default().schema_depth;
        if place.depth > most {
            let message = format!(
                "expected columns nested at most {} deep, found a deeper one",
                thousands(most as u64)
            );
            return Err(FeedError::limit_reached("schema_depth", message));
        }
        if let Some(ty) = self.enumeration(field, array, place) {
            return Ok(ty);
        }
        let inside = FieldPosition { depth: place.depth + 1, ..*place };
        let data_type = field.data_type();
        if let Some(ty) = self.leaf(field, place) {
            return Ok(ty);
        }
        if let Some(item) = list_item(data_type) {
            let items = array.and_then(|array| child(array, 0));
            let item = item.clone().with_name(field.name());
            let inside = FieldPosition { is_branch: false, ..inside };
            return Ok(json!({"type": "array", "items": self.nullable(&item, items.as_ref(), &inside)?}));
        }
        match data_type {
            DataType::Dictionary(_, values) => {
                let stored = Field::new(field.name(), values.as_ref().clone(), field.is_nullable());
                let values = array.and_then(|array| child(array, 0));
                self.value(&stored.with_metadata(field.metadata().clone()), values.as_ref(), &inside)
            }
            DataType::RunEndEncoded(_, values) => {
                let stored = values.as_ref().clone().with_name(field.name());
                let values = array.and_then(|array| child(array, 1));
                self.value(&stored, values.as_ref(), &inside)
            }
            DataType::Struct(fields) => {
                let columns = array.map(|array| array.as_struct().columns().to_vec());
                self.record(field.name(), fields, columns.as_deref(), &inside)
            }
            DataType::Map(entries, _) => self.map(field.name(), entries, array, &inside),
            DataType::Union(children, _) => {
                let children: Vec<&arrow_schema::FieldRef> =
                    children.iter().map(|(_, child)| child).collect();
                self.union(&children, array, &inside)
            }
            other => Err(plan::error(place.path, no_form(other))),
        }
    }

    /// The types without children; `None` for others.
    fn leaf(&mut self, field: &Field, place: &FieldPosition<'_>) -> Option<Value> {
        use DataType as D;
        let logical = |base: &str, logical: &str| json!({"type": base, "logicalType": logical});
        let decimal = |precision: u8, scale: i8| {
            // In Avro, the scale must not be above the precision. All values fit the wider precision too.
            let precision = precision.max(u8::try_from(scale).unwrap_or(0));
            json!({"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale})
        };
        Some(match field.data_type() {
            D::Null => "null".into(),
            D::Boolean => "boolean".into(),
            D::Int8 | D::Int16 | D::Int32 | D::UInt8 | D::UInt16 => "int".into(),
            D::Int64 | D::UInt32 => "long".into(),
            D::UInt64 => match self.unsigned {
                Unsigned::Decimal => decimal(20, 0),
                Unsigned::Long => "long".into(),
            },
            D::Float16 | D::Float32 => "float".into(),
            D::Float64 => "double".into(),
            D::Utf8 | D::LargeUtf8 | D::Utf8View => "string".into(),
            D::Binary | D::LargeBinary | D::BinaryView => "bytes".into(),
            D::FixedSizeBinary(16) if is_uuid(field) => logical("string", "uuid"),
            D::FixedSizeBinary(size) => {
                let (name, namespace) = self.name(field.name(), place);
                json!({"type": "fixed", "name": name, "namespace": namespace, "size": size})
            }
            D::Date32 | D::Date64 => logical("int", "date"),
            D::Time32(_) => logical("int", "time-millis"),
            // A value that is not a whole number of microseconds is an error.
            D::Time64(_) => logical("long", "time-micros"),
            D::Timestamp(unit, zone) => {
                let local = if zone.is_none() { "local-" } else { "" };
                let unit = match unit {
                    TimeUnit::Second | TimeUnit::Millisecond => "millis",
                    TimeUnit::Microsecond => "micros",
                    TimeUnit::Nanosecond => "nanos",
                };
                logical("long", &format!("{local}timestamp-{unit}"))
            }
            D::Interval(_) => {
                let (name, namespace) = self.name(field.name(), place);
                json!({
                    "type": "fixed", "name": name, "namespace": namespace, "size": 12, "logicalType": "duration"
                })
            }
            D::Decimal32(precision, scale @ 0..)
            | D::Decimal64(precision, scale @ 0..)
            | D::Decimal128(precision, scale @ 0..)
            | D::Decimal256(precision, scale @ 0..) => decimal(*precision, *scale),
            _ => return None,
        })
    }

    fn record(
        &mut self,
        name: &str,
        fields: &Fields,
        columns: Option<&[ArrayRef]>,
        place: &FieldPosition<'_>,
    ) -> Result<Value, FeedError> {
        let (name, namespace) = self.name(name, place);
        let full = format!("{namespace}.{name}");
        let fields = self.fields(fields, columns, &FieldPosition { namespace: &full, ..*place })?;
        Ok(json!({"type": "record", "name": name, "namespace": namespace, "fields": fields}))
    }

    /// A map. If its keys are not strings, it becomes an array of records with `key` and `value`, as in Hive and in Java's
    /// reflection.
    fn map(
        &mut self,
        name: &str,
        entries: &Field,
        array: Option<&ArrayRef>,
        place: &FieldPosition<'_>,
    ) -> Result<Value, FeedError> {
        let columns = array.map(|array| array.as_map().entries().columns().to_vec());
        if let Some(value) = map_value(entries) {
            let values = columns.as_ref().and_then(|columns| columns.get(1));
            let value = value.clone().with_name(name);
            let place = &FieldPosition { is_branch: false, ..*place };
            return Ok(json!({"type": "map", "values": self.nullable(&value, values, place)?}));
        }
        let DataType::Struct(fields) = entries.data_type() else {
            return Err(plan::error(place.path, no_form(entries.data_type())));
        };
        let items = self.record(name, fields, columns.as_deref(), place)?;
        Ok(json!({"type": "array", "items": items}))
    }

    fn union(
        &mut self,
        children: &[&arrow_schema::FieldRef],
        array: Option<&ArrayRef>,
        place: &FieldPosition<'_>,
    ) -> Result<Value, FeedError> {
        let mut branches = Vec::with_capacity(children.len() + 1);
        let has_null = children.iter().any(|child| *child.data_type() == DataType::Null);
        if !has_null && children.iter().any(|child| child.is_nullable()) {
            branches.push("null".into());
        }
        let mut kinds = HashSet::new();
        for (index, field) in children.iter().enumerate() {
            let path = plan::joined(place.path, field.name());
            let values = array.and_then(|array| child(array, index));
            let place = FieldPosition { path: &path, is_branch: true, ..*place };
            let required = field.as_ref().clone().with_nullable(false);
            let ty = self.nullable(&required, values.as_ref(), &place)?;
            if ty.is_array() {
                let message = "expected a type that is not a union inside a union, found a union: Avro does not nest them";
                return Err(plan::error(&path, message.to_owned()));
            }
            if let Some(kind) = unnamed(&ty).filter(|kind| !kinds.insert(kind.clone())) {
                let message = format!(
                    "expected children of different Avro types, found {kind} twice: an Avro union has each type once"
                );
                return Err(plan::error(&path, message));
            }
            branches.push(ty);
        }
        Ok(Value::Array(branches))
    }

    /// An enum, for a dictionary of strings whose values are valid symbols.
    fn enumeration(
        &mut self,
        field: &Field,
        array: Option<&ArrayRef>,
        place: &FieldPosition<'_>,
    ) -> Option<Value> {
        let DataType::Dictionary(_, values) = field.data_type() else { return None };
        if !matches!(stored_type(values), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
            return None;
        }
        let declared = field.metadata().get(ENUM_SYMBOLS).and_then(|json| serde_json::from_str(json).ok());
        let symbols = declared.or_else(|| {
            let dictionary = array?.as_any_dictionary_opt()?.values();
            // An array of another library may have entries that no row refers to and that have never been validated.
            let is_valid = dictionary.len() <= MAX_SYMBOLS && dictionary.to_data().validate_full().is_ok();
            is_valid.then(|| strings(dictionary))?
        })?;
        let mut known = HashSet::new();
        let valid = symbols.iter().all(|symbol| is_avro_name(symbol) && known.insert(symbol.as_str()));
        let bytes = symbols.iter().map(String::len).sum::<usize>();
        if !valid || symbols.is_empty() || symbols.len() > MAX_SYMBOLS || bytes > MAX_SYMBOL_BYTES {
            return None;
        }
        let (name, namespace) = self.name(field.name(), place);
        Some(json!({"type": "enum", "name": name, "namespace": namespace, "symbols": symbols}))
    }

    /// The name and the namespace of a type. A child of a union that was read from Avro is named by the full name of its
    /// type, and keeps that name.
    fn name(&mut self, column: &str, place: &FieldPosition<'_>) -> (String, String) {
        if let Some((namespace, name)) = column.rsplit_once('.').filter(|_| place.is_branch)
            && self.types.takes(name, namespace)
        {
            return (name.to_owned(), namespace.to_owned());
        }
        (self.types.named_type(column, place.namespace), place.namespace.to_owned())
    }
}

/// The strings of an array without its nulls; `None` if it is not an array of strings.
fn strings(array: &ArrayRef) -> Option<Vec<String>> {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().filter_map(owned).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().filter_map(owned).collect(),
        DataType::Utf8View => array.as_string_view().iter().filter_map(owned).collect(),
        _ => return None,
    })
}

fn child(array: &ArrayRef, index: usize) -> Option<ArrayRef> {
    Some(make_array(array.to_data().child_data().get(index)?.clone()))
}

fn is_uuid(field: &Field) -> bool {
    field.metadata().get(EXTENSION_TYPE_NAME_KEY).is_some_and(|name| name == "arrow.uuid")
}

/// The name of a type that a union may contain only once; `None` for records, enums and fixed.
fn unnamed(ty: &Value) -> Option<String> {
    let name = match ty {
        Value::String(name) => name,
        other => other.get("type")?.as_str()?,
    };
    (!matches!(name, "record" | "enum" | "fixed")).then(|| name.to_owned())
}

/// The message for a type that cannot be written, with advice.
fn no_form(data_type: &DataType) -> String {
    let advice = match data_type {
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => "cast it to a decimal with a scale of 0 or more",
        DataType::Duration(_) => "cast it to int64",
        _ => "cast it to another type, or leave it out",
    };
    format!("expected a type that Avro can represent, found {data_type}: {advice}")
}
