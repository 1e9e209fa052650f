//! Fields that are matched by the identifiers of a table and not by their names, as in the tables of Apache Iceberg.

use std::collections::{HashMap, HashSet};

use arrow_schema::{DataType, Field, FieldRef, Schema};

use crate::field_path::list_item;

/// The key of the identifier in the metadata of Arrow fields that come from Parquet files.
pub const FIELD_ID: &str = "PARQUET:field_id";

/// The fields of a table by their identifiers. A field of a file is the field of the table with the same identifier, whatever
/// its name in the file is.
#[derive(Debug, Clone, Default)]
pub struct FieldIds {
    names: HashMap<i32, String>,
    taken: HashSet<String>,
    mapping: Option<Vec<MappedField>>,
}

/// The identifier of the fields with some names, in files whose fields have no identifiers.
#[derive(Debug, Clone, Default)]
pub struct MappedField {
    /// The names of the field.
    pub names: Vec<String>,
    /// Its identifier. `None`: the field is not one of the table.
    pub id: Option<i32>,
    /// The fields in it: those of a struct; `element` of a list; `key` and `value` of a map.
    pub fields: Vec<MappedField>,
}

impl FieldIds {
    /// The fields of `schema`, whose metadata has their identifiers under [`FIELD_ID`]. `mapping`: the fields of files without
    /// identifiers. `None`: such files cannot be read.
    pub fn new(schema: &Schema, mapping: Option<Vec<MappedField>>) -> Self {
        let mut names = HashMap::new();
        schema.fields().iter().for_each(|field| collect(field, &mut names));
        let taken = names.values().cloned().collect();
        Self { names, taken, mapping }
    }

    /// The name of the field in the table. For a field that the table does not have: a name that no field of the table has.
    pub fn name(&self, id: Option<i32>) -> String {
        if let Some(name) = id.and_then(|id| self.names.get(&id)) {
            return name.clone();
        }
        let mut name =
            id.map_or_else(|| "_unknown".to_owned(), |id| format!("_unknown_{}", id.unsigned_abs()));
        while self.taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// The fields of files without identifiers.
    pub fn mapping(&self) -> Option<&[MappedField]> {
        self.mapping.as_deref()
    }
}

impl MappedField {
    /// The mapping of the field with a name.
    pub fn find<'a>(fields: &'a [Self], name: &str) -> Option<&'a Self> {
        fields.iter().find(|field| field.names.iter().any(|known| known == name))
    }

    /// The mappings of the fields in the field with a name.
    pub fn inside<'a>(fields: &'a [Self], name: &str) -> &'a [Self] {
        Self::find(fields, name).map_or(&[], |found| &found.fields)
    }
}

/// The identifier in the metadata of a field.
pub fn field_id(field: &Field) -> Option<i32> {
    field.metadata().get(FIELD_ID)?.parse().ok()
}

fn collect(field: &FieldRef, names: &mut HashMap<i32, String>) {
    if let Some(id) = field_id(field) {
        names.insert(id, field.name().clone());
    }
    match field.data_type() {
        DataType::Struct(fields) => fields.iter().for_each(|field| collect(field, names)),
        DataType::Map(entries, _) => collect(entries, names),
        other => list_item(other).into_iter().for_each(|item| collect(item, names)),
    }
}
