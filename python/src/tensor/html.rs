//! HTML tables of tensors for notebooks, the `_repr_html_` of their classes: the first values, in bounded time and size.

use std::fmt::{self, Display, Formatter, Write};

use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrowfeed::tensor::{
    DenseTensor, RaggedTensor, RowSplits, SparseTensor, StructuredTensor, Tensor, Values,
};

use super::strings;
use crate::arrow_schema::{SHOWN, counted};
use crate::html::{ROWS, shortened, table};

/// Maximum number of bytes of a byte string that are formatted. The rest would not be shown.
const BYTES: usize = 64;

/// The first rows of a dense tensor. A tensor without dimensions is one row.
pub(super) fn dense(tensor: &DenseTensor) -> String {
    let (values, shape) = (tensor.values(), tensor.shape());
    let caption = format!("arrowfeed.DenseTensor {} {shape:?}", values.dtype());
    rows(&caption, shape.first().copied().unwrap_or(1), &Rows::Dense(tensor))
}

/// The first stored entries of a sparse tensor.
pub(super) fn sparse(tensor: &SparseTensor) -> String {
    let (values, shape) = (tensor.values(), tensor.dense_shape());
    let caption = format!("arrowfeed.SparseTensor {} {shape:?}, {} stored", values.dtype(), values.len());
    let shown = values.len().min(ROWS);
    let entries =
        (0..shown).map(|entry| vec![shortened(&EntryIndex(tensor, entry)), shortened(&Value(values, entry))]);
    table(&caption, &["index", "value"].map(str::to_owned), entries, values.len() - shown)
}

/// The first rows of a ragged tensor. `caption`: its text form.
pub(super) fn ragged(caption: &str, tensor: &RaggedTensor) -> String {
    rows(caption, tensor.rows(), &Rows::Ragged(tensor))
}

/// The fields of a structured tensor. `texts`: the text form of each field.
pub(super) fn structured(tensor: &StructuredTensor, texts: impl Iterator<Item = String>) -> String {
    let fields = tensor.fields();
    let (of_rows, of_fields) = (counted(tensor.rows(), "row"), counted(fields.len(), "field"));
    let caption = format!("arrowfeed.StructuredTensor of {of_rows} and {of_fields}");
    let header = ["field", "tensor", "first values"].map(str::to_owned);
    let shown = fields.iter().zip(texts).take(SHOWN);
    let shown = shown.map(|((name, tensor), text)| {
        vec![shortened(name), shortened(&text), shortened(&FirstValues(tensor))]
    });
    table(&caption, &header, shown, fields.len().saturating_sub(SHOWN))
}

fn rows(caption: &str, number: usize, rows: &Rows<'_>) -> String {
    let shown = number.min(ROWS);
    let cells = (0..shown).map(|row| vec![row.to_string(), shortened(&Row(rows, row))]);
    table(caption, &["row", "values"].map(str::to_owned), cells, number - shown)
}

/// A tensor that is shown row by row.
enum Rows<'a> {
    Dense(&'a DenseTensor),
    Ragged(&'a RaggedTensor),
}

/// A row as nested lists.
struct Row<'a>(&'a Rows<'a>, usize);

impl Display for Row<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Row(Rows::Dense(tensor), row) => {
                write_items(f, tensor.values(), tensor.shape().get(1..).unwrap_or(&[]), *row)
            }
            Row(Rows::Ragged(tensor), row) => write_ragged(f, tensor, tensor.row_splits(), *row),
        }
    }
}

/// Writes item `item` of a tensor whose items have this shape. The writer stops the recursion.
fn write_items(f: &mut Formatter<'_>, values: &Values, shape: &[usize], item: usize) -> fmt::Result {
    match shape {
        [] => Value(values, item).fmt(f),
        [size, inner @ ..] => write_list(f, 0..*size, |f, index| {
            write_items(f, values, inner, item.saturating_mul(*size).saturating_add(index))
        }),
    }
}

fn write_ragged(
    f: &mut Formatter<'_>,
    tensor: &RaggedTensor,
    levels: &[RowSplits],
    row: usize,
) -> fmt::Result {
    match levels {
        [] => {
            let flat = tensor.flat_values();
            write_items(f, flat.values(), flat.shape().get(1..).unwrap_or(&[]), row)
        }
        [splits, inner @ ..] => {
            let items = splits.range(row).unwrap_or_default();
            write_list(f, items, |f, item| write_ragged(f, tensor, inner, item))
        }
    }
}

fn write_list(
    f: &mut Formatter<'_>,
    items: impl Iterator<Item = usize>,
    mut write: impl FnMut(&mut Formatter<'_>, usize) -> fmt::Result,
) -> fmt::Result {
    f.write_char('[')?;
    for (position, item) in items.enumerate() {
        if position > 0 {
            f.write_str(", ")?;
        }
        write(f, item)?;
    }
    f.write_char(']')
}

/// A value; a byte string as Python writes it.
struct Value<'a>(&'a Values, usize);

impl Display for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(value) = self.0.slice(self.1..self.1.saturating_add(1)) else { return Err(fmt::Error) };
        if let Some(bytes) = strings::first(value.array()) {
            return write!(f, "b'{}'", bytes[..bytes.len().min(BYTES)].escape_ascii());
        }
        let options = FormatOptions::default().with_display_error(true);
        match ArrayFormatter::try_new(value.array(), &options) {
            Ok(formatter) => formatter.value(0).fmt(f),
            Err(error) => error.fmt(f),
        }
    }
}

/// The coordinates of an entry.
struct EntryIndex<'a>(&'a SparseTensor, usize);

impl Display for EntryIndex<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rank = self.0.rank();
        let start = self.1.saturating_mul(rank);
        let index = self.0.indices().get(start..start.saturating_add(rank)).unwrap_or(&[]);
        write_list(f, 0..index.len(), |f, dimension| index[dimension].fmt(f))
    }
}

/// The first rows of a field, or the first entries of a sparse field.
struct FirstValues<'a>(&'a Tensor);

impl Display for FirstValues<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rows = match self.0 {
            Tensor::Dense(tensor) => Rows::Dense(tensor),
            Tensor::Ragged(tensor) => Rows::Ragged(tensor),
            Tensor::Sparse(tensor) => {
                let values = tensor.values();
                return write_list(f, 0..values.len(), |f, entry| {
                    write!(f, "{}: {}", EntryIndex(tensor, entry), Value(values, entry))
                });
            }
            Tensor::Structured(_) => return Ok(()),
        };
        write_list(f, 0..self.0.rows(), |f, row| Row(&rows, row).fmt(f))
    }
}
