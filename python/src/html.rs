//! HTML tables for notebooks: the `_repr_html_` of schemas, batches, datasets and adapters, and the parts of those of
//! tensors.

use std::fmt::{self, Display, Write};

use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::SchemaRef;
use arrowfeed::printable;
use arrowfeed::tensor::TensorSpec;
use pyo3::prelude::*;

use crate::arrow_schema::{SHOWN, and_more, counted, line};

/// Maximum number of rows of a batch or tensor.
pub(crate) const ROWS: usize = 10;

/// Maximum number of values of a column in a text.
const VALUES: usize = 3;

/// Maximum number of characters of a value.
const CHARACTERS: usize = 60;

/// A table with a caption. `omitted` counts the rows that are not shown.
pub(crate) fn table(
    caption: &str,
    header: &[String],
    rows: impl Iterator<Item = Vec<String>>,
    omitted: usize,
) -> String {
    let cells = |tag: &str, cells: &[String]| -> String {
        let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let body: String = rows.map(|row| cells("td", &row)).collect();
    let rest = match omitted {
        0 => String::new(),
        _ => {
            format!("<tfoot><tr><td colspan=\"{}\">and {omitted} more</td></tr></tfoot>", header.len().max(1))
        }
    };
    let (caption, header) = (escaped(caption), cells("th", header));
    format!("<table><caption>{caption}</caption><thead>{header}</thead><tbody>{body}</tbody>{rest}</table>")
}

/// The columns of a schema.
pub(crate) fn schema(schema: &SchemaRef) -> String {
    let fields = schema.fields();
    let rows = fields.iter().take(SHOWN).map(|field| {
        let nullable = if field.is_nullable() { "yes" } else { "no" };
        vec![field.name().clone(), field.data_type().to_string(), nullable.to_owned()]
    });
    let caption = format!("arrowfeed.Schema of {}", counted(fields.len(), "column"));
    let header = ["column", "Arrow type", "nullable"].map(str::to_owned);
    table(&caption, &header, rows, fields.len().saturating_sub(SHOWN))
}

/// The first rows of a batch. A value that cannot be formatted is shown as its error.
pub(crate) fn batch(batch: &RecordBatch) -> String {
    let (fields, shown) = (batch.schema_ref().fields(), batch.num_rows().min(ROWS));
    let header: Vec<String> = fields.iter().take(SHOWN).map(|field| field.name().clone()).collect();
    let options = FormatOptions::default().with_display_error(true).with_null("null");
    let columns: Vec<_> =
        batch.columns().iter().take(SHOWN).map(|array| ArrayFormatter::try_new(array, &options)).collect();
    let rows = (0..shown).map(|row| {
        let values = columns.iter().map(|column| match column {
            Ok(column) => shortened(&column.value(row)),
            Err(error) => shortened(error),
        });
        values.collect()
    });
    let (of_rows, of_columns) = (counted(batch.num_rows(), "row"), counted(batch.num_columns(), "column"));
    let caption = format!("arrowfeed.RecordBatch of {of_rows} and {of_columns}");
    table(&caption, &header, rows, batch.num_rows() - shown)
}

/// The columns of a batch as lines of text, each with its first values.
pub(crate) fn listed_values(batch: &RecordBatch) -> String {
    let fields = batch.schema_ref().fields();
    let options = FormatOptions::default().with_display_error(true).with_null("null");
    let mut text = String::new();
    for (field, column) in fields.iter().zip(batch.columns()).take(SHOWN) {
        text.push_str(&line(field));
        if column.is_empty() {
            continue;
        }
        let values = match ArrayFormatter::try_new(column, &options) {
            Ok(column) => shortened(&FirstValues { column: &column, rows: batch.num_rows() }),
            Err(error) => shortened(&error),
        };
        text.push_str(" = ");
        text.push_str(&printable(&values));
    }
    text.push_str(&and_more(fields.len()));
    text
}

/// The first values of a column.
struct FirstValues<'a, 'b> {
    column: &'a ArrayFormatter<'b>,
    rows: usize,
}

impl Display for FirstValues<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..self.rows.min(VALUES) {
            let separator = if row == 0 { "" } else { ", " };
            write!(f, "{separator}{}", self.column.value(row))?;
        }
        if self.rows > VALUES { f.write_str(", …") } else { Ok(()) }
    }
}

/// The tensors of a dataset or an adapter.
pub(crate) fn specs(class: &str, specs: &[(String, TensorSpec)]) -> String {
    let rows = specs.iter().map(|(name, spec)| vec![name.clone(), spec.to_string()]);
    let caption = format!("arrowfeed.{class} of {}", counted(specs.len(), "tensor"));
    table(&caption, &["tensor", "spec"].map(str::to_owned), rows, 0)
}

/// The first characters of a value. Formatting stops there, because the value may have millions of items.
pub(crate) fn shortened(value: &dyn Display) -> String {
    let mut start = Start(String::new());
    match write!(start, "{value}") {
        Ok(()) => start.0,
        Err(fmt::Error) => start.0 + "…",
    }
}

/// A text buffer that returns an error after [`CHARACTERS`] characters.
struct Start(String);

impl Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = CHARACTERS.saturating_sub(self.0.chars().count());
        match text.char_indices().nth(left) {
            Some((end, _)) => {
                self.0.push_str(&text[..end]);
                Err(fmt::Error)
            }
            None => {
                self.0.push_str(text);
                Ok(())
            }
        }
    }
}

/// Wraps the text of `explain()`, a str, in a class with `_repr_html_`.
pub(crate) fn explanation(py: Python<'_>, text: String) -> PyResult<Bound<'_, PyAny>> {
    py.import("arrowfeed._explanation")?.getattr("Explanation")?.call1((text,))
}

/// A text with its line breaks.
pub(crate) fn preformatted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(escaped).collect();
    format!("<pre>{}</pre>", lines.join("\n"))
}

fn escaped(text: &str) -> String {
    let text = printable(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
