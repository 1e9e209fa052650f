//! Integers that a column of floats would round.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{DataType, Fields, Schema};
use arrowfeed_source::field_path::field_path;
use arrowfeed_source::{FeedError, FeedErrorKind};

/// Whether no `f64` has the value of an integer.
pub(crate) fn is_rounded(value: i64) -> bool {
    value as f64 as i128 != i128::from(value)
}

/// An integer that no `f64` has, and the name of its record.
#[derive(Debug, Clone)]
pub(crate) struct LongInteger {
    pub(crate) text: String,
    pub(crate) record: Arc<str>,
}

/// The first such integer of each column. The path of a column has the names of its structs, and none for the items of a list.
#[derive(Debug, Default)]
pub(crate) struct LongIntegers(BTreeMap<Vec<String>, LongInteger>);

impl LongIntegers {
    pub(crate) fn add(&mut self, path: Vec<String>, found: LongInteger) {
        self.0.entry(path).or_insert(found);
    }

    pub(crate) fn append(&mut self, later: Self) {
        later.0.into_iter().for_each(|(path, found)| self.add(path, found));
    }

    /// Checks that no such integer is in a column of floats.
    ///
    /// # Errors
    /// One is.
    pub(crate) fn check(&self, schema: &Schema) -> Result<(), FeedError> {
        for (path, LongInteger { text, record }) in &self.0 {
            if of_path(schema.fields(), path) != Some(&DataType::Float64) {
                continue;
            }
            let message = format!(
                "expected an integer that Float64 can hold, because the column also has floats, found {text} in {record}: give a schema"
            );
            let path = field_path(path.iter().map(String::as_str));
            return Err(FeedError::new(FeedErrorKind::Conversion, message).in_field(path));
        }
        Ok(())
    }
}

/// The type of a column that is not a list.
fn of_path<'a>(fields: &'a Fields, path: &[String]) -> Option<&'a DataType> {
    let (name, rest) = path.split_first()?;
    let mut found = fields.find(name)?.1.data_type();
    while let DataType::List(item) = found {
        found = item.data_type();
    }
    match found {
        DataType::Struct(fields) if !rest.is_empty() => of_path(fields, rest),
        found => rest.is_empty().then_some(found),
    }
}
