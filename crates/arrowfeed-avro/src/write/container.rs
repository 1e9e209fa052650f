//! The header of a file, and the sync marker.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

use crate::Codec;
use crate::container::framing::SYNC;
use crate::container::magic::MAGIC;

/// A random marker, unique to the file.
pub(super) fn new_sync_marker() -> [u8; SYNC] {
    // Each state has a random seed, which is enough here: a marker only has to be rare.
    let half = || u128::from(RandomState::new().hash_one("sync marker"));
    (half() << 64 | half()).to_be_bytes()
}

/// The bytes before the first block.
pub(super) fn header(
    schema: &str,
    codec: Codec,
    metadata: &BTreeMap<String, Vec<u8>>,
    sync: &[u8; SYNC],
) -> Vec<u8> {
    let own = [("avro.schema", schema.as_bytes()), ("avro.codec", codec.name().as_bytes())];
    let others = metadata.iter().map(|(key, value)| (key.as_str(), value.as_slice()));
    let mut header = MAGIC.to_vec();
    length(&mut header, own.len() + metadata.len());
    for (key, value) in own.into_iter().chain(others) {
        for part in [key.as_bytes(), value] {
            length(&mut header, part.len());
            header.extend_from_slice(part);
        }
    }
    length(&mut header, 0);
    header.extend_from_slice(sync);
    header
}

/// Appends the zigzag varint of a non-negative number.
fn length(out: &mut Vec<u8>, length: usize) {
    let mut rest = length as u64 * 2;
    while rest > 0x7f {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}
