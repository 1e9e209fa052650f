//! The fields of a footer that `parquet.thrift` defines.
//!
//! Thrift skips a field whose number or type is not in the definition. The `parquet` crate takes the type for granted, so it
//! refuses the footer of a writer that has fields of its own under numbers that were given out later.

use crate::compact::{Compact, kind};

/// The type of a field.
enum Type {
    /// A value of this type, which is copied with all that it contains.
    Value(u8),
    /// A list of values of this type.
    List(u8),
    Struct(&'static [(i32, Type)]),
    Structs(&'static [(i32, Type)]),
}

use Type::{List, Struct, Structs, Value};

const FILE: &[(i32, Type)] = &[
    (1, Value(kind::I32)),
    (2, List(kind::STRUCT)),
    (3, Value(kind::I64)),
    (4, Structs(ROW_GROUP)),
    (5, List(kind::STRUCT)),
    (6, Value(kind::BINARY)),
    (7, List(kind::STRUCT)),
    (8, Value(kind::STRUCT)),
    (9, Value(kind::BINARY)),
];

const ROW_GROUP: &[(i32, Type)] = &[
    (1, Structs(COLUMN_CHUNK)),
    (2, Value(kind::I64)),
    (3, Value(kind::I64)),
    (4, List(kind::STRUCT)),
    (5, Value(kind::I64)),
    (6, Value(kind::I64)),
    (7, Value(kind::I16)),
];

const COLUMN_CHUNK: &[(i32, Type)] = &[
    (1, Value(kind::BINARY)),
    (2, Value(kind::I64)),
    (3, Struct(COLUMN)),
    (4, Value(kind::I64)),
    (5, Value(kind::I32)),
    (6, Value(kind::I64)),
    (7, Value(kind::I32)),
    (8, Value(kind::STRUCT)),
    (9, Value(kind::BINARY)),
];

const COLUMN: &[(i32, Type)] = &[
    (1, Value(kind::I32)),
    (2, List(kind::I32)),
    (3, List(kind::BINARY)),
    (4, Value(kind::I32)),
    (5, Value(kind::I64)),
    (6, Value(kind::I64)),
    (7, Value(kind::I64)),
    (8, List(kind::STRUCT)),
    (9, Value(kind::I64)),
    (10, Value(kind::I64)),
    (11, Value(kind::I64)),
    (12, Value(kind::STRUCT)),
    (13, List(kind::STRUCT)),
    (14, Value(kind::I64)),
    (15, Value(kind::I32)),
    (16, Struct(SIZES)),
    (17, Value(kind::STRUCT)),
];

const SIZES: &[(i32, Type)] = &[(1, Value(kind::I64)), (2, List(kind::I64)), (3, List(kind::I64))];

/// A copy of the footer without fields that have another number or type. `None`: there are none, or the bytes are not a
/// footer.
pub(crate) fn defined_fields(footer: &[u8]) -> Option<Vec<u8>> {
    let mut copy = Copy { out: Vec::with_capacity(footer.len()), dropped: false };
    copy.structure(&mut Compact { bytes: footer }, FILE)?;
    copy.dropped.then_some(copy.out)
}

struct Copy {
    out: Vec<u8>,
    dropped: bool,
}

impl Copy {
    fn structure(&mut self, input: &mut Compact<'_>, defined: &[(i32, Type)]) -> Option<()> {
        let (mut id, mut last) = (0, 0);
        while let Some(field) = input.field(&mut id)? {
            let item = input.bytes.first().map(|header| header & 0xf);
            let wanted = defined.iter().find(|(number, _)| *number == id).map(|(_, wanted)| wanted);
            match wanted {
                Some(Value(wanted)) if *wanted == field => {
                    self.field(field, id, &mut last);
                    self.value(input, |input| input.skip(field))?;
                }
                Some(List(wanted)) if field == kind::LIST && item == Some(*wanted) => {
                    self.field(field, id, &mut last);
                    self.value(input, |input| input.skip(field))?;
                }
                Some(Struct(defined)) if field == kind::STRUCT => {
                    self.field(field, id, &mut last);
                    self.structure(input, defined)?;
                }
                Some(Structs(defined)) if field == kind::LIST && item == Some(kind::STRUCT) => {
                    self.field(field, id, &mut last);
                    let (len, _) = self.value(input, Compact::list)?;
                    for _ in 0..len {
                        self.structure(input, defined)?;
                    }
                }
                _ => {
                    self.dropped = true;
                    input.skip(field)?;
                }
            }
        }
        self.out.push(kind::STOP);
        Some(())
    }

    /// Writes the header of a field. Numbers of the definition are below 16, or follow a smaller one.
    fn field(&mut self, field: u8, id: i32, last: &mut i32) {
        match u8::try_from(id - *last) {
            Ok(delta @ 1..=15) => self.out.push(delta << 4 | field),
            // One byte of a varint in the zigzag encoding.
            _ => self.out.extend([field, (id << 1) as u8]),
        }
        *last = id;
    }

    /// Copies the bytes that `read` takes.
    fn value<'a, T>(
        &mut self,
        input: &mut Compact<'a>,
        read: impl FnOnce(&mut Compact<'a>) -> Option<T>,
    ) -> Option<T> {
        let before = input.bytes;
        let found = read(input)?;
        self.out.extend_from_slice(&before[..before.len() - input.bytes.len()]);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer with a version, and a row group of one column chunk with these fields of its metadata.
    fn footer(column: &[u8]) -> Vec<u8> {
        let row_group = [&[0x19, 0x1c, 0x26, 8, 0x1c], column, &[0, 0, 0]].concat();
        [&[0x15, 2, 0x39, 0x1c][..], &row_group, &[0]].concat()
    }

    #[test]
    fn fields_of_another_type_or_number_are_dropped() {
        let (kind, path) = ([0x15, 2], [0x29, 0x18, 1, b'x']);
        let defined = footer(&[&kind[..], &path].concat());
        assert_eq!(defined_fields(&defined), None);
        // Field 2 as a list of structures, as an integer; field 15 as a list; field 99 with the long form of its number.
        for foreign in [&[0x19, 0x1c, 0][..], &[0x16, 2], &[0xe9, 0x24, 2, 4], &[8, 0xc6, 1, 1, b'x']] {
            let next =
                if foreign[0] >> 4 == 1 { [0x19, 0x18, 1, b'x'].to_vec() } else { vec![9, 6, 0x18, 1, b'x'] };
            let found = footer(&[&kind[..], foreign, &next].concat());
            assert_eq!(defined_fields(&found).as_ref(), Some(&defined), "{foreign:?}");
        }
    }

    #[test]
    fn a_field_after_a_dropped_one_keeps_its_number() {
        // Fields 7, 8 (as an integer) and 20, which has the long form; then field 1, which follows a greater number.
        let found = footer(&[0x76, 2, 0x16, 4, 0x08, 40, 0, 0x05, 2, 6]);
        assert_eq!(defined_fields(&found), Some(footer(&[0x76, 2, 0x05, 2, 6])));
    }

    #[test]
    fn other_bytes_are_no_footer() {
        let whole = footer(&[0xe9, 0x24, 2, 4]);
        for end in 0..whole.len() {
            assert_eq!(defined_fields(&whole[..end]), None);
        }
        // A list of 2^63 row groups.
        let long = [0x49, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1];
        assert_eq!(defined_fields(&long), None);
    }
}
