//! Tests that the `feature` and `tfx` encodings are the native columns with lists around them.

use arrowfeed_avro::{AvroOptions, ColumnEncoding, FeedErrorKind};
use proptest::prelude::*;

use crate::support::case::{Case, assert_reads, cases, config, read};
use crate::support::shapes::Kinds;
use crate::support::value::Value;
use crate::support::wrap::Wrap;

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn feature_puts_lists_around_native_columns(case in cases(Kinds::All)) {
        check(&case, ColumnEncoding::Feature)?;
    }

    #[test]
    fn tfx_puts_large_lists_around_plain_columns(case in cases(Kinds::All)) {
        check(&case, ColumnEncoding::Tfx)?;
    }

    #[test]
    fn double_as_float_rounds_in_tfx_only(case in cases(Kinds::All)) {
        for encoding in [ColumnEncoding::Native, ColumnEncoding::Feature, ColumnEncoding::Tfx] {
            let options = |double_as_float| AvroOptions { encoding, double_as_float, ..AvroOptions::default() };
            let read = |asked| read(case.open_as(options(asked)));
            let ((plain, _), (asked, _)) = (read(false), read(true));
            let rows = |batches| crate::support::batches::rows(batches);
            if encoding == ColumnEncoding::Tfx {
                let rounded: Vec<Vec<Value>> =
                    rows(&plain).iter().map(|row| row.iter().map(rounded).collect()).collect();
                prop_assert_eq!(rows(&asked), rounded);
            } else {
                prop_assert_eq!(rows(&asked), rows(&plain));
            }
        }
    }
}

fn check(case: &Case, encoding: ColumnEncoding) -> Result<(), TestCaseError> {
    let wrap = Wrap { tfx: encoding == ColumnEncoding::Tfx };
    let mut mapping = case.mapping();
    mapping.tfx = wrap.tfx;
    let native = mapping.columns();
    let reader = case.open_as(AvroOptions { encoding, ..case.options() });
    if let Some(path) = native.iter().find_map(|field| Wrap::refused(field.data_type(), field.name())) {
        let error = reader.unwrap_err();
        let message = "expected a type that can be a feature, found a union: choose one of its types with a \
                       reader schema, or read unions as structs or JSON";
        prop_assert_eq!((error.kind(), error.message()), (FeedErrorKind::Schema, message));
        prop_assert_eq!(error.location().field.as_ref(), Some(&path));
        return Ok(());
    }
    let wrapped = native.iter().map(|field| wrap.field(field)).collect();
    let row = |row: &Value| {
        let cells = mapping.cells(row);
        cells.iter().zip(&native).map(|(cell, field)| wrap.value(field.data_type(), cell)).collect()
    };
    let cells: Vec<Vec<Value>> = case.rows.iter().map(row).collect();
    assert_reads(reader, wrapped, &cells);
    Ok(())
}

/// Rounds doubles to the nearest floats.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Double(bits) => Value::Float((f64::from_bits(*bits) as f32).to_bits()),
        Value::List(items) => Value::List(items.iter().map(rounded).collect()),
        Value::Record(values) => Value::Record(values.iter().map(rounded).collect()),
        other => other.clone(),
    }
}
