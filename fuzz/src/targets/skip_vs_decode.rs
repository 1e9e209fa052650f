//! Reads the bytes of one block with a schema of each kind, both whole and with a projection. Skipping and decoding must
//! reject the same data, and the columns that both read must be equal.

use arbitrary::Arbitrary;
use arrowfeed_avro::{AvroOptions, Codec};

use crate::avro;
use crate::hostile::container::Container;
use crate::hostile::schemas::KINDS;
use crate::hostile::skipping::{assert_same_columns, may_differ};
use crate::hostile::ways::read;
use crate::input::decoded;

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    kind: usize,
    chosen: u8,
    count: u8,
    payload: &'a [u8],
}

pub(crate) fn run(bytes: &[u8]) {
    let Some(case) = decoded::<Case<'_>>(bytes) else { return };
    let kind = &KINDS[case.kind % KINDS.len()];
    let file = Container::new(kind.schema, Codec::Null).block(case.count.into(), case.payload).bytes;
    let options = avro::options();
    let whole = read(&file, &options);
    avro::check(&whole);
    let columns = kind.fields.iter().enumerate().filter(|(i, _)| case.chosen >> i & 1 == 1);
    let columns = Some(columns.map(|(_, name)| (*name).to_owned()).collect());
    if kind.fields.is_empty() {
        return;
    }
    let part = read(&file, &AvroOptions { columns, ..options });
    avro::check(&part);
    if may_differ(&whole, &part) {
        return;
    }
    assert_eq!(whole.fault.is_some(), part.fault.is_some(), "{} but {}", whole.verdict(), part.verdict());
    assert_same_columns(&whole, &part);
}
