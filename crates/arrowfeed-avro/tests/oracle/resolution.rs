//! Reader schemas.

use arrowfeed_avro::AvroSchema;
use proptest::prelude::*;

use crate::support::case::{assert_reads, cases, config, read_all};
use crate::support::evolve::evolve;
use crate::support::mapping::Mapping;
use crate::support::resolve::Resolver;
use crate::support::shapes::Kinds;
use crate::support::value::Value;

use crate::sources::assert_same;

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn the_writers_schema_as_readers_schema_changes_nothing(case in cases(Kinds::All)) {
        let expected = read_all(case.builder().open(case.source()));
        for json in [case.file.schema.clone(), case.schema.to_json()] {
            let schema = AvroSchema::parse(&json).unwrap();
            assert_same(&read_all(case.builder().with_reader_schema(schema).open(case.source())), &expected);
        }
    }

    #[test]
    fn an_evolved_schema_reads_what_resolution_says(case in cases(Kinds::All)) {
        let reader = evolve(&case.schema, &mut case.seed.clone());
        let resolver = Resolver { writer: &case.schema, reader: &reader };
        let mapping = Mapping::new(&reader, case.strings);
        let row = |row: &Value| mapping.cells(&resolver.row(row));
        let cells: Vec<Vec<Value>> = case.rows.iter().map(row).collect();
        let json = reader.to_json();
        let schema = AvroSchema::parse(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
        let opened = case.builder().with_reader_schema(schema).open(case.source());
        let opened = opened.unwrap_or_else(|error| panic!("{json}: {error}"));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            assert_reads(Ok(opened), mapping.columns(), &cells);
        }));
        prop_assert!(result.is_ok(), "reader: {}", json);
    }
}
