//! Inference of the column types of files without a schema.

use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, Interrupt};
use arrowfeed_values::{float64, int64};

use super::dialect::CsvDialect;
use super::lists;
use crate::long_integers::{LongInteger, LongIntegers, is_rounded};
use crate::sample::Sample;

/// The type of the values of a column so far. Each variant can store the values of the variants before it, except that
/// floats do not have all integers of more than 53 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CellType {
    /// No values, only nulls.
    Nothing,
    Int,
    Float,
    String,
}

impl CellType {
    fn of(text: &str) -> Self {
        let number = text.trim();
        let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            // A float cannot store all digits of a longer integer.
            return if int64(text).is_some() { Self::Int } else { Self::String };
        }
        if float64(text).is_some() { Self::Float } else { Self::String }
    }

    fn data_type(self) -> DataType {
        match self {
            Self::Nothing => DataType::Null,
            Self::Int => DataType::Int64,
            Self::Float => DataType::Float64,
            Self::String => DataType::Utf8,
        }
    }
}

/// The type of the values of a column so far, which may also be booleans.
#[derive(Debug, Clone)]
struct ColumnType {
    of_cells: CellType,
    /// The first integer that a float does not have.
    long: Option<LongInteger>,
    /// Whether all texts mean true or false.
    is_boolean: bool,
}

impl ColumnType {
    fn new(dialect: &CsvDialect) -> Self {
        Self { of_cells: CellType::Nothing, long: None, is_boolean: dialect.has_booleans() }
    }

    /// Adds a value of the record with this name.
    fn add(&mut self, text: &str, dialect: &CsvDialect, record: impl Fn() -> String) {
        let number = dialect.number(text);
        let of_cell = CellType::of(&number);
        if of_cell == CellType::Int && self.long.is_none() && int64(&number).is_some_and(is_rounded) {
            self.long = Some(LongInteger { text: text.trim().to_owned(), record: record().into() });
        }
        self.of_cells = self.of_cells.max(of_cell);
        self.is_boolean &= dialect.boolean(text).is_some();
    }

    /// Whether no other value changes the type.
    fn is_final(&self) -> bool {
        self.of_cells == CellType::String && !self.is_boolean
    }

    /// Numbers are not booleans, also if they are among the texts that mean true or false.
    fn data_type(&self) -> DataType {
        match self.of_cells {
            CellType::String if self.is_boolean => DataType::Boolean,
            found => found.data_type(),
        }
    }
}

/// Infers the types of the columns from the first `sample` records, except those of columns in `given`, which are text. `texts`
/// reads all cells as text. Also returns the integers that a column of floats would round.
///
/// # Errors
/// A record cannot be read; the caller cancels.
pub(super) fn types(
    texts: FileSet,
    dialect: &CsvDialect,
    sample: Option<u64>,
    given: Option<&Schema>,
    interrupt: Option<&Interrupt>,
) -> Result<(Schema, LongIntegers), FeedError> {
    let schema = texts.schema().clone();
    let mut found = vec![ColumnType::new(dialect); schema.fields().len()];
    for field in given.into_iter().flat_map(Schema::fields) {
        if let Ok(column) = schema.index_of(field.name()) {
            found[column] = ColumnType { of_cells: CellType::String, long: None, is_boolean: false };
        }
    }
    let cells = dialect.of_columns(&schema);
    let mut sample = Sample::new(texts, sample, interrupt)?;
    while let Some(sampled) = sample.next()? {
        for ((found, cells), column) in found.iter_mut().zip(&cells).zip(sampled.batch.columns()) {
            for (row, text) in column.as_string::<i32>().iter().enumerate() {
                let Some(text) = text else { continue };
                if found.is_final() {
                    break;
                }
                let record = || sampled.record_name(row);
                match cells {
                    None => found.add(text, dialect, record),
                    Some(cells) => lists::each_value(text, cells, |value| found.add(value, dialect, record)),
                }
            }
        }
    }
    let mut integers = LongIntegers::default();
    for (field, found) in schema.fields().iter().zip(&mut found) {
        found.long.take().into_iter().for_each(|long| integers.add(vec![field.name().clone()], long));
    }
    let fields = schema.fields().iter().zip(found).zip(cells);
    let fields = fields.map(|((field, found), cells)| {
        let data_type = match (found.of_cells, cells) {
            // A column without values has the type null, as in tfx_bsl.
            (CellType::Nothing, _) | (_, None) => found.data_type(),
            (_, Some(_)) => DataType::new_list(found.data_type(), true),
        };
        Field::new(field.name(), data_type, true)
    });
    Ok((Schema::new(fields.collect::<Vec<_>>()), integers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_narrowest_type_that_keeps_it() {
        let of = |texts: &[&str]| texts.iter().map(|text| CellType::of(text)).collect::<Vec<_>>();
        let ints = of(&["0", "-1", "+7", "007", "9223372036854775807", "-9223372036854775808", " 1", "1 "]);
        assert_eq!(ints, [CellType::Int; 8]);
        assert_eq!(of(&["0.5", "-1e3", ".5", "1.", "nan", "inf", " 0.5 "]), [CellType::Float; 7]);
        let long = ["9223372036854775808", "-9223372036854775809", "99999999999999999999999999"];
        assert_eq!(of(&long), [CellType::String; 3]);
        assert_eq!(of(&["a", "-", "true", "1,5", "0x10", "1e400"]), [CellType::String; 6]);
    }
}
