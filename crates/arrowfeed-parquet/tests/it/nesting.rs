//! Tests of random nested columns: they are read as the plain reader of the `parquet` crate reads them, and converted
//! as `arrow-cast` converts them.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Fields, Schema};
use arrowfeed_parquet::ParquetOptions;
use arrowfeed_source::OnError;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::random_run;
use crate::support::nested::{Random, rows};
use crate::support::{file, open, promise, read, whole};

/// Reads all rows with the plain reader.
fn plain(bytes: &[u8]) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(bytes)).unwrap();
    let schema = builder.schema().clone();
    let batches = builder.build().unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    arrow_select::concat::concat_batches(&schema, &batches).unwrap()
}

/// Converts a column with `arrow-cast`.
fn cast(array: &ArrayRef, to: &DataType) -> ArrayRef {
    arrow_cast::cast(array, to).unwrap_or_else(|error| panic!("{} to {to}: {error}", array.data_type()))
}

#[test]
fn nested_columns_are_those_of_the_plain_reader() {
    let (mut values, mut kinds) = (0, std::collections::BTreeSet::new());
    for seed in random_run::seeds(100) {
        let mut random = Random::new(seed);
        let batch = random.batch();
        let bytes = file(&batch, 1 + random.below(20));
        let expected = plain(&bytes);
        assert_eq!(expected.num_rows(), batch.num_rows());
        let (batch_size, threads) = (1 + random.below(30), 1 + random.below(2));
        let files = open([bytes], ParquetOptions::default()).unwrap();
        let (found, error) = read(files, batch_size, threads, OnError::Raise);
        assert!(error.is_none(), "seed {seed}: {error:?}");
        let mut row = 0;
        for found in found {
            // The batch equals that of the plain reader, and the values equal those written; only the names in types
            // may differ.
            assert_eq!(found, expected.slice(row, found.num_rows()), "seed {seed}");
            for (column, written) in found.columns().iter().zip(batch.columns()) {
                column.to_data().validate_full().unwrap();
                assert_eq!(rows(column), rows(&written.slice(row, found.num_rows())), "seed {seed}");
                values += column.len();
            }
            row += found.num_rows();
        }
        assert_eq!(row, batch.num_rows(), "seed {seed}");
        note(batch.schema().fields(), &mut kinds);
    }
    assert!(values > 1000, "{values}");
    for kind in
        ["List(Struct", "List(List", "Struct(List", "Map(List", "FixedSizeList(", "Struct(Map", "LargeList("]
    {
        assert!(kinds.iter().any(|found| found.contains(kind)), "no {kind} in {kinds:?}");
    }
}

/// Records the outlines of nested types, two levels deep.
fn note(fields: &Fields, kinds: &mut std::collections::BTreeSet<String>) {
    fn name(data_type: &DataType) -> &'static str {
        match data_type {
            DataType::List(_) => "List",
            DataType::LargeList(_) => "LargeList",
            DataType::FixedSizeList(..) => "FixedSizeList",
            DataType::Struct(_) => "Struct",
            DataType::Map(..) => "Map",
            _ => "value",
        }
    }
    for field in fields {
        let inner: Fields = match field.data_type() {
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                vec![item.clone()].into()
            }
            DataType::Struct(fields) => fields.clone(),
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(entry) => vec![entry[1].clone()].into(),
                _ => Fields::empty(),
            },
            _ => Fields::empty(),
        };
        for inner in &inner {
            kinds.insert(format!("{}({}", name(field.data_type()), name(inner.data_type())));
        }
        note(&inner, kinds);
    }
}

#[test]
fn nested_columns_convert_as_arrow_cast_converts_them() {
    let mut changed = 0;
    for seed in random_run::seeds(100) {
        let mut random = Random::new(seed);
        let batch = random.batch();
        let schema = batch.schema();
        let promised: Vec<_> = schema.fields().iter().map(|field| random.wider(field)).collect();
        let promised = Arc::new(Schema::new(promised));
        let bytes = file(&batch, 1 + random.below(20));
        // Compare with the written values: the plain reader does not set the nulls of structs inside null structs, so
        // neither `arrow-cast` nor a concatenation accepts its result.
        let files = open([bytes], promise(promised.as_ref().clone())).unwrap();
        let found = whole(files, 1 + random.below(30), 1).unwrap();
        assert_eq!(found.schema(), promised, "seed {seed}");
        for (found, before) in found.columns().iter().zip(batch.columns()) {
            found.to_data().validate_full().unwrap();
            let expected = cast(before, found.data_type());
            assert_eq!(rows(found), rows(&expected), "seed {seed}: {}", before.data_type());
            changed += usize::from(found.data_type() != before.data_type());
        }
    }
    assert!(changed > 100, "{changed}");
}

/// A conversion to wider types and back restores the values.
#[test]
fn widened_values_can_be_requested_as_narrow_types() {
    let mut columns = 0;
    for seed in random_run::seeds(33) {
        let mut random = Random::new(seed);
        let batch = random.batch();
        let schema = batch.schema();
        let wide: Vec<_> = schema.fields().iter().map(|field| random.wider(field)).collect();
        let narrow_again = |field: &arrow_schema::FieldRef| !has_one_way(field.data_type());
        let kept: Vec<usize> =
            (0..schema.fields().len()).filter(|at| narrow_again(&schema.fields()[*at])).collect();
        if kept.is_empty() {
            continue;
        }
        let before = batch.project(&kept).unwrap();
        let wide = Schema::new(wide).project(&kept).unwrap();
        let wider = whole(open([file(&before, 50)], promise(wide)).unwrap(), 16, 1).unwrap();
        let files = open([file(&wider, 50)], promise(before.schema().as_ref().clone())).unwrap();
        let after = whole(files, 7, 1).unwrap();
        assert_eq!(after.schema(), before.schema());
        for (after, before) in after.columns().iter().zip(before.columns()) {
            assert_eq!(rows(after), rows(before), "seed {seed}");
            columns += 1;
        }
    }
    assert!(columns > 20, "{columns}");
}

/// Whether a type contains one that cannot be converted back: from integers to booleans, from bytes to bytes of fixed
/// size.
fn has_one_way(data_type: &DataType) -> bool {
    match data_type {
        DataType::Boolean | DataType::FixedSizeBinary(_) => true,
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            has_one_way(item.data_type())
        }
        DataType::Struct(fields) => fields.iter().any(|field| has_one_way(field.data_type())),
        DataType::Map(entries, _) => has_one_way(entries.data_type()),
        _ => false,
    }
}
