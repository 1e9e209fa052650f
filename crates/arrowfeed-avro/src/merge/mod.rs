//! Merge of Avro schemas: the schema that reads the files of all of them, and the changes that each file made.
//!
//! ```text
//! Graph of a file ──import──> types that are new ──┐
//!        └────────merge──────> types that exist ───┴──> Merger ──text──> AvroSchema
//! ```
//!
//! - [`value`] merges two types, [`record`] their fields, [`branches`] their unions, and [`numbers`] types without parts.
//! - [`import`] copies a type of a file that the merged schema does not have, and finds one that it has by name or alias.
//! - [`text`] writes the merged types as JSON, which is parsed like the schema of a file.
//! - [`files`] reads the schemas of files.
//!
//! Each type keeps the name of the file that determined it, for messages.

mod branches;
pub(crate) mod files;
mod import;
mod numbers;
mod record;
#[cfg(test)]
mod tests;
mod text;
mod value;

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::Arc;

use arrowfeed_source::field_path;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::Files;
use arrowfeed_source::{
    FeedError, FeedErrorKind, Interrupt, Limits, SchemaChange, SchemaChangeKind, SchemaMerge, quoted,
    thousands,
};

use crate::AvroSchema;
use crate::plan::describe;
use crate::schema::graph::{Graph, Type, TypeId};
use record::RecordType;

/// The schema that several schemas were merged to.
///
/// ```
/// use arrowfeed_avro::{AvroSchema, Limits, MergedSchema};
///
/// let first = AvroSchema::parse(r#"{"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}]}"#)?;
/// let second = AvroSchema::parse(
///     r#"{"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}, {"name": "x", "type": "float"}]}"#,
/// )?;
/// let merged = MergedSchema::of_schemas([("1.avro", &first), ("2.avro", &second)], &Limits::default())?;
/// let changes: Vec<_> = merged.changes.iter().map(ToString::to_string).collect();
/// assert_eq!(changes, ["2.avro: id: changed from int to long", "2.avro: x: added with the type float"]);
/// # Ok::<(), arrowfeed_avro::FeedError>(())
/// ```
#[derive(Debug, Clone)]
pub struct MergedSchema {
    /// The merged schema.
    pub schema: AvroSchema,
    /// The changes that the files after the first one made, in order.
    pub changes: Vec<SchemaChange>,
}

impl MergedSchema {
    /// Merges schemas in order. Each has a name for messages, such as that of its file.
    ///
    /// # Errors
    /// Two types cannot be merged; an alias is ambiguous; the merged schema exceeds a limit; there is no schema.
    pub fn of_schemas<'a>(
        schemas: impl IntoIterator<Item = (&'a str, &'a AvroSchema)>,
        limits: &Limits,
    ) -> Result<Self, FeedError> {
        let mut merger = Merger::new(limits);
        for (name, schema) in schemas {
            merger.add(&name.into(), schema)?;
        }
        merger.finish()
    }

    /// Merges the schemas of files in order. Reads their headers only.
    ///
    /// # Errors
    /// A source is a stream; there is no file; a header cannot be read; the schemas cannot be merged, as in
    /// [`of_schemas`](Self::of_schemas); `interrupt` returned true.
    pub fn of_files(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        limits: &Limits,
        interrupt: Option<&Interrupt>,
    ) -> Result<Self, FeedError> {
        files::merged(&Files::new(sources), limits, interrupt)
    }
}

impl From<&MergedSchema> for SchemaMerge {
    fn from(merged: &MergedSchema) -> Self {
        Self { changes: merged.changes.clone(), schema_text: Some(merged.schema.json().into()) }
    }
}

/// The types of the schemas so far.
struct Merger<'a> {
    limits: &'a Limits,
    types: Vec<Merged>,
    /// Records, enums and fixed types by full name.
    names: HashMap<String, TypeId>,
    /// Named types by their aliases, of which no two types have the same.
    aliases: HashMap<String, TypeId>,
    /// The aliases that are names of types in files.
    written: HashSet<String>,
    root: Option<TypeId>,
    changes: Vec<SchemaChange>,
    /// The name of the schema that is added.
    file: Arc<str>,
    /// Steps of the path to the current field; `[]` for items.
    path: Vec<String>,
    depth: usize,
}

/// A type of the merged schema.
struct Merged {
    kind: Kind,
    /// The name of the schema that determined the type.
    file: Arc<str>,
}

enum Kind {
    Record(RecordType),
    /// A type other than a record. Its parts are merged types.
    Other(Type),
}

/// A schema that is added.
struct Addition<'a> {
    graph: &'a Graph,
    /// Full names of its types.
    names: HashSet<&'a str>,
    /// Pairs of a merged and an added named type that are merged, or are being merged.
    done: HashSet<(TypeId, TypeId)>,
    /// For an added named type, the first merged type that contains it.
    targets: HashMap<TypeId, TypeId>,
}

/// The type null, which all merged types share.
const NULL: TypeId = 0;

impl<'a> Merger<'a> {
    fn new(limits: &'a Limits) -> Self {
        let null = Merged { kind: Kind::Other(Type::Null), file: "".into() };
        Self {
            limits,
            types: vec![null],
            names: HashMap::new(),
            aliases: HashMap::new(),
            written: HashSet::new(),
            root: None,
            changes: Vec::new(),
            file: "".into(),
            path: Vec::new(),
            depth: 0,
        }
    }

    /// Adds the next schema. After an error, the merged types are incomplete.
    fn add(&mut self, name: &Arc<str>, schema: &AvroSchema) -> Result<(), FeedError> {
        self.file = name.clone();
        let mut added = Addition::new(schema.graph());
        let root = schema.graph().root;
        self.root = Some(match self.root {
            None => self.import(&mut added, root)?,
            Some(known) => self.merge(&mut added, known, root)?,
        });
        Ok(())
    }

    fn finish(mut self) -> Result<MergedSchema, FeedError> {
        let Some(root) = self.root else {
            return Err(FeedError::new(FeedErrorKind::Options, "expected at least one schema, found none"));
        };
        let text = text::json(&self, root)?;
        let schema = AvroSchema::parse_with(&text, self.limits)?;
        Ok(MergedSchema { schema, changes: mem::take(&mut self.changes) })
    }

    fn push(&mut self, kind: Kind) -> Result<TypeId, FeedError> {
        let most = self.limits.expanded_fields;
        if self.types.len() > most {
            let message =
                format!("expected a merged schema of at most {} types, found more", thousands(most as u64));
            return Err(self.locate(FeedError::limit_reached("expanded_fields", message)));
        }
        self.types.push(Merged { kind, file: self.file.clone() });
        Ok(self.types.len() - 1)
    }

    /// Replaces a type that has no name, so that no other type refers to it.
    fn replace(&mut self, id: TypeId, ty: Type) {
        self.types[id] = Merged { kind: Kind::Other(ty), file: self.file.clone() };
    }

    /// Runs `work` one level deeper.
    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, FeedError>) -> Result<T, FeedError> {
        let most = self.limits.schema_depth.min(Limits::MAX_SCHEMA_DEPTH);
        if self.depth > most {
            let message =
                format!("expected types nested at most {} deep, found more", thousands(most as u64));
            return Err(self.locate(FeedError::limit_reached("schema_depth", message)));
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// Runs `work` in the field with this name.
    fn in_field<T>(
        &mut self,
        name: &str,
        work: impl FnOnce(&mut Self) -> Result<T, FeedError>,
    ) -> Result<T, FeedError> {
        let step = field_path::step(name, self.path.is_empty());
        self.in_step(step, work)
    }

    /// Runs `work` in the items of an array or the values of a map.
    fn in_items<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, FeedError>) -> Result<T, FeedError> {
        self.in_step("[]".to_owned(), work)
    }

    fn in_step<T>(
        &mut self,
        step: String,
        work: impl FnOnce(&mut Self) -> Result<T, FeedError>,
    ) -> Result<T, FeedError> {
        self.path.push(step);
        let result = work(self);
        self.path.pop();
        result
    }

    /// Reports a change of the current field. The first schema makes no changes.
    fn report(&mut self, kind: SchemaChangeKind, text: String) {
        if self.root.is_some() {
            let (file, path) = (self.file.clone(), self.path.concat());
            self.changes.push(SchemaChange { file, path, kind, text });
        }
    }

    /// The name of a merged type in messages.
    fn name_of(&self, id: TypeId) -> String {
        match &self.types[id].kind {
            Kind::Record(record) => format!("record {}", quoted(&record.name)),
            Kind::Other(ty) => describe(ty),
        }
    }

    /// The error for types that cannot be merged.
    #[cold]
    fn conflict(&self, id: TypeId, found: &str) -> FeedError {
        self.differs(&self.types[id].file, &self.name_of(id), found)
    }

    #[cold]
    fn differs(&self, file: &str, expected: &str, found: &str) -> FeedError {
        let message = format!("expected {expected} as in {file}, found {found}, which cannot be merged");
        self.locate(FeedError::new(FeedErrorKind::Schema, message))
    }

    /// Adds the current field and schema to an error.
    #[cold]
    fn locate(&self, error: FeedError) -> FeedError {
        let error = error.in_file(&self.file);
        if self.path.is_empty() { error } else { error.in_field(self.path.concat()) }
    }
}

impl<'a> Addition<'a> {
    fn new(graph: &'a Graph) -> Self {
        let names = graph.types.iter().filter_map(|ty| Some(ty.name_and_aliases()?.0)).collect();
        Self { graph, names, done: HashSet::new(), targets: HashMap::new() }
    }
}
