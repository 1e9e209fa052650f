//! Merge of Arrow schemas: columns by name, and the types that store the values of both types.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use super::types::widest;
use super::{SchemaChange, SchemaChangeKind, SchemaMerge};
use crate::field_path::step;
use crate::{FeedError, FeedErrorKind};

/// Merges the schemas of files that are added in order.
#[derive(Debug, Default)]
pub struct ArrowSchemaMerger {
    merged: Option<Schema>,
    /// The schema that was added last. Files in a row often have the same one.
    last: Option<SchemaRef>,
    /// The file that determined the type of a field, by path. Other fields have that of the field around them, or the first file.
    files: HashMap<String, Arc<str>>,
    first: Arc<str>,
    changes: Vec<SchemaChange>,
    file: Arc<str>,
    /// Steps of the path to the current field; `[]` for items.
    path: Vec<String>,
    /// Whether a text stores each value.
    has_texts: bool,
}

impl ArrowSchemaMerger {
    /// Creates a merger without a schema.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a merger for CSV and JSON lines: a column of texts stores the values of each type without parts.
    pub fn of_texts() -> Self {
        Self { has_texts: true, ..Self::default() }
    }

    /// Adds the schema of the next file. After an error, the merged schema is incomplete.
    ///
    /// # Errors
    /// The types of a column cannot be merged.
    pub fn add(&mut self, file: &Arc<str>, schema: &SchemaRef) -> Result<(), FeedError> {
        if self.last.as_ref() == Some(schema) {
            return Ok(());
        }
        self.last = Some(schema.clone());
        self.file = file.clone();
        let Some(known) = self.merged.take() else {
            self.first = file.clone();
            self.merged = Some(schema.as_ref().clone());
            return Ok(());
        };
        let fields = self.fields(known.fields(), schema.fields())?;
        self.merged = Some(Schema::new_with_metadata(fields, known.metadata));
        Ok(())
    }

    /// The merged schema, which is empty without files, and the report.
    pub fn finish(self) -> (SchemaRef, SchemaMerge) {
        let schema = self.merged.unwrap_or_else(Schema::empty);
        (Arc::new(schema), SchemaMerge { changes: self.changes, schema_text: None })
    }

    fn fields(&mut self, known: &Fields, added: &Fields) -> Result<Fields, FeedError> {
        let by_name = |fields: &Fields| -> HashMap<String, usize> {
            fields.iter().enumerate().rev().map(|(at, field)| (field.name().clone(), at)).collect()
        };
        let (of_known, of_added) = (by_name(known), by_name(added));
        let mut merged = Vec::with_capacity(known.len());
        for field in known {
            let found = of_added.get(field.name());
            merged.push(self.at(step(field.name(), self.path.is_empty()), |this| match found {
                Some(at) => this.field(field, &added[*at]),
                None => Ok(this.nullable(field, "made nullable: the file does not have it")),
            })?);
        }
        for (at, field) in added.iter().enumerate() {
            if !of_known.contains_key(field.name()) && of_added.get(field.name()) == Some(&at) {
                self.at(step(field.name(), self.path.is_empty()), |this| {
                    this.determine();
                    let text = format!("added with the type {}", field.data_type());
                    this.report(SchemaChangeKind::Field, text);
                    Ok(())
                })?;
                merged.push(Arc::new(field.as_ref().clone().with_nullable(true)));
            }
        }
        Ok(merged.into())
    }

    fn field(&mut self, known: &FieldRef, added: &FieldRef) -> Result<FieldRef, FeedError> {
        let data_type = self.data_type(known.data_type(), added.data_type())?;
        let merged = match &data_type == known.data_type() {
            true => known.clone(),
            false => Arc::new(known.as_ref().clone().with_data_type(data_type)),
        };
        let is_nullable = added.is_nullable() || added.data_type() == &DataType::Null;
        Ok(if is_nullable { self.nullable(&merged, "made nullable, as in the file") } else { merged })
    }

    fn nullable(&mut self, field: &FieldRef, text: &str) -> FieldRef {
        if field.is_nullable() {
            return field.clone();
        }
        self.report(SchemaChangeKind::Nullable, text.to_owned());
        Arc::new(field.as_ref().clone().with_nullable(true))
    }

    fn data_type(&mut self, known: &DataType, added: &DataType) -> Result<DataType, FeedError> {
        use DataType::{FixedSizeList, LargeList, List, Map, Struct};
        if known == added {
            return Ok(known.clone());
        }
        match (known, added) {
            (Struct(known), Struct(added)) => Ok(Struct(self.fields(known, added)?)),
            (Map(known_entries, is_sorted), Map(added_entries, _)) => {
                // The names of keys and values may differ.
                let (Some([known_key, known_value]), Some([added_key, added_value])) =
                    (key_and_value(known_entries), key_and_value(added_entries))
                else {
                    return Err(self.conflict(known, added));
                };
                let key = self.at("[]".to_owned(), |this| this.field(known_key, added_key))?;
                let value = self.at("[]".to_owned(), |this| this.field(known_value, added_value))?;
                let entries = Struct(Fields::from(vec![key, value]));
                Ok(Map(Arc::new(known_entries.as_ref().clone().with_data_type(entries)), *is_sorted))
            }
            (
                List(known_item) | LargeList(known_item) | FixedSizeList(known_item, _),
                List(added_item) | LargeList(added_item) | FixedSizeList(added_item, _),
            ) => {
                let item = self.at("[]".to_owned(), |this| this.field(known_item, added_item))?;
                Ok(match (known, added) {
                    (LargeList(_), _) | (_, LargeList(_)) => {
                        self.changed(known, LargeList(known_item.clone()), "a large list");
                        LargeList(item)
                    }
                    (FixedSizeList(_, n), FixedSizeList(_, m)) if n == m => FixedSizeList(item, *n),
                    _ => {
                        self.changed(known, List(known_item.clone()), "a list");
                        List(item)
                    }
                })
            }
            (DataType::Null, added) => {
                self.changed(known, added.clone(), &added.to_string());
                Ok(added.clone())
            }
            (known, DataType::Null) => Ok(known.clone()),
            (known, added) => match self.widest(known, added) {
                Some(both) => {
                    self.changed(known, both.clone(), &both.to_string());
                    Ok(both)
                }
                None => Err(self.conflict(known, added)),
            },
        }
    }

    fn widest(&self, known: &DataType, added: &DataType) -> Option<DataType> {
        let is_text = self.has_texts && !known.is_nested() && !added.is_nested();
        widest(known, added).or(is_text.then_some(DataType::Utf8))
    }

    /// Reports that a type became another one, unless it is the same.
    fn changed(&mut self, known: &DataType, both: DataType, name: &str) {
        if *known != both {
            let known = match known {
                DataType::FixedSizeList(_, _) => "a fixed-size list".to_owned(),
                DataType::List(_) => "a list".to_owned(),
                known => known.to_string(),
            };
            self.determine();
            self.report(SchemaChangeKind::Type, format!("changed from {known} to {name}"));
        }
    }

    /// Notes that the file determines the type of the current field.
    fn determine(&mut self) {
        self.files.insert(self.path.concat(), self.file.clone());
    }

    /// The file that determined the type of the current field.
    fn determined_by(&self) -> &Arc<str> {
        let around = (1..=self.path.len()).rev().map(|steps| self.path[..steps].concat());
        around.into_iter().find_map(|path| self.files.get(&path)).unwrap_or(&self.first)
    }

    fn at<T>(
        &mut self,
        step: String,
        work: impl FnOnce(&mut Self) -> Result<T, FeedError>,
    ) -> Result<T, FeedError> {
        self.path.push(step);
        let result = work(self);
        self.path.pop();
        result
    }

    fn report(&mut self, kind: SchemaChangeKind, text: String) {
        let (file, path) = (self.file.clone(), self.path.concat());
        self.changes.push(SchemaChange { file, path, kind, text });
    }

    #[cold]
    fn conflict(&self, known: &DataType, added: &DataType) -> FeedError {
        let file = self.determined_by();
        let message = format!("expected {known} as in {file}, found {added}, which cannot be merged");
        FeedError::new(FeedErrorKind::Schema, message).in_field(self.path.concat()).in_file(&self.file)
    }
}

/// The fields of the entries of a map.
fn key_and_value(entries: &Field) -> Option<&[FieldRef; 2]> {
    match entries.data_type() {
        DataType::Struct(fields) => (&fields[..]).try_into().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, data_type: DataType, nullable: bool) -> Field {
        Field::new(name, data_type, nullable)
    }

    fn merge(schemas: &[Vec<Field>]) -> Result<(SchemaRef, Vec<String>), FeedError> {
        let mut merger = ArrowSchemaMerger::new();
        for (number, fields) in schemas.iter().enumerate() {
            merger.add(&(number + 1).to_string().into(), &Arc::new(Schema::new(fields.clone())))?;
        }
        let (schema, merge) = merger.finish();
        Ok((schema, merge.changes.iter().map(ToString::to_string).collect()))
    }

    #[test]
    fn columns_are_united_in_the_order_of_the_files() {
        let first = vec![column("a", DataType::Int32, false), column("b", DataType::Utf8, true)];
        let second = vec![column("c", DataType::Int8, false), column("a", DataType::Int64, false)];
        let third = vec![column("b", DataType::Utf8, false)];
        let (schema, changes) = merge(&[first.clone(), second, third]).unwrap();
        let expected = vec![
            column("a", DataType::Int64, true),
            column("b", DataType::Utf8, true),
            column("c", DataType::Int8, true),
        ];
        assert_eq!(schema.fields(), &Fields::from(expected));
        let expected = [
            "2: a: changed from Int32 to Int64",
            "2: c: added with the type Int8",
            "3: a: made nullable: the file does not have it",
        ];
        assert_eq!(changes, expected);
        assert_eq!(merge(&[first.clone(), first]).unwrap().1, Vec::<String>::new());
    }

    #[test]
    fn nested_types_are_merged() {
        let list = |item: DataType| DataType::new_list(item, false);
        let of = |fields: Vec<Field>| DataType::Struct(fields.into());
        let large = DataType::new_large_list(DataType::Int64, true);
        let first = vec![column(
            "s",
            of(vec![column("l", list(DataType::Int32), false), column("m", DataType::Float32, true)]),
            false,
        )];
        let second =
            vec![column("s", of(vec![column("l", large, false), column("n", DataType::Null, true)]), false)];
        let (schema, changes) = merge(&[first, second]).unwrap();
        let expected = of(vec![
            column("l", DataType::new_large_list(DataType::Int64, true), false),
            column("m", DataType::Float32, true),
            column("n", DataType::Null, true),
        ]);
        assert_eq!(schema.field(0).data_type(), &expected);
        let expected = [
            "2: s.l[]: changed from Int32 to Int64",
            "2: s.l[]: made nullable, as in the file",
            "2: s.l: changed from a list to a large list",
            "2: s.n: added with the type Null",
        ];
        assert_eq!(changes, expected);
    }

    #[test]
    fn texts_store_values_of_other_types() {
        let mut merger = ArrowSchemaMerger::of_texts();
        let list = DataType::new_list(DataType::Utf8, true);
        for (file, data_type) in [("1", DataType::Int64), ("2", DataType::Utf8), ("3", DataType::Boolean)] {
            merger.add(&file.into(), &Arc::new(Schema::new(vec![column("a", data_type, true)]))).unwrap();
        }
        let of_list = Arc::new(Schema::new(vec![column("a", list, true)]));
        let error = merger.add(&"4".into(), &of_list).unwrap_err().to_string();
        assert!(error.starts_with("4: a: expected Utf8 as in 2, found List("), "{error}");
        let (_, merge) = merger.finish();
        assert_eq!(merge.changes[0].to_string(), "2: a: changed from Int64 to Utf8");
        assert_eq!(merge.changes.len(), 1);
    }

    #[test]
    fn conflicts_name_both_files() {
        let of = |data_type: DataType| {
            vec![column("x", DataType::Struct(vec![column("y", data_type, true)].into()), true)]
        };
        let types = [DataType::Int32, DataType::Int64, DataType::Int8, DataType::Utf8];
        let error = merge(&types.map(of)).unwrap_err().to_string();
        assert_eq!(error, "4: x.y: expected Int64 as in 2, found Utf8, which cannot be merged");
        let error = merge(&[vec![], of(DataType::Utf8), of(DataType::Int8)]).unwrap_err().to_string();
        assert_eq!(error, "3: x.y: expected Utf8 as in 2, found Int8, which cannot be merged");
    }
}
