//! Filters: records that do not pass may be left out, and the result is the same whether they are.

use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field};
use arrowfeed_avro::{
    AvroFormat, AvroOptions, Codec, ColumnEncoding, FeedError, FileSource, Limits, OnError, ReadOptions,
    Skipped,
};
use arrowfeed_predicate::{Comparison, Lists, Predicate, col};
use arrowfeed_source::Check;
use arrowfeed_source::field_path::field_path;
use arrowfeed_source::format::{ChunkRun, DecodeOptions, PassingShare, Unit};
use proptest::prelude::*;

use super::faults::damaged;
use crate::support::batches;
use crate::support::case::{Case, cases, config, read, read_all};
use crate::support::file::{AvroFile, Block};
use crate::support::shapes::Kinds;
use crate::support::value::{Seed, Value};

/// The share of passing rows that the decoder sees before each block.
#[derive(Debug, Clone)]
enum Share {
    None,
    All,
    /// Either of them.
    Random(Seed),
}

impl Share {
    fn set(&mut self, share: &PassingShare) {
        let all = match self {
            Self::None => false,
            Self::All => true,
            Self::Random(seed) => seed.one_in(2),
        };
        let passed = if all { 1 << 16 } else { 0 };
        let is_set = |share: f64| if all { share > 0.99 } else { share < 0.01 };
        while !share.get().is_some_and(is_set) {
            share.count(1 << 16, passed);
        }
    }
}

/// The passing rows of a file, the number of the others, the skipped blocks, and the error at the end.
#[derive(Debug, PartialEq)]
struct Outcome {
    rows: Vec<Vec<Value>>,
    rejected: u64,
    skipped: Vec<Skipped>,
    error: Option<String>,
}

/// Decodes a file with a selective decoder, and filters its rows.
fn selected(
    file: &AvroFile,
    options: &AvroOptions,
    (batch_size, on_error): (usize, OnError),
    predicate: &Predicate,
    share: &Share,
) -> Outcome {
    let check = Check::never();
    let source = || FileSource::bytes(file.bytes());
    let files = AvroFormat::files([source()], options.clone(), None).unwrap();
    let format = files.format().selecting(predicate).unwrap().unwrap();
    let compiled = predicate.compile(format.schema(), Lists::AreValues).unwrap();
    let file = format.open(source().open(&check).unwrap(), &check).unwrap();
    let runs = [ChunkRun::new(file.body(), 0)].into();
    let unit = Unit { runs, rows: None, first_batch: None };
    let passing = Arc::new(PassingShare::default());
    let (mut before, seen) = (share.clone(), passing.clone());
    let mut claim: Option<arrowfeed_source::format::Claim> = Some(Box::new(move |_| {
        before.set(&seen);
        Ok(true)
    }));
    let options = DecodeOptions { batch_size, on_error };
    let decoder = file.selective_decoder(&unit, &options, &mut claim, &passing).unwrap();
    let mut decoder = decoder.expect("the paths of the predicate select columns");
    let (mut rows, mut rejected, mut error) = (Vec::new(), 0, None);
    loop {
        match decoder.next(&check) {
            Ok(Some(located)) => {
                let mask = compiled.keeps(&located.batch).unwrap();
                assert_eq!(located.origins[0].row, 0);
                assert!(located.origins.is_sorted_by(|a, b| a.row < b.row && a.offset < b.offset));
                rejected += mask.false_count() as u64;
                rows.extend(filtered(&located.batch, &compiled));
            }
            Ok(None) => break,
            Err(found) => error = Some(found.to_string()),
        }
    }
    let report = decoder.take_report();
    Outcome { rows, rejected: rejected + report.rejected, skipped: report.skipped, error }
}

fn filtered(batch: &RecordBatch, predicate: &arrowfeed_predicate::CompiledPredicate) -> Vec<Vec<Value>> {
    let mask = predicate.keeps(batch).unwrap();
    let rows = batches::rows(std::slice::from_ref(batch)).into_iter().zip(mask.values());
    rows.filter(|(_, passes)| *passes).map(|(row, _)| row).collect()
}

/// A random predicate over the columns of a case; `None` if it has no columns.
fn random_predicate(case: &Case, seed: &mut Seed) -> Option<Predicate> {
    let (columns, cells) = (case.mapping().columns(), case.cells());
    let row = |seed: &mut Seed| (!cells.is_empty()).then(|| seed.pick(&cells).clone());
    let mut paths = Vec::new();
    add_paths(&columns, &mut Vec::new(), &mut Vec::new(), &mut paths);
    if paths.is_empty() {
        return None;
    }
    let mut all: Option<Predicate> = None;
    for _ in 0..=seed.below(3) {
        let (path, places, data_type) = seed.pick(&paths);
        let value = row(seed).map_or(Value::Null, |row| value_at(&row, &places));
        let mut leaf = comparison(&path, &data_type, &value, seed);
        if seed.one_in(4) {
            leaf = !leaf;
        }
        all = Some(match all {
            Some(all) if seed.one_in(2) => all & leaf,
            Some(all) => all | leaf,
            None => leaf,
        });
    }
    all
}

type Path = (String, Vec<usize>, DataType);

/// The paths of the columns, and of the fields of structs in them.
fn add_paths(fields: &[Field], names: &mut Vec<String>, places: &mut Vec<usize>, paths: &mut Vec<Path>) {
    for (place, field) in fields.iter().enumerate() {
        names.push(field.name().clone());
        places.push(place);
        paths.push((field_path(&names[..]), places.clone(), field.data_type().clone()));
        if let DataType::Struct(inner) = field.data_type() {
            let inner: Vec<Field> = inner.iter().map(|field| (**field).clone()).collect();
            add_paths(&inner, names, places, paths);
        }
        names.pop();
        places.pop();
    }
}

fn value_at(row: &[Value], places: &[usize]) -> Value {
    match (&row[places[0]], &places[1..]) {
        (value, []) => value.clone(),
        (Value::Record(fields), rest) => value_at(fields, rest),
        _ => Value::Null,
    }
}

/// A comparison of a column with one of its values, if there is one.
fn comparison(path: &str, data_type: &DataType, value: &Value, seed: &mut Seed) -> Predicate {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    let how = seed.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
    let number = matches!(
        data_type,
        DataType::Int32
            | DataType::Int64
            | DataType::Float32
            | DataType::Float64
            | DataType::Decimal128(..)
            | DataType::Decimal256(..)
    );
    match (data_type, value) {
        _ if seed.one_in(6) => col(path).is_null(),
        (DataType::List(_) | DataType::FixedSizeList(..) | DataType::Map(..), _) => {
            col(path).list_length().compare(how, seed.below(3) as i64)
        }
        (_, Value::Int(value)) if number => col(path).compare(how, *value),
        (_, Value::Float(bits)) => col(path).compare(how, f32::from_bits(*bits)),
        (_, Value::Double(bits)) => col(path).compare(how, f64::from_bits(*bits)),
        (_, Value::Bool(value)) => col(path).eq(*value),
        (_, Value::Text(text)) if text.is_char_boundary(1) && seed.one_in(3) => {
            col(path).starts_with(&text[..1])
        }
        (_, Value::Text(text)) => col(path).compare(how, text.as_str()),
        (_, Value::Bytes(bytes)) => col(path).compare(how, bytes.clone()),
        _ if number => col(path).compare(how, 0_i64),
        _ => col(path).is_not_null(),
    }
}

/// Options of the case, some with limits that data exceeds.
fn options(case: &Case, seed: &mut Seed) -> AvroOptions {
    let mut limits = Limits::default();
    if seed.one_in(3) {
        limits.skipped_depth = seed.below(3);
    }
    if seed.one_in(3) {
        limits.batch_bytes = 1 + seed.below(400);
    }
    let max_batch_bytes = seed.one_in(3).then(|| 1 + seed.below(limits.batch_bytes.min(2000)));
    AvroOptions { string_type: case.strings, limits, max_batch_bytes, ..AvroOptions::default() }
}

fn ways(seed: &mut Seed) -> [Share; 4] {
    [Share::None, Share::All, Share::Random(Seed(seed.next())), Share::Random(Seed(seed.next()))]
}

/// Changes some bytes of a block, which may stay valid.
fn changed(case: &Case, seed: &mut Seed) -> Case {
    let mut case = case.clone();
    let full: Vec<usize> =
        (0..case.file.blocks.len()).filter(|block| !case.file.blocks[*block].payload.is_empty()).collect();
    if full.is_empty() || seed.one_in(4) {
        return damaged(case).0;
    }
    for _ in 0..1 + seed.below(3) {
        let block = seed.pick(&full);
        let payload = &mut case.file.blocks[block].payload;
        let at = seed.below(payload.len());
        payload[at] = if seed.one_in(2) { seed.next() as u8 } else { payload[at] ^ (1 << seed.below(8)) };
    }
    case
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn selecting_rows_is_filtering_after_reading(case in cases(Kinds::All)) {
        let mut seed = case.seed.clone();
        let Some(predicate) = random_predicate(&case, &mut seed) else { return Ok(()) };
        let whole = read_all(case.open());
        let schema = AvroFormat::files([case.source()], options(&case, &mut Seed(0)), None).unwrap();
        let compiled = predicate.compile(schema.schema(), Lists::AreValues).unwrap();
        let expected: Vec<_> = whole.iter().flat_map(|batch| filtered(batch, &compiled)).collect();
        let options = AvroOptions { string_type: case.strings, ..AvroOptions::default() };
        let how = (case.batch_size, OnError::Raise);
        for share in ways(&mut seed) {
            let found = selected(&case.file, &options, how, &predicate, &share);
            prop_assert_eq!(found.error, None);
            prop_assert_eq!(&found.rows, &expected, "{} {:?}", predicate, share);
            prop_assert_eq!(found.rejected as usize, case.rows.len() - expected.len());
        }
        let read = read_all(case.open_with(ReadOptions { filter: Some(predicate), ..case.reading() }));
        prop_assert_eq!(batches::rows(&read), expected);
        prop_assert!(read.iter().rev().skip(1).all(|batch| batch.num_rows() == case.batch_size));
    }

    /// A file may be damaged where only the decoding of all records sees it.
    #[test]
    fn the_choice_of_the_way_changes_neither_rows_nor_errors(case in cases(Kinds::All)) {
        let mut seed = case.seed.clone();
        let Some(predicate) = random_predicate(&case, &mut seed) else { return Ok(()) };
        let case = changed(&case, &mut seed);
        let options = options(&case, &mut seed);
        for on_error in [OnError::Raise, OnError::SkipBlock] {
            let how = (case.batch_size, on_error);
            let [none, others @ ..] = ways(&mut seed);
            let expected = selected(&case.file, &options, how, &predicate, &none);
            for share in others {
                let found = selected(&case.file, &options, how, &predicate, &share);
                prop_assert_eq!(&found, &expected, "{} {:?} {:?}", predicate, on_error, share);
            }
        }
    }

    /// The error of a block is that of a reading of all rows.
    #[test]
    fn blocks_that_are_read_without_a_filter_are_read_with_it(case in cases(Kinds::All)) {
        let mut seed = case.seed.clone();
        let Some(predicate) = random_predicate(&case, &mut seed) else { return Ok(()) };
        let case = changed(&case, &mut seed);
        let options = AvroOptions { string_type: case.strings, ..AvroOptions::default() };
        let reading = ReadOptions { on_error: OnError::SkipBlock, ..case.reading() };
        let mut reader = case.open_with(reading).unwrap();
        reader.by_ref().for_each(|batch| drop(batch.unwrap()));
        let skipped = reader.report().skipped;
        for share in ways(&mut seed) {
            let how = (case.batch_size, OnError::SkipBlock);
            let found = selected(&case.file, &options, how, &predicate, &share);
            prop_assert!(found.skipped.iter().all(|block| skipped.contains(block)), "{:?} {:?}", found, skipped);
        }
    }
}

const PAIR: &str = r#"{"type": "record", "name": "Pair", "fields": [
    {"name": "id", "type": "int"}, {"name": "text", "type": "string"}]}"#;

fn pairs(blocks: Vec<Vec<(u8, &[u8])>>) -> AvroFile {
    let block = |rows: Vec<(u8, &[u8])>| {
        let row = |(id, text): &(u8, &[u8])| {
            let length = text.len() << 1;
            let length: Vec<u8> = match length {
                0..0x80 => vec![length as u8],
                _ => vec![length as u8 | 0x80, (length >> 7) as u8 | 0x80, (length >> 14) as u8],
            };
            [vec![id << 1], length, text.to_vec()].concat()
        };
        Block { count: rows.len() as u64, payload: rows.iter().flat_map(row).collect() }
    };
    let blocks = blocks.into_iter().map(block).collect();
    AvroFile { schema: PAIR.to_owned(), codec: Codec::Null, blocks, sync: [7; 16] }
}

fn both_ways(source: &AvroFile, on_error: OnError, predicate: &str) -> Outcome {
    let (options, predicate) = (AvroOptions::default(), predicate.parse().unwrap());
    let of = |share| selected(source, &options, (10, on_error), &predicate, &share);
    let found = of(Share::None);
    assert_eq!(found, of(Share::All));
    found
}

#[test]
fn text_of_rejected_records_is_not_validated_outside_of_the_columns_of_the_predicate() {
    let source = pairs(vec![vec![(1, b"a"), (2, b"\xff"), (3, b"c")]]);
    let found = both_ways(&source, OnError::Raise, "id != 2");
    assert_eq!((found.rows.len(), found.rejected, found.error), (2, 1, None));
    let error = Some(
        "<210 bytes>: block 0 at byte 189, record 1: text: expected a string in UTF-8, found other bytes after 0 bytes of it",
    );
    for predicate in ["id == 2", "id != 2 and text != \"a\""] {
        let found = both_ways(&source, OnError::Raise, predicate);
        assert_eq!((found.rows.len(), found.error.as_deref()), (0, error), "{predicate}");
    }
}

/// The rows wait for the end of their block, or the block is validated first.
#[test]
fn no_row_of_a_large_damaged_block_is_returned() {
    for (records, length, damage) in
        [(350, 100_000, false), (350, 100_000, true), (400_000, 0, false), (400_000, 0, true)]
    {
        let text = vec![b'x'; length];
        let mut rows: Vec<(u8, &[u8])> = (0..records).map(|n| ((n % 50) as u8, &text[..])).collect();
        if damage {
            rows.push((1, b"\xff"));
        }
        let source = pairs(vec![vec![(1, b"before")], rows, vec![(1, b"after")]]);
        let found = both_ways(&source, OnError::SkipBlock, "id < 49");
        let passing = records - records / 50;
        assert_eq!(found.rows.len(), if damage { 2 } else { passing + 2 });
        assert_eq!((found.skipped.len(), found.error), (usize::from(damage), None));
    }
}

/// Rows before the row that cannot be compared come first.
#[test]
fn a_row_that_cannot_be_compared_is_the_same_error_in_both_ways() {
    let schema = r#"{"type": "record", "name": "R", "fields": [
        {"name": "id", "type": "int"}, {"name": "tags", "type": {"type": "array", "items": "int"}}]}"#;
    let record = |id: u8, tags: &[u8]| match tags {
        [] => vec![id << 1, 0],
        _ => [
            &[id << 1, (tags.len() as u8) << 1][..],
            &tags.iter().map(|tag| tag << 1).collect::<Vec<u8>>(),
            &[0],
        ]
        .concat(),
    };
    let read = |first: u8| -> (Vec<Vec<Value>>, Option<FeedError>) {
        // After the first block, either no row or every row has passed.
        let blocks = [
            vec![record(1, &[first]); 100],
            vec![record(2, &[5]), record(3, &[6]), record(4, &[7, 8]), record(5, &[5])],
        ];
        let blocks = blocks.map(|rows| Block { count: rows.len() as u64, payload: rows.concat() });
        let file =
            AvroFile { schema: schema.to_owned(), codec: Codec::Null, blocks: blocks.into(), sync: [7; 16] };
        let options = AvroOptions { encoding: ColumnEncoding::Tfx, ..AvroOptions::default() };
        let reading = ReadOptions {
            batch_size: Some(10),
            threads: Some(NonZeroUsize::MIN),
            filter: Some("tags >= 5".parse().unwrap()),
            ..ReadOptions::default()
        };
        let source = FileSource::bytes(file.bytes());
        let (batches, error) = read(AvroFormat::read([source], options, reading));
        (batches::rows(&batches), error)
    };
    let (few, many) = (read(1), read(9));
    assert_eq!((few.0.len(), many.0.len()), (2, 102));
    assert_eq!(few.0, many.0[100..]);
    let errors = [few.1, many.1].map(|error| error.unwrap().to_string());
    assert_eq!(errors[0], errors[1]);
    assert_eq!(
        errors[0],
        "<664 bytes>: block 1 at byte 629, record 2: column tags, row 2: expected a list with at most one value, found 2 values"
    );
}
