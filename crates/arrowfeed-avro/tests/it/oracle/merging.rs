//! Schemas that are merged from those of several files.

use arrowfeed_avro::{
    AvroFormat, AvroOptions, AvroSchema, Codec, FeedError, FeedErrorKind, FileSource, Limits, MergedSchema,
    ReadOptions,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::support::case::{Case, assert_reads, cases, config, read_all};
use crate::support::evolve::evolve;
use crate::support::file::AvroFile;
use crate::support::mapping::Mapping;
use crate::support::resolve::Resolver;
use crate::support::rows::Rows;
use crate::support::schema::{Definition, Schema, Type};
use crate::support::shapes::Kinds;
use crate::support::value::{Seed, Value};

use super::sources::assert_same;

/// A file of a family whose schemas evolved from each other.
struct Relative {
    schema: Schema,
    rows: Vec<Value>,
    bytes: Vec<u8>,
    json: String,
}

/// Two or three files in any order.
fn family(case: &Case, seed: &mut Seed) -> Vec<Relative> {
    let mut files = vec![Relative {
        schema: case.schema.clone(),
        rows: case.rows.clone(),
        bytes: case.file.bytes(),
        json: case.file.schema.clone(),
    }];
    for _ in 0..=seed.below(2) {
        let schema = evolve(&case.schema, seed);
        let json = schema.to_json();
        let rows = Rows::new(&schema, seed.next()).rows(10);
        let bytes = AvroFile::of_rows(&json, &schema, &rows, Codec::Null, seed.next()).bytes();
        files.push(Relative { schema, rows, bytes, json });
    }
    seed.shuffle(&mut files);
    files
}

fn merge<'a>(jsons: impl Iterator<Item = &'a str>) -> Result<MergedSchema, FeedError> {
    let named: Vec<(String, AvroSchema)> = jsons
        .enumerate()
        .map(|(number, json)| (number.to_string(), AvroSchema::parse(json).unwrap()))
        .collect();
    MergedSchema::of_schemas(named.iter().map(|(name, schema)| (name.as_str(), schema)), &Limits::default())
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn every_file_reads_with_the_merged_schema(case in cases(Kinds::All)) {
        let mut seed = case.seed.clone();
        let files = family(&case, &mut seed);
        let merged = match merge(files.iter().map(|file| file.json.as_str())) {
            Ok(merged) => merged,
            Err(error) => {
                prop_assert_eq!(error.kind(), FeedErrorKind::Schema, "{}", error);
                return Ok(());
            }
        };
        let json = merged.schema.json();
        let reader = Schema::parse(json);
        let mapping = Mapping::new(&reader, case.strings);
        for file in &files {
            let resolver = Resolver { writer: &file.schema, reader: &reader };
            let rows: Vec<Value> = file.rows.iter().map(|row| resolver.row(row)).collect();
            for (own, merged) in file.rows.iter().zip(&rows) {
                let same = same(&file.schema, &reader, (&file.schema.root, own), (&reader.root, merged));
                prop_assert!(same, "{}: {:?} became {:?}", json, own, merged);
            }
            let cells: Vec<Vec<Value>> = rows.iter().map(|row| mapping.cells(row)).collect();
            let source = FileSource::bytes(file.bytes.clone());
            let options = AvroOptions { reader_schema: Some(merged.schema.clone()), ..case.options() };
            let opened = AvroFormat::read([source], options, case.reading());
            let opened = opened.unwrap_or_else(|error| panic!("{json}: {}: {error}", file.json));
            assert_reads(Ok(opened), mapping.columns(), &cells);
        }
        // Merging again changes nothing, except that a union may get a branch of a type that was promoted.
        if !has_union_of_several_types(&reader) {
            let again = merge([json].into_iter().chain(files.iter().map(|file| file.json.as_str()))).unwrap();
            prop_assert!(again.changes.is_empty(), "{}: {:?}", json, again.changes);
            prop_assert_eq!(again.schema.json(), json);
        }
        // The readers of files merge too.
        let sources = || files.iter().map(|file| FileSource::bytes(file.bytes.clone()));
        let options = AvroOptions { merge_schemas: true, string_type: case.strings, ..AvroOptions::default() };
        let set = AvroFormat::files(sources(), options.clone(), None).unwrap();
        prop_assert_eq!(set.merge().unwrap().schema_text.as_deref(), Some(json));
        let reading = ReadOptions { batch_size: Some(case.batch_size), ..ReadOptions::default() };
        let of_merge = AvroFormat::read(sources(), options.clone(), reading.clone());
        let given = AvroOptions { merge_schemas: false, reader_schema: Some(merged.schema), ..options };
        let given = AvroFormat::read(sources(), given, reading);
        assert_same(&read_all(of_merge), &read_all(given));
    }
}

#[test]
fn most_families_can_be_merged() {
    let (mut merged, mut changed) = (0, 0);
    for seed in 0..100 {
        let mut runner = proptest::test_runner::TestRunner::new_with_rng(
            config(100),
            proptest::test_runner::TestRng::from_seed(
                proptest::test_runner::RngAlgorithm::ChaCha,
                &[seed; 32],
            ),
        );
        let case = cases(Kinds::All).new_tree(&mut runner).unwrap().current();
        let files = family(&case, &mut case.seed.clone());
        if let Ok(found) = merge(files.iter().map(|file| file.json.as_str())) {
            merged += 1;
            changed += usize::from(found.changes.len() > 2);
        }
    }
    assert!(merged >= 50 && changed >= 20, "{merged} of 100, {changed} with several changes");
}

fn has_union_of_several_types(schema: &Schema) -> bool {
    fn found(ty: &Type) -> bool {
        match ty {
            Type::Union(branches) => {
                branches.iter().filter(|ty| !matches!(ty, Type::Primitive("null", _))).count() > 1
                    || branches.iter().any(found)
            }
            Type::Array(inner) | Type::Map(inner) => found(inner),
            Type::Primitive(..) | Type::Named(_) => false,
        }
    }
    let fields = schema.named.values().flat_map(|named| match &named.definition {
        Definition::Record(fields) => &fields[..],
        _ => &[],
    });
    found(&schema.root) || fields.into_iter().any(|field| found(&field.ty))
}

/// Whether a value is the same in both schemas: numbers have equal values, texts equal bytes, and fields that the writer does
/// not have are null.
fn same(writer: &Schema, reader: &Schema, (w, own): (&Type, &Value), (r, merged): (&Type, &Value)) -> bool {
    let inner = |own: (&Type, &Value), merged: (&Type, &Value)| same(writer, reader, own, merged);
    match ((w, own), (r, merged)) {
        ((Type::Union(branches), Value::Branch(i, value)), merged) => inner((&branches[*i], value), merged),
        (own, (Type::Union(branches), Value::Branch(i, value))) => inner(own, (&branches[*i], value)),
        ((Type::Array(w), Value::List(own)), (Type::Array(r), Value::List(merged))) => {
            own.len() == merged.len()
                && own.iter().zip(merged).all(|(own, merged)| inner((w, own), (r, merged)))
        }
        ((Type::Map(w), Value::Map(own)), (Type::Map(r), Value::Map(merged))) => {
            let pairs = own.iter().zip(merged);
            own.len() == merged.len()
                && pairs
                    .into_iter()
                    .all(|(own, merged)| own.0 == merged.0 && inner((w, &own.1), (r, &merged.1)))
        }
        ((Type::Named(w), own), (Type::Named(r), merged)) => {
            match (writer.definition(w), reader.definition(r), own, merged) {
                (Definition::Record(w), Definition::Record(r), Value::Record(own), Value::Record(merged)) => {
                    let mut read = 0;
                    let all = r.iter().zip(merged).all(|(field, value)| {
                        let is_own = |name: &String| *name == field.name || field.aliases.contains(name);
                        match w.iter().position(|w| is_own(&w.name)) {
                            Some(i) => {
                                read += 1;
                                inner((&w[i].ty, &own[i]), (&field.ty, value))
                            }
                            None => matches!(value, Value::Null) || is_null_branch(&field.ty, value),
                        }
                    });
                    all && read == w.len()
                }
                (
                    Definition::Enum { symbols: w, .. },
                    Definition::Enum { symbols: r, .. },
                    Value::Symbol(own),
                    Value::Symbol(merged),
                ) => w[*own] == r[*merged],
                (_, _, own, merged) => own == merged,
            }
        }
        ((_, Value::Int(own)), (_, Value::Double(merged))) => (*own as f64).to_bits() == *merged,
        ((_, Value::Float(own)), (_, Value::Double(merged))) => {
            f64::from(f32::from_bits(*own)).to_bits() == *merged
        }
        ((_, Value::Text(own)), (_, Value::Bytes(merged))) => own.as_bytes() == &merged[..],
        ((_, own), (_, merged)) => own == merged,
    }
}

fn is_null_branch(ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Union(branches), Value::Branch(i, value)) => {
            matches!(branches[*i], Type::Primitive("null", _)) && matches!(**value, Value::Null)
        }
        _ => false,
    }
}
