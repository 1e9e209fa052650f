//! The type of the values of a key, merged over records.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field};
use arrowfeed_source::field_path::joined;
use arrowfeed_source::{FeedError, FeedErrorKind, Limits};

use super::tape::{Element, Tape};
use crate::long_integers::{LongInteger, LongIntegers, is_rounded};

/// The type of all values of a key so far. null has every type.
#[derive(Debug, Default)]
pub(super) struct KeyType {
    /// The kind of the values, and the name of the first record that has one. `None`: only nulls.
    kind: Option<(ValueKind, Arc<str>)>,
    /// The first integer that a float does not have.
    long: Option<LongInteger>,
    /// The type of the items of all lists.
    item: Option<Box<KeyType>>,
    /// The types of the values of all objects.
    fields: BTreeMap<String, KeyType>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Bool,
    Int,
    Float,
    String,
    List,
    Object,
}

impl ValueKind {
    /// The kind that can store the values of both kinds. `None`: there is none.
    fn merged(self, other: Self) -> Option<Self> {
        use ValueKind::{Float, Int, List, Object, String};
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

impl KeyType {
    fn into_type(self) -> DataType {
        match self.kind.as_ref().map(|(kind, _)| kind) {
            None => DataType::Null,
            Some(ValueKind::Bool) => DataType::Boolean,
            Some(ValueKind::Int) => DataType::Int64,
            Some(ValueKind::Float) => DataType::Float64,
            Some(ValueKind::String) => DataType::Utf8,
            Some(ValueKind::List) => {
                DataType::new_list(self.item.map_or(DataType::Null, |item| item.into_type()), true)
            }
            Some(ValueKind::Object) => DataType::Struct(self.into_fields().into()),
        }
    }

    /// Adds the integers that floats do not have, of this key and of those inside.
    pub(super) fn add_long_integers(&self, path: &[String], integers: &mut LongIntegers) {
        self.long.iter().for_each(|long| integers.add(path.to_vec(), long.clone()));
        self.item.iter().for_each(|item| item.add_long_integers(path, integers));
        for (key, found) in &self.fields {
            found.add_long_integers(&[path, std::slice::from_ref(key)].concat(), integers);
        }
    }

    /// The keys of all objects, sorted by name, with the types of their values.
    pub(super) fn into_fields(self) -> Vec<Field> {
        self.fields.into_iter().map(|(key, found)| Field::new(key, found.into_type(), true)).collect()
    }
}

/// A step from a value to a value in it.
#[derive(Debug, Clone, Copy)]
enum PathStep<'a> {
    Key(&'a str),
    Index(usize),
}

/// A record whose types are merged into those of the records before it.
pub(super) struct MergedRecord<'a> {
    tape: &'a Tape<'a>,
    /// Returns the name of the record in messages.
    name: &'a dyn Fn() -> Arc<str>,
    /// Number of different keys so far, in this record and the records before it.
    keys: &'a mut usize,
    /// Keys of columns whose types are not inferred.
    given: &'a HashSet<&'a str>,
    /// Maximum nesting of types, in the message of a deeper one.
    schema_depth: usize,
    /// The steps to the value of an error, the last one first.
    steps: Vec<PathStep<'a>>,
}

impl<'a> MergedRecord<'a> {
    pub(super) fn new(
        tape: &'a Tape<'a>,
        name: &'a dyn Fn() -> Arc<str>,
        (keys, given): (&'a mut usize, &'a HashSet<&'a str>),
        schema_depth: usize,
    ) -> Self {
        Self { tape, name, keys, given, schema_depth, steps: Vec::new() }
    }

    /// Merges the types of the record.
    ///
    /// # Errors
    /// The kind of a value differs from the kind of the values before it; an integer does not fit in int64; a value is nested
    /// too deeply for a type.
    pub(super) fn merge_into(mut self, all: &mut KeyType) -> Result<(), FeedError> {
        let row = self.tape.rows().first().copied().unwrap_or_default();
        self.merge(all, row, 0).map_err(|error| {
            let path = self.steps.iter().rev().fold(String::new(), |path, step| match step {
                PathStep::Key(key) => joined(&path, key),
                PathStep::Index(index) => format!("{path}[{index}]"),
            });
            error.in_field(path)
        })
    }

    /// Merges a value, which has `depth` lists and objects around it.
    fn merge(&mut self, found: &mut KeyType, index: u32, depth: usize) -> Result<(), FeedError> {
        if depth > Limits::MAX_SCHEMA_DEPTH {
            let most = self.schema_depth.min(Limits::MAX_SCHEMA_DEPTH);
            let message = format!("expected types nested at most {most} deep, found a deeper one");
            return Err(FeedError::limit_reached("schema_depth", message));
        }
        let tape = self.tape;
        match tape.get(index) {
            Element::Null => {}
            Element::Bool(_) => self.merge_kind(found, ValueKind::Bool)?,
            Element::Number(span) => {
                let text = tape.text(span);
                let kind = number_kind(text)?;
                if kind == ValueKind::Int && found.long.is_none() && text.parse().is_ok_and(is_rounded) {
                    found.long = Some(LongInteger { text: text.to_owned(), record: (self.name)() });
                }
                self.merge_kind(found, kind)?;
            }
            Element::Text(_) | Element::Unescaped(_) => self.merge_kind(found, ValueKind::String)?,
            Element::List(end) => {
                self.merge_kind(found, ValueKind::List)?;
                let of_items = found.item.get_or_insert_default();
                for (number, item) in tape.items(index, end).enumerate() {
                    self.merge(of_items, item, depth + 1)
                        .inspect_err(|_| self.steps.push(PathStep::Index(number)))?;
                }
            }
            Element::Object(end) => {
                self.merge_kind(found, ValueKind::Object)?;
                let mut entry = index + 1;
                while entry < end {
                    let key = tape.string(entry).unwrap_or_default();
                    let of_key = match found.fields.get_mut(key) {
                        Some(of_key) => of_key,
                        None => {
                            *self.keys += 1;
                            found.fields.entry(key.to_owned()).or_default()
                        }
                    };
                    if depth > 0 || !self.given.contains(key) {
                        self.merge(of_key, entry + 1, depth + 1)
                            .inspect_err(|_| self.steps.push(PathStep::Key(key)))?;
                    }
                    entry = tape.after(entry + 1);
                }
            }
        }
        Ok(())
    }

    fn merge_kind(&self, found: &mut KeyType, kind: ValueKind) -> Result<(), FeedError> {
        let Some((before, first)) = &mut found.kind else {
            found.kind = Some((kind, (self.name)()));
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
        Err(FeedError::new(FeedErrorKind::Schema, message))
    }
}

/// The kind of a number.
///
/// # Errors
/// An integer does not fit in int64. As a float, it would have another value.
fn number_kind(text: &str) -> Result<ValueKind, FeedError> {
    if text.contains(['.', 'e', 'E']) {
        return Ok(ValueKind::Float);
    }
    if text.parse::<i64>().is_ok() {
        return Ok(ValueKind::Int);
    }
    let message = format!("expected an integer that fits into int64, found {text}: give a schema");
    Err(FeedError::new(FeedErrorKind::Schema, message))
}
