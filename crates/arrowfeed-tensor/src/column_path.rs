//! Paths to columns, and to fields inside them.

use std::fmt;

use crate::column::Column;
use crate::error::RepresentationError;
use crate::indexed_schema::IndexedSchema;

/// A path of names, outermost first: a column, then fields of structs. Lists on the path have no step.
///
/// A path of one step may contain dots. It names the column with exactly this name or, if there is none, the field that
/// its parts lead to: `a.b` is the column `a.b`, or else the field `b` of column `a`.
///
/// ```
/// use arrowfeed_tensor::ColumnPath;
///
/// let path = ColumnPath::new(["user", "scores"]);
/// assert_eq!(path.to_string(), "user.scores");
/// assert_eq!(ColumnPath::from("user.scores").steps(), ["user.scores"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ColumnPath(Vec<String>);

impl ColumnPath {
    /// Creates a path of these steps.
    pub fn new<S: Into<String>>(steps: impl IntoIterator<Item = S>) -> Self {
        Self(steps.into_iter().map(Into::into).collect())
    }

    /// The names, outermost first.
    pub fn steps(&self) -> &[String] {
        &self.0
    }

    /// Resolves the path against a schema: returns the names of the column and of the fields, one per step.
    ///
    /// # Errors
    /// The schema has no such column or field, or more than one.
    pub fn resolved(&self, schema: &IndexedSchema) -> Result<Self, RepresentationError> {
        Column::compile(schema, self).map(|column| column.path)
    }

    /// The path of a field inside this one.
    pub(crate) fn child(&self, name: &str) -> Self {
        Self(self.0.iter().cloned().chain([name.to_owned()]).collect())
    }

    /// The path of a sibling: replaces the last step, if there is one.
    pub(crate) fn sibling(&self, name: &str) -> Self {
        let parents = self.0.split_last().map(|(_, parents)| parents).unwrap_or_default();
        Self(parents.iter().cloned().chain([name.to_owned()]).collect())
    }
}

impl From<&str> for ColumnPath {
    fn from(name: &str) -> Self {
        Self(vec![name.to_owned()])
    }
}

/// Joins the steps with dots.
impl fmt::Display for ColumnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}
