//! The columns that remain when a caller excludes some.

use std::collections::HashSet;

use crate::field_path::{field_path, first_steps};
use crate::{FeedError, FeedErrorKind, quoted};

/// Returns the field paths of the columns `names` that `excluded` does not name, in the order of `names`. `excluded` has names
/// of columns, which may be quoted as steps of paths.
///
/// # Errors
/// `excluded` names a column that is not among `names`.
///
/// ```
/// use arrowfeed_source::format::remaining_columns;
///
/// let found = remaining_columns(&["id", "a.b", "name"], &["name".to_owned()]);
/// assert_eq!(found.unwrap(), ["id", "['a.b']"]);
/// ```
pub fn remaining_columns<S: AsRef<str>>(names: &[S], excluded: &[String]) -> Result<Vec<String>, FeedError> {
    let known: HashSet<&str> = names.iter().map(AsRef::as_ref).collect();
    let mut left_out = HashSet::new();
    for column in excluded {
        let named = first_steps(column).find(|(name, rest)| rest.is_empty() && known.contains(&**name));
        let (name, _) = named.ok_or_else(|| unknown(names, column))?;
        left_out.insert(name);
    }
    let remaining = names.iter().map(AsRef::as_ref).filter(|name| !left_out.contains(*name));
    Ok(remaining.map(|name| field_path([name])).collect())
}

#[cold]
fn unknown<S: AsRef<str>>(names: &[S], column: &str) -> FeedError {
    let names: Vec<String> = names.iter().map(|name| quoted(name.as_ref())).collect();
    let message =
        format!("expected the name of a column to exclude, one of {}, found none", names.join(", "));
    FeedError::new(FeedErrorKind::Schema, message).in_field(column)
}

/// Returns the error of a caller who both selects and excludes columns, if there is one.
///
/// # Errors
/// Both are given.
pub fn check_selection(columns: Option<&[String]>, exclude: Option<&[String]>) -> Result<(), FeedError> {
    if columns.is_some() && exclude.is_some() {
        let message = "exclude: expected either columns or exclude, found both";
        return Err(FeedError::new(FeedErrorKind::Options, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remaining(names: &[&str], excluded: &[&str]) -> Result<Vec<String>, String> {
        let excluded: Vec<String> = excluded.iter().map(|name| (*name).to_owned()).collect();
        remaining_columns(names, &excluded).map_err(|error| error.to_string())
    }

    #[test]
    fn names_and_quoted_names_are_excluded() {
        let names = ["id", "a.b", "it's", "a"];
        assert_eq!(remaining(&names, &[]).unwrap(), ["id", "['a.b']", "['it''s']", "a"]);
        assert_eq!(remaining(&names, &["a.b", "id"]).unwrap(), ["['it''s']", "a"]);
        assert_eq!(remaining(&names, &["['a.b']", "['it''s']", "['it''s']"]).unwrap(), ["id", "a"]);
        assert_eq!(remaining(&names, &names).unwrap(), [""; 0]);
    }

    #[test]
    fn a_column_that_does_not_exist_is_an_error() {
        assert_eq!(
            remaining(&["id", "a"], &["a", "a.b"]).unwrap_err(),
            "a.b: expected the name of a column to exclude, one of \"id\", \"a\", found none"
        );
    }

    #[test]
    fn columns_are_selected_or_excluded() {
        let one = ["a".to_owned()];
        for (columns, exclude) in [(None, None), (Some(&one[..]), None), (None, Some(&one[..]))] {
            assert!(check_selection(columns, exclude).is_ok());
        }
        let error = check_selection(Some(&one), Some(&one)).unwrap_err();
        assert_eq!(error.kind(), FeedErrorKind::Options);
        assert_eq!(error.to_string(), "exclude: expected either columns or exclude, found both");
    }
}
