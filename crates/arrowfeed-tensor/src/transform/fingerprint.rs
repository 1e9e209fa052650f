//! The hashes of TensorFlow's operations on strings: Fingerprint64 of FarmHash, and its combination of two fingerprints.
//!
//! The rules are those of `farmhashna::Hash64` in `farmhash.cc` of <https://github.com/google/farmhash>, and of
//! `FingerprintCat64` in `tensorflow/core/platform/fingerprint.h`. The crate `farmhash` (1.1.5) has another result for
//! lengths of 128, 192 and so on, whose last block its loop reads, too.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// Fingerprint64, which is the same on all platforms.
#[inline]
pub(super) fn fingerprint64(bytes: &[u8]) -> u64 {
    match bytes.len() {
        0..=16 => up_to_16(bytes),
        17..=32 => up_to_32(bytes),
        33..=64 => up_to_64(bytes),
        _ => long(bytes),
    }
}

/// The fingerprint of two fingerprints, in this order.
#[inline]
pub(super) fn combined(first: u64, second: u64) -> u64 {
    const MUL: u64 = 0xc6a4_a793_5bd1_e995;
    let mixed = first ^ MUL ^ shift_mix(second.wrapping_mul(MUL)).wrapping_mul(MUL);
    shift_mix(shift_mix(mixed.wrapping_mul(MUL)).wrapping_mul(MUL))
}

#[inline]
fn shift_mix(value: u64) -> u64 {
    value ^ (value >> 47)
}

/// Eight bytes from a position.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

#[inline]
fn half_word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |half| u32::from_le_bytes(*half).into())
}

#[inline]
fn mixed(u: u64, v: u64, mul: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(mul));
    shift_mix((v ^ a).wrapping_mul(mul)).wrapping_mul(mul)
}

#[inline]
fn up_to_16(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let mul = K2.wrapping_add(len as u64 * 2);
    match len {
        8.. => {
            let a = word(bytes, 0).wrapping_add(K2);
            let b = word(bytes, len - 8);
            let c = b.rotate_right(37).wrapping_mul(mul).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(mul);
            mixed(c, d, mul)
        }
        4..=7 => {
            let a = half_word(bytes, 0);
            mixed((len as u64).wrapping_add(a << 3), half_word(bytes, len - 4), mul)
        }
        1..=3 => {
            let (a, b, c) = (bytes[0], bytes[len >> 1], bytes[len - 1]);
            let y = u64::from(a) + (u64::from(b) << 8);
            let z = len as u64 + (u64::from(c) << 2);
            shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        0 => K2,
    }
}

#[inline]
fn up_to_32(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let mul = K2.wrapping_add(len as u64 * 2);
    let a = word(bytes, 0).wrapping_mul(K1);
    let b = word(bytes, 8);
    let c = word(bytes, len - 8).wrapping_mul(mul);
    let d = word(bytes, len - 16).wrapping_mul(K2);
    let first = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    mixed(first, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), mul)
}

fn up_to_64(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let mul = K2.wrapping_add(len as u64 * 2);
    let a = word(bytes, 0).wrapping_mul(K2);
    let b = word(bytes, 8);
    let c = word(bytes, len - 8).wrapping_mul(mul);
    let d = word(bytes, len - 16).wrapping_mul(K2);
    let y = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let z = mixed(y, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), mul);
    let e = word(bytes, 16).wrapping_mul(mul);
    let f = word(bytes, 24);
    let g = y.wrapping_add(word(bytes, len - 32)).wrapping_mul(mul);
    let h = z.wrapping_add(word(bytes, len - 24)).wrapping_mul(mul);
    let first = e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h);
    mixed(first, e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g), mul)
}

/// The state of the loop over blocks of 64 bytes.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    /// Adds a block. `mul` is a multiplier, and `last` is that of the last block.
    #[inline]
    fn add(&mut self, block: &[u8], mul: u64, last: u64) {
        let Self { x, y, z, v, w } = self;
        *x = x
            .wrapping_add(*y)
            .wrapping_add(v.0)
            .wrapping_add(word(block, 8))
            .rotate_right(37)
            .wrapping_mul(mul);
        *y = y.wrapping_add(v.1).wrapping_add(word(block, 48)).rotate_right(42).wrapping_mul(mul);
        *x ^= w.1.wrapping_mul(last);
        *y = y.wrapping_add(v.0.wrapping_mul(last)).wrapping_add(word(block, 40));
        *z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(mul);
        *v = weak(&block[..32], v.1.wrapping_mul(mul), x.wrapping_add(w.0));
        *w = weak(&block[32..], z.wrapping_add(w.1), y.wrapping_add(word(block, 16)));
        std::mem::swap(x, z);
    }
}

fn long(bytes: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let y = SEED.wrapping_mul(K1).wrapping_add(113);
    let x = SEED.wrapping_mul(K2).wrapping_add(word(bytes, 0));
    let z = shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
    let mut state = State { x, y, z, v: (0, 0), w: (0, 0) };
    let blocks = (bytes.len() - 1) / 64;
    bytes.chunks_exact(64).take(blocks).for_each(|block| state.add(block, K1, 1));
    let mul = K1.wrapping_add((state.z & 0xff) << 1);
    state.w.0 = state.w.0.wrapping_add((bytes.len() as u64 - 1) & 63);
    state.v.0 = state.v.0.wrapping_add(state.w.0);
    state.w.0 = state.w.0.wrapping_add(state.v.0);
    state.add(&bytes[bytes.len() - 64..], mul, 9);
    let State { x, y, z, v, w } = state;
    let first = mixed(v.0, w.0, mul).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z);
    mixed(first, mixed(v.1, w.1, mul).wrapping_add(x), mul)
}

#[inline]
fn weak(bytes: &[u8], a: u64, b: u64) -> (u64, u64) {
    let (w, x, y, z) = (word(bytes, 0), word(bytes, 8), word(bytes, 16), word(bytes, 24));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let sum = a.wrapping_add(x).wrapping_add(y);
    (sum.wrapping_add(z), b.wrapping_add(sum.rotate_right(44)).wrapping_add(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tf.strings.to_hash_bucket_fast(text, 2**63 - 1)` of TensorFlow 2.21. The texts have the first `n` characters of
    /// `f"x{n}_"` repeated.
    #[test]
    fn fingerprints_are_those_of_tensorflow() {
        for (n, expected) in [
            (3, 3477299194472737654_u64),
            (8, 5118564000533373208),
            (12, 5252498732703598199),
            (16, 7264708848550526235),
            (17, 4409154508263344534),
            (32, 2301235531880632934),
            (33, 2488441866798787343),
            (50, 5556538757916697417),
            (64, 4533565459269432729),
            (65, 4716420270171187957),
            (100, 8769535380378423052),
            (128, 3290826819671983472),
            (129, 4097087546904139407),
            (200, 78273357969299874),
        ] {
            let text = format!("x{n}_").repeat(60);
            assert_eq!(fingerprint64(&text.as_bytes()[..n]) % (i64::MAX as u64), expected, "{n} bytes");
        }
        let short = ["", "a", "abc", "hello world"].map(|text| fingerprint64(text.as_bytes()) % (1 << 62));
        let expected = [1936946117179621455, 3694432073954588131, 2640714258260161385, 1769834696496558107];
        assert_eq!(short, expected);
    }
}
