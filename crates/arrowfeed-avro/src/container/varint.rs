//! The specification's `long`, for the header and the block framing. Faster code in [`wire`](crate::wire)
//! decodes record values.

/// Size of the longest `long`.
pub(super) const MAX_LONG: usize = 10;

/// Result of parsing the start of a slice as a `long`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Long {
    /// A number, and its size in bytes.
    Value(i64, usize),
    /// The slice ends inside a number.
    Cut,
    /// More than 64 bits, or more than [`MAX_LONG`] bytes.
    Overlong,
}

/// Parses a zigzag varint. Accepts encodings that are longer than necessary, because real writers produce them.
pub(super) fn long(bytes: &[u8]) -> Long {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(MAX_LONG).enumerate() {
        if i == MAX_LONG - 1 && byte > 1 {
            return Long::Overlong;
        }
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Long::Value((value >> 1) as i64 ^ -((value & 1) as i64), i + 1);
        }
    }
    Long::Cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::testing::varint;

    #[test]
    fn every_length_of_number_is_read_back() {
        for shift in 0..64 {
            for value in [i64::MIN >> shift, i64::MAX >> shift, -1, 0, 1] {
                let bytes = varint(value);
                assert_eq!(long(&bytes), Long::Value(value, bytes.len()));
                assert_eq!(long(&bytes[..bytes.len() - 1]), Long::Cut);
            }
        }
    }

    #[test]
    fn a_longer_encoding_than_needed_is_read() {
        assert_eq!(long(&[0x82, 0x00]), Long::Value(1, 2));
    }

    #[test]
    fn more_than_64_bits_or_10_bytes_are_refused() {
        let mut tenth = [0xff; 10];
        assert_eq!(long(&tenth), Long::Overlong);
        tenth[9] = 2;
        assert_eq!(long(&tenth), Long::Overlong);
        tenth[9] = 1;
        assert_eq!(long(&tenth), Long::Value(i64::MIN, 10));
        assert_eq!(long(&[0x80; 10_000]), Long::Overlong);
    }
}
