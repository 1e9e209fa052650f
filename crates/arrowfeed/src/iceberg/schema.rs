//! The Arrow schema of an Iceberg schema, with the identifiers of the fields in their metadata.
//!
//! Source of the rules: the Iceberg specification, "Schemas and Data Types" and appendix C, "Schemas".

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, TimeUnit};
use arrowfeed_source::field_ids::FIELD_ID;
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, quoted, thousands};
use serde_json::{Map, Value};

/// The Arrow schema of the JSON form of a schema.
///
/// # Errors
/// The JSON is not that of a schema; a type has no Arrow form here; a field has a default for files that lack it.
pub(super) fn arrow_schema(json: &Value) -> Result<Schema, FeedError> {
    let fields = json.get("fields").and_then(Value::as_array).ok_or_else(|| expected("fields", json))?;
    Ok(Schema::new(struct_fields(fields, 1)?))
}

fn struct_fields(fields: &[Value], depth: usize) -> Result<Fields, FeedError> {
    let most = Limits::default().schema_depth;
    if depth > most {
        let message =
            format!("expected types nested at most {} deep, found deeper ones", thousands(most as u64));
        return Err(FeedError::limit_reached("schema_depth", message));
    }
    fields.iter().map(|field| struct_field(field, depth)).collect()
}

fn struct_field(json: &Value, depth: usize) -> Result<FieldRef, FeedError> {
    let Some(object) = json.as_object() else { return Err(expected("a field", json)) };
    let name =
        object.get("name").and_then(Value::as_str).ok_or_else(|| expected("the name of a field", json))?;
    let is_required = object.get("required").and_then(Value::as_bool).unwrap_or(false);
    let made = member(object, ("id", "type"), depth).and_then(|(id, data_type)| {
        match object.get("initial-default") {
            None | Some(Value::Null) => Ok(field(name, data_type, !is_required, id)),
            Some(found) => {
                let message = format!(
                    "expected a field that is null in the files that lack it, found the initial default {found}"
                );
                Err(FeedError::new(FeedErrorKind::Schema, message))
            }
        }
    });
    made.map_err(|error| error.in_field(name))
}

/// The identifier and the type under these keys.
fn member(
    object: &Map<String, Value>,
    (id, ty): (&str, &str),
    depth: usize,
) -> Result<(i32, DataType), FeedError> {
    let number = object.get(id).and_then(Value::as_i64).and_then(|id| i32::try_from(id).ok());
    let number = number.ok_or_else(|| expected(id, &Value::Object(object.clone())))?;
    let ty = object.get(ty).ok_or_else(|| expected(ty, &Value::Object(object.clone())))?;
    Ok((number, data_type(ty, depth + 1)?))
}

fn data_type(json: &Value, depth: usize) -> Result<DataType, FeedError> {
    if let Some(name) = json.as_str() {
        return primitive(name);
    }
    let Some(object) = json.as_object() else { return Err(expected("a type", json)) };
    let is_required = |key: &str| object.get(key).and_then(Value::as_bool).unwrap_or(false);
    match object.get("type").and_then(Value::as_str) {
        Some("struct") => {
            let fields = object.get("fields").and_then(Value::as_array);
            Ok(DataType::Struct(struct_fields(fields.ok_or_else(|| expected("fields", json))?, depth)?))
        }
        Some("list") => {
            let (id, item) = member(object, ("element-id", "element"), depth)?;
            let is_nullable = !is_required("element-required");
            Ok(DataType::List(field(Field::LIST_FIELD_DEFAULT_NAME, item, is_nullable, id)))
        }
        Some("map") => {
            let (id, key) = member(object, ("key-id", "key"), depth)?;
            let key = field("key", key, false, id);
            let (id, value) = member(object, ("value-id", "value"), depth)?;
            let value = field("value", value, !is_required("value-required"), id);
            let entry = DataType::Struct(Fields::from(vec![key, value]));
            Ok(DataType::Map(Arc::new(Field::new("entries", entry, false)), false))
        }
        _ => Err(expected("a struct, list or map", json)),
    }
}

fn primitive(name: &str) -> Result<DataType, FeedError> {
    let utc = || Some("UTC".into());
    Ok(match name {
        "boolean" => DataType::Boolean,
        "int" => DataType::Int32,
        "long" => DataType::Int64,
        "float" => DataType::Float32,
        "double" => DataType::Float64,
        "date" => DataType::Date32,
        "time" => DataType::Time64(TimeUnit::Microsecond),
        "timestamp" => DataType::Timestamp(TimeUnit::Microsecond, None),
        "timestamptz" => DataType::Timestamp(TimeUnit::Microsecond, utc()),
        "timestamp_ns" => DataType::Timestamp(TimeUnit::Nanosecond, None),
        "timestamptz_ns" => DataType::Timestamp(TimeUnit::Nanosecond, utc()),
        "string" => DataType::Utf8,
        "binary" => DataType::Binary,
        "uuid" => DataType::FixedSizeBinary(16),
        _ => return with_arguments(name).ok_or_else(|| unknown(name)),
    })
}

/// `decimal(9, 2)` or `fixed[16]`.
fn with_arguments(name: &str) -> Option<DataType> {
    if let Some(size) = name.strip_prefix("fixed[").and_then(|rest| rest.strip_suffix(']')) {
        return size.trim().parse().ok().filter(|size| *size >= 0).map(DataType::FixedSizeBinary);
    }
    let (precision, scale) = name.strip_prefix("decimal(")?.strip_suffix(')')?.split_once(',')?;
    let (precision, scale) = (precision.trim().parse().ok()?, scale.trim().parse().ok()?);
    let fits = (1..=38).contains(&precision) && (0..=38).contains(&scale);
    fits.then_some(DataType::Decimal128(precision, scale))
}

fn field(name: &str, data_type: DataType, is_nullable: bool, id: i32) -> FieldRef {
    let metadata = [(FIELD_ID.to_owned(), id.to_string())].into();
    Arc::new(Field::new(name, data_type, is_nullable).with_metadata(metadata))
}

#[cold]
fn unknown(name: &str) -> FeedError {
    let message = format!("expected a type of Iceberg that has an Arrow type, found {}", quoted(name));
    FeedError::new(FeedErrorKind::Schema, message)
}

#[cold]
fn expected(what: &str, found: &Value) -> FeedError {
    let found: String = found.to_string().chars().take(100).collect();
    FeedError::new(FeedErrorKind::Schema, format!("expected {what} in a schema of Iceberg, found {found}"))
}

/// The same schema without the identifiers.
pub(super) fn without_ids(schema: &Schema) -> Schema {
    Schema::new(schema.fields().iter().map(without_id).collect::<Fields>())
}

fn without_id(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(without_id).collect()),
        DataType::List(item) => DataType::List(without_id(item)),
        DataType::Map(entries, sorted) => DataType::Map(without_id(entries), *sorted),
        other => other.clone(),
    };
    Arc::new(Field::new(field.name(), data_type, field.is_nullable()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_type_has_an_arrow_type() {
        let types = [
            ("boolean", DataType::Boolean),
            ("decimal(9, 2)", DataType::Decimal128(9, 2)),
            ("fixed[3]", DataType::FixedSizeBinary(3)),
            ("timestamptz", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        ];
        for (name, expected) in types {
            assert_eq!(data_type(&json!(name), 1).unwrap(), expected, "{name}");
        }
        for name in ["decimal(39, 2)", "decimal(9)", "fixed[-1]", "variant", "geometry(srid:4326)", ""] {
            let error = data_type(&json!(name), 1).unwrap_err().to_string();
            let message = format!("expected a type of Iceberg that has an Arrow type, found {name:?}");
            assert_eq!(error, message);
        }
    }

    #[test]
    fn identifiers_are_in_the_metadata() {
        let map = json!({"type": "map", "key-id": 3, "key": "string", "value-id": 4, "value": "int",
            "value-required": true});
        let list = json!({"type": "list", "element-id": 2, "element": map, "element-required": false});
        let schema = json!({"fields": [{"id": 1, "name": "a", "required": true, "type": list}]});
        let schema = arrow_schema(&schema).unwrap();
        let ids = arrowfeed_source::field_ids::FieldIds::new(&schema, None);
        assert_eq!([1, 2, 4].map(|id| ids.name(Some(id))), ["a", "item", "value"]);
        let entry = Fields::from(vec![
            Field::new("key", DataType::Utf8, false),
            Field::new("value", DataType::Int32, false),
        ]);
        let entries = Arc::new(Field::new("entries", DataType::Struct(entry), false));
        let expected = DataType::new_list(DataType::Map(entries, false), true);
        assert_eq!(without_ids(&schema), Schema::new(vec![Field::new("a", expected, false)]));
    }

    #[test]
    fn a_schema_that_cannot_be_read_is_refused() {
        let refusal = |field: Value| arrow_schema(&json!({"fields": [field]})).unwrap_err().to_string();
        let default = json!({"id": 1, "name": "a", "type": "int", "initial-default": 7});
        assert_eq!(
            refusal(default),
            "a: expected a field that is null in the files that lack it, found the initial default 7"
        );
        assert_eq!(
            refusal(json!({"id": 1, "type": "int"})),
            "expected the name of a field in a schema of Iceberg, found {\"id\":1,\"type\":\"int\"}"
        );
        let mut deep = json!("int");
        for id in 0..200 {
            deep = json!({"type": "struct", "fields": [{"id": id, "name": "a", "type": deep}]});
        }
        let error = arrow_schema(&json!({"fields": [{"id": 200, "name": "a", "type": deep}]})).unwrap_err();
        assert_eq!(error.limit(), Some("schema_depth"));
    }
}
