//! Protobuf's wire format. This parser accepts the same bytes as protobuf's C++ parser, which TensorFlow and tfx_bsl use:
//!
//! - A tag and a length have at most 5 bytes; a value has at most 10. Bits above the 32nd of a tag and the 64th of a value are
//!   dropped.
//! - A length is at most 2^31 - 1.
//! - The number of a field is not 0. A group ends with its own number. Groups are nested at most [`MAX_NESTED`] deep.

use std::fmt;

/// Maximum nesting depth of groups.
const MAX_NESTED: usize = 100;

/// The reason why bytes are not a valid message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// The bytes end inside a field.
    Ends,
    /// A varint, a tag or a length is too long.
    Varint,
    /// A tag has the field number 0 or an unknown wire type.
    Tag(u32),
    /// A length is more than 2^31 - 1.
    Length(u64),
    /// A group ends that has not started, or too many groups are nested.
    Group,
    /// A string is not UTF-8.
    Utf8,
    /// The length of packed 4-byte numbers is not a multiple of 4.
    Packed(usize),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ends => f.write_str("expected the rest of a field, found the end of its message"),
            Self::Varint => {
                f.write_str("expected the last byte of a varint, found more bytes than a varint can have")
            }
            Self::Tag(tag) => write!(f, "expected the tag of a field, found {tag}"),
            Self::Length(length) => {
                write!(f, "expected a length of at most 2147483647 bytes, found {length}")
            }
            Self::Group => write!(
                f,
                "expected groups with matching start and end tags, nested at most {MAX_NESTED} deep, found a different structure"
            ),
            Self::Utf8 => f.write_str("expected a name in UTF-8, found other bytes"),
            Self::Packed(bytes) => write!(f, "expected floats of 4 bytes each, found {bytes} bytes"),
        }
    }
}

/// The value of a field as encoded on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed64,
    Bytes(&'a [u8]),
    /// A group, which was skipped.
    Group,
    Fixed32([u8; 4]),
}

/// An iterator over the fields of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    #[inline]
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self(message)
    }

    /// The number and the value of the next field; `None` at the end of the message.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<(u32, Value<'a>)>, Malformed> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = tag(&mut self.0)?;
        let value = match value(&mut self.0, tag)? {
            Some(value) => value,
            None if tag & 7 == BEGIN_GROUP => {
                skip_group(&mut self.0, tag >> 3)?;
                Value::Group
            }
            None => return Err(Malformed::Group),
        };
        Ok(Some((tag >> 3, value)))
    }

    /// The bytes of the next field, if it has this one-byte tag and can be read. Otherwise nothing is consumed.
    #[inline(always)]
    pub(crate) fn next_of(&mut self, tag: u8) -> Option<&'a [u8]> {
        let (first, mut rest) = self.0.split_first()?;
        if *first != tag {
            return None;
        }
        let found = bytes(&mut rest).ok()?;
        self.0 = rest;
        Some(found)
    }

    /// The bytes of the only field of a message, if it has this one-byte tag.
    #[inline]
    pub(crate) fn only(message: &'a [u8], tag: u8) -> Option<&'a [u8]> {
        Self::new(message).only_left(tag)
    }

    /// The bytes of the only field of a message whose tag was already read.
    #[inline(always)]
    pub(crate) fn only_value(mut message: &'a [u8]) -> Option<&'a [u8]> {
        bytes(&mut message).ok().filter(|_| message.is_empty())
    }

    /// Like [`only`](Self::only), for the remaining fields.
    #[inline]
    pub(crate) fn only_left(mut self, tag: u8) -> Option<&'a [u8]> {
        self.next_of(tag).filter(|_| self.0.is_empty())
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], Malformed> {
    let (taken, rest) = bytes.split_at_checked(count).ok_or(Malformed::Ends)?;
    *bytes = rest;
    Ok(taken)
}

/// The wire types of the start and end tags of a group.
const BEGIN_GROUP: u32 = 3;
const END_GROUP: u32 = 4;

/// The value after a tag; `None` if a group starts or ends.
#[inline]
fn value<'a>(bytes: &mut &'a [u8], tag: u32) -> Result<Option<Value<'a>>, Malformed> {
    Ok(Some(match tag & 7 {
        0 => Value::Varint(varint(bytes)?),
        1 => {
            take(bytes, 8)?;
            Value::Fixed64
        }
        2 => Value::Bytes(self::bytes(bytes)?),
        BEGIN_GROUP | END_GROUP => return Ok(None),
        5 => {
            let (value, rest) = bytes.split_first_chunk().ok_or(Malformed::Ends)?;
            *bytes = rest;
            Value::Fixed32(*value)
        }
        _ => return Err(Malformed::Tag(tag)),
    }))
}

/// Reads a tag: the number of a field and its wire type.
#[inline]
fn tag(bytes: &mut &[u8]) -> Result<u32, Malformed> {
    let tag = varint_of::<5>(bytes)? as u32;
    if tag >> 3 == 0 { Err(Malformed::Tag(tag)) } else { Ok(tag) }
}

/// Reads length-prefixed bytes.
#[inline]
fn bytes<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    let length = varint_of::<5>(bytes)?;
    let length = i32::try_from(length).map_err(|_| Malformed::Length(length))?;
    take(bytes, length.unsigned_abs() as usize)
}

#[inline]
pub(crate) fn varint(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    varint_of::<10>(bytes)
}

/// The value of a varint in the lowest `bits` bits of a word, 8 to 64.
#[inline]
pub(crate) fn compacted(word: u64, bits: u32) -> u64 {
    let value = word << (64 - bits) >> (64 - bits) & 0x7f7f_7f7f_7f7f_7f7f;
    // Groups of 7 bits become groups of 14, 28 and 56.
    let value = (value & 0x7f00_7f00_7f00_7f00) >> 1 | value & 0x007f_007f_007f_007f;
    let value = (value & 0x3fff_0000_3fff_0000) >> 2 | value & 0x0000_3fff_0000_3fff;
    (value & 0x0fff_ffff_0000_0000) >> 4 | value & 0x0000_0000_0fff_ffff
}

/// Length of a varint in bytes.
#[inline]
pub(crate) fn varint_len(value: u64) -> usize {
    (70 - (value | 1).leading_zeros() as usize) / 7
}

/// Appends a varint.
#[inline]
pub(crate) fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends the one-byte tag and the length of a field with this number of bytes.
#[inline]
pub(crate) fn push_head(message: &mut Vec<u8>, tag: u8, bytes: usize) {
    message.push(tag);
    push_varint(message, bytes as u64);
}

/// Reads a varint of at most `MAX_BYTES` bytes.
#[inline]
fn varint_of<const MAX_BYTES: usize>(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    match bytes {
        [first, rest @ ..] if *first < 0x80 => {
            *bytes = rest;
            Ok(u64::from(*first))
        }
        [first, second, rest @ ..] if *second < 0x80 => {
            *bytes = rest;
            Ok(u64::from(first & 0x7f) | u64::from(*second) << 7)
        }
        _ => long_varint::<MAX_BYTES>(bytes),
    }
}

fn long_varint<const MAX_BYTES: usize>(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0;
    for (i, byte) in bytes.iter().take(MAX_BYTES).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if *byte < 0x80 {
            *bytes = &bytes[i + 1..];
            return Ok(value);
        }
    }
    Err(if bytes.len() < MAX_BYTES { Malformed::Ends } else { Malformed::Varint })
}

/// Skips a group whose start tag was read.
fn skip_group(bytes: &mut &[u8], number: u32) -> Result<(), Malformed> {
    let mut open = vec![number];
    while let Some(number) = open.last() {
        if bytes.is_empty() {
            return Err(Malformed::Ends);
        }
        let tag = tag(bytes)?;
        if value(bytes, tag)?.is_some() {
            continue;
        }
        match tag & 7 {
            BEGIN_GROUP if open.len() < MAX_NESTED => open.push(tag >> 3),
            END_GROUP if tag >> 3 == *number => drop(open.pop()),
            _ => return Err(Malformed::Group),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_of_every_length() {
        let values = (0..64).flat_map(|bits| [1_u64 << bits, (1_u64 << bits) - 1, !0 << bits]);
        for value in values.chain([0x0123_4567_89ab_cdef]) {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, value);
            let len = bytes.len();
            assert_eq!(varint_len(value), len, "{value}");
            assert_eq!(varint(&mut &bytes[..]), Ok(value));
            bytes.extend([0xff; 8]);
            if len <= 8 {
                let word = u64::from_le_bytes(*bytes.first_chunk().unwrap());
                assert_eq!(compacted(word, 8 * len as u32), value);
            }
        }
    }
}
