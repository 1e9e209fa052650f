//! Errors that name the invalid cell of a record.

use arrow_schema::DataType;
use arrowfeed_source::field_path::field_path;
use arrowfeed_source::{FeedError, FeedErrorKind, counted, quoted};

use super::parser::CsvParser;
use crate::group::{Slice, first_wrong};

impl CsvParser {
    /// Returns the error of a record that cannot be parsed: it has too many or too few cells, or one of them is invalid.
    pub(crate) fn explain(&self, record: Slice<'_>) -> FeedError {
        let texts = match self.plan.dialect.texts(record.bytes()) {
            Ok(texts) => texts,
            Err(error) => return error,
        };
        let wrong = |message| FeedError::new(FeedErrorKind::CorruptBlock, message);
        if texts.len() != self.width() {
            let (expected, found) = (counted(self.width() as u64, "cell"), texts.len());
            return wrong(format!("expected {expected}, found {found}"));
        }
        let columns = self.schema().fields();
        let Some(column) = first_wrong(columns.len(), |columns| self.takes(record, columns)) else {
            return wrong("expected a record of CSV, found one that cannot be parsed".to_owned());
        };
        let (field, text) = (&columns[column], self.place(column).map_or("", |place| &texts[place]));
        let found = if text.is_empty() { "an empty cell".to_owned() } else { quoted(text) };
        let message = match field.data_type() {
            DataType::Null => format!("expected an empty cell, found {found}"),
            expected => format!("expected a value of {expected}, found {found}"),
        };
        wrong(message).in_field(field_path([field.name()]))
    }
}
