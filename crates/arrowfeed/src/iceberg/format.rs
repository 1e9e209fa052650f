//! The data files of a table, each in the format that its manifest states.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_predicate::Predicate;
use arrowfeed_source::format::{FileFormat, FormatFile};
use arrowfeed_source::io::Opened;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits};

/// Files of several formats with the same columns.
#[derive(Debug)]
pub(super) struct MixedFormat {
    formats: Vec<Arc<dyn FileFormat>>,
    /// The number of the format of each file, by the name of the file.
    of_files: Arc<HashMap<Arc<str>, usize>>,
}

impl MixedFormat {
    /// `formats` has at least one format; all have the same schema.
    pub(super) fn new(formats: Vec<Arc<dyn FileFormat>>, of_files: HashMap<Arc<str>, usize>) -> Self {
        Self { formats, of_files: Arc::new(of_files) }
    }

    fn mapped(
        &self,
        map: impl Fn(&Arc<dyn FileFormat>) -> Result<Arc<dyn FileFormat>, FeedError>,
    ) -> Result<Arc<dyn FileFormat>, FeedError> {
        let formats = self.formats.iter().map(map).collect::<Result<_, _>>()?;
        Ok(Arc::new(Self { formats, of_files: self.of_files.clone() }))
    }
}

impl FileFormat for MixedFormat {
    fn name(&self) -> &'static str {
        match &self.formats[..] {
            [format] => format.name(),
            _ => "iceberg",
        }
    }

    fn schema(&self) -> &SchemaRef {
        self.formats[0].schema()
    }

    fn limits(&self) -> &Limits {
        self.formats[0].limits()
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        self.mapped(|format| format.with_columns(columns))
    }

    fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        self.formats[0].all_columns()
    }

    fn open(&self, file: Opened, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        match self.of_files.get(file.name()) {
            Some(format) => self.formats[*format].open(file, check),
            None => {
                let message = "expected a data file of the table, found another file";
                Err(FeedError::new(FeedErrorKind::Internal, message).in_file(file.name()))
            }
        }
    }

    /// Those of all formats: which one a file has is known only to [`open`](Self::open).
    fn opening_ranges(&self, len: Option<u64>) -> Vec<Range<u64>> {
        let most = len.unwrap_or(u64::MAX);
        let all = self.formats.iter().flat_map(|format| format.opening_ranges(len));
        let mut all: Vec<Range<u64>> = all.map(|range| range.start..range.end.min(most)).collect();
        all.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<u64>> = Vec::new();
        for range in all {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined
    }

    fn reads_whole_chunks(&self) -> bool {
        self.formats.iter().all(|format| format.reads_whole_chunks())
    }

    fn opening_finds_chunks(&self) -> bool {
        self.formats.iter().all(|format| format.opening_finds_chunks())
    }

    fn selecting(&self, predicate: &Predicate) -> Result<Option<Arc<dyn FileFormat>>, FeedError> {
        let selecting =
            |format: &Arc<dyn FileFormat>| Ok(format.selecting(predicate)?.unwrap_or_else(|| format.clone()));
        self.mapped(selecting).map(Some)
    }
}
