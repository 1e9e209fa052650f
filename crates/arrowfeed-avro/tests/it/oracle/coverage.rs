//! Checks that the random cases cover all types, codecs and options; otherwise the laws would show little.

use std::collections::BTreeMap;

use arrow_schema::{DataType, Field};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::support::case::{Case, cases};
use crate::support::evolve::evolve;
use crate::support::shapes::Kinds;

fn some_cases(kinds: Kinds) -> Vec<Case> {
    let mut runner = TestRunner::deterministic();
    let strategy = cases(kinds);
    (0..400).map(|_| strategy.new_tree(&mut runner).expect("no filters").current()).collect()
}

#[test]
fn random_cases_have_rows_of_every_type() {
    let mut types = BTreeMap::new();
    for case in some_cases(Kinds::All).iter().filter(|case| !case.rows.is_empty()) {
        case.mapping().columns().iter().for_each(|field| count(field, 0, &mut types));
    }
    let wanted = [
        "Null",
        "Boolean",
        "Int32",
        "Int64",
        "Float32",
        "Float64",
        "Utf8",
        "LargeUtf8",
        "Utf8View",
        "Binary",
        "FixedSizeBinary",
        "Decimal128",
        "Decimal256",
        "Date32",
        "Time32",
        "Time64",
        "Timestamp",
        "Interval",
        "Dictionary",
        "List",
        "Map",
        "Struct",
        "Union",
        "depth 4",
    ];
    for name in wanted {
        assert!(types.get(name).is_some_and(|n| *n >= 5), "{name}: {types:?}");
    }
}

#[test]
fn random_schemas_reuse_names_and_contain_themselves() {
    let cases = some_cases(Kinds::Recursive);
    let trees = cases.iter().filter(|case| case.is_recursive()).count();
    let again = cases.iter().filter(|case| case.file.schema.matches("T1\"").count() > 1).count();
    assert!(trees > 50 && again > 20, "{trees} {again}");
}

#[test]
fn random_reader_schemas_differ_from_the_writers() {
    let cases = some_cases(Kinds::All);
    let evolved = |case: &&Case| {
        let reader = evolve(&case.schema, &mut case.seed.clone());
        !case.rows.is_empty() && reader.to_json() != case.schema.to_json()
    };
    assert!(cases.iter().filter(evolved).count() > 300);
}

/// Counts the types of a field and of those inside it, by name.
fn count(field: &Field, depth: usize, types: &mut BTreeMap<String, usize>) {
    let name = format!("{:?}", field.data_type());
    let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    *types.entry(name.to_owned()).or_default() += 1;
    *types.entry(format!("depth {depth}")).or_default() += 1;
    match field.data_type() {
        DataType::List(items) | DataType::Map(items, _) => count(items, depth + 1, types),
        DataType::Struct(fields) => fields.iter().for_each(|field| count(field, depth + 1, types)),
        DataType::Union(fields, _) => fields.iter().for_each(|(_, field)| count(field, depth + 1, types)),
        _ => {}
    }
}
