//! CRC-64-AVRO, the Rabin fingerprint of the specification.

/// The fingerprint of empty input, which is also the polynomial.
const EMPTY: u64 = 0xc15d_213a_a4d7_a795;

/// For each byte, the remainder after eight steps of the bitwise division.
const TABLE: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            remainder = (remainder >> 1) ^ if remainder & 1 == 1 { EMPTY } else { 0 };
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
};

pub(super) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(EMPTY, |hash, byte| {
        let [low, ..] = hash.to_le_bytes();
        (hash >> 8) ^ TABLE[usize::from(low ^ byte)]
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The definition: bit by bit, without a table.
    pub(in crate::schema) fn plain(bytes: &[u8]) -> u64 {
        let mut hash = EMPTY;
        for byte in bytes {
            hash ^= u64::from(*byte);
            for _ in 0..8 {
                let carry = hash & 1;
                hash >>= 1;
                hash ^= carry * EMPTY;
            }
        }
        hash
    }

    #[test]
    fn table_and_bitwise_division_agree() {
        for length in 0..64 {
            let bytes: Vec<u8> = (0..length).map(|i: u8| i.wrapping_mul(37) ^ length).collect();
            assert_eq!(fingerprint(&bytes), plain(&bytes));
        }
    }

    #[test]
    fn published_fingerprints_of_the_primitive_types() {
        let published: [(&str, i64); 8] = [
            ("null", 7_195_948_357_588_979_594),
            ("boolean", -6_970_731_678_124_411_036),
            ("int", 8_247_732_601_305_521_295),
            ("long", -3_434_872_931_120_570_953),
            ("float", 5_583_340_709_985_441_680),
            ("double", -8_181_574_048_448_539_266),
            ("bytes", 5_746_618_253_357_095_269),
            ("string", -8_142_146_995_180_207_161),
        ];
        for (name, expected) in published {
            assert_eq!(fingerprint(format!("\"{name}\"").as_bytes()).cast_signed(), expected, "{name}");
        }
    }
}
