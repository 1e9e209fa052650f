//! Tests of filters: the rows are those of a reading of all rows that pass, and row groups and pages without them are not read.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, ListArray, RecordBatch, StringArray, UInt32Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_parquet::ParquetOptions;
use arrowfeed_predicate::{Comparison, Lists, Literal, Predicate, col};
use arrowfeed_source::run::{FileSet, ReadOptions};
use arrowfeed_source::{FeedError, Limits, OnError, Report};
use parquet::basic::Compression;
use parquet::data_type::ByteArray;
use parquet::file::metadata::{
    FileMetaData, PageIndexPolicy, ParquetMetaDataBuilder, ParquetMetaDataReader, ParquetMetaDataWriter,
};
use parquet::file::properties::WriterProperties;
use parquet::file::statistics::Statistics;

use crate::random_run;
use crate::support::compared::{file, literal, opened};
use crate::support::nested::Random;
use crate::support::{hide_panics_of_dependencies, open, promise, whole};

fn predicate(random: &mut Random, compared: &[(String, usize)], depth: usize) -> Predicate {
    if depth > 0 && random.below(3) > 0 {
        let one = predicate(random, compared, depth - 1);
        return match random.below(3) {
            0 => !one,
            1 => one & predicate(random, compared, depth - 1),
            _ => one | predicate(random, compared, depth - 1),
        };
    }
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    let (path, kind) = compared[random.below(compared.len())].clone();
    let mut literal = || literal(kind, random.below(70) as i64 - 25);
    let (one, two, three) = (literal(), literal(), literal());
    match random.below(9) {
        0 => col(path).is_null(),
        1 => col(path).is_not_null(),
        2 => col(path).is_in([one, two, three]),
        3 => col(path).is_in(Vec::<Literal>::new()),
        4 if (8..=10).contains(&kind) || kind == 18 => {
            col(path).starts_with(["", "a", "ab", "b", "\u{e9}", "zz"][random.below(6)])
        }
        4 => col(path).compare(Eq, one),
        _ => col(path).compare([Eq, Ne, Lt, Le, Gt, Ge][random.below(6)], one),
    }
}

/// Reads all rows that pass, and the report.
pub(crate) fn passing(
    files: &FileSet,
    predicate: &Predicate,
    batch_size: usize,
    threads: usize,
    on_error: OnError,
) -> Result<(RecordBatch, Report), FeedError> {
    let files = files.filtered(predicate.clone())?;
    let schema = files.schema().clone();
    let threads = threads.try_into().ok();
    let options = ReadOptions { batch_size: Some(batch_size), threads, on_error, ..Default::default() };
    let mut reader = files.read_files(options)?;
    let batches = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    assert!(batches.iter().rev().skip(1).all(|batch| batch.num_rows() == batch_size));
    Ok((arrow_select::concat::concat_batches(&schema, &batches).unwrap(), reader.report()))
}

/// The rows of a batch that pass.
fn filtered(batch: &RecordBatch, predicate: &Predicate) -> RecordBatch {
    let compiled = predicate.compile(&batch.schema(), Lists::AreValues).unwrap();
    arrow_select::filter::filter_record_batch(batch, &compiled.keeps(batch).unwrap()).unwrap()
}

#[test]
fn the_rows_are_those_of_all_rows_that_pass() {
    let (mut pruned, mut few) = (0, 0);
    for seed in random_run::seeds(200) {
        let mut random = Random::new(seed);
        let Some((files, read, compared)) = opened(&mut random) else { continue };
        for _ in 0..4 {
            let predicate = predicate(&mut random, &compared, 2);
            let Ok(_) = predicate.compile(&read.schema(), Lists::AreValues) else { continue };
            let expected = filtered(&read, &predicate);
            let (batch_size, threads) = (1 + random.below(60), [1, 3][random.below(2)]);
            for on_error in [OnError::Raise, OnError::SkipBlock] {
                let found = passing(&files, &predicate, batch_size, threads, on_error);
                let (found, report) = found.unwrap_or_else(|error| panic!("{seed}: {predicate}: {error}"));
                assert_eq!(found, expected, "{seed}: {predicate}");
                let rejected = (read.num_rows() - expected.num_rows()) as u64;
                assert_eq!((report.rows, report.rejected), (expected.num_rows() as u64, rejected), "{seed}");
            }
            // With few columns.
            let columns = [read.schema().field(random.below(read.num_columns())).name().clone()];
            let selected = files.with_columns(&columns).unwrap();
            let (found, report) = passing(&selected, &predicate, batch_size, 1, OnError::Raise).unwrap();
            assert_eq!(found.column(0), &expected[&*columns[0]].clone(), "{seed}: {predicate}");
            pruned += usize::from(report.blocks == 0 && read.num_rows() > 0);
            few += usize::from(report.rows > 0 && report.rejected > 0);
        }
    }
    assert!(pruned > 0 && few > 0, "{pruned} {few}");
}

/// Ten row groups of ten rows, in pages of five: `id` and `text` are sorted, and each has a null at the end of a group.
fn sorted() -> RecordBatch {
    let ids = (0..100).map(|n| (n % 10 < 9).then_some(n));
    let texts = (0..100).map(|n| (n % 10 < 9).then(|| format!("text {n:02}")));
    let floats = (0..100).map(|n| Some(if n % 10 == 4 { f64::NAN } else { f64::from(n) }));
    RecordBatch::try_from_iter([
        ("id", Arc::new(ids.collect::<Int64Array>()) as ArrayRef),
        ("text", Arc::new(texts.collect::<StringArray>())),
        ("float", Arc::new(floats.collect::<Float64Array>())),
        ("unsigned", Arc::new((0..100).map(|n| Some(n + (1 << 31) - 50)).collect::<UInt32Array>())),
    ])
    .unwrap()
}

fn sorted_file(bloom_filters: bool) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(10))
        .set_data_page_row_count_limit(5)
        .set_write_batch_size(5)
        .set_compression(Compression::SNAPPY)
        .set_bloom_filter_enabled(bloom_filters);
    file(&sorted(), properties.build())
}

/// The number of rows that pass, and the number of row groups that were read.
fn counts(bytes: Vec<u8>, predicate: &str) -> (usize, u64) {
    let files = open([bytes], ParquetOptions::default()).unwrap();
    let (rows, report) = passing(&files, &predicate.parse().unwrap(), 100, 1, OnError::Raise).unwrap();
    assert_eq!(report.rejected, 100 - rows.num_rows() as u64, "{predicate}");
    (rows.num_rows(), report.blocks)
}

#[test]
fn row_groups_without_a_row_that_passes_are_not_read() {
    for (predicate, rows, groups) in [
        ("id < 20", 18, 2),
        ("id >= 20 and id < 21", 1, 1),
        ("not id >= 20", 18, 2),
        ("id == 55", 1, 1),
        ("id == 1000", 0, 0),
        ("id in [3, 93]", 2, 2),
        ("id in []", 0, 0),
        ("id != 3 and id < 10", 8, 1),
        ("id is null and id < 10", 0, 1),
        ("text starts with \"text 4\"", 9, 1),
        ("text < \"text 1\" or id >= 90", 18, 2),
        // A float may be NaN.
        ("float < 5", 4, 1),
        ("not float < 5", 96, 10),
        ("float != 5", 99, 10),
    ] {
        assert_eq!(counts(sorted_file(false), predicate), (rows, groups), "{predicate}");
    }
}

#[test]
fn bloom_filters_rule_out_values_between_the_bounds() {
    // The bounds of the texts are truncated, so that those of all row groups are equal.
    let texts = StringArray::from_iter_values((0..100).map(|n| format!("a long text {n:02}")));
    let batch = RecordBatch::try_from_iter([("text", Arc::new(texts) as ArrayRef)]).unwrap();
    let properties = |has_filters| {
        WriterProperties::builder()
            .set_max_row_group_row_count(Some(10))
            .set_statistics_truncate_length(Some(4))
            .set_column_index_truncate_length(Some(4))
            .set_bloom_filter_enabled(has_filters)
            .build()
    };
    let (without, with) = (file(&batch, properties(false)), file(&batch, properties(true)));
    for (predicate, rows) in [("text == \"a long text 42\"", 1), ("text in [\"a long text 42\", \"b\"]", 1)] {
        assert_eq!(counts(without.clone(), predicate), (rows, 10));
        assert_eq!(counts(with.clone(), predicate), (rows, 1));
    }
    assert_eq!(counts(with.clone(), "text == \"a long text\"").1, 0);
    assert_eq!(counts(with, "text != \"a long text\""), (100, 10));
}

/// Changes the values of all pages that have none of the rows.
fn with_wrong_pages(mut bytes: Vec<u8>, rows: std::ops::Range<i64>) -> Vec<u8> {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    let metadata = reader.parse_and_finish(&bytes::Bytes::from(bytes.clone())).unwrap();
    let index = metadata.offset_index().unwrap();
    let mut before = 0;
    for (group, columns) in metadata.row_groups().iter().zip(index) {
        for column in columns {
            let pages = column.page_locations();
            for (at, page) in pages.iter().enumerate() {
                let end = pages.get(at + 1).map_or(group.num_rows(), |next| next.first_row_index);
                if before + end <= rows.start || before + page.first_row_index >= rows.end {
                    let len = page.compressed_page_size as usize;
                    bytes[page.offset as usize + len / 2..][..len / 2].fill(0xff);
                }
            }
        }
        before += group.num_rows();
    }
    bytes
}

#[test]
fn pages_without_a_row_that_passes_are_not_decoded() {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..1000).map(|n| format!("text {n:03}"))));
    let batch = RecordBatch::try_from_iter([("id", ids), ("text", texts)]).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(100))
        .set_data_page_row_count_limit(50)
        .set_write_batch_size(50)
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false);
    let bytes = with_wrong_pages(file(&batch, properties.build()), 250..300);
    let files = open([bytes], ParquetOptions::default()).unwrap();
    let found = |predicate: &str, on_error| {
        let (rows, report) = passing(&files, &predicate.parse().unwrap(), 100, 1, on_error)?;
        Ok::<_, FeedError>((rows.num_rows(), report.blocks, report.skipped.len()))
    };
    assert_eq!(found("id >= 250 and id < 260", OnError::Raise).unwrap(), (10, 1, 0));
    assert_eq!(found("text >= \"text 25\" and id < 300", OnError::Raise).unwrap(), (50, 1, 0));
    found("id >= 249 and id < 260", OnError::Raise).unwrap_err();
    // All pages are checked if damaged row groups are skipped.
    assert_eq!(found("id >= 250 and id < 260", OnError::SkipBlock).unwrap(), (0, 0, 10));
}

#[test]
fn a_damaged_index_is_ignored() {
    let bytes = sorted_file(true);
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    let metadata = reader.parse_and_finish(&bytes::Bytes::from(bytes.clone())).unwrap();
    let columns = || metadata.row_groups().iter().flat_map(|group| group.columns());
    let start = columns().map(|column| column.byte_range()).map(|(start, len)| start + len).max().unwrap();
    for (seed, byte) in random_run::seeds(100).zip([0, 0xff, 0x80, 1].into_iter().cycle()) {
        let (mut damaged, mut random) = (bytes.clone(), Random::new(seed));
        let indexes = start as usize..bytes.len() - 8 - footer_len(&bytes);
        for place in &mut damaged[indexes] {
            if random.below(2) == 0 {
                *place = byte;
            }
        }
        hide_panics_of_dependencies();
        let files = open([damaged], ParquetOptions::default()).unwrap();
        // Wrong bounds may be read as others, but there is no error.
        passing(&files, &"id == 17 or text == \"text 93\"".parse().unwrap(), 100, 1, OnError::Raise).unwrap();
    }
}

/// The file with other statistics for the columns, by their numbers.
fn with_statistics(
    bytes: &[u8],
    writer: Option<&str>,
    has_orders: bool,
    change: impl Fn(usize, &Statistics) -> Statistics,
) -> Vec<u8> {
    let (pages, footer) = bytes[..bytes.len() - 8].split_at(bytes.len() - 8 - footer_len(bytes));
    let metadata = ParquetMetaDataReader::decode_metadata(footer).unwrap();
    let old = metadata.file_metadata();
    let file = FileMetaData::new(
        old.version(),
        old.num_rows(),
        writer.or(old.created_by()).map(str::to_owned),
        old.key_value_metadata().cloned(),
        old.schema_descr_ptr(),
        old.column_orders().cloned(),
    );
    let groups = metadata.row_groups().iter().map(|group| {
        let columns = group.columns().iter().enumerate().map(|(at, column)| {
            let builder = column.clone().into_builder();
            let builder = builder.set_column_index_offset(None).set_offset_index_offset(None);
            builder.set_statistics(change(at, column.statistics().unwrap())).build().unwrap()
        });
        group.clone().into_builder().set_column_metadata(columns.collect()).build().unwrap()
    });
    let metadata = ParquetMetaDataBuilder::new(file).set_row_groups(groups.collect()).build();
    let mut bytes = pages.to_vec();
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
    if !has_orders {
        // The last field of the footer: a list of four structs, which have an empty struct each.
        let orders = [&[0x19, 0x4c][..], &[0x1c, 0, 0].repeat(4)].concat();
        let (end, len) = (bytes.len() - 9, footer_len(&bytes) - orders.len());
        assert_eq!(bytes.drain(end - orders.len()..end).collect::<Vec<_>>(), orders);
        let end = bytes.len() - 8;
        bytes[end..end + 4].copy_from_slice(&u32::try_from(len).unwrap().to_le_bytes());
    }
    bytes
}

pub(crate) fn footer_len(bytes: &[u8]) -> usize {
    u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap()) as usize
}

/// Statistics that say that all values are 7, or the text `z`.
fn lying(column: usize, _: &Statistics, is_old: bool) -> Statistics {
    let text = Some(ByteArray::from("z"));
    match column {
        0 => Statistics::int64(Some(7), Some(7), None, Some(0), is_old),
        1 => Statistics::byte_array(text.clone(), text, None, Some(0), is_old),
        2 => Statistics::double(Some(7.0), Some(7.0), None, Some(0), is_old),
        _ => Statistics::int32(Some(7), Some(7), None, Some(0), is_old),
    }
}

const OF_EACH_COLUMN: [(&str, usize); 4] =
    [("id == 55", 1), ("text == \"text 55\"", 1), ("float < 5", 4), ("unsigned > 2147483602", 95)];

#[test]
fn statistics_are_trusted_if_their_order_is_known() {
    let bytes = sorted_file(false);
    let is_trusted = |writer, has_orders, is_old: bool| {
        let bytes = with_statistics(&bytes, writer, has_orders, |column, found| lying(column, found, is_old));
        OF_EACH_COLUMN.map(|(predicate, _)| counts(bytes.clone(), predicate).0 == 0)
    };
    let (new, old) = (false, true);
    assert_eq!(is_trusted(None, true, new), [true; 4]);
    // Old statistics have the order of signed numbers.
    assert_eq!(is_trusted(None, true, old), [true, false, true, false]);
    assert_eq!(is_trusted(None, false, old), [true, false, true, false]);
    // The order is unknown.
    assert_eq!(is_trusted(None, false, new), [false; 4]);
    for writer in ["parquet-mr version 1.9.0 (build x)", "parquet-cpp version 1.2.9", "parquet-mr"] {
        assert_eq!(is_trusted(Some(writer), true, new), [true, false, true, false], "{writer}");
    }
    for writer in ["parquet-mr version 1.10.0", "parquet-cpp-arrow version 21.0.0", "a writer"] {
        assert_eq!(is_trusted(Some(writer), true, new), [true; 4], "{writer}");
    }
}

#[test]
fn bounds_that_are_nan_or_missing_are_ignored() {
    let bytes = sorted_file(false);
    for (min, max) in [(Some(f64::NAN), Some(f64::NAN)), (Some(7.0), Some(f64::NAN)), (None, None)] {
        let of_floats = |column, found: &Statistics| match column {
            2 => Statistics::double(min, max, None, None, false),
            _ => found.clone(),
        };
        let bytes = with_statistics(&bytes, None, true, of_floats);
        assert_eq!(counts(bytes.clone(), "float < 5"), (4, 10));
        assert_eq!(counts(bytes, "float == 55"), (1, 10));
    }
    // All ids are null.
    let of_ids = |column, found: &Statistics| match column {
        0 => Statistics::int64(None, None, None, Some(10), false),
        _ => found.clone(),
    };
    let nulls = with_statistics(&bytes, None, true, of_ids);
    for predicate in ["id > 5", "not id > 5", "id is not null"] {
        assert_eq!(counts(nulls.clone(), predicate), (0, 0), "{predicate}");
    }
    // The number of nulls is not known, or too large.
    for nulls in [None, Some(1000)] {
        let of_ids = |column, found: &Statistics| match column {
            0 => Statistics::int64(Some(0), Some(100), None, nulls, false),
            _ => found.clone(),
        };
        let bytes = with_statistics(&bytes, None, true, of_ids);
        assert_eq!(counts(bytes.clone(), "id is null"), (10, 10));
        assert_eq!(counts(bytes, "id is not null"), (90, 10));
    }
}

#[test]
fn rows_before_a_value_that_does_not_fit_come_first() {
    // The values of rows 30 and 150 do not fit.
    let numbers = (0..200).map(|n| if n == 30 || n == 150 { 300 } else { n % 100 });
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers));
    let kinds: ArrayRef = Arc::new(Int64Array::from_iter_values((0..200).map(|n| n % 10)));
    let batch = RecordBatch::try_from_iter([("number", numbers), ("kind", kinds)]).unwrap();
    let schema = Schema::new(vec![
        Field::new("number", DataType::Int8, true),
        Field::new("kind", DataType::Int64, true),
    ]);
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(100))
        .set_data_page_row_count_limit(20)
        .set_write_batch_size(20);
    let files = open([file(&batch, properties.build())], promise(schema)).unwrap();
    let found = |predicate: &str| {
        let files = files.filtered(predicate.parse().unwrap()).unwrap();
        let (batches, error) = crate::support::read(files, 7, 1, OnError::Raise);
        (batches.iter().map(RecordBatch::num_rows).sum::<usize>(), error.map(|error| error.to_string()))
    };
    // Few rows pass: others are not converted.
    assert_eq!(found("kind == 5"), (20, None));
    let (rows, error) = found("kind == 0");
    assert_eq!(rows, 3);
    assert!(error.unwrap().contains("record 30: number: expected a value that Int8 can hold, found 300"));
    // Many rows pass, and a column of the predicate does not fit.
    for (predicate, rows) in [("kind != 5", 27), ("number >= 0", 30), ("number == 29", 1)] {
        let (found, error) = found(predicate);
        assert_eq!(found, rows, "{predicate}");
        assert!(error.unwrap().contains("record 30: number: expected"), "{predicate}");
    }
    // The statistics tell that no row of this value passes.
    assert_eq!(found("kind == 0 and number < 0").0, 0);
}

#[test]
fn long_rows_that_pass_are_read_in_several_steps() {
    // Lists have 1 or 4,000 items, which are equal: the footer does not tell how long they are.
    let lengths = (0..400).map(|n| if n < 200 { 1 } else { 4000 }).collect::<Vec<_>>();
    let items = Int64Array::from(vec![7; lengths.iter().sum()]);
    let item = Arc::new(Field::new("item", DataType::Int64, true));
    let lists = ListArray::new(item, OffsetBuffer::from_lengths(lengths), Arc::new(items), None);
    let kinds = Int64Array::from_iter_values((0..400).map(|n| n % 7));
    let columns = [("list", Arc::new(lists) as ArrayRef), ("kind", Arc::new(kinds))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let bytes = file(&batch, WriterProperties::builder().build());
    let limits = Limits { batch_bytes: 300_000, ..Limits::default() };
    let files = open([bytes], ParquetOptions { limits, ..ParquetOptions::default() }).unwrap();
    for predicate in ["kind == 3", "kind < 3"] {
        let predicate: Predicate = predicate.parse().unwrap();
        let filtering = files.filtered(predicate.clone()).unwrap();
        assert_eq!(whole(filtering, 20, 1).unwrap(), filtered(&batch, &predicate), "{predicate}");
    }
}
