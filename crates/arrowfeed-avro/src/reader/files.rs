//! The files of a reader, opened one after the other, and what has been made for their schemas.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, OnError, Report, Skipped, quoted};

use super::file::{Decoders, FileReading, OpenFile};
use crate::AvroSource;
use crate::options::ReadOptions;
use crate::plan::DecodePlan;

/// Files that are still to be read. Their batches all have one schema: the first file's.
pub(crate) struct Files {
    pub(crate) options: Arc<ReadOptions>,
    sources: VecDeque<AvroSource>,
    /// Files that have been opened.
    opened_files: usize,
    /// The first file, opened to know the schema.
    opened: Option<Arc<FileReading>>,
    /// The last file that failed and whose rest is left out.
    pub(super) left_out: Option<usize>,
    schema: SchemaRef,
    /// What gave the schema its shape, for messages.
    first: Arc<str>,
    /// The last schema text and its decoders: most files of a set have the same.
    known: (String, Arc<Decoders>),
}

impl Files {
    /// Opens files until one has a schema.
    pub(crate) fn new(
        options: Arc<ReadOptions>,
        sources: impl IntoIterator<Item = AvroSource>,
        report: &mut Report,
        check: &Check<'_>,
    ) -> Result<Self, FeedError> {
        let mut sources: VecDeque<AvroSource> = sources.into_iter().collect();
        let mut failure = None;
        while let Some(source) = sources.pop_front() {
            check.now()?;
            let name = source.name().to_owned();
            match open_first(source, &options, check) {
                Ok((file, decoders)) => {
                    let known = (file.header.schema_json.clone(), decoders.clone());
                    let (first, schema) = (file.name.clone(), decoders.plan.schema().clone());
                    let opened = Some(Arc::new(FileReading::new(0, file, decoders)));
                    return Ok(Self {
                        options,
                        sources,
                        opened_files: 1,
                        opened,
                        left_out: None,
                        schema,
                        first,
                        known,
                    });
                }
                Err(error) if may_skip_file(&options, &error) => {
                    note(report, &name, &error);
                    failure = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        Err(failure
            .unwrap_or_else(|| FeedError::new(FeedErrorKind::Options, "expected files to read, found none")))
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The first file, where it has not been given out, and whether it is the only one.
    pub(crate) fn first(&self) -> Option<(&FileReading, bool)> {
        Some((self.opened.as_deref()?, self.sources.is_empty()))
    }

    /// The next file that can be read.
    pub(crate) fn next(
        &mut self,
        report: &mut Report,
        check: &Check<'_>,
    ) -> Result<Option<Arc<FileReading>>, FeedError> {
        if let Some(opened) = self.opened.take() {
            return Ok(Some(opened));
        }
        while let Some(source) = self.sources.pop_front() {
            check.now()?;
            let name = source.name().to_owned();
            match self.open(source, check) {
                Ok(reading) => return Ok(Some(Arc::new(reading))),
                Err(error) if may_skip_file(&self.options, &error) => note(report, &name, &error),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn open(&mut self, source: AvroSource, check: &Check<'_>) -> Result<FileReading, FeedError> {
        let file = OpenFile::open(source, &self.options, check)?;
        if file.header.schema_json != self.known.0 {
            let decoders = decoders(&file, &self.options)?;
            if decoders.plan.schema() != &self.schema {
                return Err(differs(&self.first, &self.schema, &file, decoders.plan.schema()));
            }
            self.known = (file.header.schema_json.clone(), decoders);
        }
        self.opened_files += 1;
        Ok(FileReading::new(self.opened_files - 1, file, self.known.1.clone()))
    }
}

/// A file whose columns are not those of the first.
#[cold]
pub(super) fn differs(first: &str, schema: &SchemaRef, file: &OpenFile, found: &SchemaRef) -> FeedError {
    let differing = schema.fields().iter().zip(found.fields()).find(|(a, b)| a != b);
    let what = match differing {
        Some((a, b)) => format!(
            "column {} to be {}, found {} as {}",
            quoted(a.name()),
            a.data_type(),
            quoted(b.name()),
            b.data_type()
        ),
        None => format!("{} columns, found {}", schema.fields().len(), found.fields().len()),
    };
    let message = format!("expected the columns of {first}: {what}; give a reader schema to read both");
    FeedError::new(FeedErrorKind::Schema, message).in_file(&file.name)
}

fn open_first(
    source: AvroSource,
    options: &ReadOptions,
    check: &Check<'_>,
) -> Result<(OpenFile, Arc<Decoders>), FeedError> {
    let file = OpenFile::open(source, options, check)?;
    let decoders = decoders(&file, options)?;
    Ok((file, decoders))
}

fn decoders(file: &OpenFile, options: &ReadOptions) -> Result<Arc<Decoders>, FeedError> {
    let plan = DecodePlan::compile(&file.schema(options)?, options);
    Ok(Arc::new(Decoders::new(Arc::new(plan.map_err(|error| error.in_file(&file.name))?))))
}

/// Whether the caller wants a file with this error left out.
pub(crate) fn may_skip_file(options: &ReadOptions, error: &FeedError) -> bool {
    options.on_error == OnError::SkipFile && error.is_of_the_file()
}

/// Counts a file that is left out.
pub(crate) fn note(report: &mut Report, name: &str, error: &FeedError) {
    let (path, error) = (name.to_owned(), error.to_string());
    report.skipped.push(Skipped { path, block: None, offset: None, rows: None, error });
}
