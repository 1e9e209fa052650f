//! Tests that compare lists of numbers with those that the Arrow reader of the `parquet` crate reads.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType, UInt32Type,
};
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, PrimitiveArray, RecordBatch};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_parquet::ParquetOptions;
use arrowfeed_source::{FeedErrorKind, OnError};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::{SerializedFileReader, SerializedPageReader};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};

use crate::random_run;
use crate::support::nested::Random;
use crate::support::{hide_panics_of_dependencies, open, read};

/// Whether lists and items may be null, and the maximum length of lists.
#[derive(Clone, Copy)]
struct Shape {
    lists_have_nulls: bool,
    items_have_nulls: bool,
    longest: usize,
}

fn lists<O: OffsetSizeTrait, A: ArrowPrimitiveType>(
    random: &mut Random,
    rows: usize,
    nullable: (bool, bool),
    shape: Shape,
    value: impl Fn(usize) -> A::Native,
) -> (Field, ArrayRef) {
    let is_null = |random: &mut Random, may_be: bool| may_be && random.below(4) == 0;
    let nulls: Vec<bool> =
        (0..rows).map(|_| !is_null(random, nullable.0 && shape.lists_have_nulls)).collect();
    let lengths: Vec<usize> =
        nulls.iter().map(|valid| if *valid { random.below(shape.longest + 1) } else { 0 }).collect();
    let items = lengths.iter().sum();
    let values: PrimitiveArray<A> = (0..items)
        .map(|_| (!is_null(random, nullable.1 && shape.items_have_nulls)).then(|| value(random.below(1000))))
        .collect();
    let item = Arc::new(Field::new("element", A::DATA_TYPE, nullable.1));
    let nulls = nullable.0.then(|| NullBuffer::from(nulls));
    let offsets = OffsetBuffer::<O>::from_lengths(lengths);
    let array = GenericListArray::<O>::try_new(item, offsets, Arc::new(values), nulls).unwrap();
    (Field::new("", array.data_type().clone(), nullable.0), Arc::new(array))
}

/// A random column of any of the types, including two whose numbers have another type in the file.
fn column(random: &mut Random, rows: usize) -> (Field, ArrayRef) {
    let nullable = (random.below(2) > 0, random.below(2) > 0);
    let shape = Shape {
        lists_have_nulls: random.below(2) > 0,
        items_have_nulls: random.below(2) > 0,
        longest: [1, 3, 40][random.below(3)],
    };
    match random.below(8) {
        0 => lists::<i32, Int32Type>(random, rows, nullable, shape, |n| n as i32 - 500),
        1 => lists::<i64, Int32Type>(random, rows, nullable, shape, |n| n as i32),
        2 => lists::<i32, Int64Type>(random, rows, nullable, shape, |n| i64::MAX - n as i64),
        3 => lists::<i32, Float32Type>(random, rows, nullable, shape, |n| n as f32 / 8.0),
        4 => lists::<i64, Float64Type>(random, rows, nullable, shape, |n| n as f64 / 3.0),
        5 => lists::<i32, Float64Type>(random, rows, nullable, shape, |n| -(n as f64)),
        6 => lists::<i32, UInt32Type>(random, rows, nullable, shape, |n| u32::MAX - n as u32),
        _ => lists::<i32, TimestampMicrosecondType>(random, rows, nullable, shape, |n| n as i64),
    }
}

fn table(random: &mut Random) -> RecordBatch {
    let rows = random.below(120);
    let (fields, mut columns): (Vec<_>, Vec<_>) =
        (0..1 + random.below(3)).map(|_| column(random, rows)).unzip();
    let mut fields: Vec<Field> =
        fields.into_iter().enumerate().map(|(at, field)| field.with_name(format!("c{at}"))).collect();
    if random.below(2) > 0 {
        let at = random.below(fields.len() + 1);
        let ids = (0..rows as i64).collect::<PrimitiveArray<Int64Type>>();
        fields.insert(at, Field::new("id", ids.data_type().clone(), false));
        columns.insert(at, Arc::new(ids));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

fn file(random: &mut Random, batch: &RecordBatch) -> Vec<u8> {
    let version = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0][random.below(2)];
    let has_dictionary = random.below(2) > 0;
    let codecs = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW];
    let mut properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_compression(codecs[random.below(codecs.len())])
        .set_max_row_group_row_count(Some(1 + random.below(100)))
        .set_data_page_row_count_limit(1 + random.below(30))
        .set_data_page_size_limit([1, 20, 1000][random.below(3)])
        .set_offset_index_disabled(random.below(2) > 0)
        .set_write_batch_size(1 + random.below(10))
        .set_dictionary_enabled(has_dictionary)
        .set_dictionary_page_size_limit(1 + random.below(2000));
    if !has_dictionary && random.below(2) > 0 {
        let is_integer = |field: &Field| match field.data_type() {
            DataType::List(item) | DataType::LargeList(item) => item.data_type().is_integer(),
            _ => true,
        };
        let encodings = [Encoding::BYTE_STREAM_SPLIT, Encoding::DELTA_BINARY_PACKED];
        let of_integers = batch.schema().fields().iter().all(|field| is_integer(field));
        properties = properties.set_encoding(encodings[random.below(1 + usize::from(of_integers))]);
    }
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    if random.below(2) > 0 { with_empty_pages(random, bytes) } else { bytes }
}

/// The file without compression, and with data pages without values, as `pyarrow` writes them where it gives up a dictionary.
fn with_empty_pages(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let bytes = Bytes::from(bytes);
    let reader = SerializedFileReader::new(bytes.clone()).unwrap();
    let file = reader.metadata().file_metadata();
    let properties = WriterProperties::builder().set_key_value_metadata(file.key_value_metadata().cloned());
    let (schema, properties) = (file.schema_descr().root_schema_ptr(), Arc::new(properties.build()));
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    for group in reader.metadata().row_groups() {
        let mut into = writer.next_row_group().unwrap();
        let rows = group.num_rows();
        for column in group.columns() {
            let mut sink = TrackedWrite::new(Vec::new());
            let mut pages = SerializedPageWriter::new(&mut sink);
            let read =
                SerializedPageReader::new(Arc::new(bytes.clone()), column, rows as usize, None).unwrap();
            let (mut dictionary, mut data) = (None, None);
            for page in read.map(Result::unwrap) {
                let is_data = !matches!(page, Page::DictionaryPage { .. });
                let is_after_empty = is_data && random.below(3) == 0;
                let empty = is_after_empty.then(|| empty_page(&page)).flatten();
                for page in empty.into_iter().chain([page]) {
                    let len = page.buffer().len();
                    let written = pages.write_page(CompressedPage::new(page, len)).unwrap();
                    let first = if is_data { &mut data } else { &mut dictionary };
                    first.get_or_insert(written.offset as i64);
                }
            }
            let len = sink.bytes_written() as i64;
            let metadata = column.clone().into_builder();
            let metadata = metadata
                .set_compression(Compression::UNCOMPRESSED)
                .set_dictionary_page_offset(dictionary)
                .set_data_page_offset(data.unwrap())
                .set_total_compressed_size(len)
                .set_total_uncompressed_size(len)
                .build()
                .unwrap();
            let close = ColumnCloseResult {
                bytes_written: len as u64,
                rows_written: rows as u64,
                metadata,
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            into.append_column(&Bytes::from(sink.into_inner().unwrap()), close).unwrap();
        }
        into.close().unwrap();
    }
    writer.into_inner().unwrap()
}

/// A data page of the same kind without values. `None`: there is none of this encoding.
fn empty_page(page: &Page) -> Option<Page> {
    let mut empty = page.clone();
    if page.encoding() == Encoding::DELTA_BINARY_PACKED {
        return None;
    }
    match &mut empty {
        Page::DataPage { buf, num_values, statistics, .. } => {
            // The lengths of both kinds of levels, and the bit width of numbers of a dictionary.
            (*buf, *num_values, *statistics) = (Bytes::from_static(&[0; 9]), 0, None);
        }
        Page::DataPageV2 {
            buf,
            num_values,
            num_nulls,
            num_rows,
            def_levels_byte_len,
            rep_levels_byte_len,
            is_compressed,
            statistics,
            ..
        } => {
            (*buf, *statistics, *is_compressed) = (Bytes::from_static(&[0]), None, false);
            (*num_values, *num_nulls, *num_rows) = (0, 0, 0);
            (*def_levels_byte_len, *rep_levels_byte_len) = (0, 0);
        }
        Page::DictionaryPage { .. } => return None,
    }
    Some(empty)
}

#[test]
fn they_are_those_of_the_plain_reader() {
    let mut lists = 0;
    for seed in random_run::seeds(100) {
        let mut random = Random::new(seed);
        let batch = table(&mut random);
        let bytes = file(&mut random, &batch);
        let plain = ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(&bytes)).unwrap();
        let schema = plain.schema().clone();
        let plain = plain.build().unwrap().collect::<Result<Vec<_>, _>>().unwrap();
        let plain = arrow_select::concat::concat_batches(&schema, &plain).unwrap();
        // The batch size need not divide a row group: some batches are then read in two ranges, the second of which
        // starts after skipped rows.
        let (batch_size, threads) = (1 + random.below(60), 1 + random.below(2));
        let files = open([bytes], ParquetOptions::default()).unwrap();
        let (found, error) = read(files, batch_size, threads, OnError::Raise);
        assert!(error.is_none(), "seed {seed}: {error:?}");
        let mut row = 0;
        for found in found {
            let rows = found.num_rows();
            assert_eq!(found, plain.slice(row, rows), "seed {seed}");
            assert_eq!(found.columns(), batch.slice(row, rows).columns(), "seed {seed}");
            for column in found.columns() {
                column.to_data().validate_full().unwrap();
            }
            row += rows;
            lists += rows;
        }
        assert_eq!(row, batch.num_rows(), "seed {seed}");
    }
    assert!(lists > 1000, "{lists}");
}

/// The result has the number of rows that the file declares, or is an error.
#[test]
fn damaged_pages_are_values_or_errors() {
    hide_panics_of_dependencies();
    let cases = random_run::cases(100);
    let (mut values, mut errors) = (0, 0);
    for seed in random_run::seeds(100) {
        let mut random = Random::new(seed);
        let batch = table(&mut random);
        let mut bytes = file(&mut random, &batch);
        let footer = u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap()) as usize;
        let pages = bytes.len() - 8 - footer;
        if pages <= 4 {
            continue;
        }
        for _ in 0..=random.below(3) {
            bytes[4 + random.below(pages - 4)] ^= 1 << random.below(8);
        }
        let files = open([bytes], ParquetOptions::default()).unwrap();
        let (found, error) = read(files, 1 + random.below(60), 1, OnError::Raise);
        for column in found.iter().flat_map(RecordBatch::columns) {
            column.to_data().validate_full().unwrap();
        }
        match error {
            Some(error) => {
                errors += 1;
                assert_ne!(error.kind(), FeedErrorKind::Internal, "seed {seed}: {error}");
                assert_eq!(error.location().path.as_deref(), Some("a"), "seed {seed}: {error}");
            }
            None => {
                values += 1;
                let rows: usize = found.iter().map(RecordBatch::num_rows).sum();
                assert_eq!(rows, batch.num_rows(), "seed {seed}");
            }
        }
    }
    assert!(values > cases / 20 && errors > cases / 20, "{values} {errors}");
}
