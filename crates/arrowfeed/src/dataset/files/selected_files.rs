//! Files with the rows of them that a dataset has.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::{FeedError, Interrupt, Limits, printable};

use super::indexed::SelectedFiles;
use crate::dataset::options::{ALL_ROWS, IterationOptions, shown_rows};
use crate::dataset::tensor_definitions::{TensorDefinitions, file_paths};
use crate::error::DatasetError;

impl SelectedFiles {
    pub(crate) fn schema(&self) -> &SchemaRef {
        self.files.files.schema()
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.files.files.format().limits()
    }

    /// Checksum of the names and lengths of the files, of the schema, and of the selected rows.
    pub(crate) fn fingerprint(&self, interrupt: Option<&Interrupt>) -> Result<String, FeedError> {
        let mut content = format!("{:?}", self.schema());
        if let Some(selection) = self.files.shown_restrictions() {
            content.push_str(&selection);
        }
        if self.rows != ALL_ROWS {
            content.push_str(&format!("{:?}", self.rows));
        }
        let content = crc32fast::hash(content.as_bytes());
        Ok(format!("{:08x}{content:08x}", self.files.file_checksums(interrupt)?.digest))
    }

    /// Reads only `columns`, or all columns if it is empty.
    pub(crate) fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        if columns.is_empty() {
            return Ok(self.clone());
        }
        Ok(Self { files: Arc::new(self.files.with_columns(columns)?), rows: self.rows.clone() })
    }

    /// Reads only the columns that some of the tensors need.
    pub(crate) fn project(
        &self,
        definitions: &TensorDefinitions,
        names: &[&str],
    ) -> Result<Self, DatasetError> {
        let adapter = definitions.adapter_within(self.schema().clone(), self.limits().batch_bytes)?;
        Ok(self.with_columns(&file_paths(&adapter.project(names)?, self.schema()))?)
    }

    /// Number of rows that an epoch yields with these options, if no row is skipped.
    pub(crate) fn num_rows(&self, options: &IterationOptions) -> Result<u64, FeedError> {
        let scan = IterationOptions { interrupt: options.interrupt.clone(), ..Default::default() };
        let rows = self.in_file_rows(options.clone()).own_rows(self.files.index(&scan)?.0.rows());
        Ok(rows.end - rows.start)
    }

    /// Whether [`num_rows`](Self::num_rows) is known without a scan for it alone.
    pub(crate) fn is_known(&self, options: &IterationOptions) -> bool {
        let scans = self.files.needs_index(&self.in_file_rows(options.clone()));
        scans || self.files.is_scan_cheap(options.interrupt.as_ref())
    }

    /// The options of the caller, whose rows are numbered from the first selected row.
    pub(crate) fn in_file_rows(&self, options: IterationOptions) -> IterationOptions {
        options.in_file_rows(&self.rows)
    }

    /// Describes the files, the columns and the rows that are read.
    pub(crate) fn explain(&self) -> String {
        let columns: Vec<String> =
            self.schema().fields().iter().map(|field| printable(field.name())).collect();
        let files = match self.files.files.len() {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        let mut text = format!("{files}, columns: {}", columns.join(", "));
        if let Some(selection) = self.files.shown_restrictions() {
            text.push_str(&format!("\n{selection}"));
        }
        if self.rows != ALL_ROWS {
            text.push_str(&format!("\n{}", shown_rows(&self.rows)));
        }
        if let Some(cost) = self.files.scan_cost() {
            text.push_str(&format!("\nindex: {cost}"));
        }
        text
    }
}
