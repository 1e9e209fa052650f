//! Projection of fields at any depth.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use arrowfeed_avro::{AvroOptions, FeedErrorKind};
use proptest::prelude::*;

use crate::support::case::{Case, assert_reads, cases, config, read};
use crate::support::shapes::Kinds;
use crate::support::value::Value;

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn projection_is_selecting_after_reading(case in cases(Kinds::Recursive)) {
        let columns = case.mapping().columns();
        let paths = some_paths(&case, &columns);
        let wanted: Vec<&str> = paths.iter().map(String::as_str).collect();
        let (fields, places) = select(&Fields::from(columns), &wanted);
        let fields = fields.iter().map(|field| (**field).clone()).collect();
        let cells: Vec<Vec<Value>> = case.cells().iter().map(|row| pick(row, &places)).collect();
        let options = AvroOptions { columns: Some(paths), ..case.options() };
        assert_reads(case.open_as(options), fields, &cells);
    }

    #[test]
    fn a_type_that_contains_itself_is_refused_where_it_is_read(case in cases(Kinds::Recursive)) {
        let (batches, error) = read(case.open());
        prop_assert_eq!(error.is_some(), case.is_recursive());
        if let Some(error) = error {
            prop_assert!(batches.is_empty());
            prop_assert_eq!(error.kind(), FeedErrorKind::Schema);
            let message = error.message();
            let expected = "record \"t.Tree";
            prop_assert!(message.starts_with(expected), "{}", message);
            let rest = "\" is recursive and cannot become an Arrow column; leave it out with `exclude` or `columns`";
            prop_assert!(message.ends_with(rest), "{}", message);
        }
    }
}

/// Random paths of fields that can be read.
fn some_paths(case: &Case, columns: &[Field]) -> Vec<String> {
    let mut all = Vec::new();
    columns.iter().for_each(|field| add_paths(field, "", &mut all));
    let mut seed = case.seed.clone();
    seed.shuffle(&mut all);
    all.truncate(seed.below(6));
    all
}

/// Adds the paths that can be read. Recursive types appear as null here and cannot be told from other nulls, so nulls and
/// types that contain them are left out.
fn add_paths(field: &Field, prefix: &str, paths: &mut Vec<String>) {
    let path = format!("{prefix}{}", field.name());
    if !holds_null(field.data_type()) {
        paths.push(path.clone());
    }
    for child in record(field.data_type()).into_iter().flatten() {
        add_paths(child, &format!("{path}."), paths);
    }
}

fn holds_null(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null => true,
        DataType::Struct(fields) => fields.iter().any(|field| holds_null(field.data_type())),
        DataType::List(items) | DataType::Map(items, _) => holds_null(items.data_type()),
        DataType::Union(fields, _) => {
            let mut fields = fields.iter();
            fields.any(|(_, field)| field.name() != "null" && holds_null(field.data_type()))
        }
        _ => false,
    }
}

/// The fields of the record that a path leads to, through arrays and maps.
fn record(data_type: &DataType) -> Option<&Fields> {
    match data_type {
        DataType::Struct(fields) => Some(fields),
        DataType::List(items) => record(items.data_type()),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(entry) => record(entry[1].data_type()),
            _ => None,
        },
        _ => None,
    }
}

/// Indexes of selected fields of a record, with the selection inside each; `None` if the whole field is selected.
type Places = Vec<(usize, Option<Box<Pick>>)>;

struct Pick(Places);

/// Selects the fields that paths name, in the order of their first mention. A field mentioned as a whole is read whole.
fn select(fields: &Fields, paths: &[&str]) -> (Fields, Places) {
    let mut names: Vec<&str> = Vec::new();
    let first = |path: &str| path.split('.').next().unwrap_or_default().len();
    for path in paths {
        let name = &path[..first(path)];
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (mut chosen, mut places) = (Vec::new(), Vec::new());
    for name in names {
        let place = fields.iter().position(|field| field.name() == name).expect("a path of these fields");
        let whole = paths.contains(&name);
        let rest: Vec<&str> = paths
            .iter()
            .filter(|path| &path[..first(path)] == name)
            .filter_map(|path| path.get(name.len() + 1..))
            .collect();
        let field = &fields[place];
        let (field, pick) = if whole { (field.clone(), None) } else { narrow(field, &rest) };
        chosen.push(field);
        places.push((place, pick));
    }
    (chosen.into(), places)
}

fn narrow(field: &Arc<Field>, paths: &[&str]) -> (Arc<Field>, Option<Box<Pick>>) {
    let (data_type, pick) = match field.data_type() {
        DataType::Struct(fields) => {
            let (fields, places) = select(fields, paths);
            (DataType::Struct(fields), Some(Box::new(Pick(places))))
        }
        DataType::List(items) => {
            let (items, pick) = narrow(items, paths);
            (DataType::List(items), pick)
        }
        DataType::Map(entries, sorted) => {
            let DataType::Struct(entry) = entries.data_type() else { panic!("entries are records") };
            let (value, pick) = narrow(&entry[1], paths);
            let entry = DataType::Struct(vec![entry[0].clone(), value].into());
            (DataType::Map(Arc::new((**entries).clone().with_data_type(entry)), *sorted), pick)
        }
        other => panic!("no fields in {other}"),
    };
    (Arc::new((**field).clone().with_data_type(data_type)), pick)
}

fn pick(row: &[Value], places: &Places) -> Vec<Value> {
    places.iter().map(|(place, of)| pick_value(&row[*place], of.as_deref())).collect()
}

fn pick_value(value: &Value, of: Option<&Pick>) -> Value {
    match (value, of) {
        (value, None) => value.clone(),
        (Value::Record(values), Some(Pick(places))) => Value::Record(pick(values, places)),
        (Value::List(items), of) => Value::List(items.iter().map(|item| pick_value(item, of)).collect()),
        (Value::Map(entries), of) => {
            let entries = entries.iter();
            Value::Map(entries.map(|(key, value)| (key.clone(), pick_value(value, of))).collect())
        }
        (value, _) => value.clone(),
    }
}
