//! Tests of counts of nulls that are too low, as `pyarrow` writes them for dictionaries in structs that are null.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};
use arrowfeed_parquet::ParquetOptions;
use arrowfeed_source::{Check, OnError};
use parquet::file::metadata::{ParquetMetaDataBuilder, ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::WriterProperties;
use parquet::file::statistics::Statistics;

use crate::filters::{footer_len, passing};
use crate::support::compared::file;
use crate::support::open;

/// Row groups of two rows. The struct `s` is null in rows 0, 2 and 3, its field in rows 4 and 5 as well, and in no row after them.
fn nullable() -> Vec<u8> {
    let field = Arc::new(Field::new("f", DataType::Utf8, true));
    let texts = [Some("a"), Some("b"), Some("c"), Some("d"), None, None, Some("e"), Some("f")];
    let texts: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
    let nulls = NullBuffer::from(vec![false, true, false, false, true, true, true, true]);
    let structs: ArrayRef = Arc::new(StructArray::new(vec![field].into(), vec![texts], Some(nulls)));
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..8));
    let batch = RecordBatch::try_from_iter([("id", ids), ("s", structs)]).unwrap();
    file(&batch, WriterProperties::builder().set_max_row_group_row_count(Some(2)).build())
}

/// The file with the number of nulls `of_leaf` of the field, with or without the counts of levels.
fn with_null_count(bytes: &[u8], of_leaf: u64, has_levels: bool) -> Vec<u8> {
    let (pages, footer) = bytes[..bytes.len() - 8].split_at(bytes.len() - 8 - footer_len(bytes));
    let metadata = ParquetMetaDataReader::decode_metadata(footer).unwrap();
    let groups = metadata.row_groups().iter().map(|group| {
        let mut columns = group.columns().to_vec();
        let last = columns.pop().unwrap();
        let Statistics::ByteArray(found) = last.statistics().unwrap() else { unreachable!() };
        let (min, max) = (found.min_opt().cloned(), found.max_opt().cloned());
        let levels = last.definition_level_histogram().filter(|_| has_levels).cloned();
        let builder = last.into_builder().set_column_index_offset(None).set_offset_index_offset(None);
        let builder = builder.set_statistics(Statistics::byte_array(min, max, None, Some(of_leaf), false));
        columns.push(builder.set_definition_level_histogram(levels).build().unwrap());
        group.clone().into_builder().set_column_metadata(columns).build().unwrap()
    });
    let metadata = ParquetMetaDataBuilder::new(metadata.file_metadata().clone())
        .set_row_groups(groups.collect())
        .build();
    let mut bytes = pages.to_vec();
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
    bytes
}

/// The number of rows that pass, and the number of row groups that were read.
fn counts(bytes: Vec<u8>, predicate: &str) -> (usize, u64) {
    let files = open([bytes], ParquetOptions::default()).unwrap();
    let (rows, report) = passing(&files, &predicate.parse().unwrap(), 100, 1, OnError::Raise).unwrap();
    (rows.num_rows(), report.blocks)
}

#[test]
fn nulls_of_a_field_of_an_optional_struct_are_counted_by_levels() {
    let bytes = nullable();
    for false_count in [0, 1, 2] {
        for (predicate, rows, groups) in [
            ("s.f is null", 5, 3),
            ("not (s.f is null)", 3, 2),
            ("s.f is not null", 3, 2),
            ("not (s.f is not null)", 5, 3),
            ("s.f is null or id == 1", 6, 3),
            ("s.f != 'b'", 2, 1),
        ] {
            let found = counts(with_null_count(&bytes, false_count, true), predicate);
            assert_eq!(found, (rows, groups), "{false_count}: {predicate}");
            let (found, read) = counts(with_null_count(&bytes, false_count, false), predicate);
            assert_eq!(found, rows, "{false_count}: {predicate}");
            assert!(read >= groups, "{false_count}: {predicate}: {read}");
        }
    }
}

#[test]
fn nulls_of_nested_fields_are_no_bounds_of_columns() {
    let files = open([nullable()], ParquetOptions::default()).unwrap();
    let bounds = files.open(0, &Check::never()).unwrap().column_bounds();
    let nulls: Vec<_> = bounds.iter().map(|bounds| bounds.as_ref().map(|bounds| bounds.nulls)).collect();
    assert_eq!(nulls, [Some(Some(0)), None]);
}
