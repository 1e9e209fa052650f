//! Syntax of field paths: `user.scores`, and `['a.b'].c` if a name needs quotes.
//!
//! A quoted step contains the name verbatim, with each quote doubled. An unquoted step may contain dots and brackets,
//! because writers use them in names; its meaning depends on the fields that exist.

use std::borrow::Cow;

use arrow_schema::{DataType, FieldRef};
use arrowfeed_predicate::path::after_name;
pub use arrowfeed_predicate::path::{after_step, quoted_step, split_quoted};

use crate::printable;

/// Builds the path through the fields with these names.
///
/// ```
/// assert_eq!(arrowfeed_source::field_path::field_path(["user", "scores"]), "user.scores");
/// assert_eq!(arrowfeed_source::field_path::field_path(["a.b", "it's", "c"]), "['a.b']['it''s'].c");
/// ```
pub fn field_path<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    names.into_iter().fold(String::new(), |path, name| joined(&path, name.as_ref()))
}

/// Appends the step to the field `name` to `path`.
pub fn joined(path: &str, name: &str) -> String {
    format!("{path}{}", step(name, path.is_empty()))
}

/// Formats one step of a path.
pub fn step(name: &str, first: bool) -> String {
    match (needs_quotes(name), first) {
        (true, _) => quoted_step(name),
        (false, true) => name.to_owned(),
        (false, false) => format!(".{name}"),
    }
}

/// Returns each name for which [`after_step`] returns the rest of the path, with this rest; the shortest name first.
///
/// ```
/// use arrowfeed_source::field_path::first_steps;
///
/// assert!(first_steps("a.b['c']").eq([("a".into(), "b['c']"), ("a.b".into(), "['c']"), ("a.b['c']".into(), "")]));
/// assert!(first_steps("['a.b'].c").eq([("a.b".into(), "c")]));
/// ```
pub fn first_steps(path: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    let quoted = split_quoted(path);
    let ends = if quoted.is_some() { 0..0 } else { 0..path.len() + 1 };
    let ends = ends.filter(|end| path.is_char_boundary(*end));
    let unquoted = ends.map(|end| (Cow::Borrowed(&path[..end]), &path[end..]));
    let quoted = quoted.map(|(name, rest)| (Cow::Owned(name), rest));
    let steps = quoted.into_iter().chain(unquoted);
    steps.filter_map(|(name, rest)| after_name(rest).map(|rest| (name, rest)))
}

/// Whether the name would be ambiguous without quotes in a path or a message.
fn needs_quotes(name: &str) -> bool {
    name.is_empty() || name.contains(['.', '[', ']', '\'']) || name.trim() != name || printable(name) != name
}

/// The items of a list type, through which a path goes without a step. `None` for other types.
///
/// ```
/// use arrow_schema::DataType;
/// use arrowfeed_source::field_path::list_item;
///
/// let list = DataType::new_list(DataType::Int64, true);
/// assert_eq!(list_item(&list).map(|item| item.data_type()), Some(&DataType::Int64));
/// assert_eq!(list_item(&DataType::Int64), None);
/// ```
pub fn list_item(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_path_that_is_read_back() {
        for name in ["", "a", "a.b", "it's", "['x']", "a]", " a", "a b", "a-b", "größe", "a\nb", "''", "'"]
        {
            assert_eq!(split_quoted(&quoted_step(name)), Some((name.to_owned(), "")), "{name:?}");
        }
        assert_eq!(split_quoted("['a'].b"), Some(("a".to_owned(), ".b")));
        for path in ["a", "['a", "['a'", "['a''", "[a]", "['a'b]"] {
            assert_eq!(split_quoted(path), None, "{path}");
        }
    }

    #[test]
    fn plain_names_have_no_quotes() {
        let path = |names: &[&str]| field_path(names);
        assert_eq!(path(&["a-b", "c d", "$x", "größe"]), "a-b.c d.$x.größe");
        assert_eq!(path(&["", "a.b", "x", "t [EUR]"]), "['']['a.b'].x['t [EUR]']");
        assert_eq!(path(&["a\u{202e}"]), "['a\u{202e}']");
    }
}
