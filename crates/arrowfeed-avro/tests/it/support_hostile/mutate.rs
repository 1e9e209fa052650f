//! Mutation of valid files into files that are almost valid.

use super::container::SYNC;
use super::random::Random;
use super::seeds::Seed;
use super::wire::long;

/// Numbers at which code tends to fail.
const INTERESTING: [i64; 18] = [
    0,
    1,
    -1,
    2,
    -2,
    63,
    64,
    127,
    128,
    255,
    256,
    65_536,
    i32::MAX as i64,
    i32::MIN as i64,
    1 << 40,
    -(1 << 40),
    i64::MAX,
    i64::MIN,
];

/// Applies one to three changes of one or several kinds.
pub(crate) fn mutant(seed: &Seed, others: &[Seed], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.bytes.clone();
    for _ in 0..1 + random.below(3) {
        match random.below(8) {
            0 => flip(&mut bytes, random),
            1 => overwrite(&mut bytes, random),
            2 => insert(&mut bytes, random),
            3 => delete(&mut bytes, random),
            4 => splice(&mut bytes, &random.pick(others).bytes, random),
            5 => varint(&mut bytes, random),
            // Most of the code handles the data between headers and markers.
            _ => in_a_payload(&mut bytes, seed, random),
        }
    }
    bytes
}

fn place(bytes: &[u8], random: &mut Random) -> usize {
    random.below(bytes.len() + 1)
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    if !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
}

fn overwrite(bytes: &mut [u8], random: &mut Random) {
    if !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] = *random.pick(&[0, 1, 2, 0x7f, 0x80, 0xfe, 0xff]);
    }
}

fn insert(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = place(bytes, random);
    let more: Vec<u8> = (0..1 + random.below(16)).map(|_| random.next() as u8).collect();
    bytes.splice(at..at, more);
}

fn delete(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = place(bytes, random);
    let end = bytes.len().min(at + 1 + random.below(16));
    bytes.drain(at..end);
}

/// Joins the start of this file and the end of another.
fn splice(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    bytes.truncate(place(bytes, random));
    bytes.extend(&other[place(other, random)..]);
}

/// Replaces the bytes of a possible number by another number.
fn varint(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = place(bytes, random);
    let end = (at..bytes.len()).find(|i| bytes[*i] < 0x80).map_or(bytes.len(), |last| last + 1);
    bytes.splice(at..end, long(*random.pick(&INTERESTING)));
}

/// Changes the data of a block, and corrects the size and the marker of the block so that the values are reached.
fn in_a_payload(bytes: &mut Vec<u8>, seed: &Seed, random: &mut Random) {
    let block = random.below(seed.borders.len() - 1);
    let (start, end) = (seed.borders[block].0, seed.borders[block + 1].0);
    let rows = seed.borders[block + 1].1 - seed.borders[block].1;
    let head = long(rows as i64).len();
    let Some(old) = seed.bytes.get(start..end - SYNC.len()) else { return };
    let size = (head..old.len()).find(|i| old[*i] < 0x80).map_or(old.len(), |last| last + 1);
    let mut data = old[size..].to_vec();
    match random.below(4) {
        0 => flip(&mut data, random),
        1 => overwrite(&mut data, random),
        2 => varint(&mut data, random),
        _ => delete(&mut data, random),
    }
    let frame = [&old[..head], &long(data.len() as i64), &data, &SYNC].concat();
    *bytes = [&seed.bytes[..start], &frame, &seed.bytes[end..]].concat();
}
