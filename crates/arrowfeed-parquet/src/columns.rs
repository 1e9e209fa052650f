//! Resolution of field paths to leaf columns of Parquet.
//!
//! The leaves of a Parquet schema are ordered by a depth-first walk through the Arrow schema. So the leaves of a field
//! are a range, and a nested field has a part of that range.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef};
use arrowfeed_source::field_path::{first_steps, list_item};
use arrowfeed_source::{FeedError, FeedErrorKind, quoted};

/// The columns that are read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Projection {
    /// Numbers of the leaf columns, ascending.
    pub(crate) leaves: Vec<usize>,
    /// Names of the columns, in order.
    pub(crate) columns: Vec<String>,
}

impl Projection {
    /// Selects all columns, or those of field paths such as `user.scores`, also through lists and maps. Columns are in
    /// the order of first mention, and nested fields in the order of the file.
    ///
    /// # Errors
    /// A path does not exist.
    pub(crate) fn new(schema: &Schema, paths: Option<&[String]>) -> Result<Self, FeedError> {
        let mut names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("expected columns of different names, found two named {}", quoted(pair[0]));
            return Err(FeedError::new(FeedErrorKind::Schema, message));
        }
        let Some(paths) = paths else {
            let columns = schema.fields().iter().map(|field| field.name().clone()).collect();
            let leaves = schema.fields().iter().map(|field| leaves(field.data_type())).sum();
            return Ok(Self { leaves: (0..leaves).collect(), columns });
        };
        let (mut leaves, mut columns): (Vec<usize>, Vec<String>) = (Vec::new(), Vec::new());
        let (mut by_name, mut seen) = (FieldsByName::default(), HashSet::new());
        for path in paths {
            let found = by_name.find(schema.fields(), path);
            let (column, range) = found.ok_or_else(|| not_found(path, schema.fields()))?;
            leaves.extend(range);
            if seen.insert(column) {
                columns.push(column.clone());
            }
        }
        leaves.sort_unstable();
        leaves.dedup();
        Ok(Self { leaves, columns })
    }
}

impl Projection {
    /// The columns of batches from a file with the schema `whole`, each with its index among the columns that are read.
    pub(crate) fn found(&self, whole: &Schema) -> Vec<(usize, FieldRef)> {
        let read = projected(whole.fields(), &self.leaves, 0);
        let by_name = by_name(&read);
        let found = self.columns.iter().filter_map(|name| by_name.get(name.as_str()));
        found.map(|named| (named.at, named.field.clone())).collect()
    }

    /// The schema of the batches.
    pub(crate) fn schema(&self, whole: &Schema) -> SchemaRef {
        let fields = self.found(whole).into_iter().map(|(_, field)| field).collect::<Fields>();
        Arc::new(Schema::new_with_metadata(fields, whole.metadata().clone()))
    }
}

/// The leaves of the type `from` that are needed for values of the type `to`. `before` is the number of the first one.
/// Fields of structs are matched by name.
pub(crate) fn leaves_for(from: &DataType, to: &DataType, before: usize) -> Vec<usize> {
    match (from, list_item(from), to, list_item(to)) {
        (DataType::Struct(found), _, DataType::Struct(wanted), _) => {
            let mut at = before;
            let mut of_fields = Vec::new();
            let wanted = by_name(wanted);
            for field in found {
                if let Some(to) = wanted.get(field.name().as_str()) {
                    of_fields.extend(leaves_for(field.data_type(), to.field.data_type(), at));
                }
                at += leaves(field.data_type());
            }
            // One leaf is needed to tell which structs are null.
            match of_fields.is_empty() && at > before {
                true => vec![before],
                false => of_fields,
            }
        }
        (_, Some(found), _, Some(wanted)) => leaves_for(found.data_type(), wanted.data_type(), before),
        (_, None, _, Some(wanted)) => leaves_for(from, wanted.data_type(), before),
        _ => (before..before + leaves(from)).collect(),
    }
}

/// The first field of a name.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) at: usize,
    pub(crate) field: &'a FieldRef,
    /// Whether no other field has the name.
    pub(crate) is_only: bool,
}

/// The fields by name.
pub(crate) fn by_name(fields: &Fields) -> HashMap<&str, Named<'_>> {
    let mut by_name = HashMap::with_capacity(fields.len());
    for (at, field) in fields.iter().enumerate() {
        let named = by_name.entry(field.name().as_str());
        named.and_modify(|first: &mut Named<'_>| first.is_only = false).or_insert(Named {
            at,
            field,
            is_only: true,
        });
    }
    by_name
}

/// The fields of each name among the columns, and in each struct that a path has led to, with the leaves of each field.
/// The columns and the structs are identified by their addresses.
#[derive(Default)]
struct FieldsByName<'a>(HashMap<*const FieldRef, HashMap<&'a str, Vec<Leaves<'a>>>>);

/// A field, and the range of its leaves among those of the fields around it.
type Leaves<'a> = (&'a FieldRef, Range<usize>);

impl<'a> FieldsByName<'a> {
    /// The first step of a path, and the leaves that the path selects.
    fn find(&mut self, fields: &'a Fields, path: &str) -> Option<(&'a String, Range<usize>)> {
        let steps: Vec<_> = first_steps(path).collect();
        // If a path can be read in several ways, take the one with the longest first step.
        steps.into_iter().rev().find_map(|(name, rest)| {
            let named = self.of(fields).get(&*name).cloned().unwrap_or_default();
            named
                .into_iter()
                .rev()
                .find_map(|(field, all)| Some((field.name(), self.of_field(field.data_type(), all, rest)?)))
        })
    }

    /// The leaves of a path inside a value with the leaves `all`. Maps are read as a whole.
    fn of_field(&mut self, data_type: &'a DataType, all: Range<usize>, path: &str) -> Option<Range<usize>> {
        if path.is_empty() {
            return Some(all);
        }
        match data_type {
            DataType::Struct(fields) => {
                let (_, range) = self.find(fields, path)?;
                Some(all.start + range.start..all.start + range.end)
            }
            DataType::Map(entries, _) => {
                let DataType::Struct(entry) = entries.data_type() else { return None };
                self.of_field(entry.get(1)?.data_type(), all.clone(), path).map(|_| all)
            }
            other => self.of_field(list_item(other)?.data_type(), all, path),
        }
    }

    fn of(&mut self, fields: &'a Fields) -> &HashMap<&'a str, Vec<Leaves<'a>>> {
        self.0.entry(fields.as_ptr()).or_insert_with(|| {
            let mut by_name: HashMap<&str, Vec<Leaves<'_>>> = HashMap::new();
            let mut before = 0;
            for field in fields {
                let end = before + leaves(field.data_type());
                by_name.entry(field.name()).or_default().push((field, before..end));
                before = end;
            }
            by_name
        })
    }
}

/// Number of leaf columns of a type.
pub(crate) fn leaves(data_type: &DataType) -> usize {
    match data_type {
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field.data_type())).sum(),
        DataType::Map(entries, _) => leaves(entries.data_type()),
        other => list_item(other).map_or(1, |item| leaves(item.data_type())),
    }
}

/// The fields that contain some of the leaves `wanted`, which ascend, reduced to these leaves. `before` is the number
/// of the first leaf of `fields`.
pub(crate) fn projected(fields: &Fields, wanted: &[usize], before: usize) -> Fields {
    let mut at = before;
    let kept = fields.iter().filter_map(|field| {
        let first = at;
        at += leaves(field.data_type());
        let next = wanted.partition_point(|leaf| *leaf < first);
        let any = wanted.get(next).is_some_and(|leaf| *leaf < at);
        any.then(|| of_wanted(field, wanted, first))
    });
    kept.collect()
}

fn of_wanted(field: &FieldRef, wanted: &[usize], before: usize) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(projected(fields, wanted, before)),
        // A map is read as a whole.
        other => match with_item(other, |item| of_wanted(item, wanted, before)) {
            Some(list) => list,
            None => return field.clone(),
        },
    };
    retyped(field, data_type)
}

pub(crate) fn retyped(field: &FieldRef, data_type: DataType) -> FieldRef {
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

/// Maps the item of a list type. `None` for other types.
pub(crate) fn with_item(data_type: &DataType, of: impl FnOnce(&FieldRef) -> FieldRef) -> Option<DataType> {
    Some(match data_type {
        DataType::List(item) => DataType::List(of(item)),
        DataType::LargeList(item) => DataType::LargeList(of(item)),
        DataType::ListView(item) => DataType::ListView(of(item)),
        DataType::LargeListView(item) => DataType::LargeListView(of(item)),
        DataType::FixedSizeList(item, n) => DataType::FixedSizeList(of(item), *n),
        _ => return None,
    })
}

#[cold]
fn not_found(path: &str, fields: &Fields) -> FeedError {
    let names: Vec<String> = fields.iter().take(20).map(|field| quoted(field.name())).collect();
    let message =
        format!("expected a column of the file, found {}; the file has {}", quoted(path), names.join(", "));
    FeedError::new(FeedErrorKind::Schema, message)
}

/// Replaces the dictionaries in a field by plain values: each row group has its own dictionary, and a batch may contain
/// rows of several row groups.
pub(crate) fn without_dictionaries(field: &FieldRef) -> FieldRef {
    retyped(field, without_dictionary(field.data_type()))
}

fn without_dictionary(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => without_dictionary(values),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(without_dictionaries).collect()),
        DataType::Map(entries, sorted) => DataType::Map(without_dictionaries(entries), *sorted),
        other => with_item(other, without_dictionaries).unwrap_or_else(|| other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use arrow_schema::Field;

    use super::*;

    fn schema() -> Schema {
        let int = |name: &str| Field::new(name, DataType::Int32, false);
        let point = Fields::from(vec![int("x"), int("y.z")]);
        let entry =
            Fields::from(vec![int("key"), Field::new("value", DataType::Struct(point.clone()), false)]);
        let entries = Arc::new(Field::new("entries", DataType::Struct(entry), false));
        Schema::new(vec![
            int("a"),
            Field::new("p", DataType::Struct(point.clone()), false),
            Field::new("l", DataType::new_list(DataType::Struct(point), true), true),
            Field::new("m", DataType::Map(entries, false), true),
            int("a.b"),
        ])
    }

    fn leaves_of(paths: &[&str]) -> Vec<usize> {
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        Projection::new(&schema(), Some(&paths)).unwrap().leaves
    }

    #[test]
    fn paths_lead_through_structs_lists_and_maps() {
        assert_eq!(Projection::new(&schema(), None).unwrap().leaves, (0..9).collect::<Vec<_>>());
        assert_eq!(leaves_of(&["a"]), [0]);
        assert_eq!(leaves_of(&["p"]), [1, 2]);
        assert_eq!(leaves_of(&["p.y.z"]), [2]);
        assert_eq!(leaves_of(&["p['y.z']", "a.b", "a"]), [0, 2, 8]);
        assert_eq!(leaves_of(&["l.x"]), [3]);
        assert_eq!(leaves_of(&["m.y.z"]), [5, 6, 7]);
        assert_eq!(leaves_of(&["['a.b']"]), [8]);
        assert!(leaves_of(&[]).is_empty());
    }

    #[test]
    fn columns_come_in_the_order_of_first_mention() {
        let paths = ["m.x", "a", "m.y.z"].map(str::to_owned);
        assert_eq!(Projection::new(&schema(), Some(&paths)).unwrap().columns, ["m", "a"]);
    }

    #[test]
    fn a_path_that_leads_nowhere_is_an_error() {
        for path in ["b", "p.w", "a.x", "", "p."] {
            let error = Projection::new(&schema(), Some(&[path.to_owned()])).unwrap_err();
            let expected = format!(
                "expected a column of the file, found \"{path}\"; the file has \"a\", \"p\", \"l\", \"m\", \"a.b\""
            );
            assert_eq!(error.to_string(), expected);
        }
    }
}
