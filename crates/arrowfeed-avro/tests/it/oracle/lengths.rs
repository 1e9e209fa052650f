//! Arrays with a length that the caller specifies.

use arrow_schema::{DataType, Field};
use arrowfeed_avro::{AvroOptions, FeedErrorKind};
use proptest::prelude::*;

use crate::support::case::{Case, assert_reads, assert_rows, cases, config, read};
use crate::support::file::AvroFile;
use crate::support::rows::Rows;
use crate::support::schema::{Schema, Type, field_path};
use crate::support::shapes::Kinds;
use crate::support::value::Value;

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn arrays_of_one_length_become_fixed_size_lists(case in cases(Kinds::All)) {
        let mut case = case;
        let Some((path, n)) = some_array(&case) else { return Ok(()) };
        let mut rows = Rows::new(&case.schema, case.seed.next());
        rows.lengths.insert(path.clone(), n);
        case.rows = rows.rows(case.rows.len());
        rewrite(&mut case);
        let mut mapping = case.mapping();
        mapping.lengths.insert(path.clone(), n);
        let cells: Vec<Vec<Value>> = case.rows.iter().map(|row| mapping.cells(row)).collect();
        let options = AvroOptions { fixed_lengths: [(path, n)].into(), ..case.options() };
        assert_reads(case.open_as(options), mapping.columns(), &cells);
    }

    #[test]
    fn an_array_of_another_length_is_an_error_in_its_place(case in cases(Kinds::All)) {
        let mut case = case;
        let Some(field) = top_arrays(&case).first().copied() else { return Ok(()) };
        let Type::Array(_) = &case.schema.fields(&case.schema.root).unwrap()[field].ty else { unreachable!() };
        let n = 2;
        let name = case.schema.fields(&case.schema.root).unwrap()[field].name.clone();
        let wrong = case.rows.iter().position(|row| items(row, field) != n);
        let fixed_lengths = [(name.clone(), n as i32)].into();
        let (batches, error) = read(case.open_as(AvroOptions { fixed_lengths, ..case.options() }));
        let Some(wrong) = wrong else {
            prop_assert!(error.is_none());
            return Ok(());
        };
        let error = error.unwrap();
        let found = items(&case.rows[wrong], field);
        prop_assert_eq!(error.kind(), FeedErrorKind::Conversion);
        prop_assert_eq!(error.message(), format!("expected 2 items, found {found}"));
        prop_assert_eq!(error.location().field.as_ref(), Some(&name));
        // Blocks before the faulty one are read, but not that block.
        let mut before = 0;
        for (block, i) in case.file.blocks.iter().zip(0..) {
            if before + block.count > wrong as u64 {
                prop_assert_eq!(error.location().block, Some(i));
                prop_assert_eq!(error.location().record, Some(wrong as u64 - before));
                break;
            }
            before += block.count;
        }
        case.rows.truncate(before as usize);
        prop_assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), case.rows.len());
        let mut mapping = case.mapping();
        mapping.lengths.insert(name, n as i32);
        let cells: Vec<Vec<Value>> = case.rows.iter().map(|row| mapping.cells(row)).collect();
        assert_rows(&batches, &cells);
    }
}

fn items(row: &Value, field: usize) -> usize {
    match row {
        Value::Record(values) => match &values[field] {
            Value::List(items) => items.len(),
            other => panic!("{other:?} of an array"),
        },
        other => panic!("{other:?} of a record"),
    }
}

fn top_arrays(case: &Case) -> Vec<usize> {
    let fields = case.schema.fields(&case.schema.root).into_iter().flatten().enumerate();
    fields.filter(|(_, field)| matches!(field.ty, Type::Array(_))).map(|(i, _)| i).collect()
}

fn rewrite(case: &mut Case) {
    let Case { schema, rows, file, seed, .. } = case;
    *file = AvroFile::of_rows(&file.schema, schema, rows, file.codec, seed.next());
}

/// The path of a random array, and a length for it.
fn some_array(case: &Case) -> Option<(String, i32)> {
    let mut paths = Vec::new();
    let Schema { root, .. } = &case.schema;
    let root_path = if case.schema.fields(root).is_some() { "" } else { "value" };
    add_arrays(&case.mapping().field("", root, root_path), root_path, &mut paths);
    let mut seed = case.seed.clone();
    (!paths.is_empty()).then(|| (seed.pick(&paths), seed.pick(&[0, 1, 2, 3, 40])))
}

fn add_arrays(field: &Field, path: &str, paths: &mut Vec<String>) {
    match field.data_type() {
        DataType::List(items) => {
            paths.push(path.to_owned());
            add_arrays(items, &format!("{path}[]"), paths);
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(entry) = entries.data_type() else { panic!("entries are records") };
            add_arrays(&entry[1], &format!("{path}[]"), paths);
        }
        DataType::Struct(fields) => {
            fields.iter().for_each(|field| add_arrays(field, &field_path(path, field.name()), paths));
        }
        DataType::Union(fields, _) => fields.iter().for_each(|(_, field)| add_arrays(field, path, paths)),
        _ => {}
    }
}
