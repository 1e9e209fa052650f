//! From records to a batch.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind};
use hashbrown::HashMap;

use super::column::{Column, item};
use super::entry::Entry;
use crate::wire::{Fields, Malformed, Value};

/// The kinds of lists that a feature may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `bytes_list`: a column of `large_list<large_binary>`.
    Bytes,
    /// `float_list`: a column of `large_list<float>`.
    Float,
    /// `int64_list`: a column of `large_list<int64>`.
    Int64,
}

impl Kind {
    /// The name of the field in `Feature`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes_list",
            Self::Float => "float_list",
            Self::Int64 => "int64_list",
        }
    }

    pub(super) fn of_field(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::Bytes),
            2 => Some(Self::Float),
            3 => Some(Self::Int64),
            _ => None,
        }
    }

    /// Of the field in `Feature`.
    pub(super) fn tag(self) -> u8 {
        match self {
            Self::Bytes => 1 << 3 | 2,
            Self::Float => 2 << 3 | 2,
            Self::Int64 => 3 << 3 | 2,
        }
    }
}

/// A feature that becomes a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Its name, in the records and as a column.
    pub name: String,
    /// What its lists are.
    pub kind: Kind,
}

/// What is done with features that are no columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlisted {
    /// They are parsed, so that a record is accepted exactly if protobuf's parsers accept it.
    Check,
    /// They are stepped over.
    Skip,
}

/// Decodes messages of `tf.Example` into a batch.
///
/// A feature that a record has not, or has without a list, is null. An empty list is an empty list.
///
/// ```
/// use arrowfeed_tfrecord::example::{ExampleDecoder, Feature, Kind, Unlisted};
///
/// let features = [Feature { name: "n".to_owned(), kind: Kind::Int64 }];
/// let mut decoder = ExampleDecoder::new(&features, Unlisted::Check)?;
/// // features { feature { key: "n" value { int64_list { value: 7 } } } }
/// decoder.push(b"\x0a\x0c\x0a\x0a\x0a\x01n\x12\x05\x1a\x03\x0a\x01\x07")?;
/// decoder.push(b"")?;
/// let batch = decoder.finish();
/// assert_eq!((batch.num_rows(), batch.column(0).null_count()), (2, 1));
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug)]
pub struct ExampleDecoder {
    schema: SchemaRef,
    columns: Vec<Column>,
    /// Number of the column of a name.
    numbers: HashMap<Box<[u8]>, usize>,
    unlisted: Unlisted,
    rows: usize,
    /// The column of each entry of the last record: many writers keep an order.
    last: Vec<usize>,
    /// Columns whose last entry in this record is of another kind.
    wrong: Vec<(usize, Kind)>,
}

impl ExampleDecoder {
    /// A decoder whose batches have these columns.
    ///
    /// # Errors
    /// Two features have one name.
    pub fn new(features: &[Feature], unlisted: Unlisted) -> Result<Self, FeedError> {
        let mut numbers = HashMap::new();
        for (number, Feature { name, .. }) in features.iter().enumerate() {
            if numbers.insert(name.as_bytes().into(), number).is_some() {
                let message = format!("expected features with different names, found {name:?} twice");
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
        }
        let fields = features
            .iter()
            .map(|Feature { name, kind }| Field::new(name, DataType::LargeList(item(*kind)), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let columns = features.iter().map(|feature| Column::new(feature.kind)).collect();
        Ok(Self { schema, columns, numbers, unlisted, rows: 0, last: Vec::new(), wrong: Vec::new() })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Records so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Decodes a record. After an error, the batch is as it was before.
    ///
    /// # Errors
    /// The bytes are no message, or a feature has lists of another kind. The error names the row and the feature.
    pub fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        if let Err(fault) = self.read(record) {
            self.wrong.clear();
            for column in &mut self.columns {
                column.begin(self.rows);
            }
            return Err(fault.located(self.rows, &self.schema));
        }
        for column in &mut self.columns {
            column.close(self.rows);
        }
        self.rows += 1;
        Ok(())
    }

    /// The batch of all records since the last one.
    pub fn finish(&mut self) -> RecordBatch {
        let columns = self.columns.iter_mut().map(Column::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .expect("the columns have the types of the schema, and as many rows")
    }

    fn read(&mut self, record: &[u8]) -> Result<(), Fault> {
        let mut position = 0;
        each_entry(record, |entry| {
            self.entry(entry, position)?;
            position += 1;
            Ok::<_, Fault>(())
        })?;
        match self.wrong.first() {
            None => Ok(()),
            Some((number, found)) => Err(Fault::Kind(*number, self.columns[*number].kind(), *found)),
        }
    }

    /// `position`: among the entries of the record.
    fn entry(&mut self, bytes: &[u8], position: usize) -> Result<(), Fault> {
        let entry = Entry::read(bytes)?;
        let Some(number) = self.number(entry.name, position) else {
            return match self.unlisted {
                Unlisted::Check => Ok(entry.kind().map(drop)?),
                Unlisted::Skip => Ok(()),
            };
        };
        let column = &mut self.columns[number];
        let found = entry.add_to(column, self.rows).map_err(|malformed| Fault::Feature(number, malformed))?;
        // Only the last entry of a name counts.
        self.wrong.retain(|(other, _)| *other != number);
        if let Some(found) = found.filter(|found| *found != column.kind()) {
            self.wrong.push((number, found));
        }
        Ok(())
    }

    /// The number of the column of a name.
    #[inline]
    fn number(&mut self, name: &[u8], position: usize) -> Option<usize> {
        let is_named = |number: usize| self.schema.field(number).name().as_bytes() == name;
        if let Some(number) = self.last.get(position).copied().filter(|number| is_named(*number)) {
            return Some(number);
        }
        let number = *self.numbers.get(name)?;
        match self.last.get_mut(position) {
            Some(last) => *last = number,
            // An entry without a column leaves no gap: the order is a guess.
            None => self.last.push(number),
        }
        Some(number)
    }
}

/// Calls `each` for the entries of a record's map.
pub(super) fn each_entry<E: From<Malformed>>(
    record: &[u8],
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut fields = Fields::new(record);
    while let Some(field) = fields.next()? {
        let (1, Value::Bytes(features)) = field else { continue };
        let mut fields = Fields::new(features);
        loop {
            // What all writers write.
            while let Some(entry) = fields.next_of(ENTRY) {
                each(entry)?;
            }
            match fields.next()? {
                Some((1, Value::Bytes(entry))) => each(entry)?,
                Some(_) => {}
                None => break,
            }
        }
    }
    Ok(())
}

/// The tag of an entry of the map.
const ENTRY: u8 = 1 << 3 | 2;

/// Why a record is refused.
enum Fault {
    Record(Malformed),
    /// Of the column of this number.
    Feature(usize, Malformed),
    /// Of the column of this number: the kind that it has, and the one that was found.
    Kind(usize, Kind, Kind),
}

impl From<Malformed> for Fault {
    fn from(malformed: Malformed) -> Self {
        Self::Record(malformed)
    }
}

impl Fault {
    #[cold]
    fn located(self, row: usize, schema: &Schema) -> FeedError {
        let error = |message| FeedError::new(FeedErrorKind::CorruptBlock, message).in_record(row as u64);
        match self {
            Self::Record(malformed) => error(malformed.to_string()),
            Self::Feature(number, malformed) => {
                error(malformed.to_string()).in_field(schema.field(number).name())
            }
            Self::Kind(number, expected, found) => {
                let message = format!("expected values of {}, found {}", expected.name(), found.name());
                error(message).in_field(schema.field(number).name())
            }
        }
    }
}
