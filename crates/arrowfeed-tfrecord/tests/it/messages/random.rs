//! Random messages, valid and damaged.

use proptest::prelude::*;

pub(crate) fn varint(mut value: u64, padding: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    for _ in 0..padding.min(4_usize.saturating_sub(bytes.len())) {
        *bytes.last_mut().unwrap() |= 0x80;
        bytes.push(0);
    }
    bytes
}

pub(crate) fn message(number: u64, content: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2, 0), varint(content.len() as u64, 0), content.to_vec()].concat()
}

/// A field that no message of `tf.Example` has.
pub(crate) fn unknown() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        any::<u64>().prop_map(|value| [varint(70 << 3, 0), varint(value, 1)].concat()),
        Just([varint(71 << 3 | 1, 0), vec![9; 8]].concat()),
        Just(message(72, b"bytes")),
        Just([varint(73 << 3 | 5, 0), vec![9; 4]].concat()),
        Just([varint(74 << 3 | 3, 0), message(1, b"i"), varint(74 << 3 | 4, 0)].concat()),
        // A known field number with another wire type.
        Just([varint(1 << 3 | 1, 0), vec![9; 8]].concat()),
    ]
}

/// Parts of a message in any order, with unknown fields between them.
pub(crate) fn parts(
    part: impl Strategy<Value = Vec<u8>> + 'static,
    most: usize,
) -> impl Strategy<Value = Vec<u8>> {
    let one = prop_oneof![12 => part.boxed(), 1 => unknown().boxed()];
    prop::collection::vec(one, 0..=most).prop_map(|parts| parts.concat())
}

pub(crate) fn list() -> impl Strategy<Value = Vec<u8>> {
    let integer = prop_oneof![0..3_u64, any::<u64>()];
    let single =
        (integer.clone(), 0..3_usize).prop_map(|(value, padding)| [vec![8], varint(value, padding)].concat());
    let packed = prop::collection::vec(integer, 0..20).prop_map(|values| {
        message(1, &values.iter().flat_map(|value| varint(*value, 0)).collect::<Vec<_>>())
    });
    let integers =
        parts(prop_oneof![3 => packed.boxed(), 1 => single.boxed()], 2).prop_map(|list| message(3, &list));
    let float = prop_oneof![Just(0.5_f32), Just(-1e30), Just(f32::NAN)];
    let single = float.clone().prop_map(|value| [vec![13], value.to_le_bytes().to_vec()].concat());
    let packed = prop::collection::vec(float, 0..9).prop_map(|values| {
        message(1, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    });
    let floats =
        parts(prop_oneof![3 => packed.boxed(), 1 => single.boxed()], 2).prop_map(|list| message(2, &list));
    let bytes = parts("[a-z]{0,9}".prop_map(|text| message(1, text.as_bytes())), 4)
        .prop_map(|list| message(1, &list));
    prop_oneof![integers, floats, bytes]
}

/// An entry of a map with one of these names: mostly a name and a `usual` value, otherwise parts in any order.
pub(crate) fn entry(
    name: impl Strategy<Value = &'static str> + Clone + 'static,
    value: impl Strategy<Value = Vec<u8>> + Clone + 'static,
    usual: impl Strategy<Value = Vec<u8>> + 'static,
) -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        name.clone().prop_map(|name| message(1, name.as_bytes())),
        parts(value, 2).prop_map(|value| message(2, &value)),
    ];
    let usual =
        (name, usual).prop_map(|(name, value)| [message(1, name.as_bytes()), message(2, &value)].concat());
    prop_oneof![3 => usual.boxed(), 1 => parts(part, 3).boxed()].prop_map(|entry| message(1, &entry))
}

/// Changes of single bytes: a replacement, a removal or an insertion.
pub(crate) fn damage() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 0..3)
}

pub(crate) fn damaged(mut message: Vec<u8>, changes: &[(prop::sample::Index, u8, u8)]) -> Vec<u8> {
    for (place, how, byte) in changes.iter().filter(|_| !message.is_empty()).cloned().collect::<Vec<_>>() {
        let place = place.index(message.len());
        match how {
            0 => message[place] = byte,
            1 => drop(message.remove(place)),
            _ => message.insert(place, byte),
        }
        if message.is_empty() {
            break;
        }
    }
    message
}
