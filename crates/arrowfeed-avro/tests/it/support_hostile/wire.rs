//! Values of the Avro binary encoding, written in plain code.

/// A zigzag varint: the encoding of `int`, `long`, lengths, counts and indexes.
pub(crate) fn long(value: i64) -> Vec<u8> {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    let mut bytes = Vec::new();
    while rest > 0x7f {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// Several longs in sequence.
pub(crate) fn longs(values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    values.into_iter().flat_map(long).collect()
}

/// A length, then the bytes.
pub(crate) fn bytes(value: &[u8]) -> Vec<u8> {
    [long(value.len() as i64), value.to_vec()].concat()
}

/// A string.
pub(crate) fn string(value: &str) -> Vec<u8> {
    bytes(value.as_bytes())
}

/// One block of items without its size, and the end of the array.
pub(crate) fn array(items: &[Vec<u8>]) -> Vec<u8> {
    if items.is_empty() {
        return vec![0];
    }
    [long(items.len() as i64), items.concat(), vec![0]].concat()
}

/// One block of items with its size, and the end of the array.
pub(crate) fn sized_array(items: &[Vec<u8>]) -> Vec<u8> {
    if items.is_empty() {
        return vec![0];
    }
    let data = items.concat();
    [long(-(items.len() as i64)), long(data.len() as i64), data, vec![0]].concat()
}
