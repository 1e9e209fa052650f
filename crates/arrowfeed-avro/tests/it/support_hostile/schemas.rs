//! Schemas of many kinds, each with a function that writes a random record.

use super::random::Random;
use super::wire::{array, bytes, long, sized_array, string};

/// A schema and a function that writes one value of it.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) schema: &'static str,
    /// Fields of the root record; empty if the root is not a record.
    pub(crate) fields: &'static [&'static str],
    pub(crate) write: fn(&mut Random) -> Vec<u8>,
}

pub(crate) const KINDS: [Kind; 9] = [
    Kind {
        name: "numbers",
        schema: r#"{"type":"record","name":"R","fields":[{"name":"a","type":"long"},{"name":"b","type":"int"},
            {"name":"c","type":"double"},{"name":"d","type":"float"},{"name":"e","type":"boolean"}]}"#,
        fields: &["a", "b", "c", "d", "e"],
        write: |random| {
            let e = random.one_in(2);
            let b = number(random) as i32;
            [number_bytes(random), long(b.into()), fixed(random, 8), fixed(random, 4), vec![e.into()]]
                .concat()
        },
    },
    Kind {
        name: "text",
        schema: r#"{"type":"record","name":"R","fields":[{"name":"a","type":"string"},{"name":"b","type":"bytes"},
            {"name":"c","type":["null","string"]},{"name":"d","type":["bytes","null"]}]}"#,
        fields: &["a", "b", "c", "d"],
        write: |random| {
            let c = if random.one_in(2) { vec![0] } else { [vec![2], text(random)].concat() };
            let d = if random.one_in(2) { vec![2] } else { [vec![0], text(random)].concat() };
            [text(random), text(random), c, d].concat()
        },
    },
    Kind {
        name: "nullable",
        schema: r#"{"type":"record","name":"R","fields":[{"name":"a","type":["null","long"]},
            {"name":"b","type":["double","null"]},{"name":"c","type":["null","boolean"]},
            {"name":"d","type":["null",{"type":"record","name":"N","fields":[{"name":"x","type":["int","null"]}]}]}]}"#,
        fields: &["a", "b", "c", "d"],
        write: |random| {
            let a = if random.one_in(2) { vec![0] } else { [vec![2], number_bytes(random)].concat() };
            let b = if random.one_in(2) { vec![2] } else { [vec![0], fixed(random, 8)].concat() };
            let c = if random.one_in(2) { vec![0] } else { vec![2, random.one_in(2).into()] };
            let d = if random.one_in(2) { vec![0] } else { [vec![2, 0], long(7)].concat() };
            [a, b, c, d].concat()
        },
    },
    Kind {
        name: "arrays",
        schema: r#"{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"array","items":"long"}},
            {"name":"b","type":{"type":"array","items":"float"}},{"name":"c","type":{"type":"array","items":"string"}},
            {"name":"d","type":{"type":"array","items":{"type":"array","items":"boolean"}}}]}"#,
        fields: &["a", "b", "c", "d"],
        write: |random| {
            let d = items(random, |random| items(random, |random| vec![random.one_in(2).into()]));
            [items(random, number_bytes), items(random, |random| fixed(random, 4)), items(random, text), d]
                .concat()
        },
    },
    Kind {
        name: "maps and records",
        schema: r#"{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"map","values":"long"}},
            {"name":"b","type":{"type":"record","name":"N","fields":[{"name":"x","type":"int"},{"name":"y","type":"string"}]}},
            {"name":"c","type":{"type":"array","items":{"type":"record","name":"M","fields":[{"name":"p","type":["null","N"]},
            {"name":"q","type":"boolean"}]}}}]}"#,
        fields: &["a", "b", "c"],
        write: |random| {
            let entry = |random: &mut Random| [text(random), number_bytes(random)].concat();
            let item = |random: &mut Random| {
                let p = if random.one_in(2) { vec![0] } else { [vec![2, 5], text(random)].concat() };
                [p, vec![1]].concat()
            };
            [items(random, entry), long(3), text(random), items(random, item)].concat()
        },
    },
    Kind {
        name: "choices",
        schema: r#"{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"enum","name":"E","symbols":["A","B","C"]}},
            {"name":"b","type":{"type":"fixed","name":"F","size":3}},{"name":"c","type":["null","int","string"]},
            {"name":"d","type":["double",{"type":"array","items":"int"},"E"]}]}"#,
        fields: &["a", "b", "c", "d"],
        write: |random| {
            let c = match random.below(3) {
                0 => vec![0],
                1 => [vec![2], long(-70)].concat(),
                _ => [vec![4], text(random)].concat(),
            };
            let d = match random.below(3) {
                0 => [vec![0], fixed(random, 8)].concat(),
                1 => [vec![2], items(random, |_| long(300))].concat(),
                _ => vec![4, 2],
            };
            [long(random.below(3) as i64), fixed(random, 3), c, d].concat()
        },
    },
    Kind {
        name: "logical",
        schema: r#"{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"int","logicalType":"date"}},
            {"name":"b","type":{"type":"long","logicalType":"timestamp-micros"}},
            {"name":"c","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
            {"name":"d","type":{"type":"fixed","name":"D","size":5,"logicalType":"decimal","precision":9,"scale":2}},
            {"name":"e","type":{"type":"fixed","name":"T","size":12,"logicalType":"duration"}},
            {"name":"f","type":{"type":"string","logicalType":"uuid"}}]}"#,
        fields: &["a", "b", "c", "d", "e", "f"],
        write: |random| {
            let d = [vec![0, 0], fixed(random, 3)].concat();
            let e = [fixed(random, 3), vec![0], fixed(random, 3), vec![0], fixed(random, 4)].concat();
            let f = string("01234567-89ab-cdef-0123-456789abcdef");
            [long(20_000), number_bytes(random), bytes(&fixed(random, 2)), d, e, f].concat()
        },
    },
    Kind {
        name: "nothing",
        schema: r#"{"type":"record","name":"R","fields":[{"name":"a","type":"null"},
            {"name":"b","type":{"type":"array","items":"null"}},{"name":"c","type":{"type":"record","name":"N","fields":[]}},
            {"name":"d","type":{"type":"fixed","name":"Z","size":0}}]}"#,
        fields: &["a", "b", "c", "d"],
        write: |random| items(random, |_| Vec::new()),
    },
    Kind { name: "long root", schema: "\"long\"", fields: &[], write: number_bytes },
];

fn number(random: &mut Random) -> i64 {
    let bits = random.below(64);
    (random.next() as i64) >> bits
}

fn number_bytes(random: &mut Random) -> Vec<u8> {
    long(number(random))
}

fn fixed(random: &mut Random, size: usize) -> Vec<u8> {
    (0..size).map(|_| random.next() as u8).collect()
}

/// Up to 40 bytes, not all of them ASCII: shorter or longer than the block that the decoder copies at once.
fn text(random: &mut Random) -> Vec<u8> {
    let words = ["", "a", "naïve", "0123456789", "日本語", "🦀"];
    string(&(0..random.below(5)).map(|_| *random.pick(&words)).collect::<String>())
}

/// Up to five items, with and without their size.
fn items(random: &mut Random, item: fn(&mut Random) -> Vec<u8>) -> Vec<u8> {
    let items: Vec<Vec<u8>> = (0..random.below(6)).map(|_| item(random)).collect();
    if random.one_in(3) { sized_array(&items) } else { array(&items) }
}
