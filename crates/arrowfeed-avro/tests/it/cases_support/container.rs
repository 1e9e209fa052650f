//! Plain object container files: codec null, one block.

use serde_json::Value;

use super::case::Case;
use super::encode::{Encoder, bytes, long};

/// The bytes of a file, and the offset of the data of its block.
pub(crate) struct Container {
    pub(crate) bytes: Vec<u8>,
    pub(crate) data_start: usize,
}

impl Container {
    pub(crate) fn of(case: &Case) -> Self {
        let schema = case.schema();
        let (count, data) = match (case.records(), &case.hex) {
            (Some(records), _) => (records.len(), encoded(&schema, &records)),
            (None, Some(hex)) => (hex.len(), hex.iter().flat_map(|text| from_hex(text)).collect()),
            (None, None) => unreachable!("a case has records or hex"),
        };
        let mut file = b"Obj\x01".to_vec();
        long(2, &mut file);
        for (key, value) in [("avro.schema", schema.as_str()), ("avro.codec", "null")] {
            bytes(key.as_bytes(), &mut file);
            bytes(value.as_bytes(), &mut file);
        }
        long(0, &mut file);
        file.extend([0x5a; 16]);
        long(count as i64, &mut file);
        long(data.len() as i64, &mut file);
        let data_start = file.len();
        file.extend(data);
        file.extend([0x5a; 16]);
        Self { bytes: file, data_start }
    }
}

fn encoded(schema: &str, records: &[Value]) -> Vec<u8> {
    let schema: Value = serde_json::from_str(schema).unwrap_or_else(|error| panic!("{error} in {schema}"));
    let encoder = Encoder::new(&schema);
    let mut data = Vec::new();
    records.iter().for_each(|record| encoder.value(&schema, record, &mut data));
    data
}

/// Bytes as pairs of hexadecimal digits, with spaces anywhere between them.
fn from_hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    assert!(digits.len().is_multiple_of(2), "pairs of digits in {text}");
    let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16);
    let bytes: Result<_, _> = (0..digits.len()).step_by(2).map(pair).collect();
    bytes.unwrap_or_else(|error| panic!("{error} in {text}"))
}
