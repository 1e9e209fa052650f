//! Resolution of field paths for formats that read only whole columns.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Fields, Schema, SchemaRef};

use crate::field_path::{first_steps, list_item};
use crate::{FeedError, FeedErrorKind, quoted};

/// Returns the indices of the columns that the field paths name, without duplicates, for formats that read only whole
/// columns. A path may go on to a field inside a column, also through lists and maps.
///
/// # Errors
/// A path does not exist.
pub fn named_columns(schema: &Schema, paths: &[String]) -> Result<Vec<usize>, FeedError> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for number in each_named_column(schema, paths) {
        let number = number?;
        if seen.insert(number) {
            found.push(number);
        }
    }
    Ok(found)
}

/// Returns the schema of the columns that the field paths name, and their indices, as [`named_columns`].
///
/// # Errors
/// A path does not exist.
pub fn project(schema: &Schema, paths: &[String]) -> Result<(SchemaRef, Vec<usize>), FeedError> {
    let numbers = named_columns(schema, paths)?;
    let fields: Fields = numbers.iter().map(|number| schema.fields()[*number].clone()).collect();
    Ok((Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())), numbers))
}

/// Returns the index of the column that each of the field paths names, or an error if the path does not exist.
pub fn each_named_column<'a>(
    schema: &'a Schema,
    paths: &'a [String],
) -> impl Iterator<Item = Result<usize, FeedError>> + 'a {
    let fields = schema.fields().iter().enumerate().rev();
    let named: HashMap<&str, usize> = fields.map(|(number, field)| (field.name().as_str(), number)).collect();
    paths.iter().map(move |path| {
        let columns = first_steps(path).filter_map(|(name, rest)| Some((*named.get(&*name)?, rest)));
        let columns: Vec<(usize, &str)> = columns.collect();
        // If a path can be read in several ways, take the one with the longest first step.
        let found =
            columns.iter().rev().find(|(number, rest)| has_path(schema.field(*number).data_type(), rest));
        match (found, columns.last()) {
            (Some((number, _)), _) => Ok(*number),
            (None, Some((number, _))) => Err(without_field(schema.field(*number).name(), path)),
            (None, None) => Err(without_column(schema, path)),
        }
    })
}

/// Whether a value of this type has a field at the path, also in lists and maps. The empty path is the value.
fn has_path(data_type: &DataType, path: &str) -> bool {
    if path.is_empty() {
        return true;
    }
    match data_type {
        DataType::Struct(fields) => first_steps(path).any(|(name, rest)| {
            fields.iter().any(|field| *field.name() == *name && has_path(field.data_type(), rest))
        }),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(entry) => entry.get(1).is_some_and(|value| has_path(value.data_type(), path)),
            _ => false,
        },
        other => list_item(other).is_some_and(|item| has_path(item.data_type(), path)),
    }
}

#[cold]
fn without_column(schema: &Schema, path: &str) -> FeedError {
    let names: Vec<String> = schema.fields().iter().map(|field| quoted(field.name())).collect();
    let message = format!("expected a column of this name, one of {}, found none", names.join(", "));
    FeedError::new(FeedErrorKind::Schema, message).in_field(path)
}

#[cold]
fn without_field(column: &str, path: &str) -> FeedError {
    let message = format!("expected a path to a field of the column {}, found none", quoted(column));
    FeedError::new(FeedErrorKind::Schema, message).in_field(path)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{Field, Fields};

    use super::*;

    fn found(paths: &[&str]) -> Result<Vec<usize>, String> {
        let numbers = |names: &[&str]| -> Fields {
            names.iter().map(|name| Field::new(*name, DataType::Int64, true)).collect()
        };
        let of = |fields: Fields| DataType::Struct(fields);
        let list = DataType::new_list(of(numbers(&["x", "y.z"])), true);
        let entry: Fields =
            vec![Field::new("key", DataType::Utf8, false), Field::new("value", list.clone(), true)].into();
        let map = DataType::Map(Arc::new(Field::new("entries", of(entry), false)), false);
        let dotted = Field::new("s.a", of(numbers(&["c"])), true);
        let fields = vec![
            Field::new("id", DataType::Int64, true),
            Field::new("s", of(numbers(&["a", "b"])), true),
            dotted,
            Field::new("list", list, true),
            Field::new("map", map, true),
            Field::new("id", DataType::Utf8, true),
        ];
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        named_columns(&Schema::new(fields), &paths).map_err(|error| error.to_string())
    }

    #[test]
    fn a_path_names_the_column_that_has_its_field() {
        assert_eq!(found(&["s.b", "id", "s"]), Ok(vec![1, 0]));
        assert_eq!(found(&["s.a"]), Ok(vec![2]));
        assert_eq!(found(&["s.a.c", "['s'].a", "['s.a'].c"]), Ok(vec![2, 1]));
        assert_eq!(found(&["list.x", "map.x", "list.y.z", "map['y.z']"]), Ok(vec![3, 4]));
        assert_eq!(found(&[]), Ok(vec![]));
    }

    #[test]
    fn a_path_that_leads_nowhere_is_an_error() {
        let cases = [
            (
                "no",
                r#"no: expected a column of this name, one of "id", "s", "s.a", "list", "map", "id", found none"#,
            ),
            ("id.foo", r#"id.foo: expected a path to a field of the column "id", found none"#),
            ("s.b.c", r#"s.b.c: expected a path to a field of the column "s", found none"#),
            ("['s'].c", r#"['s'].c: expected a path to a field of the column "s", found none"#),
            ("s.a.d", r#"s.a.d: expected a path to a field of the column "s.a", found none"#),
            ("list.y", r#"list.y: expected a path to a field of the column "list", found none"#),
            ("map.key", r#"map.key: expected a path to a field of the column "map", found none"#),
        ];
        for (path, message) in cases {
            assert_eq!(found(&["id", path]), Err(message.to_owned()));
        }
    }
}
