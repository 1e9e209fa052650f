//! The type of the values of a key, merged over records.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow_schema::{DataType, Field};
use arrowfeed_source::field_path::joined;
use arrowfeed_source::{FeedError, FeedErrorKind};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The type of all values of a key so far. null has every type.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The kind of the values, and the name of the first record that has one. `None`: only nulls.
    kind: Option<(Kind, Arc<str>)>,
    /// The type of the items of all lists.
    item: Option<Box<Found>>,
    /// The types of the values of all objects.
    fields: BTreeMap<String, Found>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Float,
    String,
    List,
    Object,
}

impl Kind {
    /// The kind that can store the values of both kinds. `None`: there is none.
    fn merged(self, other: Self) -> Option<Self> {
        use Kind::{Float, Int, List, Object, String};
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Int, Float) | (Float, Int) => Some(Float),
            (List | Object, _) | (_, List | Object) => None,
            _ => Some(String),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::List => "a list",
            Self::Object => "an object",
            Self::Bool | Self::Int | Self::Float | Self::String => "a scalar",
        }
    }
}

impl Found {
    fn into_type(self) -> DataType {
        match self.kind.as_ref().map(|(kind, _)| kind) {
            None => DataType::Null,
            Some(Kind::Bool) => DataType::Boolean,
            Some(Kind::Int) => DataType::Int64,
            Some(Kind::Float) => DataType::Float64,
            Some(Kind::String) => DataType::Utf8,
            Some(Kind::List) => {
                DataType::new_list(self.item.map_or(DataType::Null, |item| item.into_type()), true)
            }
            Some(Kind::Object) => DataType::Struct(self.into_fields().into()),
        }
    }

    /// The keys of all objects, sorted by name, with the types of their values.
    pub(super) fn into_fields(self) -> Vec<Field> {
        self.fields.into_iter().map(|(key, found)| Field::new(key, found.into_type(), true)).collect()
    }
}

/// A step from a value to a value in it.
#[derive(Debug)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// The path that consists of these steps, the last one first.
pub(super) fn path_of(steps: &[Step]) -> String {
    steps.iter().rev().fold(String::new(), |path, step| match step {
        Step::Key(key) => joined(&path, key),
        Step::Index(index) => format!("{path}[{index}]"),
    })
}

/// The record whose types are merged.
pub(super) struct Record<'a> {
    name: &'a dyn Fn() -> Arc<str>,
    /// Number of different keys so far, in this record and the records before it.
    keys: &'a mut usize,
    /// Whether there is a number outside of int64.
    pub(super) has_large_numbers: bool,
    /// The error of a value whose kind differs from the kind of the values before it.
    conflict: Option<FeedError>,
    /// The steps to this value, the last one first.
    steps: Vec<Step>,
}

impl<'a> Record<'a> {
    /// `name` returns the name of the record in messages.
    pub(super) fn new(name: &'a dyn Fn() -> Arc<str>, keys: &'a mut usize) -> Self {
        Self { name, keys, has_large_numbers: false, conflict: None, steps: Vec::new() }
    }

    /// The error of a value whose kind differs from the kind of the values before it; `None` if there is no such value.
    pub(super) fn into_conflict(self) -> Option<FeedError> {
        self.conflict.map(|conflict| conflict.in_field(path_of(&self.steps)))
    }
}

/// Merges a JSON value into the values before it.
///
/// # Errors
/// The value is not valid JSON, or there is a conflict, which the record then has.
pub(super) struct Merge<'a, 'r> {
    found: &'a mut Found,
    record: &'a mut Record<'r>,
}

impl<'a, 'r> Merge<'a, 'r> {
    pub(super) fn new(found: &'a mut Found, record: &'a mut Record<'r>) -> Self {
        Self { found, record }
    }

    fn kind<E: Error>(&mut self, kind: Kind) -> Result<(), E> {
        let Some((before, first)) = &mut self.found.kind else {
            self.found.kind = Some((kind, (self.record.name)()));
            return Ok(());
        };
        if let Some(merged) = before.merged(kind) {
            *before = merged;
            return Ok(());
        }
        let message = format!(
            "expected {}, as in {first}, found {}: give a schema without this key",
            before.name(),
            kind.name()
        );
        self.record.conflict = Some(FeedError::new(FeedErrorKind::Schema, message));
        Err(E::custom("a value of another kind"))
    }
}

impl<'de> DeserializeSeed<'de> for Merge<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Merge<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(mut self, _: bool) -> Result<(), E> {
        self.kind(Kind::Bool)
    }

    fn visit_i64<E: Error>(mut self, _: i64) -> Result<(), E> {
        self.kind(Kind::Int)
    }

    fn visit_u64<E: Error>(mut self, integer: u64) -> Result<(), E> {
        self.record.has_large_numbers |= i64::try_from(integer).is_err();
        self.kind(Kind::Int)
    }

    fn visit_f64<E: Error>(mut self, number: f64) -> Result<(), E> {
        // serde_json passes integers that do not fit in 64 bits as floats.
        self.record.has_large_numbers |= number.abs() >= 2f64.powi(63);
        self.kind(Kind::Float)
    }

    fn visit_str<E: Error>(mut self, _: &str) -> Result<(), E> {
        self.kind(Kind::String)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.kind(Kind::List)?;
        let Self { found, record } = self;
        let item = found.item.get_or_insert_default();
        for index in 0.. {
            match items.next_element_seed(Merge { found: item, record }) {
                Ok(Some(())) => {}
                Ok(None) => break,
                Err(error) => {
                    record.steps.push(Step::Index(index));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        self.kind(Kind::Object)?;
        let Self { found, record } = self;
        while let Some(key) = entries.next_key_seed(Key)? {
            let found = match found.fields.get_mut(&*key) {
                Some(found) => found,
                None => {
                    *record.keys += 1;
                    found.fields.entry(key.clone().into_owned()).or_default()
                }
            };
            if let Err(error) = entries.next_value_seed(Merge { found, record }) {
                record.steps.push(Step::Key(key.into_owned()));
                return Err(error);
            }
        }
        Ok(())
    }
}

/// A key, borrowed if it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}
