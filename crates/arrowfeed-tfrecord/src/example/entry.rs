//! A feature of a record: an entry of the map in `Features`, with its name, and the lists of its values.

use super::column::{self, Column};
use super::decoder::Kind;
use crate::wire::{Fields, Malformed, Value};

const NAME: u8 = 1 << 3 | 2;
const FEATURE: u8 = 2 << 3 | 2;

/// An entry: its name, and the parts of its `Feature`, which is all of them, one behind the other.
pub(super) struct Entry<'a> {
    pub(super) name: &'a [u8],
    /// Of all writers that there are, the only part.
    first: &'a [u8],
    others: Vec<&'a [u8]>,
}

impl<'a> Entry<'a> {
    /// An entry whose name may not be UTF-8, see [`check_name`].
    #[inline]
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::new(bytes);
        if let Some(name) = fields.next_of(NAME)
            && let Some(first) = fields.only_left(FEATURE)
        {
            return Ok(Self { name, first, others: Vec::new() });
        }
        Self::read_any(bytes)
    }

    #[cold]
    fn read_any(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut entry = Self { name: b"", first: b"", others: Vec::new() };
        let mut fields = Fields::new(bytes);
        while let Some(field) = fields.next()? {
            match field {
                (1, Value::Bytes(name)) => {
                    check_name(name)?;
                    entry.name = name;
                }
                (2, Value::Bytes(part)) => entry.others.push(part),
                _ => {}
            }
        }
        Ok(entry)
    }

    fn parts(&self) -> impl Iterator<Item = &'a [u8]> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// Writes the values into a column. The kind that the entry has; `None`: it has no values, and the row stays as it is.
    #[inline]
    pub(super) fn add_to(&self, column: &mut Column, row: usize) -> Result<Option<Kind>, Malformed> {
        let kind = column.kind();
        if self.others.is_empty()
            && let Some(list) = Fields::only(self.first, kind.tag())
        {
            column.begin(row);
            column.add(list)?;
            column.end();
            return Ok(Some(kind));
        }
        self.add_any_to(column, row)
    }

    /// A list of another kind takes the place of those before it; one of the same kind goes on.
    #[cold]
    fn add_any_to(&self, column: &mut Column, row: usize) -> Result<Option<Kind>, Malformed> {
        let (kind, mut found) = (column.kind(), None);
        column.begin(row);
        each_list(self.parts(), |given, list| {
            if found != Some(given) {
                column.begin(row);
                found = Some(given);
            }
            if given == kind { column.add(list) } else { column::check(given, list) }
        })?;
        if found == Some(kind) {
            column.end();
        }
        Ok(found)
    }

    /// The kind of its values; `None`: it has none.
    ///
    /// # Errors
    /// The name is not UTF-8, or the feature is no message.
    pub(super) fn kind(&self) -> Result<Option<Kind>, Malformed> {
        check_name(self.name)?;
        let mut last = None;
        each_list(self.parts(), |kind, list| {
            last = Some(kind);
            column::check(kind, list)
        })?;
        Ok(last)
    }
}

fn each_list<'a>(
    parts: impl Iterator<Item = &'a [u8]>,
    mut each: impl FnMut(Kind, &'a [u8]) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    for part in parts {
        let mut fields = Fields::new(part);
        while let Some((number, value)) = fields.next()? {
            if let (Some(kind), Value::Bytes(list)) = (Kind::of_field(number), value) {
                each(kind, list)?;
            }
        }
    }
    Ok(())
}

fn check_name(name: &[u8]) -> Result<(), Malformed> {
    std::str::from_utf8(name).map(drop).map_err(|_| Malformed::Utf8)
}
