//! From a batch to messages.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, LargeListArray, RecordBatch};
use arrow_buffer::OffsetBuffer;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field};
use arrowfeed_source::{FeedError, FeedErrorKind};

use super::column::item;
use super::decoder::Kind;
use crate::wire::{push_varint, varint_len};

/// The tag of field 1 with bytes: the map of features, an entry of it, its name, and packed numbers and values.
const FIRST: u8 = 1 << 3 | 2;

/// The tag of the feature of an entry.
const FEATURE: u8 = 2 << 3 | 2;

/// Writes rows as messages of `tf.Example`, a feature for each column.
///
/// | column | feature |
/// |---|---|
/// | integers and booleans, or lists of them | `int64_list` |
/// | floats and doubles, or lists of them | `float_list`; doubles are rounded |
/// | text and bytes, or lists of them | `bytes_list` |
/// | nulls | none |
///
/// A null row has no feature; an empty list has one without values. Features stand in the order of the columns.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Int64Array, RecordBatch};
/// use arrowfeed_tfrecord::example::ExampleEncoder;
///
/// let numbers = Arc::new(Int64Array::from(vec![Some(7), None]));
/// let batch = RecordBatch::try_from_iter([("n", numbers as _)]).unwrap();
/// let mut encoder = ExampleEncoder::new(&batch)?;
/// // features { feature { key: "n" value { int64_list { value: 7 } } } }
/// assert_eq!(encoder.encode(0), b"\x0a\x0c\x0a\x0a\x0a\x01n\x12\x05\x1a\x03\x0a\x01\x07");
/// assert_eq!(encoder.encode(1), b"");
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug)]
pub struct ExampleEncoder {
    columns: Vec<Lists>,
    /// Bytes of the entry of each column that the row has.
    sizes: Vec<Option<Sizes>>,
    null_features: bool,
    message: Vec<u8>,
}

/// The values of a column, row after row.
#[derive(Debug)]
struct Lists {
    name: String,
    kind: Kind,
    lists: LargeListArray,
}

/// Bytes without the tag and the length before them.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// Packed numbers. Of bytes, as `list`.
    packed: usize,
    list: usize,
    feature: usize,
    entry: usize,
}

impl ExampleEncoder {
    /// An encoder of the rows of a batch.
    ///
    /// # Errors
    /// A column has a type that no feature has; a list has a null value; a number is not an `int64`. The error names the column.
    pub fn new(batch: &RecordBatch) -> Result<Self, FeedError> {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let columns = columns.filter_map(|(field, column)| {
            Lists::new(field.name(), column).map_err(|error| error.in_field(field.name())).transpose()
        });
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Self { columns, sizes: Vec::new(), null_features: false, message: Vec::new() })
    }

    /// Whether a null row has a feature without a list, as tfx_bsl writes it; readers take it for none. Default: it has no
    /// feature.
    pub fn with_null_features(mut self, null_features: bool) -> Self {
        self.null_features = null_features;
        self
    }

    /// The message of a row of the batch.
    ///
    /// # Panics
    /// The batch has no such row.
    pub fn encode(&mut self, row: usize) -> &[u8] {
        let Self { columns, sizes, null_features, message } = self;
        sizes.clear();
        let without_list = |column: &Lists| null_features.then(|| column.sizes_without_list());
        sizes.extend(columns.iter().map(|column| column.sizes(row).or_else(|| without_list(column))));
        message.clear();
        let features = sizes.iter().flatten().map(|sizes| field_len(sizes.entry)).sum();
        if features > 0 {
            push_head(message, FIRST, features);
        }
        for (column, sizes) in columns.iter().zip(sizes) {
            if let Some(sizes) = sizes {
                column.push(row, *sizes, message);
            }
        }
        message
    }
}

/// A field of so many bytes, with its tag of one byte and its length.
fn field_len(bytes: usize) -> usize {
    1 + varint_len(bytes as u64) + bytes
}

/// What stands before so many bytes of a field.
fn push_head(message: &mut Vec<u8>, tag: u8, bytes: usize) {
    message.push(tag);
    push_varint(message, bytes as u64);
}

/// The kind of the values of a column, and whether each row has a list of them. `None`: it has none.
fn kind_of(data_type: &DataType) -> Result<Option<Kind>, FeedError> {
    use DataType as D;
    let leaf = match data_type {
        D::List(item)
        | D::LargeList(item)
        | D::FixedSizeList(item, _)
        | D::ListView(item)
        | D::LargeListView(item) => item.data_type(),
        other => other,
    };
    let leaf = if let D::Dictionary(_, values) = leaf { values } else { leaf };
    Ok(Some(match leaf {
        D::Null => return Ok(None),
        leaf if leaf.is_integer() => Kind::Int64,
        D::Boolean => Kind::Int64,
        D::Float16 | D::Float32 | D::Float64 => Kind::Float,
        D::Binary | D::LargeBinary | D::BinaryView | D::FixedSizeBinary(_) => Kind::Bytes,
        D::Utf8 | D::LargeUtf8 | D::Utf8View => Kind::Bytes,
        _ => {
            let message =
                format!("expected numbers, text or bytes, or lists of these, found a column of {data_type}");
            return Err(FeedError::new(FeedErrorKind::Conversion, message));
        }
    }))
}

impl Lists {
    fn new(name: &str, column: &ArrayRef) -> Result<Option<Self>, FeedError> {
        let Some(kind) = kind_of(column.data_type())? else { return Ok(None) };
        let lists = as_lists(column, kind)?;
        if lists.values().null_count() > 0 && has_null_values(&lists) {
            let message =
                "expected lists without null values, which a feature cannot have, found one with a null";
            return Err(FeedError::new(FeedErrorKind::Conversion, message));
        }
        Ok(Some(Self { name: name.to_owned(), kind, lists }))
    }

    /// `None`: the row is null.
    fn sizes(&self, row: usize) -> Option<Sizes> {
        if self.lists.is_null(row) {
            return None;
        }
        let range = self.range(row);
        let values = self.lists.values();
        let packed = match self.kind {
            Kind::Int64 => {
                let values = &values.as_primitive::<Int64Type>().values()[range];
                values.iter().map(|value| varint_len(value.cast_unsigned())).sum()
            }
            Kind::Float => 4 * range.len(),
            Kind::Bytes => {
                let values = values.as_binary::<i64>();
                range.map(|at| field_len(values.value_length(at) as usize)).sum()
            }
        };
        let list = if self.kind == Kind::Bytes || packed == 0 { packed } else { field_len(packed) };
        let feature = field_len(list);
        let entry = field_len(self.name.len()) + field_len(feature);
        Some(Sizes { packed, list, feature, entry })
    }

    /// Those of a feature without a list.
    fn sizes_without_list(&self) -> Sizes {
        Sizes { packed: 0, list: 0, feature: 0, entry: field_len(self.name.len()) + field_len(0) }
    }

    fn push(&self, row: usize, sizes: Sizes, message: &mut Vec<u8>) {
        push_head(message, FIRST, sizes.entry);
        push_head(message, FIRST, self.name.len());
        message.extend_from_slice(self.name.as_bytes());
        push_head(message, FEATURE, sizes.feature);
        if sizes.feature == 0 {
            return;
        }
        push_head(message, self.kind.tag(), sizes.list);
        let (range, values) = (self.range(row), self.lists.values());
        if self.kind != Kind::Bytes && sizes.packed > 0 {
            push_head(message, FIRST, sizes.packed);
        }
        match self.kind {
            Kind::Int64 => {
                for value in &values.as_primitive::<Int64Type>().values()[range] {
                    push_varint(message, value.cast_unsigned());
                }
            }
            Kind::Float => {
                for value in &values.as_primitive::<Float32Type>().values()[range] {
                    message.extend_from_slice(&value.to_le_bytes());
                }
            }
            Kind::Bytes => {
                let values = values.as_binary::<i64>();
                for at in range {
                    let value = values.value(at);
                    push_head(message, FIRST, value.len());
                    message.extend_from_slice(value);
                }
            }
        }
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let ends = self.lists.value_offsets();
        ends[row] as usize..ends[row + 1] as usize
    }
}

/// A column as large lists of the kind's type. A column of single values becomes lists of one; what is null stays null.
fn as_lists(column: &ArrayRef, kind: Kind) -> Result<LargeListArray, FeedError> {
    let refused = |error: arrow_schema::ArrowError| {
        let message = format!("expected values that a feature can hold: {error}");
        FeedError::new(FeedErrorKind::Conversion, message)
    };
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let cast = |column: &ArrayRef, to: &DataType| cast_with_options(column, to, &options).map_err(refused);
    let item: Arc<Field> = item(kind);
    let is_list = column.data_type().is_nested();
    let column = match column.data_type() {
        DataType::Dictionary(_, values) => cast(column, values)?,
        _ => column.clone(),
    };
    if is_list {
        let lists = cast(&column, &DataType::LargeList(item))?;
        return Ok(lists.as_list::<i64>().clone());
    }
    let values = cast(&column, item.data_type())?;
    let ends = OffsetBuffer::from_lengths((0..values.len()).map(|row| usize::from(values.is_valid(row))));
    let nulls = values.nulls().cloned();
    let values = match &nulls {
        None => values,
        Some(nulls) => {
            let valid = BooleanArray::new(nulls.inner().clone(), None);
            arrowfeed_select::filter(&values, &valid).map_err(refused)?
        }
    };
    Ok(LargeListArray::new(item, ends, values, nulls))
}

/// Whether a row that is not null has a null value.
fn has_null_values(lists: &LargeListArray) -> bool {
    let (ends, values) = (lists.value_offsets(), lists.values());
    (0..lists.len())
        .any(|row| lists.is_valid(row) && (ends[row]..ends[row + 1]).any(|at| values.is_null(at as usize)))
}
