//! Schemas whose fields are matched by the identifiers of a table, as in the data files of Apache Iceberg.
//!
//! A file's fields get the names of the fields of the table that have their identifiers, and its records and fixed types get
//! names that follow from their place. Then the rules of schema resolution apply.
//!
//! Source of the attributes: the Iceberg specification, appendix A, "Avro".

use std::collections::{HashMap, HashSet};

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, TimeUnit};
use arrowfeed_source::field_ids::{FieldIds, MappedField, field_id};
use arrowfeed_source::{FeedError, FeedErrorKind, Limits};
use serde_json::{Map, Value, json};

use super::AvroSchema;
use super::graph::COLUMN_NAME;
use super::json::{object, parse};
use super::name::full_name;

impl AvroSchema {
    /// The reader's schema of a table, for [`AvroOptions::field_ids`](crate::AvroOptions::field_ids). The metadata of the fields
    /// of `schema` has their identifiers. Nullable fields have the default null.
    ///
    /// # Errors
    /// A column has a type that Avro files of tables do not have, as a map whose keys are not strings.
    pub fn of_table(schema: &Schema) -> Result<Self, FeedError> {
        let fields = OfTable::default().fields(schema.fields())?;
        Self::parse(&json!({"type": "record", "name": "table", "fields": fields}).to_string())
    }

    /// Parses the schema of a file of a table.
    pub(crate) fn parse_of_table(json: &str, ids: &FieldIds, limits: &Limits) -> Result<Self, FeedError> {
        let mut schema = parse(json, limits)?;
        let mapping = match has_ids(&schema) {
            true => None,
            false => Some(ids.mapping().ok_or_else(|| {
                let message =
                    "expected fields with identifiers, found none, and the table has no name mapping";
                FeedError::new(FeedErrorKind::Schema, message)
            })?),
        };
        let (named, fixed) = (HashMap::new(), HashSet::new());
        let mut of_file = OfFile { ids, named, fixed, namespace: String::new() };
        of_file.rename(&mut schema, None, mapping);
        Self::parse_with(&schema.to_string(), limits)
    }
}

/// The name of a record or fixed type at the place with an identifier.
fn record_name(id: Option<i32>) -> String {
    id.map_or_else(|| "table".to_owned(), |id| format!("r{}", id.unsigned_abs()))
}

/// The schema of a table.
#[derive(Default)]
struct OfTable {
    /// The fixed types that have been defined.
    named: HashSet<String>,
}

impl OfTable {
    fn fields(&mut self, fields: &Fields) -> Result<Vec<Value>, FeedError> {
        let field = |field: &FieldRef| {
            let mut object =
                object([("name", field.name().as_str().into()), ("type", self.nullable(field)?)]);
            if let Value::Object(object) = &mut object
                && field.is_nullable()
            {
                object.insert("default".to_owned(), Value::Null);
            }
            Ok(object)
        };
        fields.iter().map(field).collect()
    }

    fn nullable(&mut self, field: &Field) -> Result<Value, FeedError> {
        let value = self.value(field)?;
        Ok(if field.is_nullable() { json!(["null", value]) } else { value })
    }

    fn value(&mut self, field: &Field) -> Result<Value, FeedError> {
        use DataType as D;
        let logical = |base: &str, logical: &str| json!({"type": base, "logicalType": logical});
        Ok(match field.data_type() {
            D::Boolean => "boolean".into(),
            D::Int32 => "int".into(),
            D::Int64 => "long".into(),
            D::Float32 => "float".into(),
            D::Float64 => "double".into(),
            D::Utf8 => "string".into(),
            D::Binary => "bytes".into(),
            D::Date32 => logical("int", "date"),
            D::Time64(TimeUnit::Microsecond) => logical("long", "time-micros"),
            D::Timestamp(unit @ (TimeUnit::Microsecond | TimeUnit::Nanosecond), zone) => {
                let unit = if *unit == TimeUnit::Microsecond { "micros" } else { "nanos" };
                logical("long", &timestamp(unit, zone.is_some()))
            }
            D::Decimal128(precision, scale) => {
                let size = decimal_bytes(*precision);
                let decimal = Some((u64::from(*precision), i64::from(*scale)));
                self.fixed(size, decimal)
            }
            D::FixedSizeBinary(size) => self.fixed(u64::try_from(*size).unwrap_or(0), None),
            D::Struct(fields) => {
                let fields = self.fields(fields)?;
                json!({"type": "record", "name": record_name(field_id(field)), "fields": fields})
            }
            D::List(item) => json!({"type": "array", "items": self.nullable(item)?}),
            D::Map(entries, _) => match entries.data_type() {
                D::Struct(entry) if entry.len() == 2 && *entry[0].data_type() == D::Utf8 => {
                    json!({"type": "map", "values": self.nullable(&entry[1])?})
                }
                _ => return Err(refused(field)),
            },
            _ => return Err(refused(field)),
        })
    }

    fn fixed(&mut self, size: u64, decimal: Option<(u64, i64)>) -> Value {
        let name = fixed_name(size, decimal);
        if !self.named.insert(name.clone()) {
            return name.into();
        }
        match decimal {
            Some((precision, scale)) => {
                json!({"type": "fixed", "name": name, "size": size, "logicalType": "decimal",
                    "precision": precision, "scale": scale})
            }
            None => json!({"type": "fixed", "name": name, "size": size}),
        }
    }
}

#[cold]
fn refused(field: &Field) -> FeedError {
    let found = field.data_type();
    let message = format!("expected a type of Avro data files of a table, found {found}");
    FeedError::new(FeedErrorKind::Schema, message).in_field(field.name())
}

/// The smallest number of bytes that hold decimals of a precision.
fn decimal_bytes(precision: u8) -> u64 {
    let most = 10_i128.saturating_pow(precision.into()) - 1;
    let bits = u64::from(i128::BITS - most.leading_zeros()) + 1;
    bits.div_ceil(8)
}

fn fixed_name(size: u64, decimal: Option<(u64, i64)>) -> String {
    match decimal {
        Some((precision, scale)) => format!("decimal_{precision}_{scale}"),
        None => format!("fixed_{size}"),
    }
}

fn timestamp(unit: &str, has_zone: bool) -> String {
    let local = if has_zone { "" } else { "local-" };
    format!("{local}timestamp-{unit}")
}

/// Whether some fields have identifiers.
fn has_ids(schema: &Value) -> bool {
    match schema {
        Value::Array(parts) => parts.iter().any(has_ids),
        Value::Object(object) => object.contains_key("field-id") || object.values().any(has_ids),
        _ => false,
    }
}

/// The schema of a file.
struct OfFile<'a> {
    ids: &'a FieldIds,
    /// The new names of types by their full names.
    named: HashMap<String, String>,
    /// The new names of the fixed types that have been defined.
    fixed: HashSet<String>,
    namespace: String,
}

impl OfFile<'_> {
    /// Renames the types and fields in a type. `id`: the identifier of the place of the type. `mapping`: that of the fields in
    /// it, if the fields have no identifiers.
    fn rename(&mut self, ty: &mut Value, id: Option<i32>, mapping: Option<&[MappedField]>) {
        match ty {
            Value::String(name) => {
                if let Some(new) =
                    self.named.get(&full_name(name, &self.namespace)).or_else(|| self.named.get(name))
                {
                    *name = new.clone();
                }
            }
            Value::Array(branches) => {
                branches.iter_mut().for_each(|branch| self.rename(branch, id, mapping));
            }
            Value::Object(object) => match object.get("type").and_then(Value::as_str).unwrap_or_default() {
                "record" | "error" => self.record(object, id, mapping),
                "fixed" => self.fixed(ty),
                "array" => self.part(object, ("items", "element-id", "element"), mapping),
                "map" => self.part(object, ("values", "value-id", "value"), mapping),
                _ => {
                    if object.get("adjust-to-utc") == Some(&Value::Bool(false))
                        && let Some(Value::String(logical)) = object.get_mut("logicalType")
                        && logical.starts_with("timestamp-")
                    {
                        logical.insert_str(0, "local-");
                    }
                    if let Some(inner @ (Value::Object(_) | Value::Array(_))) = object.get_mut("type") {
                        self.rename(inner, id, mapping);
                    }
                }
            },
            _ => {}
        }
    }

    /// The items of an array, or the values of a map.
    fn part(
        &mut self,
        object: &mut Map<String, Value>,
        (part, id, name): (&str, &str, &str),
        mapping: Option<&[MappedField]>,
    ) {
        let mapped = mapping.and_then(|mapping| MappedField::find(mapping, name));
        let id = integer(object, id).or_else(|| mapped?.id);
        let inside = mapping.map(|mapping| MappedField::inside(mapping, name));
        if let Some(part) = object.get_mut(part) {
            self.rename(part, id, inside);
        }
    }

    fn record(&mut self, object: &mut Map<String, Value>, id: Option<i32>, mapping: Option<&[MappedField]>) {
        let outer = self.namespace.clone();
        if let Some(namespace) = object.remove("namespace") {
            namespace.as_str().unwrap_or_default().clone_into(&mut self.namespace);
        }
        self.define(object, record_name(id));
        let mut taken = HashSet::new();
        let fields = object.get_mut("fields").and_then(Value::as_array_mut);
        for (number, field) in fields.into_iter().flatten().enumerate() {
            let Value::Object(field) = field else { continue };
            let name = field.get("name").and_then(Value::as_str).unwrap_or_default();
            let mapped = mapping.and_then(|mapping| MappedField::find(mapping, name));
            let id = integer(field, "field-id").or_else(|| mapped?.id);
            let inside = mapping.map(|mapping| MappedField::inside(mapping, name));
            let mut name = self.ids.name(id);
            while !taken.insert(name.clone()) {
                name = format!("{name}_{number}");
            }
            if let Some(ty) = field.get_mut("type") {
                self.rename(ty, id, inside);
            }
            field.remove("aliases");
            field.remove(COLUMN_NAME);
            field.insert("name".to_owned(), name.into());
        }
        self.namespace = outer;
    }

    fn fixed(&mut self, ty: &mut Value) {
        let Value::Object(object) = ty else { return };
        let size = object.get("size").and_then(Value::as_u64).unwrap_or(0);
        let digits = |key: &str| object.get(key).and_then(Value::as_i64);
        let decimal = match object.get("logicalType").and_then(Value::as_str) {
            Some("decimal") => {
                digits("precision").map(|precision| (precision.unsigned_abs(), digits("scale").unwrap_or(0)))
            }
            _ => None,
        };
        if decimal.is_none() {
            // Iceberg's UUIDs are fixed types with this logical type.
            object.remove("logicalType");
        }
        let name = fixed_name(size, decimal);
        self.define(object, name.clone());
        object.remove("namespace");
        if !self.fixed.insert(name.clone()) {
            *ty = name.into();
        }
    }

    /// Gives a type a new name without a namespace.
    fn define(&mut self, object: &mut Map<String, Value>, new: String) {
        if let Some(old) = object.get("name").and_then(Value::as_str) {
            self.named.insert(full_name(old, &self.namespace), new.clone());
        }
        object.remove("aliases");
        object.insert("name".to_owned(), new.into());
    }
}

fn integer(object: &Map<String, Value>, key: &str) -> Option<i32> {
    object.get(key)?.as_i64()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrowfeed_source::field_ids::FIELD_ID;

    use super::*;

    fn with_id(field: Field, id: i32) -> FieldRef {
        Arc::new(field.with_metadata([(FIELD_ID.to_owned(), id.to_string())].into()))
    }

    /// Columns `text` (2) and `user` (3) with the field `when` (4).
    fn table() -> Schema {
        let when = DataType::Timestamp(TimeUnit::Microsecond, None);
        let user = DataType::Struct(Fields::from(vec![with_id(Field::new("when", when, true), 4)]));
        Schema::new(vec![
            with_id(Field::new("text", DataType::Utf8, true), 2),
            with_id(Field::new("user", user, true), 3),
        ])
    }

    fn renamed(json: &str, mapping: Option<Vec<MappedField>>) -> Result<String, String> {
        let ids = FieldIds::new(&table(), mapping);
        let schema = AvroSchema::parse_of_table(json, &ids, &Limits::default());
        schema.map(|schema| schema.json().to_owned()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_schema_of_a_table_has_defaults_and_types() {
        let schema = AvroSchema::of_table(&table()).unwrap();
        let expected = json!({"type": "record", "name": "table", "fields": [
            {"name": "text", "type": ["null", "string"], "default": null},
            {"name": "user", "default": null, "type": ["null", {"type": "record", "name": "r3", "fields": [
                {"name": "when", "default": null,
                    "type": ["null", {"type": "long", "logicalType": "local-timestamp-micros"}]}]}]}]});
        assert_eq!(schema, AvroSchema::parse(&expected.to_string()).unwrap());
        for (data_type, found) in [(DataType::Int8, "Int8"), (DataType::LargeUtf8, "LargeUtf8")] {
            let schema = Schema::new(vec![Field::new("a", data_type, true)]);
            let message = format!("a: expected a type of Avro data files of a table, found {found}");
            assert_eq!(AvroSchema::of_table(&schema).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn decimals_have_the_fewest_bytes() {
        let found: Vec<u64> = [1, 2, 4, 5, 9, 10, 18, 19, 38].map(decimal_bytes).into();
        assert_eq!(found, [1, 1, 2, 3, 4, 5, 8, 9, 16]);
    }

    #[test]
    fn fields_get_the_names_of_their_identifiers() {
        let file = json!({"type": "record", "name": "a.b", "fields": [
            {"name": "x", "field-id": 3, "aliases": ["text"], "type": ["null", {"type": "record", "name": "c",
                "fields": [{"name": "y", "field-id": 4, "type":
                    {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": false}}]}]},
            {"name": "user", "field-id": 9, "type": {"type": "fixed", "name": "f", "size": 2}},
            {"name": "again", "field-id": 10, "type": "f"},
            {"name": "text", "field-id": 2, "type": "string"}]});
        let expected = json!({"type": "record", "name": "table", "fields": [
            {"name": "user", "type": ["null", {"type": "record", "name": "r3", "fields": [
                {"name": "when", "type": {"type": "long", "logicalType": "local-timestamp-micros"}}]}]},
            {"name": "_unknown_9", "type": {"type": "fixed", "name": "fixed_2", "size": 2}},
            {"name": "_unknown_10", "type": "fixed_2"},
            {"name": "text", "type": "string"}]});
        let found = renamed(&file.to_string(), None).unwrap();
        assert_eq!(
            AvroSchema::parse(&found).unwrap(),
            AvroSchema::parse(&expected.to_string()).unwrap(),
            "{found}"
        );
    }

    #[test]
    fn names_are_mapped_if_no_field_has_an_identifier() {
        let file = r#"{"type": "record", "name": "t", "fields": [{"name": "s", "type": "string"},
            {"name": "u", "type": {"type": "record", "name": "v", "fields": [{"name": "w", "type": "long"}]}},
            {"name": "z", "type": "int"}, {"name": "zz", "type": "int"}]}"#;
        let mapped =
            |id, name: &str, fields| MappedField { names: vec![name.to_owned()], id: Some(id), fields };
        let mapping = vec![mapped(2, "s", vec![]), mapped(3, "u", vec![mapped(4, "w", vec![])])];
        let expected = r#"{"type": "record", "name": "table", "fields": [{"name": "text", "type": "string"},
            {"name": "user", "type": {"type": "record", "name": "r3", "fields": [{"name": "when", "type": "long"}]}},
            {"name": "_unknown", "type": "int"}, {"name": "_unknown_3", "type": "int"}]}"#;
        let found = renamed(file, Some(mapping)).unwrap();
        assert_eq!(AvroSchema::parse(&found).unwrap(), AvroSchema::parse(expected).unwrap(), "{found}");
        assert_eq!(
            renamed(file, None).unwrap_err(),
            "expected fields with identifiers, found none, and the table has no name mapping"
        );
    }

    #[test]
    fn every_text_is_a_schema_or_an_error() {
        let texts = [
            "7",
            "{}",
            r#"{"type": "record"}"#,
            r#"{"type": "record", "name": "a", "fields": [{"field-id": 1}]}"#,
            r#"{"type": "record", "name": "a", "fields": [7, {"field-id": "x", "name": 3, "type": {"type": {}}}]}"#,
            r#"{"type": "fixed", "name": "a", "size": -1, "field-id": 1}"#,
            r#"[{"type": "array", "items": {"field-id": 5}}]"#,
        ];
        for text in texts {
            assert!(renamed(text, Some(Vec::new())).is_err(), "{text}");
        }
    }
}
