//! Decoding of bytes to rows: the rows that were written, or an error for bytes that are not valid rows.

use arrowfeed_avro::{
    AvroFormat, AvroHeader, AvroOptions, AvroSchema, Codec, FeedErrorKind, FileSource, Limits,
};
use proptest::prelude::*;

use crate::support::case::{assert_reads, assert_rows, cases, cases_with, config, read};
use crate::support::decode::{ZERO_BYTE_ELEMENTS, decode_block};
use crate::support::file::AvroFile;
use crate::support::shapes::Kinds;
use crate::support::value::{Seed, Value};

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn reading_gives_the_written_rows(case in cases(Kinds::All)) {
        assert_reads(case.open(), case.mapping().columns(), &case.cells());
        let header = AvroHeader::read(case.source(), &Limits::default()).unwrap();
        prop_assert_eq!(header.count_rows().unwrap(), case.rows.len() as u64);
    }

    #[test]
    fn a_schema_is_the_same_in_full_names(case in cases(Kinds::Recursive)) {
        let (short, full) = (AvroSchema::parse(&case.file.schema).unwrap(), case.schema.to_json());
        let full = AvroSchema::parse(&full).unwrap();
        prop_assert_eq!(short.canonical(), full.canonical());
        prop_assert!(short == full);
    }
}

proptest! {
    // These cases are small and cheap, and few of them damage the value that a defect is about.
    #![proptest_config(config(2500))]

    /// The oracle and the reader agree on which bytes are valid rows, and on the rows.
    #[test]
    fn any_bytes_are_rows_to_both_or_to_neither(case in cases_with(Kinds::All, Just(Codec::Null), 6)) {
        let mut seed = case.seed.clone();
        let mut file = case.file.clone();
        let damaged = seed.below(file.blocks.len());
        mutate(&mut file.blocks[damaged].payload, &mut seed);
        let (rows, fault) = decoded(&case.schema, &file);
        let cells: Vec<Vec<Value>> = rows.iter().map(|row| case.mapping().cells(row)).collect();

        let limits = Limits { zero_byte_elements: ZERO_BYTE_ELEMENTS, ..Limits::default() };
        let (source, options) = (FileSource::bytes(file.bytes()), AvroOptions { limits, ..case.options() });
        let (batches, error) = read(AvroFormat::read([source], options, case.reading()));
        assert_rows(&batches, &cells);
        prop_assert_eq!(error.is_some(), fault.is_some(), "{:?} and {:?}", error, fault);
        if let (Some(error), Some((block, record))) = (error, fault) {
            prop_assert!(matches!(error.kind(), FeedErrorKind::CorruptBlock | FeedErrorKind::Limit), "{}", error);
            prop_assert_eq!(error.location().block, Some(block), "{}", error);
            prop_assert_eq!(error.location().record, record, "{}", error);
        }
    }
}

/// The rows before the first bad block, and the block and record of the fault; no record if the block has too many bytes.
type Decoded = (Vec<Value>, Option<(u64, Option<u64>)>);

fn decoded(schema: &crate::support::schema::Schema, file: &AvroFile) -> Decoded {
    let mut rows = Vec::new();
    for (block, i) in file.blocks.iter().zip(0..) {
        match decode_block(schema, block.count, &block.payload) {
            Ok(more) => rows.extend(more),
            Err(record) => return (rows, Some((i, (record < block.count).then_some(record)))),
        }
    }
    (rows, None)
}

/// Changes, removes or inserts a few bytes.
pub(crate) fn mutate(payload: &mut Vec<u8>, seed: &mut Seed) {
    for _ in 0..1 + seed.below(3) {
        let byte = seed.pick(&[0x00, 0x01, 0x02, 0x04, 0x7f, 0x80, 0xff]);
        let at = seed.below(payload.len() + 1);
        match seed.below(6) {
            0 => payload.truncate(at),
            1 => payload.insert(at, byte),
            2 if at < payload.len() => _ = payload.remove(at),
            3 if at < payload.len() => payload[at] ^= 1 << seed.below(8),
            _ if at < payload.len() => payload[at] = byte,
            _ => payload.push(byte),
        }
    }
}
