//! The Arrow IPC format: options, schema and projection.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::format::{FileFormat, FormatFile, column_difference, named_columns};
use arrowfeed_source::io::{FileEnds, FileSource, Fingerprint, OpenFile, Opened};
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits};

use crate::file::IpcFile;
use crate::index::Index;

/// Number of bytes at the end of an object that are fetched when it is opened: the footer of a file is rarely longer.
const FOOTER_BYTES: u64 = 64 << 10;

/// Average number of bytes of record batches from which their metadata is requested before their columns.
const LARGE: u64 = 1 << 20;

/// Options for reading Arrow IPC files and streams.
///
/// [`IpcFormat`] has an example.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct IpcOptions {
    /// Field paths to read (`id`, `user.scores`), in the order of the columns. A column with a field that is named is read as a
    /// whole. `None`: all columns.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub columns: Option<Vec<String>>,
    /// Names of columns not to read. `None`: no column is excluded.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub exclude: Option<Vec<String>>,
    /// `header_bytes` limits the metadata of a message and the footer, `decoded_block_bytes` the body of a record batch,
    /// `batch_bytes` the size of a batch and of all dictionaries.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub limits: Limits,
}

/// Arrow IPC files and streams with one schema: that of the first file. Dictionaries stay dictionaries.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Int64Array, RecordBatch};
/// use arrow_ipc::writer::FileWriter;
/// use arrowfeed_ipc::{IpcFormat, IpcOptions};
/// use arrowfeed_source::io::FileSource;
/// use arrowfeed_source::run::ReadOptions;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let batch = RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as _)])?;
/// let mut writer = FileWriter::try_new(Vec::new(), &batch.schema())?;
/// writer.write(&batch)?;
/// let file = FileSource::bytes(writer.into_inner()?);
/// let files = IpcFormat::files([file], IpcOptions::default(), None)?;
/// let batches = files.read_files(ReadOptions::default())?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(batches, [batch]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct IpcFormat {
    options: IpcOptions,
    /// All columns of the first file.
    whole: SchemaRef,
    /// The columns that are read.
    schema: SchemaRef,
    /// The name of the first file, for messages.
    first: Arc<str>,
    stored: Stored,
}

/// Properties of the first file, which the other files have too as a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    Stream,
    /// A file whose record batches are small on average.
    SmallBatches,
    LargeBatches,
}

impl Stored {
    fn of(index: &Index) -> Self {
        let (batches, start) = (&index.batches, index.batches.first().map_or(0, |first| first.place.offset));
        let bytes = batches.last().map_or(0, |last| last.place.end.saturating_sub(start));
        match index.has_footer {
            false => Self::Stream,
            true if bytes / (batches.len() as u64).max(1) < LARGE => Self::SmallBatches,
            true => Self::LargeBatches,
        }
    }
}

impl IpcFormat {
    /// Opens the first file that can be opened, and reads its schema. Calls `interrupt` before it opens a file.
    ///
    /// # Errors
    /// A source is not seekable; there is no file; no file can be opened; a column does not exist; `interrupt` returned true.
    pub fn files(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: IpcOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let files = Files::new(sources);
        let check = Check::of(interrupt);
        let open = |opened| read(opened, None, &options.limits, &check);
        let ((first, _), index) = files.first_stored(&check, open)?;
        let stored = Stored::of(&index);
        let format = Self::new((first.name().clone(), stored), index.schema, options)?;
        let (columns, exclude) = (format.options.columns.clone(), format.options.exclude.clone());
        FileSet::new(files, Arc::new(format)).selecting(columns.as_deref(), exclude.as_deref())
    }

    fn new(
        (first, stored): (Arc<str>, Stored),
        whole: SchemaRef,
        options: IpcOptions,
    ) -> Result<Self, FeedError> {
        let columns = read_columns(&whole, options.columns.as_deref());
        let schema = projected(&whole, &columns.map_err(|error| error.in_file(&first))?);
        Ok(Self { options, whole, schema: Arc::new(schema), first, stored })
    }
}

/// The indices of the columns that are read.
fn read_columns(schema: &Schema, columns: Option<&[String]>) -> Result<Vec<usize>, FeedError> {
    columns.map_or_else(|| Ok((0..schema.fields().len()).collect()), |columns| named_columns(schema, columns))
}

fn projected(schema: &Schema, columns: &[usize]) -> Schema {
    let fields: Vec<_> = columns.iter().map(|column| schema.fields()[*column].clone()).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

/// Reads the positions of all messages, and checks that the file is the expected one.
fn read(
    opened: Opened,
    columns: Option<&[String]>,
    limits: &Limits,
    check: &Check<'_>,
) -> Result<((OpenFile, Fingerprint), Index), FeedError> {
    let name = opened.name().clone();
    let read = || {
        let Opened::File(file) = opened else {
            let message = "expected a seekable file or bytes, found a stream";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        };
        let fingerprint = FileEnds::read(&file)?.fingerprint();
        file.check_fingerprint(&fingerprint)?;
        let index = Index::read(&file, columns, limits, check)?;
        Ok(((file, fingerprint), index))
    };
    read().map_err(|error| error.in_file(&name))
}

impl FileFormat for IpcFormat {
    fn name(&self) -> &'static str {
        "arrow"
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn limits(&self) -> &Limits {
        &self.options.limits
    }

    fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        Ok(self.whole.clone())
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        let options = IpcOptions { columns: Some(columns.to_vec()), ..self.options.clone() };
        Ok(Arc::new(Self::new((self.first.clone(), self.stored), self.whole.clone(), options)?))
    }

    fn open(&self, file: Opened, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let limits = &self.options.limits;
        let (file, index) = read(file, self.options.columns.as_deref(), limits, check)?;
        let differs = |difference: &str| {
            let message = format!("expected the columns of {}: {difference}", self.first);
            FeedError::new(FeedErrorKind::Schema, message).in_file(file.0.name())
        };
        let columns = read_columns(&index.schema, self.options.columns.as_deref());
        let columns = columns.map_err(|error| differs(error.message()))?;
        let found = projected(&index.schema, &columns);
        if self.schema.fields() != found.fields() {
            return Err(differs(&column_difference(&self.schema, &found)));
        }
        Ok(Arc::new(IpcFile::new(file, index, columns, self.schema.clone(), limits.clone())))
    }

    fn opening_ranges(&self, len: Option<u64>) -> Vec<Range<u64>> {
        let footer = len.map(|len| len.saturating_sub(FOOTER_BYTES)..len);
        footer.into_iter().chain(FileEnds::opening_ranges(len)).collect()
    }

    /// The scan of a stream reads all of it. In a file, the metadata of each record batch is a request of its own, which does
    /// not pay for small record batches that are read as a whole.
    fn reads_whole_chunks(&self) -> bool {
        let reads_all_columns = self.schema.fields().len() >= self.whole.fields().len();
        match self.stored {
            Stored::Stream => true,
            Stored::SmallBatches => reads_all_columns,
            Stored::LargeBatches => false,
        }
    }

    fn opening_finds_chunks(&self) -> bool {
        true
    }
}
