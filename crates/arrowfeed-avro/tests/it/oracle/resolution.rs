//! Reader schemas.

use arrowfeed_avro::{AvroOptions, AvroSchema, FeedErrorKind};
use proptest::prelude::*;

use crate::support::case::{assert_reads, cases, config, read, read_all};
use crate::support::decode::in_range;
use crate::support::evolve::evolve;
use crate::support::mapping::Mapping;
use crate::support::resolve::Resolver;
use crate::support::schema::{Definition, Schema, Type};
use crate::support::shapes::Kinds;
use crate::support::value::Value;

use super::sources::assert_same;

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn the_writers_schema_as_readers_schema_changes_nothing(case in cases(Kinds::All)) {
        let expected = read_all(case.open());
        for json in [case.file.schema.clone(), case.schema.to_json()] {
            let reader_schema = Some(AvroSchema::parse(&json).unwrap());
            let options = AvroOptions { reader_schema, ..case.options() };
            assert_same(&read_all(case.open_as(options)), &expected);
        }
    }

    #[test]
    fn an_evolved_schema_reads_what_resolution_says(case in cases(Kinds::All)) {
        let reader = evolve(&case.schema, &mut case.seed.clone());
        let resolver = Resolver { writer: &case.schema, reader: &reader };
        let mapping = Mapping::new(&reader, case.strings);
        let rows: Vec<Value> = case.rows.iter().map(|row| resolver.row(row)).collect();
        let cells: Vec<Vec<Value>> = rows.iter().map(|row| mapping.cells(row)).collect();
        let json = reader.to_json();
        let schema = AvroSchema::parse(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
        let opened = case.open_as(AvroOptions { reader_schema: Some(schema), ..case.options() });
        let opened = opened.unwrap_or_else(|error| panic!("{json}: {error}"));
        if !rows.iter().all(|row| times_are_of_a_day(&reader, &reader.root, row)) {
            let (_, error) = read(Ok(opened));
            let error = error.unwrap_or_else(|| panic!("{json}: expected an error"));
            prop_assert_eq!(error.kind(), FeedErrorKind::CorruptBlock, "{}", error);
            prop_assert!(error.message().starts_with("expected a time of day"), "{}", error);
            return Ok(());
        }
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            assert_reads(Ok(opened), mapping.columns(), &cells);
        }));
        prop_assert!(result.is_ok(), "reader: {}", json);
    }
}

/// Whether no integer became a time outside the day, which is possible because a writer's plain `int` may be read as a time.
pub(crate) fn times_are_of_a_day(schema: &Schema, ty: &Type, value: &Value) -> bool {
    let fits = |ty, value| times_are_of_a_day(schema, ty, value);
    match (ty, value) {
        (Type::Primitive(_, logical), Value::Int(number)) => in_range(*number, logical.as_ref()).is_some(),
        (Type::Array(ty), Value::List(items)) => items.iter().all(|item| fits(ty, item)),
        (Type::Map(ty), Value::Map(entries)) => entries.iter().all(|(_, value)| fits(ty, value)),
        (Type::Union(branches), Value::Branch(index, value)) => fits(&branches[*index], value),
        (Type::Named(name), Value::Record(values)) => match schema.definition(name) {
            Definition::Record(fields) => {
                fields.iter().zip(values).all(|(field, value)| fits(&field.ty, value))
            }
            _ => true,
        },
        _ => true,
    }
}
