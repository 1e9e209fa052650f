//! Conversion of CSV records to batches.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, NullArray, RecordBatch, RecordBatchOptions, StringArray, new_null_array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrowfeed_source::format::{column_difference, project};
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, quoted};
use arrowfeed_values::of_texts;
use regex::Regex;

use super::dialect::CsvDialect;
use super::format::check_names;
use super::lists;
use crate::group::Slice;
use crate::inexact;

/// A parser of the cells of selected columns into batches.
#[derive(Debug, Clone)]
pub(crate) struct CsvParser {
    pub(super) plan: Arc<CsvColumns>,
    /// The columns that are read, as indices into `plan.places`.
    columns: Arc<[usize]>,
    schema: SchemaRef,
}

/// The columns that the headers of files may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Headers {
    /// Any columns: the names are known without the header, or there is none.
    Ignored,
    /// The columns of the first file.
    Equal,
    /// Any columns. Those that a file lacks are null in its rows.
    Any,
}

/// The columns of a set of files, or of one file.
#[derive(Debug)]
pub(super) struct CsvColumns {
    pub(super) dialect: CsvDialect,
    pub(super) nulls: Option<Regex>,
    /// Names of all columns of the files; `None` if they are not known yet.
    names: Option<Vec<String>>,
    headers: Headers,
    /// All columns of the files with the types that `arrow-csv` parses. Columns that are never read, lists, columns of the
    /// type null, and those whose values are made of texts are text.
    pub(super) cells: SchemaRef,
    /// The columns that can be read.
    whole: SchemaRef,
    /// The position of each column of `whole` in the files. `None`: the file does not have the column.
    places: Vec<Option<usize>>,
    /// For each column of `whole`, the dialect of the values in its cells; `None` if each cell has one value.
    multivalent: Vec<Option<Arc<CsvDialect>>>,
    blank_record: Vec<u8>,
}

impl CsvColumns {
    /// Matches the columns of a schema by name.
    ///
    /// # Errors
    /// The files do not have a column, or CSV has no values of its type.
    fn new(
        dialect: CsvDialect,
        names: Option<Vec<String>>,
        headers: Headers,
        whole: SchemaRef,
    ) -> Result<Self, FeedError> {
        let known = names.as_deref().unwrap_or_default();
        let mut cells: Vec<Field> = known.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        let by_name: HashMap<&String, usize> =
            known.iter().enumerate().map(|(place, name)| (name, place)).collect();
        let (mut places, mut seen) = (Vec::with_capacity(whole.fields().len()), HashSet::new());
        let multivalent = dialect.of_columns(&whole);
        for (field, multivalent) in whole.fields().iter().zip(&multivalent) {
            let place = by_name.get(field.name()).copied();
            if place.is_none() && (headers != Headers::Any || !field.is_nullable()) {
                let names: Vec<String> = known.iter().map(|name| quoted(name)).collect();
                let name = quoted(field.name());
                let message = format!("expected a column {name}, found the columns {}", names.join(", "));
                return Err(FeedError::new(FeedErrorKind::Schema, message));
            }
            if !seen.insert(field.name()) {
                let name = quoted(field.name());
                let message = format!("expected columns with different names, found {name} more than once");
                return Err(FeedError::new(FeedErrorKind::Schema, message));
            }
            let cell = cell_of(field, multivalent.is_some(), &dialect)?;
            if let Some(place) = place {
                cells[place] = cell;
            }
            places.push(place);
        }
        let blank_record = match cells.len() {
            0 | 1 => vec![dialect.quote; 2],
            cells => vec![dialect.delimiter; cells - 1],
        };
        let (nulls, cells) = (dialect.null_pattern()?, Arc::new(Schema::new(cells)));
        Ok(Self { dialect, nulls, names, headers, cells, whole, places, multivalent, blank_record })
    }
}

impl CsvParser {
    /// Creates a parser of all columns of a schema, which are matched by name.
    ///
    /// # Errors
    /// The files do not have a column, or CSV has no values of its type.
    pub(super) fn new(
        dialect: CsvDialect,
        names: Option<Vec<String>>,
        headers: Headers,
        schema: &Schema,
    ) -> Result<Self, FeedError> {
        let schema = Arc::new(schema.clone());
        let plan = CsvColumns::new(dialect, names, headers, schema.clone())?;
        let parser = Self { columns: (0..plan.places.len()).collect(), plan: Arc::new(plan), schema };
        parser.check_types()?;
        Ok(parser)
    }

    /// Checks that `arrow-csv` supports each type, by parsing an empty cell.
    fn check_types(&self) -> Result<(), FeedError> {
        let dialect = &self.plan.dialect;
        let mut checked = HashSet::new();
        for (field, multivalent) in self.plan.whole.fields().iter().zip(&self.plan.multivalent) {
            let cell = cell_of(field, multivalent.is_some(), dialect)?;
            if !checked.insert(cell.data_type().clone()) {
                continue;
            }
            let reader = dialect.reader(Arc::new(Schema::new(vec![cell])), None).with_batch_size(2);
            if let Err(error) = read(reader.build_decoder(), &[dialect.quote, dialect.quote, b'\n']) {
                let found = field.data_type();
                let message = format!("expected a type that a CSV cell can hold, found {found}: {error}");
                return Err(FeedError::new(FeedErrorKind::Schema, message).in_field(field.name()));
            }
        }
        Ok(())
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(crate) fn dialect(&self) -> &CsvDialect {
        &self.plan.dialect
    }

    pub(crate) fn blank_record(&self) -> &[u8] {
        &self.plan.blank_record
    }

    /// Number of cells of a record.
    pub(crate) fn width(&self) -> usize {
        self.plan.cells.fields().len()
    }

    pub(crate) fn whole_schema(&self) -> &SchemaRef {
        &self.plan.whole
    }

    pub(crate) fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        let (schema, columns) = project(&self.plan.whole, columns)?;
        Ok(Self { plan: self.plan.clone(), columns: columns.into(), schema })
    }

    /// Returns the parser of a file with this header.
    ///
    /// # Errors
    /// The header names other columns than that of the first file, and must not; it has too many columns, or two of one name.
    pub(crate) fn of_header(&self, header: &[u8], limits: &Limits) -> Result<Self, FeedError> {
        let plan = &self.plan;
        let (Some(names), Headers::Equal | Headers::Any) = (&plan.names, plan.headers) else {
            return Ok(self.clone());
        };
        let found = plan.dialect.texts(header)?;
        if found == *names {
            return Ok(self.clone());
        }
        if plan.headers == Headers::Any {
            check_names(&found, limits)?;
            let plan = CsvColumns::new(plan.dialect.clone(), Some(found), plan.headers, plan.whole.clone())?;
            return Ok(Self { plan: Arc::new(plan), ..self.clone() });
        }
        let texts = |names: &[String]| {
            Schema::new(names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect::<Vec<_>>())
        };
        let difference = column_difference(&texts(names), &texts(&found));
        let message = format!("expected the columns of the first file: {difference}");
        Err(FeedError::new(FeedErrorKind::Schema, message))
    }

    /// Parses records into rows. If the number of rows differs, a record is invalid.
    pub(crate) fn parse(&self, records: Slice<'_>) -> Result<RecordBatch, ArrowError> {
        let places = self.columns.iter().filter_map(|column| self.plan.places[*column]).collect();
        let batch = self.cells(self.plan.cells.clone(), records, places)?;
        let mut parsed = batch.columns().iter();
        let columns = self.columns.iter().zip(self.schema.fields()).map(|(number, field)| {
            let column = self.plan.places[*number].and_then(|place| Some((place, parsed.next()?)));
            match column {
                None => Ok(new_null_array(field.data_type(), batch.num_rows())),
                Some((place, column)) if inexact::is_infinite(column) => self.floats(records, place, field),
                Some((_, column)) => {
                    of_type(column, field, &self.plan.dialect, self.plan.multivalent[*number].as_deref())
                }
            }
        });
        let columns = columns.collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }

    /// Parses the cells of a column with infinite values again. Only texts without digits are infinite.
    #[cold]
    fn floats(&self, records: Slice<'_>, place: usize, field: &Field) -> Result<ArrayRef, ArrowError> {
        let mut cells = self.plan.cells.fields().to_vec();
        cells[place] = Arc::new(Field::new(field.name(), DataType::Utf8, true));
        let texts = self.cells(Arc::new(Schema::new(cells)), records, vec![place])?;
        of_texts(field.data_type(), texts.column(0).as_string())
    }

    /// Parses the cells of the columns at these positions, of all columns in `cells`.
    fn cells(
        &self,
        cells: SchemaRef,
        records: Slice<'_>,
        places: Vec<usize>,
    ) -> Result<RecordBatch, ArrowError> {
        // The decoder looks for UTF-8 only in all cells together, which hides a character that two cells share.
        std::str::from_utf8(records.bytes()).map_err(|error| ArrowError::CsvError(error.to_string()))?;
        let reader = self.plan.dialect.reader(cells, self.plan.nulls.as_ref());
        // With room for one more row, the decoder also consumes the line end of the last record.
        let reader = reader.with_batch_size(records.len() + 1).with_projection(places);
        read(reader.build_decoder(), records.bytes())
    }

    /// Whether a record has valid values in a range of the columns that are read.
    pub(super) fn takes(&self, record: Slice<'_>, columns: Range<usize>) -> bool {
        self.some(columns).is_ok_and(|some| some.parse(record).is_ok())
    }

    /// Returns the parser with a range of the columns that it reads.
    pub(crate) fn some(&self, columns: Range<usize>) -> Result<Self, ArrowError> {
        let columns: Arc<[usize]> = self.columns[columns].into();
        let schema = Arc::new(self.plan.whole.project(&columns)?);
        Ok(Self { columns, schema, plan: self.plan.clone() })
    }

    /// The position of a column that is read among all columns of the file; `None` if the file does not have it.
    pub(super) fn place(&self, column: usize) -> Option<usize> {
        self.plan.places[self.columns[column]]
    }
}

/// The type that `arrow-csv` parses in the cells of a column.
///
/// # Errors
/// CSV has no values of the type.
fn cell_of(field: &Field, is_multivalent: bool, dialect: &CsvDialect) -> Result<Field, FeedError> {
    let text = Field::new(field.name(), DataType::Utf8, true);
    if lists::item(field.data_type()).is_some() {
        check_list(field)?;
    } else if is_multivalent && field.data_type() != &DataType::Null {
        let found = field.data_type();
        let message = format!("expected a list type, because the column is multivalent, found {found}");
        return Err(FeedError::new(FeedErrorKind::Schema, message).in_field(field.name()));
    } else if inexact::is_cut(field.data_type()) {
        check_values(field)?;
    } else if field.data_type() != &DataType::Null && !dialect.is_made_of_texts(field.data_type()) {
        return Ok(field.clone().with_nullable(true));
    }
    Ok(text)
}

/// Converts a column to its type if it was read as text. A column of the type null must not have values.
/// `multivalent` is the dialect of the values in the cells; `None`: a cell is one value.
fn of_type(
    column: &ArrayRef,
    field: &Field,
    dialect: &CsvDialect,
    multivalent: Option<&CsvDialect>,
) -> Result<ArrayRef, ArrowError> {
    match field.data_type() {
        DataType::Null if column.null_count() == column.len() => Ok(Arc::new(NullArray::new(column.len()))),
        DataType::Null => Err(ArrowError::CsvError("a value in a column of type null".to_owned())),
        lists if lists::item(lists).is_some() => lists::of_texts(column, lists, dialect, multivalent),
        made if dialect.is_made_of_texts(made) => dialect.values(made, column.as_string()),
        _ => Ok(column.clone()),
    }
}

/// Parses all records in `bytes`.
fn read(mut decoder: arrow_csv::reader::Decoder, bytes: &[u8]) -> Result<RecordBatch, ArrowError> {
    // The decoder skips a byte order mark at its first byte, but here the mark is part of the first cell.
    decoder.decode(b"\n")?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let taken = decoder.decode(rest)?;
        if taken == 0 {
            return Err(ArrowError::CsvError("more records than expected".to_owned()));
        }
        rest = &rest[taken..];
    }
    let batch = decoder.flush()?;
    batch.ok_or_else(|| ArrowError::CsvError("no record".to_owned()))
}

/// Checks the type of a column whose values are made of texts.
///
/// # Errors
/// There are no values of the type.
fn check_values(field: &Field) -> Result<(), FeedError> {
    let Err(error) = of_texts(field.data_type(), &StringArray::new_null(0)) else { return Ok(()) };
    let message = format!("expected a type that a CSV cell can hold, found {}: {error}", field.data_type());
    Err(FeedError::new(FeedErrorKind::Schema, message).in_field(field.name()))
}

/// Checks the type of a list column.
///
/// # Errors
/// Text cannot be converted to such lists.
fn check_list(field: &Field) -> Result<(), FeedError> {
    if lists::is_list_of_cells(field.data_type()) {
        return Ok(());
    }
    let message = format!("expected lists of values that a CSV cell can hold, found {}", field.data_type());
    Err(FeedError::new(FeedErrorKind::Schema, message).in_field(field.name()))
}
