//! The schema `"merge"` of arguments, and `arrowfeed.SchemaChange`.

use std::sync::Arc;

use arrowfeed::FeedError;
use arrowfeed::source::run::FileSet;
use arrowfeed::source::{self, SchemaMerge};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::argument_types::Argument;
use crate::arrow_schema::Schema;
use crate::dataset::Keywords;

/// An argument that is a schema, or asks for the merged schema of all files.
pub(crate) enum SchemaArgument<T> {
    Given(T),
    Merged,
}

impl<T> SchemaArgument<T> {
    /// The schema, and whether that of the files is merged.
    pub(crate) fn parts(argument: Option<Self>) -> (Option<T>, bool) {
        match argument {
            None => (None, false),
            Some(Self::Given(schema)) => (Some(schema), false),
            Some(Self::Merged) => (None, true),
        }
    }
}

impl<T: Argument> Argument for SchemaArgument<T> {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match value.cast::<PyString>() {
            Ok(text) if text.to_cow()? == "merge" => Ok(Self::Merged),
            _ => T::parse(name, value).map(Self::Given),
        }
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Given(schema) => schema.picklable(given),
            Self::Merged => Ok(given),
        }
    }
}

/// The merged schema of files, as an argument of copies of a dataset.
pub(crate) enum MergedArgument {
    /// The JSON of `reader_schema`.
    ReaderSchema(Arc<str>),
    /// The Arrow schema, and whether files lack columns only by an option.
    Schema(Schema, bool),
}

impl MergedArgument {
    /// `None`: the schema of the files is not merged.
    ///
    /// # Errors
    /// The columns form no schema.
    pub(crate) fn of(files: &FileSet) -> Result<Option<Self>, FeedError> {
        Ok(match files.merge().map(|merge| &merge.schema_text) {
            None => None,
            Some(Some(json)) => Some(Self::ReaderSchema(json.clone())),
            Some(None) => {
                let schema = Schema(files.format().all_columns()?);
                Some(Self::Schema(schema, files.format().name() == "csv"))
            }
        })
    }

    /// Replaces the argument of copies. They have the same columns, also if they read only some of the files.
    pub(crate) fn keep(self, keywords: &Keywords<'_>) -> PyResult<()> {
        match self {
            Self::ReaderSchema(json) => keywords.keep("reader_schema", &*json),
            Self::Schema(schema, needs_option) => {
                keywords.keep("schema", schema)?;
                // Only inference uses these.
                keywords.forget("types")?;
                keywords.forget("sample")?;
                if needs_option { keywords.keep("missing_columns", true) } else { Ok(()) }
            }
        }
    }
}

#[doc = docs!(SchemaChange)]
#[pyclass(module = "arrowfeed", frozen, eq, hash)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SchemaChange(source::SchemaChange);

#[pymethods]
impl SchemaChange {
    #[doc = docs!(SchemaChange.file)]
    #[getter]
    fn file(&self) -> &str {
        &self.0.file
    }

    #[doc = docs!(SchemaChange.path)]
    #[getter]
    fn path(&self) -> &str {
        &self.0.path
    }

    #[doc = docs!(SchemaChange.kind)]
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    #[doc = docs!(SchemaChange.text)]
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.SchemaChange {}>", self.0)
    }
}

/// The changes of a merge.
pub(crate) fn changes(merge: Option<&SchemaMerge>) -> Vec<SchemaChange> {
    merge.into_iter().flat_map(|merge| &merge.changes).cloned().map(SchemaChange).collect()
}
