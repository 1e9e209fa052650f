//! Names of columns, and of fields inside them.

use std::fmt;

use arrow_schema::Schema;

use crate::column::Column;
use crate::error::RepresentationError;

/// Names from the outside in: a column, then fields of structs. Lists on the way have no step of their own.
///
/// A path of one step may hold dots: it names the column that is called so, and where there is none, the field that
/// its parts lead to. `a.b` is therefore the column `a.b`, or else field `b` of column `a`.
///
/// ```
/// use arrowfeed_tensor::ColumnPath;
///
/// let path = ColumnPath::new(["user", "scores"]);
/// assert_eq!(path.to_string(), "user.scores");
/// assert_eq!(ColumnPath::from("user.scores").steps(), ["user.scores"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnPath(Vec<String>);

impl ColumnPath {
    /// A path of these steps.
    pub fn new<S: Into<String>>(steps: impl IntoIterator<Item = S>) -> Self {
        Self(steps.into_iter().map(Into::into).collect())
    }

    /// The names, from the outside in.
    pub fn steps(&self) -> &[String] {
        &self.0
    }

    /// The names of the column and of the fields that the path leads to in a schema, one a step.
    ///
    /// # Errors
    /// It leads to none.
    pub fn resolved(&self, schema: &Schema) -> Result<Self, RepresentationError> {
        Column::compile(schema, self).map(|column| column.path)
    }

    /// The path of a field of it.
    pub(crate) fn child(&self, name: &str) -> Self {
        Self(self.0.iter().cloned().chain([name.to_owned()]).collect())
    }

    /// The path of a sibling: the last step replaced, where there is one.
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

/// Steps joined by dots.
impl fmt::Display for ColumnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}
