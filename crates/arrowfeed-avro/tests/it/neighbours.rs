//! Neighbouring columns of nullable ints and longs are read and skipped together. Each has the values that it has when it is
//! read alone.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_select::concat::concat_batches;
use arrowfeed_avro::{AvroFormat, AvroOptions, Codec, FileSource, ReadOptions};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::open::columns;
use crate::support_hostile::container::Container;
use crate::support_hostile::wire::long;

/// A union of null and a number.
#[derive(Debug, Clone, Copy)]
struct Union {
    is_int: bool,
    null_is_first: bool,
}

impl Union {
    fn schema(self) -> String {
        let number = if self.is_int { "int" } else { "long" };
        match self.null_is_first {
            true => format!(r#"["null","{number}"]"#),
            false => format!(r#"["{number}","null"]"#),
        }
    }

    fn encoded(self, value: Option<i64>) -> Vec<u8> {
        let number = |value: i64| if self.is_int { long(i64::from(value as i32)) } else { long(value) };
        match value {
            None => long(i64::from(!self.null_is_first)),
            Some(value) => [long(i64::from(self.null_is_first)), number(value)].concat(),
        }
    }
}

/// Unions of which most are like the one before them.
fn unions() -> impl Strategy<Value = Vec<Union>> {
    vec((any::<bool>(), any::<bool>(), 1..9_usize), 1..6).prop_map(|runs| {
        let run = |(is_int, null_is_first, times)| vec![Union { is_int, null_is_first }; times];
        runs.into_iter().flat_map(run).collect()
    })
}

fn value() -> impl Strategy<Value = Option<i64>> {
    let number = (any::<i64>(), 0..64_u32).prop_map(|(value, shift)| value >> shift);
    prop_oneof![3 => number.prop_map(Some), 1 => Just(None)]
}

fn read(file: &[u8], options: AvroOptions, batch_size: usize) -> RecordBatch {
    let reading = ReadOptions { batch_size: Some(batch_size), ..ReadOptions::default() };
    let reader = AvroFormat::read([FileSource::bytes(file.to_vec())], options, reading).unwrap();
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

proptest! {
    #![proptest_config(crate::random_config::config(50))]

    #[test]
    fn a_column_has_the_same_values_alone_and_with_its_neighbours(
        unions in unions(),
        values in vec(value(), 1000),
        rows in 1..40_usize,
        batch_size in 1..50_usize,
        text_at in any::<prop::sample::Index>(),
    ) {
        // A text between the numbers, so that the record has several ops.
        let text_at = text_at.index(unions.len() + 1);
        let mut fields: Vec<String> = unions
            .iter()
            .enumerate()
            .map(|(at, union)| format!(r#"{{"name":"c{at}","type":{}}}"#, union.schema()))
            .collect();
        fields.insert(text_at, r#"{"name":"text","type":"string"}"#.to_owned());
        let schema = format!(r#"{{"type":"record","name":"R","fields":[{}]}}"#, fields.join(","));
        let mut values = values.iter().copied().cycle();
        let mut block = Vec::new();
        for _ in 0..rows {
            let mut row: Vec<Vec<u8>> = unions.iter().map(|union| union.encoded(values.next().unwrap())).collect();
            row.insert(text_at, [long(3), b"abc".to_vec()].concat());
            block.extend(row.concat());
        }
        let file = Container::new(&schema, Codec::Null).block(rows as i64, &block).bytes;
        let all = read(&file, AvroOptions::default(), batch_size);
        prop_assert_eq!(all.num_rows(), rows);
        for (at, field) in all.schema().fields().iter().enumerate() {
            let alone = read(&file, columns([field.name()]), 1000);
            let (alone, together): (&ArrayRef, &ArrayRef) = (alone.column(0), all.column(at));
            prop_assert_eq!(alone, together);
        }
    }
}
