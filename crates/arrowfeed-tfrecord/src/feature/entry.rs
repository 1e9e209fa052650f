//! An entry of a feature map: its name and its value.

use super::kind::FeatureKind;
use super::lists::{self, Column, Items, Steps};
use crate::wire::{Fields, Malformed, Value, push_head};

const NAME: u8 = 1 << 3 | 2;
const VALUE: u8 = 2 << 3 | 2;

/// The tag of a step of a `FeatureList`.
const STEP: u8 = 1 << 3 | 2;

/// An entry: its name and its value.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a [u8],
    value: Parts<'a>,
}

/// The parts of a message, which is their concatenation.
#[derive(Clone, Copy)]
struct Parts<'a> {
    /// The only part in the output of all known writers.
    first: &'a [u8],
    others: &'a [&'a [u8]],
}

impl<'a> Entry<'a> {
    /// Reads an entry. The fast path does not check that the name is UTF-8, see [`check_name`]. `others` stores the parts of
    /// the value if it has more than one.
    // Inlined, and without memory of its own: an entry that is returned through memory waits for its own stores, which took
    // 7 % of the time of reading a file.
    #[inline(always)]
    pub(crate) fn read(bytes: &'a [u8], others: &'a mut Vec<&'a [u8]>) -> Result<Self, Malformed> {
        let mut fields = Fields::new(bytes);
        if let Some(name) = fields.next_of(NAME)
            && let Some(first) = fields.only_left(VALUE)
        {
            return Ok(Self { name, value: Parts::only(first) });
        }
        Self::read_any(bytes, others)
    }

    /// Reads an entry that starts with `head`, see [`entry_head`], and ends with its value. The result has no name, because
    /// the caller knows it.
    #[inline(always)]
    pub(super) fn value_behind(head: &[u8], bytes: &'a [u8]) -> Option<Self> {
        let rest = strip(head, bytes)?;
        Some(Self { name: b"", value: Parts::only(Fields::only_value(rest)?) })
    }

    #[cold]
    fn read_any(bytes: &'a [u8], others: &'a mut Vec<&'a [u8]>) -> Result<Self, Malformed> {
        let mut entry_name: &[u8] = b"";
        let mut fields = Fields::new(bytes);
        while let Some(field) = fields.next()? {
            match field {
                (1, Value::Bytes(name)) => {
                    check_name(name)?;
                    entry_name = name;
                }
                (2, Value::Bytes(part)) => others.push(part),
                _ => {}
            }
        }
        Ok(Self { name: entry_name, value: Parts { first: b"", others } })
    }

    /// Writes the `Feature` into a row of a column, and returns its kind. `None`: it has no list, and the row has no value.
    #[inline(always)]
    pub(super) fn add_to(&self, column: &mut Column, row: usize) -> Result<Option<FeatureKind>, Malformed> {
        self.value.add_to(column, row)
    }

    /// Writes the features of a `FeatureList` into a row of a column, step by step. A step without a list is null. Returns
    /// the kind of the first step that has another kind than the column.
    pub(super) fn add_steps_to(
        &self,
        column: &mut Steps,
        row: usize,
    ) -> Result<Option<FeatureKind>, Malformed> {
        let (kind, mut wrong) = (column.kind(), None);
        column.begin(row);
        let steps = column.items();
        self.value.each_step(|feature| {
            let step = steps.len();
            let found = Parts::only(feature).add_to(steps, step)?;
            steps.close(step);
            wrong = wrong.or(found.filter(|found| *found != kind));
            Ok(())
        })?;
        column.end();
        Ok(wrong)
    }

    /// The kind of the `Feature`; `None` if it has no list.
    ///
    /// # Errors
    /// The name is not UTF-8, or the feature is not a valid message.
    pub(crate) fn kind(&self) -> Result<Option<FeatureKind>, Malformed> {
        check_name(self.name)?;
        self.value.kind()
    }

    /// Calls `each` with the kind of each step of the `FeatureList` that has a list.
    ///
    /// # Errors
    /// As in [`kind`](Self::kind).
    pub(crate) fn each_kind(&self, mut each: impl FnMut(FeatureKind)) -> Result<(), Malformed> {
        check_name(self.name)?;
        self.value.each_step(|feature| {
            Parts::only(feature).kind()?.map(&mut each);
            Ok(())
        })
    }
}

/// The bytes that all known writers put before the length of the value: the name and the tag of the value.
pub(super) fn entry_head(name: &[u8]) -> Box<[u8]> {
    let mut head = Vec::new();
    push_head(&mut head, NAME, name.len());
    head.extend_from_slice(name);
    head.push(VALUE);
    head.into()
}

/// Returns the bytes after `head`. Compares words, because a call of `memcmp` takes longer than the comparison of a name.
#[inline(always)]
fn strip<'a>(head: &[u8], bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (start, rest) = bytes.split_at_checked(head.len())?;
    let (Some(last), Some(last_found)) = (head.last_chunk::<8>(), start.last_chunk::<8>()) else {
        return (head == start).then_some(rest);
    };
    let mut words = head.as_chunks::<8>().0.iter().zip(start.as_chunks::<8>().0);
    // The last word and the one before it overlap.
    (last == last_found && words.all(|(word, found)| word == found)).then_some(rest)
}

impl<'a> Parts<'a> {
    #[inline]
    fn only(message: &'a [u8]) -> Self {
        Self { first: message, others: &[] }
    }

    fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    #[inline(always)]
    fn add_to(&self, column: &mut Column, row: usize) -> Result<Option<FeatureKind>, Malformed> {
        let kind = column.kind();
        if self.others.is_empty()
            && let Some(tag) = kind.tag()
            && let Some(list) = Fields::only(self.first, tag)
        {
            column.begin(row);
            column.add(list)?;
            column.end();
            return Ok(Some(kind));
        }
        self.add_any_to(column, row)
    }

    /// Merges the lists of a value: a list of another kind replaces those before it, and a list of the same kind extends
    /// them.
    #[cold]
    fn add_any_to(&self, column: &mut Column, row: usize) -> Result<Option<FeatureKind>, Malformed> {
        let (kind, mut found) = (column.kind(), None);
        column.begin(row);
        self.each_list(|stored, list| {
            if found != Some(stored) {
                column.begin(row);
                found = Some(stored);
            }
            if stored == kind { column.add(list) } else { lists::check(stored, list) }
        })?;
        if found == Some(kind) {
            column.end();
        }
        Ok(found)
    }

    fn kind(&self) -> Result<Option<FeatureKind>, Malformed> {
        let mut last = None;
        self.each_list(|kind, list| {
            last = Some(kind);
            lists::check(kind, list)
        })?;
        Ok(last)
    }

    fn each_list(
        &self,
        mut each: impl FnMut(FeatureKind, &'a [u8]) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        for part in self.iter() {
            let mut fields = Fields::new(part);
            while let Some((number, value)) = fields.next()? {
                if let (Some(kind), Value::Bytes(list)) = (FeatureKind::of_field(number), value) {
                    each(kind, list)?;
                }
            }
        }
        Ok(())
    }

    fn each_step(&self, mut each: impl FnMut(&'a [u8]) -> Result<(), Malformed>) -> Result<(), Malformed> {
        for part in self.iter() {
            each_of(part, STEP, &mut each)?;
        }
        Ok(())
    }
}

/// Calls `each` with the values of a bytes field whose tag has one byte.
pub(super) fn each_of<'a, E: From<Malformed>>(
    message: &'a [u8],
    tag: u8,
    mut each: impl FnMut(&'a [u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut fields = Fields::new(message);
    loop {
        // The output of all known writers.
        while let Some(value) = fields.next_of(tag) {
            each(value)?;
        }
        match fields.next()? {
            Some((number, Value::Bytes(value))) if number == u32::from(tag) >> 3 => each(value)?,
            Some(_) => {}
            None => return Ok(()),
        }
    }
}

fn check_name(name: &[u8]) -> Result<(), Malformed> {
    std::str::from_utf8(name).map(drop).map_err(|_| Malformed::Utf8)
}
