//! Texts with the character NUL, which cannot be exported: names, and the time zones in types, are C strings.

use arrow_schema::{DataType, Field, Fields};

/// A text with NUL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nul<'a> {
    /// The names from a column to the text. Empty names are left out.
    pub path: Vec<&'a str>,
    /// `a name` or `a time zone`.
    pub what: &'static str,
    /// The text.
    pub text: &'a str,
}

impl Nul<'_> {
    /// What is expected instead.
    pub fn expected(&self) -> String {
        format!("{} without the character NUL, which Arrow's C data interface needs", self.what)
    }
}

/// A text with NUL, and what it is.
type Found<'a> = (&'static str, &'a str);

/// Finds the first text with NUL in a schema.
///
/// ```
/// use arrow_schema::{DataType, Field, Fields};
///
/// let fields = Fields::from(vec![Field::new("a\0b", DataType::Int64, false)]);
/// assert_eq!(arrowfeed_ffi::first_nul(&fields).map(|found| (found.what, found.text)), Some(("a name", "a\0b")));
/// ```
pub fn first_nul(fields: &Fields) -> Option<Nul<'_>> {
    fields.iter().find_map(|field| first_nul_in(field))
}

/// Finds the first text with NUL in a field.
pub fn first_nul_in(field: &Field) -> Option<Nul<'_>> {
    let mut path = Vec::new();
    let (what, text) = in_field(field, &mut path)?;
    path.retain(|name| !name.is_empty());
    Some(Nul { path, what, text })
}

/// Finds the first text with NUL in a field. `path` then ends with the names from the field to that text.
fn in_field<'a>(field: &'a Field, path: &mut Vec<&'a str>) -> Option<Found<'a>> {
    path.push(field.name());
    if field.name().contains('\0') {
        return Some(("a name", field.name()));
    }
    let found = in_type(field.data_type(), path);
    if found.is_none() {
        path.pop();
    }
    found
}

fn in_type<'a>(data_type: &'a DataType, path: &mut Vec<&'a str>) -> Option<Found<'a>> {
    use DataType::{
        Dictionary, FixedSizeList, LargeList, LargeListView, List, ListView, Map, RunEndEncoded, Struct,
        Timestamp, Union,
    };
    match data_type {
        Timestamp(_, Some(zone)) if zone.contains('\0') => Some(("a time zone", zone)),
        List(item)
        | LargeList(item)
        | ListView(item)
        | LargeListView(item)
        | FixedSizeList(item, _)
        | Map(item, _) => in_field(item, path),
        Struct(fields) => fields.iter().find_map(|field| in_field(field, path)),
        Union(fields, _) => fields.iter().find_map(|(_, field)| in_field(field, path)),
        Dictionary(_, values) => in_type(values, path),
        RunEndEncoded(ends, values) => in_field(ends, path).or_else(|| in_field(values, path)),
        _ => None,
    }
}
