//! The columns of a file under the names that a table gives to fields with their identifiers.

use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef};
use arrowfeed_source::field_ids::{FieldIds, MappedField, field_id};
use arrowfeed_source::field_path::list_item;
use arrowfeed_source::{FeedError, FeedErrorKind};
use parquet::arrow::parquet_to_arrow_schema;

use crate::bytes::guarded;
use crate::columns::with_item;
use crate::file::Footer;

/// The schema of what is read from a file, with the names of the table.
///
/// # Errors
/// No field of the file has an identifier, and names have no mapping.
pub(crate) fn renamed(footer: &Footer, ids: &FieldIds) -> Result<SchemaRef, FeedError> {
    let (read, descriptor) = (footer.read_schema(), footer.metadata().file_metadata().schema_descr());
    // The schema that a writer stored for Arrow need not have the identifiers. The nesting is the same.
    let stored = guarded(FeedErrorKind::Schema, "columns that Arrow can hold", || {
        parquet_to_arrow_schema(descriptor, None)
    })?;
    let fields = match stored.fields().iter().any(has_id) {
        true => by_ids(read.fields(), stored.fields(), ids),
        false => match ids.mapping() {
            Some(mapping) => by_names(read.fields(), mapping, ids),
            None => {
                let message =
                    "expected fields with identifiers, found none, and the table has no name mapping";
                return Err(FeedError::new(FeedErrorKind::Schema, message).in_file(footer.name()));
            }
        },
    };
    Ok(Arc::new(Schema::new_with_metadata(fields, read.metadata().clone())))
}

fn has_id(field: &FieldRef) -> bool {
    let is_inside = match field.data_type() {
        DataType::Struct(fields) => fields.iter().any(has_id),
        DataType::Map(entries, _) => has_id(entries),
        other => list_item(other).is_some_and(has_id),
    };
    is_inside || field_id(field).is_some()
}

/// `stored`: the same fields, with their identifiers.
fn by_ids(fields: &Fields, stored: &Fields, ids: &FieldIds) -> Fields {
    let pairs = fields.iter().zip(stored);
    pairs.map(|(field, stored)| with_name(inside_by_ids(field, stored, ids), field_id(stored), ids)).collect()
}

fn inside_by_ids(field: &FieldRef, stored: &FieldRef, ids: &FieldIds) -> FieldRef {
    let data_type = match (field.data_type(), stored.data_type()) {
        (DataType::Struct(fields), DataType::Struct(stored)) => DataType::Struct(by_ids(fields, stored, ids)),
        (DataType::Map(entries, sorted), DataType::Map(stored, _)) => {
            // Keys and values keep their names.
            let (DataType::Struct(of_entry), DataType::Struct(stored)) =
                (entries.data_type(), stored.data_type())
            else {
                return field.clone();
            };
            let parts = of_entry.iter().zip(stored).map(|(part, stored)| inside_by_ids(part, stored, ids));
            let entry = DataType::Struct(parts.collect());
            DataType::Map(Arc::new(entries.as_ref().clone().with_data_type(entry)), *sorted)
        }
        (data_type, stored) => {
            let item = |item: &FieldRef| match list_item(stored) {
                Some(stored) => inside_by_ids(item, stored, ids),
                None => item.clone(),
            };
            with_item(data_type, item).unwrap_or_else(|| data_type.clone())
        }
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

fn by_names(fields: &Fields, mapping: &[MappedField], ids: &FieldIds) -> Fields {
    let renamed = |field: &FieldRef| {
        let (id, inside) = match MappedField::find(mapping, field.name()) {
            Some(found) => (found.id, &found.fields[..]),
            None => (None, &[][..]),
        };
        with_name(inside_by_names(field, inside, ids), id, ids)
    };
    fields.iter().map(renamed).collect()
}

/// `mapping`: that of the fields in the field.
fn inside_by_names(field: &FieldRef, mapping: &[MappedField], ids: &FieldIds) -> FieldRef {
    let part = |field: &FieldRef, name: &str| inside_by_names(field, MappedField::inside(mapping, name), ids);
    let data_type = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(by_names(fields, mapping, ids)),
        DataType::Map(entries, sorted) => {
            let DataType::Struct(of_entry) = entries.data_type() else { return field.clone() };
            let parts = of_entry.iter().zip(["key", "value"]).map(|(field, name)| part(field, name));
            let entry = DataType::Struct(parts.collect());
            DataType::Map(Arc::new(entries.as_ref().clone().with_data_type(entry)), *sorted)
        }
        other => with_item(other, |item| part(item, "element")).unwrap_or_else(|| other.clone()),
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

fn with_name(field: FieldRef, id: Option<i32>, ids: &FieldIds) -> FieldRef {
    Arc::new(field.as_ref().clone().with_name(ids.name(id)))
}
