//! Lookup of fields by name.

use std::cell::RefCell;
use std::collections::HashMap;

use arrow_schema::{FieldRef, Fields, SchemaRef};

/// A schema for many lookups of fields by name. A lookup takes the same time, however many fields there are.
///
/// ```
/// use std::sync::Arc;
/// use arrow_schema::{DataType, Field, Schema};
/// use arrowfeed_tensor::IndexedSchema;
///
/// let fields = vec![Field::new("a", DataType::Int64, true), Field::new("b", DataType::Utf8, true)];
/// let schema = IndexedSchema::new(Arc::new(Schema::new(fields)));
/// let (index, field) = schema.find(schema.fields(), "b").unwrap();
/// assert_eq!((index, field.data_type()), (1, &DataType::Utf8));
/// ```
#[derive(Debug)]
pub struct IndexedSchema {
    schema: SchemaRef,
    /// The names among the fields that were looked through, by the address of the fields.
    names: RefCell<HashMap<*const FieldRef, Names>>,
}

#[derive(Debug)]
struct Names {
    /// Keeps other fields from having the same address.
    _fields: Fields,
    /// The index of the first field of each name, and the number of fields with the name.
    found: HashMap<String, (usize, usize)>,
}

impl IndexedSchema {
    /// A map of the names costs more than a few comparisons with fewer fields.
    const FEW: usize = 16;

    /// Creates the lookup. Names are collected when they are first needed.
    pub fn new(schema: SchemaRef) -> Self {
        Self { schema, names: RefCell::default() }
    }

    /// The schema.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The columns.
    pub fn fields(&self) -> &Fields {
        self.schema.fields()
    }

    /// Finds the first field of this name, as [`Fields::find`] does. `fields` are the columns, or the fields of a struct.
    pub fn find<'f>(&self, fields: &'f Fields, name: &str) -> Option<(usize, &'f FieldRef)> {
        if fields.len() < Self::FEW {
            return fields.find(name);
        }
        let (index, _) = self.found(fields, name)?;
        Some((index, &fields[index]))
    }

    /// The number of fields of this name.
    pub(crate) fn count(&self, fields: &Fields, name: &str) -> usize {
        if fields.len() < Self::FEW {
            return fields.iter().filter(|field| field.name() == name).count();
        }
        self.found(fields, name).map_or(0, |(_, count)| count)
    }

    fn found(&self, fields: &Fields, name: &str) -> Option<(usize, usize)> {
        let mut names = self.names.borrow_mut();
        let names = names.entry(fields.as_ptr()).or_insert_with(|| {
            let mut found = HashMap::with_capacity(fields.len());
            for (index, field) in fields.iter().enumerate() {
                found.entry(field.name().clone()).or_insert((index, 0)).1 += 1;
            }
            Names { _fields: fields.clone(), found }
        });
        names.found.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    #[test]
    fn few_and_many_fields_are_found_alike() {
        for columns in [0, 2, 15, 16, 100] {
            let inside: Fields =
                (0..columns).map(|i| Field::new(format!("f{}", i / 2), DataType::Int8, true)).collect();
            let outside = Field::new("s", DataType::Struct(inside.clone()), true);
            let schema = IndexedSchema::new(Schema::new(vec![outside]).into());
            for name in ["f0", "f1", "f7", "f49", "s", ""] {
                assert_eq!(schema.find(&inside, name), inside.find(name), "{name} of {columns}");
                let count = inside.iter().filter(|field| field.name() == name).count();
                assert_eq!(schema.count(&inside, name), count, "{name} of {columns}");
                assert_eq!(schema.find(schema.fields(), name), schema.fields().find(name));
            }
        }
    }
}
