//! Merge of the schemas of files: the report, which lists the changes that each file made, and the merge of Arrow schemas.

mod arrow;
mod types;

use std::fmt;
use std::sync::Arc;

use crate::{FeedError, FeedErrorKind, printable};
pub use arrow::ArrowSchemaMerger;

/// The merged schema of a set of files, and the report of the merge.
///
/// [`SchemaChange`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaMerge {
    /// The changes, in the order of the files.
    pub changes: Vec<SchemaChange>,
    /// The merged schema as text, for formats with a schema language of their own: the JSON of an Avro schema. `None`: the
    /// Arrow schema is the merged schema.
    pub schema_text: Option<Arc<str>>,
}

impl SchemaMerge {
    /// Checks that the options have a schema, whose option is `name`, or merge those of the files.
    ///
    /// # Errors
    /// They do both.
    pub fn check_options(merges: bool, has_schema: bool, name: &str) -> Result<(), FeedError> {
        if !merges || !has_schema {
            return Ok(());
        }
        let message = format!("expected either a {name} or merge_schemas, found both");
        Err(FeedError::new(FeedErrorKind::Options, message))
    }
}

/// A change that a file made to the schema that was merged from the files before it.
///
/// ```
/// use arrowfeed_source::{SchemaChange, SchemaChangeKind};
///
/// let change = SchemaChange {
///     file: "part-2.avro".into(),
///     path: "user.age".into(),
///     kind: SchemaChangeKind::Type,
///     text: "changed from int to long".into(),
/// };
/// assert_eq!(change.to_string(), "part-2.avro: user.age: changed from int to long");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SchemaChange {
    /// The name of the first file that needs the change.
    pub file: Arc<str>,
    /// The path of the field; empty for the root of a schema that is not a record.
    pub path: String,
    /// The kind of the change.
    pub kind: SchemaChangeKind,
    /// The change in words: `changed from int to long`.
    pub text: String,
}

/// The kinds of changes.
///
/// [`SchemaChange`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SchemaChangeKind {
    /// A field was added.
    Field,
    /// A field became nullable.
    Nullable,
    /// A field got a type that stores the values of both types.
    Type,
    /// An enum got more symbols.
    Symbols,
    /// A union got another branch.
    Branch,
    /// A field got another name.
    Name,
}

impl SchemaChangeKind {
    /// The name of the kind in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Nullable => "nullable",
            Self::Type => "type",
            Self::Symbols => "symbols",
            Self::Branch => "branch",
            Self::Name => "name",
        }
    }
}

/// `part-2.avro: user.age: changed from int to long`.
impl fmt::Display for SchemaChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, path, text, .. } = self;
        let separator = if path.is_empty() { "" } else { ": " };
        f.write_str(&printable(&format!("{file}: {path}{separator}{text}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_the_file_and_the_field() {
        let change = SchemaChange {
            file: "part-2.avro".into(),
            path: "user.age".into(),
            kind: SchemaChangeKind::Type,
            text: "changed from int to long".into(),
        };
        assert_eq!(change.to_string(), "part-2.avro: user.age: changed from int to long");
        let root = SchemaChange { path: String::new(), ..change };
        assert_eq!(root.to_string(), "part-2.avro: changed from int to long");
    }
}
