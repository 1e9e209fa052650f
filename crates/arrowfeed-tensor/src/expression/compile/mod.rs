//! Compilation of steps to operations by type. An invalid step is an error at its character.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, FieldRef, Fields, UnionFields};

use super::key::{KeyExpression, KeyStep, Path, StepKind};
use super::operation::{Operation, Operations};
use crate::column::listed;
use crate::column_path::ColumnPath;
use crate::error::{RepresentationError, RepresentationErrorKind};
use crate::indexed_schema::IndexedSchema;
use crate::leaf;
use crate::lists;

mod filter;
mod type_names;

pub(crate) use type_names::and_how_to_enter;
use type_names::{described, primitive_name};

/// Key of the metadata of a field that has the symbols of an Avro enum. The name is arrow-avro's.
const ENUM_SYMBOLS: &str = "avro.enum.symbols";

/// Compiles one key, and collects the fields that it reads.
#[derive(Debug)]
pub(super) struct Compiler<'a> {
    key: &'a KeyExpression,
    schema: &'a IndexedSchema,
    root: PathPosition,
    /// The field at the end of each path of the key.
    pub(super) columns: Vec<ColumnPath>,
}

/// A position on a path.
#[derive(Debug, Clone)]
struct PathPosition {
    data_type: DataType,
    /// The symbols of an enum, as its field has them in its metadata.
    enum_symbols: Option<String>,
    /// Names of the fields on the path, as for a projection.
    names: Vec<String>,
    /// Whether later names are added: a projection does not descend into unions.
    projects: bool,
    /// Whether the position is a union of Avro that was read as JSON text.
    is_json_union: bool,
}

/// Key of the metadata that marks such a field.
const JSON_UNION: &str = "avro.union";

impl PathPosition {
    /// Moves to the values of a field.
    fn enter(&mut self, field: &Field) {
        self.is_json_union = field.metadata().contains_key(JSON_UNION);
        self.enum_symbols = field.metadata().get(ENUM_SYMBOLS).cloned();
        self.data_type = field.data_type().clone();
    }
}

impl<'a> Compiler<'a> {
    pub(super) fn new(key: &'a KeyExpression, schema: &'a IndexedSchema) -> Self {
        let data_type = DataType::Struct(schema.fields().clone());
        let root = PathPosition {
            data_type,
            enum_symbols: None,
            names: Vec::new(),
            projects: true,
            is_json_union: false,
        };
        Self { key, schema, root, columns: Vec::new() }
    }

    pub(super) fn compile(&mut self) -> Result<Operations, RepresentationError> {
        self.path(self.key.path(), self.root.clone())
    }

    fn path(&mut self, path: &Path, mut spot: PathPosition) -> Result<Operations, RepresentationError> {
        let mut operations = Vec::with_capacity(path.steps.len());
        for step in &path.steps {
            while let DataType::Dictionary(_, values) = &spot.data_type {
                operations.push(Operation::Decode);
                spot.data_type = values.as_ref().clone();
            }
            operations.extend(self.step(step, &mut spot)?);
        }
        let column = ColumnPath::new(spot.names);
        if !self.columns.contains(&column) {
            self.columns.push(column);
        }
        let PathPosition { data_type, enum_symbols, .. } = spot;
        Ok(Operations { operations, data_type, enum_symbols })
    }

    /// Returns the operation of a step, and moves `spot` behind it. `None` for the branch of a type that is not a union.
    fn step(
        &mut self,
        step: &KeyStep,
        spot: &mut PathPosition,
    ) -> Result<Option<Operation>, RepresentationError> {
        let operation = match &step.kind {
            StepKind::Name(name) => self.field(step, name, spot)?,
            StepKind::Quoted(name) => match &spot.data_type {
                DataType::Map(entries, _) => {
                    let (key, value) = self.entries(step, entries)?;
                    let key = self.map_key(step, key, name)?;
                    spot.enter(&value);
                    Operation::Key(key)
                }
                _ => self.field(step, name, spot)?,
            },
            StepKind::Each => {
                let values = match &spot.data_type {
                    DataType::Map(entries, _) => self.entries(step, entries)?.1,
                    other => match lists::items(other) {
                        Some(items) => items.clone(),
                        None => return Err(self.type_error(step, "an array or a map for \"[*]\"", spot)),
                    },
                };
                spot.enter(&values);
                Operation::Each
            }
            StepKind::Index(index) => {
                let items = self.items(step, "an array for an index", spot)?;
                spot.enter(&items);
                Operation::Index(*index)
            }
            StepKind::Filter(filter) => {
                let items = self.items(step, "an array for a filter", spot)?;
                spot.enter(&items);
                Operation::Filter(Box::new(self.filter(filter, spot)?))
            }
            StepKind::Branch(name) => return self.branch(step, name, spot),
        };
        Ok(Some(operation))
    }

    fn field(
        &self,
        step: &KeyStep,
        name: &str,
        spot: &mut PathPosition,
    ) -> Result<Operation, RepresentationError> {
        let DataType::Struct(fields) = &spot.data_type else {
            return Err(self.no_record(step, name, spot));
        };
        let is_root = spot.names.is_empty();
        let Some((index, field)) = self.schema.find(fields, name) else {
            let what = if is_root { "column" } else { "field" };
            let expected = format!("a {what} of this name, one of {}", listed(fields));
            let kind = RepresentationErrorKind::MissingColumn;
            return Err(self.error(step.at, kind, expected, format!("{name:?}")));
        };
        if spot.projects {
            spot.names.push(name.to_owned());
        }
        let field = field.clone();
        spot.enter(&field);
        Ok(if is_root { Operation::Column(index) } else { Operation::Field(index) })
    }

    fn branch(
        &self,
        step: &KeyStep,
        name: &str,
        spot: &mut PathPosition,
    ) -> Result<Option<Operation>, RepresentationError> {
        let DataType::Union(fields, _) = &spot.data_type else {
            if spot.is_json_union {
                let expected = format!("a union with the branch {name:?}");
                let found = "a union that was read as JSON text".to_owned();
                return Err(self.error(step.at, RepresentationErrorKind::Type, expected, found));
            }
            return match primitive_name(&spot.data_type) == Some(name) {
                true => Ok(None),
                false => Err(self.type_error(step, &format!("a union with the branch {name:?}"), spot)),
            };
        };
        let Some((type_id, field)) = find_branch(fields, name) else {
            let names: Fields = fields.iter().map(|(_, field)| field.clone()).collect();
            let expected = format!("a branch of this name, one of {}", listed(&names));
            let kind = RepresentationErrorKind::MissingColumn;
            return Err(self.error(step.at, kind, expected, format!("{name:?}")));
        };
        let field = field.clone();
        spot.enter(&field);
        spot.projects = false;
        Ok(Some(Operation::Branch(type_id)))
    }

    fn items(
        &self,
        step: &KeyStep,
        expected: &str,
        spot: &PathPosition,
    ) -> Result<FieldRef, RepresentationError> {
        match (&spot.data_type, lists::items(&spot.data_type)) {
            (DataType::Map(..), _) | (_, None) => Err(self.type_error(step, expected, spot)),
            (_, Some(items)) => Ok(items.clone()),
        }
    }

    /// The fields of a map's keys and values.
    fn entries<'f>(
        &self,
        step: &KeyStep,
        entries: &'f Field,
    ) -> Result<(&'f DataType, FieldRef), RepresentationError> {
        match entries.data_type() {
            DataType::Struct(fields) if fields.len() == 2 => Ok((fields[0].data_type(), fields[1].clone())),
            other => {
                let expected = "entries of a key and a value in a map";
                Err(self.error(
                    step.at,
                    RepresentationErrorKind::Type,
                    expected.to_owned(),
                    other.to_string(),
                ))
            }
        }
    }

    fn map_key(
        &self,
        step: &KeyStep,
        data_type: &DataType,
        key: &str,
    ) -> Result<ArrayRef, RepresentationError> {
        let key = leaf::plain(data_type).and_then(|plain| leaf::bytes(&plain, key.as_bytes()));
        key.ok_or_else(|| {
            let expected = "a map with texts as keys".to_owned();
            self.error(step.at, RepresentationErrorKind::Type, expected, data_type.to_string())
        })
    }

    fn no_record(&self, step: &KeyStep, name: &str, spot: &PathPosition) -> RepresentationError {
        let expected = format!("a record with the field {name:?}");
        self.error(step.at, RepresentationErrorKind::Type, expected, and_how_to_enter(&spot.data_type))
    }

    fn type_error(&self, step: &KeyStep, expected: &str, spot: &PathPosition) -> RepresentationError {
        let found = described(&spot.data_type);
        self.error(step.at, RepresentationErrorKind::Type, expected.to_owned(), found)
    }

    fn error(
        &self,
        at: usize,
        kind: RepresentationErrorKind,
        expected: String,
        found: String,
    ) -> RepresentationError {
        RepresentationError::new(kind, expected, found).in_key(self.key.text(), Some(at))
    }
}

/// The branch with this name, or the only one with this name after the last dot.
fn find_branch<'f>(fields: &'f UnionFields, name: &str) -> Option<(i8, &'f FieldRef)> {
    let named = |(_, field): &(i8, &'f FieldRef)| field.name() == name;
    let short = |(_, field): &(i8, &'f FieldRef)| field.name().rsplit('.').next() == Some(name);
    let exact = fields.iter().find(named);
    exact.or_else(|| {
        let mut shorts = fields.iter().filter(short);
        shorts.next().filter(|_| shorts.next().is_none())
    })
}
