//! The plain implementation: one transform of one JSON value.

use std::hash::Hasher;
use std::num::Wrapping;

use arrow_schema::DataType;
use arrowfeed_tensor::{DType, Hash, Token, Transform};
use serde_json::{Value, json};

/// The result of a transform for a value other than null.
pub(crate) fn transformed(transform: &Transform, value: &Value, of: &DataType) -> Value {
    match transform {
        Transform::Hashed { buckets, hash } => {
            let text = text(value);
            let hash = match hash {
                Hash::Fingerprint64 { seed: None } => fingerprint64(&text),
                Hash::Fingerprint64 { seed: Some(seed) } => combined(*seed, fingerprint64(&text)),
                Hash::SipHash { key: [first, second] } => {
                    #[expect(deprecated, reason = "an implementation of another author")]
                    let mut hasher = std::hash::SipHasher::new_with_keys(*first, *second);
                    hasher.write(&text);
                    hasher.finish()
                }
            };
            json!(hash % buckets)
        }
        Transform::Lookup(lookup) => {
            let token = match value {
                Value::String(text) => Token::Bytes(text.as_bytes().to_vec()),
                number => match number.as_i64() {
                    Some(number) => Token::Integer(number),
                    None => Token::Bytes(Vec::new()),
                },
            };
            let start = u64::from(lookup.mask.is_some());
            let position = lookup.vocabulary.tokens().position(|one| one == token);
            match (position, lookup.oov, lookup.default) {
                _ if lookup.mask.as_ref() == Some(&token) => json!(0),
                (Some(position), oov, _) => json!(start + oov + position as u64),
                (None, 0, default) => json!(default.expect("a default")),
                (None, oov, _) => match value {
                    Value::String(text) => json!(start + fingerprint64(text.as_bytes()) % oov),
                    number => json!(start as i128 + integer(number).rem_euclid(oov.into())),
                },
            }
        }
        Transform::Bucketized { boundaries } => {
            let value = value.as_f64().unwrap();
            json!(boundaries.iter().take_while(|boundary| **boundary <= value).count())
        }
        Transform::Clipped { low, high } if of.is_floating() => {
            json!(value.as_f64().unwrap().max(low.unwrap_or(f64::MIN)).min(high.unwrap_or(f64::MAX)))
        }
        Transform::Clipped { low, high } => {
            let bound = |bound: Option<f64>, none: i128| bound.map_or(none, |bound| bound as i128);
            json!(integer(value).max(bound(*low, i128::MIN)).min(bound(*high, i128::MAX)))
        }
        Transform::Normalised { mean, std } => {
            let result = (value.as_f64().unwrap() - mean) / std;
            json!(if *of == DataType::Float64 { result } else { f64::from(result as f32) })
        }
        Transform::Cast { dtype: DType::Float32, .. } => json!(match value.as_f64().unwrap() {
            _ if value.is_i64() || value.is_u64() => f64::from(integer(value) as f32),
            float => f64::from(float as f32),
        }),
        Transform::Cast { dtype: DType::Float64, .. } => json!(value.as_f64().unwrap()),
        Transform::Cast { .. } => panic!("no cast of the tests"),
        Transform::Crossed { buckets, seed, .. } => {
            let parts = value.as_array().unwrap().iter().map(|part| match part {
                Value::String(text) => fingerprint64(text.as_bytes()),
                number => integer(number) as u64,
            });
            json!(parts.fold(*seed, combined) % buckets)
        }
    }
}

/// The type of the results.
pub(crate) fn result_type(transform: &Transform, of: &DataType) -> DataType {
    match transform {
        Transform::Clipped { .. } => of.clone(),
        Transform::Normalised { .. } if *of == DataType::Float64 => DataType::Float64,
        Transform::Normalised { .. } => DataType::Float32,
        Transform::Cast { dtype, .. } => dtype.arrow_type(),
        _ => DataType::Int64,
    }
}

fn integer(value: &Value) -> i128 {
    value.as_i64().map_or_else(|| value.as_u64().unwrap().into(), i128::from)
}

fn text(value: &Value) -> Vec<u8> {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes()
}

type U64 = Wrapping<u64>;

const K0: U64 = Wrapping(0xc3a5c85c97cb3127);
const K1: U64 = Wrapping(0xb492b66fbe98f273);
const K2: U64 = Wrapping(0x9ae16a3b2f90404f);

fn combined(first: u64, second: u64) -> u64 {
    let mul = Wrapping(0xc6a4a7935bd1e995_u64);
    let mut result = Wrapping(first) ^ mul;
    result ^= shift_mix(Wrapping(second) * mul) * mul;
    result *= mul;
    result = shift_mix(result) * mul;
    shift_mix(result).0
}

fn shift_mix(value: U64) -> U64 {
    value ^ (value >> 47)
}

fn rotate(value: U64, shift: u32) -> U64 {
    Wrapping(value.0.rotate_right(shift))
}

fn fetch(s: &[u8]) -> U64 {
    Wrapping(u64::from_le_bytes(s[..8].try_into().unwrap()))
}

fn fetch32(s: &[u8]) -> U64 {
    Wrapping(u32::from_le_bytes(s[..4].try_into().unwrap()).into())
}

fn hash_len_16(u: U64, v: U64, mul: U64) -> U64 {
    let mut a = (u ^ v) * mul;
    a ^= a >> 47;
    let mut b = (v ^ a) * mul;
    b ^= b >> 47;
    b * mul
}

fn weak_hash_len_32_with_seeds(s: &[u8], mut a: U64, mut b: U64) -> (U64, U64) {
    let (w, x, y, z) = (fetch(s), fetch(&s[8..]), fetch(&s[16..]), fetch(&s[24..]));
    a += w;
    b = rotate(b + a + z, 21);
    let c = a;
    a += x;
    a += y;
    b += rotate(a, 44);
    (a + z, b + c)
}

/// `farmhashna::Hash64` of `farmhash.cc`, line by line.
fn fingerprint64(s: &[u8]) -> u64 {
    let len = s.len();
    let wide = Wrapping(len as u64);
    let mul = K2 + wide * Wrapping(2);
    let result = if len == 0 {
        K2
    } else if len < 4 {
        let y = Wrapping(u64::from(s[0]) + (u64::from(s[len >> 1]) << 8));
        let z = wide + Wrapping(u64::from(s[len - 1]) << 2);
        shift_mix((y * K2) ^ (z * K0)) * K2
    } else if len < 8 {
        hash_len_16(wide + (fetch32(s) << 3), fetch32(&s[len - 4..]), mul)
    } else if len <= 16 {
        let a = fetch(s) + K2;
        let b = fetch(&s[len - 8..]);
        hash_len_16(rotate(b, 37) * mul + a, (rotate(a, 25) + b) * mul, mul)
    } else if len <= 64 {
        let a = fetch(s) * if len <= 32 { K1 } else { K2 };
        let b = fetch(&s[8..]);
        let c = fetch(&s[len - 8..]) * mul;
        let d = fetch(&s[len - 16..]) * K2;
        let y = rotate(a + b, 43) + rotate(c, 30) + d;
        let z = hash_len_16(y, a + rotate(b + K2, 18) + c, mul);
        if len <= 32 {
            return z.0;
        }
        let e = fetch(&s[16..]) * mul;
        let f = fetch(&s[24..]);
        let g = (y + fetch(&s[len - 32..])) * mul;
        let h = (z + fetch(&s[len - 24..])) * mul;
        hash_len_16(rotate(e + f, 43) + rotate(g, 30) + h, e + rotate(f + a, 18) + g, mul)
    } else {
        return long(s);
    };
    result.0
}

fn long(all: &[u8]) -> u64 {
    let len = all.len();
    let seed = Wrapping(81);
    let mut y = seed * K1 + Wrapping(113);
    let mut z = shift_mix(y * K2 + Wrapping(113)) * K2;
    let (mut v, mut w) = ((Wrapping(0), Wrapping(0)), (Wrapping(0), Wrapping(0)));
    let mut x = seed * K2 + fetch(all);
    let end = (len - 1) / 64 * 64;
    let mut at = 0;
    loop {
        let s = &all[at..];
        x = rotate(x + y + v.0 + fetch(&s[8..]), 37) * K1;
        y = rotate(y + v.1 + fetch(&s[48..]), 42) * K1;
        x ^= w.1;
        y += v.0 + fetch(&s[40..]);
        z = rotate(z + w.0, 33) * K1;
        v = weak_hash_len_32_with_seeds(s, v.1 * K1, x + w.0);
        w = weak_hash_len_32_with_seeds(&s[32..], z + w.1, y + fetch(&s[16..]));
        (z, x) = (x, z);
        at += 64;
        if at == end {
            break;
        }
    }
    let mul = K1 + ((z & Wrapping(0xff)) << 1);
    let s = &all[len - 64..];
    w.0 += Wrapping((len as u64 - 1) & 63);
    v.0 += w.0;
    w.0 += v.0;
    x = rotate(x + y + v.0 + fetch(&s[8..]), 37) * mul;
    y = rotate(y + v.1 + fetch(&s[48..]), 42) * mul;
    x ^= w.1 * Wrapping(9);
    y += v.0 * Wrapping(9) + fetch(&s[40..]);
    z = rotate(z + w.0, 33) * mul;
    v = weak_hash_len_32_with_seeds(s, v.1 * mul, x + w.0);
    w = weak_hash_len_32_with_seeds(&s[32..], z + w.1, y + fetch(&s[16..]));
    (z, x) = (x, z);
    hash_len_16(hash_len_16(v.0, w.0, mul) + shift_mix(y) * K0 + z, hash_len_16(v.1, w.1, mul) + x, mul).0
}
