//! Tests of footers that old writers made, and that other readers accept.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrowfeed_parquet::ParquetOptions;
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaDataBuilder, ParquetMetaDataReader, ParquetMetaDataWriter,
};
use parquet::file::properties::WriterProperties;

use crate::support::{file, open, whole};

fn batch() -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..20));
    let texts: ArrayRef = Arc::new(StringArray::from_iter((0..20).map(|n| (n % 3 > 0).then_some("a text"))));
    RecordBatch::try_from_iter([("id", ids), ("text", texts)]).unwrap()
}

/// The bytes before the footer, and the footer.
fn parts(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (rest, tail) = bytes.split_at(bytes.len() - 8);
    let len = u32::from_le_bytes(tail[..4].try_into().unwrap()) as usize;
    rest.split_at(rest.len() - len)
}

fn rows(bytes: Vec<u8>) -> RecordBatch {
    whole(open([bytes], ParquetOptions::default()).unwrap(), 7, 1).unwrap()
}

#[test]
fn the_row_groups_decide_how_many_rows_there_are() {
    let bytes = file(&batch(), 8);
    let (pages, footer) = parts(&bytes);
    let metadata = ParquetMetaDataReader::decode_metadata(footer).unwrap();
    let old = metadata.file_metadata();
    for declared in [0, 1, 1000] {
        let keys = old.key_value_metadata().cloned();
        let new = FileMetaData::new(old.version(), declared, None, keys, old.schema_descr_ptr(), None);
        let groups = metadata.row_groups().to_vec();
        let metadata = ParquetMetaDataBuilder::new(new).set_row_groups(groups).build();
        let mut bytes = pages.to_vec();
        ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
        assert_eq!(rows(bytes), batch(), "{declared}");
    }
}

#[test]
fn fields_that_the_definition_does_not_have_are_skipped() {
    let bytes = file(&batch(), 8);
    let (pages, footer) = parts(&bytes);
    // Field 7, which lists the orders of the columns, as a list of two integers of 16 bits.
    let foreign = [&footer[..footer.len() - 1], &[9, 14, 0x24, 2, 4, 0]].concat();
    let len = u32::try_from(foreign.len()).unwrap().to_le_bytes();
    let bytes = [pages, &foreign, &len, b"PAR1"].concat();
    let error = ParquetMetaDataReader::decode_metadata(&foreign).unwrap_err();
    assert!(error.to_string().contains("Expected list element type"), "{error}");
    assert_eq!(rows(bytes), batch());
}

/// The file with its footer changed by `change`.
fn with_columns(
    bytes: &[u8],
    writer: &str,
    change: impl Fn(&ColumnChunkMetaData) -> ColumnChunkMetaData,
) -> Vec<u8> {
    let (pages, footer) = parts(bytes);
    let metadata = ParquetMetaDataReader::decode_metadata(footer).unwrap();
    let old = metadata.file_metadata();
    let keys = old.key_value_metadata().cloned();
    let new = FileMetaData::new(
        old.version(),
        old.num_rows(),
        Some(writer.to_owned()),
        keys,
        old.schema_descr_ptr(),
        None,
    );
    let groups = metadata.row_groups().iter().map(|group| {
        let columns = group.columns().iter().map(&change).collect();
        group.clone().into_builder().set_column_metadata(columns).build().unwrap()
    });
    let metadata = ParquetMetaDataBuilder::new(new).set_row_groups(groups.collect()).build();
    let mut bytes = pages.to_vec();
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
    bytes
}

#[test]
fn a_dictionary_page_at_0_is_none() {
    let plain = WriterProperties::builder().set_dictionary_enabled(false).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch().schema(), Some(plain)).unwrap();
    writer.write(&batch()).unwrap();
    writer.close().unwrap();
    let bytes = with_columns(&bytes, "a writer", |column| {
        column.clone().into_builder().set_dictionary_page_offset(Some(0)).build().unwrap()
    });
    assert_eq!(rows(bytes), batch());
}

#[test]
fn column_chunks_of_an_old_writer_are_longer_than_declared() {
    let bytes = file(&batch(), 8);
    let shorter = |column: &ColumnChunkMetaData| {
        let len = column.compressed_size() - 14;
        column.clone().into_builder().set_total_compressed_size(len).build().unwrap()
    };
    assert_eq!(rows(with_columns(&bytes, "parquet-mr version 1.2.8", shorter)), batch());
    let files = open([with_columns(&bytes, "parquet-mr version 1.2.9", shorter)], ParquetOptions::default());
    assert!(whole(files.unwrap(), 7, 1).is_err());
}
