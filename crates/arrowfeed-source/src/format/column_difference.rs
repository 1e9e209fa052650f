//! The difference between two schemas, for messages.

use arrow_schema::{DataType, Field, Schema};

use crate::field_path::joined;
use crate::quoted;

/// Describes, for messages, the first column of `found` that differs from the expected one: `column "id" to be Int64,
/// found "id" as Utf8`; or the numbers of columns, if one schema is a prefix of the other.
///
/// Names the innermost field that differs, such as `"user.id"`, and its nullability or metadata if the types are equal.
#[cold]
pub fn column_difference(expected: &Schema, found: &Schema) -> String {
    let mut columns = expected.fields().iter().zip(found.fields());
    match columns.find(|(a, b)| a != b) {
        Some((a, b)) if a.name() == b.name() => field_difference(a, b, a.name().clone()),
        Some((a, b)) => {
            let (wanted, name) = (quoted(a.name()), quoted(b.name()));
            format!("column {wanted} to be {}, found {name} as {}", a.data_type(), b.data_type())
        }
        None => format!("{} columns, found {}", expected.fields().len(), found.fields().len()),
    }
}

/// The difference between two fields that are not equal.
fn field_difference(expected: &Field, found: &Field, path: String) -> String {
    if let Some((a, b, path)) = inner(expected.data_type(), found.data_type(), &path) {
        return field_difference(a, b, path);
    }
    let name = quoted(&path);
    let (mut wanted, mut given) = (expected.data_type().to_string(), found.data_type().to_string());
    if wanted == given {
        if expected.is_nullable() == found.is_nullable() {
            return metadata_difference(expected, found, &name);
        }
        let not_null = if expected.is_nullable() { &mut given } else { &mut wanted };
        not_null.insert_str(0, "non-null ");
    }
    format!("column {name} to be {wanted}, found {name} as {given}")
}

/// The first pair of inner fields that differ, if the fields around them are alike.
fn inner<'a>(
    expected: &'a DataType,
    found: &'a DataType,
    path: &str,
) -> Option<(&'a Field, &'a Field, String)> {
    use DataType::{FixedSizeList, LargeList, List, Map, Struct};
    let items = format!("{path}[]");
    let differ = |a: &'a Field, b: &'a Field, path: String| (a != b).then_some((a, b, path));
    match (expected, found) {
        (Struct(a), Struct(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b);
            let (a, b) = pairs.find(|(a, b)| a != b).filter(|(a, b)| a.name() == b.name())?;
            differ(a, b, joined(path, a.name()))
        }
        (List(a), List(b)) | (LargeList(a), LargeList(b)) => differ(a, b, items),
        (FixedSizeList(a, a_len), FixedSizeList(b, b_len)) if a_len == b_len => differ(a, b, items),
        (Map(a, a_sorted), Map(b, b_sorted)) if a_sorted == b_sorted => {
            match (a.data_type(), b.data_type()) {
                (Struct(a), Struct(b)) if a.len() == 2 && b.len() == 2 => {
                    differ(&a[1], &b[1], items).or_else(|| differ(&a[0], &b[0], format!("{path}[key]")))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The first key, in the order of the keys, whose values differ.
fn metadata_difference(expected: &Field, found: &Field, name: &str) -> String {
    let (wanted, given) = (expected.metadata(), found.metadata());
    let key = wanted.keys().chain(given.keys()).filter(|key| wanted.get(*key) != given.get(*key)).min();
    let key = key.map(String::as_str).unwrap_or_default();
    let text = |value: Option<&String>| value.map_or_else(|| "none".to_owned(), |value| quoted(value));
    let (wanted, given) = (text(wanted.get(key)), text(given.get(key)));
    format!("column {name} to have the metadata {}: {wanted}, found {given}", quoted(key))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn difference(expected: Field, found: Field) -> String {
        column_difference(&Schema::new(vec![expected]), &Schema::new(vec![found]))
    }

    fn id(kind: DataType) -> Field {
        Field::new("id", kind, true)
    }

    fn list(item: Field) -> DataType {
        DataType::List(Arc::new(item))
    }

    #[test]
    fn the_part_that_differs_is_named() {
        let int = || id(DataType::Int64);
        let record = |field: Field| Field::new("a.b", DataType::Struct(vec![int(), field].into()), true);
        let symbols = |symbols: &str| int().with_metadata([("symbols".into(), symbols.into())].into());
        let map = |value: Field| {
            let key = Field::new("key", DataType::Utf8, false);
            let entries = Field::new("entries", DataType::Struct(vec![key, value].into()), false);
            Field::new("m", DataType::Map(Arc::new(entries), false), true)
        };
        for (expected, found, text) in [
            (int(), id(DataType::Utf8), r#"column "id" to be Int64, found "id" as Utf8"#),
            (int(), Field::new("x", DataType::Utf8, true), r#"column "id" to be Int64, found "x" as Utf8"#),
            (int(), int().with_nullable(false), r#"column "id" to be Int64, found "id" as non-null Int64"#),
            (int().with_nullable(false), int(), r#"column "id" to be non-null Int64, found "id" as Int64"#),
            (
                symbols("[\"A\"]"),
                symbols("[\"B\"]"),
                r#"column "id" to have the metadata "symbols": "[\"A\"]", found "[\"B\"]""#,
            ),
            (symbols("A"), int(), r#"column "id" to have the metadata "symbols": "A", found none"#),
            (
                record(Field::new("c", DataType::Int32, true)),
                record(Field::new("c", DataType::Int64, true)),
                r#"column "a.b.c" to be Int32, found "a.b.c" as Int64"#,
            ),
            (
                id(list(int())),
                id(list(int().with_nullable(false))),
                r#"column "id[]" to be Int64, found "id[]" as non-null Int64"#,
            ),
            (
                id(list(record(symbols("A")))),
                id(list(record(symbols("B")))),
                r#"column "id[].id" to have the metadata "symbols": "A", found "B""#,
            ),
            (
                map(int()),
                map(symbols("A")),
                r#"column "m[]" to have the metadata "symbols": none, found "A""#,
            ),
        ] {
            assert_eq!(difference(expected, found), text);
        }
    }

    #[test]
    fn a_prefix_is_recognised_by_the_numbers() {
        let one = Schema::new(vec![id(DataType::Int64)]);
        assert_eq!(column_difference(&one, &Schema::empty()), "1 columns, found 0");
    }
}
