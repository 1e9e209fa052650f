//! A walk over Thrift structures in the compact protocol, as the footers of Parquet have them.

/// Structures inside of a field that is skipped. Those of Parquet are nested less deeply, and the crate refuses more than 64.
const MAX_SKIPPED: usize = 64;

/// Types of fields in the compact protocol.
pub(crate) mod kind {
    pub(crate) const STOP: u8 = 0;
    pub(crate) const TRUE: u8 = 1;
    pub(crate) const FALSE: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const I16: u8 = 4;
    pub(crate) const I32: u8 = 5;
    pub(crate) const I64: u8 = 6;
    pub(crate) const DOUBLE: u8 = 7;
    pub(crate) const BINARY: u8 = 8;
    pub(crate) const LIST: u8 = 9;
    pub(crate) const SET: u8 = 10;
    pub(crate) const MAP: u8 = 11;
    pub(crate) const STRUCT: u8 = 12;
    pub(crate) const UUID: u8 = 13;
}

/// Bytes of the compact protocol.
pub(crate) struct Compact<'a> {
    pub(crate) bytes: &'a [u8],
}

impl Compact<'_> {
    /// The type of the next field; `None` after the last one. Sets the number of the field from that of the one before.
    #[expect(clippy::option_option, reason = "the outer option is an error, the inner one the end")]
    pub(crate) fn field(&mut self, id: &mut i32) -> Option<Option<u8>> {
        let header = self.byte()?;
        if header & 0xf == kind::STOP {
            return Some(None);
        }
        *id = match header >> 4 {
            0 => self.integer()?,
            delta => id.checked_add(delta.into())?,
        };
        Some(Some(header & 0xf))
    }

    /// The length of a list, and the type of its items.
    pub(crate) fn list(&mut self) -> Option<(u64, u8)> {
        let header = self.byte()?;
        let len = if header >> 4 == 15 { self.varint()? } else { (header >> 4).into() };
        Some((len, header & 0xf))
    }

    /// Skips the value of a field.
    pub(crate) fn skip(&mut self, field: u8) -> Option<()> {
        self.skip_field(field, 0)
    }

    fn skip_field(&mut self, field: u8, depth: usize) -> Option<()> {
        if depth > MAX_SKIPPED {
            return None;
        }
        match field {
            kind::TRUE | kind::FALSE => Some(()),
            _ => self.skip_item(field, depth),
        }
    }

    /// Skips a value. Unlike a field, a boolean in a list has a byte.
    fn skip_item(&mut self, item: u8, depth: usize) -> Option<()> {
        match item {
            kind::TRUE | kind::FALSE | kind::BYTE => self.byte().map(drop),
            kind::I16 | kind::I32 | kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.take(8),
            kind::UUID => self.take(16),
            kind::BINARY => {
                let len = self.varint()?;
                self.take(len)
            }
            kind::LIST | kind::SET => {
                let (len, item) = self.list()?;
                (0..len).try_for_each(|_| self.skip_nested(item, depth))
            }
            kind::MAP => {
                let len = self.varint()?;
                if len == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                (0..len).try_for_each(|_| {
                    self.skip_nested(kinds >> 4, depth)?;
                    self.skip_nested(kinds & 0xf, depth)
                })
            }
            kind::STRUCT => {
                let mut id = 0;
                while let Some(field) = self.field(&mut id)? {
                    self.skip_field(field, depth + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    fn skip_nested(&mut self, item: u8, depth: usize) -> Option<()> {
        if depth < MAX_SKIPPED { self.skip_item(item, depth + 1) } else { None }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn take(&mut self, len: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(len).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A signed integer, which has the zigzag encoding.
    pub(crate) fn integer(&mut self) -> Option<i32> {
        let value = self.varint()?;
        i32::try_from((value >> 1) as i64 ^ -((value & 1) as i64)).ok()
    }
}
