//! `open`: files of any format, by their paths and URLs.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
#[cfg(feature = "stores")]
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_predicate::Predicate;
use arrowfeed_source::io::FileSource;
#[cfg(feature = "stores")]
use arrowfeed_source::io::remote::RemoteObject;
use arrowfeed_source::run::{FileReader, FileSet, ReadOptions};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, Limits};

use crate::dataset::{Dataset, DatasetOptions};
use crate::error::DatasetError;
use crate::formats::{AddedToFiles, Detected, Evidence, Format, FormatOptions, detect_first};
use crate::partitions::Partitioning;
use crate::sources;
#[cfg(feature = "stores")]
use crate::store::{Cache, StoreOptions};

/// Opens files of any format: a path, a glob, a directory, or a URL of a store. [`Open`] has an example.
pub fn open(path: impl AsRef<Path>) -> Open {
    open_all([path])
}

/// Opens the files of several paths, in their order. [`Open`] has an example.
pub fn open_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Open {
    Open { paths: paths.into_iter().map(|path| path.as_ref().to_owned()).collect(), ..Open::default() }
}

/// Files of any format, and what is read of them. Nothing is opened before one of [`files`](Self::files), [`read`](Self::read) and
/// [`dataset`](Self::dataset) is called.
///
/// ```
/// # #[cfg(not(feature = "avro"))] fn main() {}
/// # #[cfg(feature = "avro")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
/// use arrowfeed::avro::{AvroOptions, StringType};
/// use arrowfeed::IterationOptions;
///
/// // The content of the first file says the format; a path may be a URL, such as s3://bucket/clicks/**/*.avro.
/// let clicks = arrowfeed::open(directory.join("*.avro")).columns(["id", "row"]).row_column("row");
/// for batch in clicks.clone().filter("id >= 0")?.read()? {
///     assert_eq!(batch?.num_columns(), 2);
/// }
///
/// let dataset = clicks.dataset()?;
/// let batches = dataset.record_batches(IterationOptions { batch_size: 2, ..Default::default() })?;
/// assert_eq!(batches.count(), 2); // The file has three rows.
///
/// let options = AvroOptions { string_type: StringType::Utf8View, ..Default::default() };
/// let files = arrowfeed::open(&directory).options(options).files()?;
/// assert_eq!(files.format().name(), "avro");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Open {
    paths: Vec<PathBuf>,
    format: Option<Format>,
    options: Option<FormatOptions>,
    columns: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    filter: Option<Predicate>,
    added: AddedToFiles,
    limits: Option<Limits>,
    #[cfg(feature = "stores")]
    store_options: StoreOptions,
    #[cfg(feature = "stores")]
    cache: Option<Cache>,
    interrupt: Option<Interrupt>,
}

impl Open {
    /// Sets the format, in place of the one that is detected in the first file.
    pub fn format(self, format: Format) -> Self {
        Self { format: Some(format), ..self }
    }

    /// Sets the options of the format, and with them the format. `columns`, `exclude` and `limits` of this builder replace those of
    /// the options.
    pub fn options(self, options: impl Into<FormatOptions>) -> Self {
        let options = options.into();
        Self { format: Some(options.format()), options: Some(options), ..self }
    }

    /// Selects columns by their field paths, in this order. Default: all.
    pub fn columns<S: Into<String>>(self, columns: impl IntoIterator<Item = S>) -> Self {
        Self { columns: Some(columns.into_iter().map(Into::into).collect()), ..self }
    }

    /// Leaves out columns.
    pub fn exclude<S: Into<String>>(self, columns: impl IntoIterator<Item = S>) -> Self {
        Self { exclude: Some(columns.into_iter().map(Into::into).collect()), ..self }
    }

    /// Reads only the rows that pass a predicate.
    ///
    /// # Errors
    /// The text is not a predicate.
    pub fn filter(self, predicate: &str) -> Result<Self, FeedError> {
        let predicate = predicate.parse::<Predicate>();
        let predicate = predicate.map_err(|error| refused(&format!("filter: {error}")))?;
        Ok(self.filter_by(predicate))
    }

    /// As [`filter`](Self::filter), by a predicate.
    pub fn filter_by(self, predicate: Predicate) -> Self {
        Self { filter: Some(predicate), ..self }
    }

    /// Adds the columns of directories such as `dt=2026-01-01`. A directory then stands for the files of all directories below.
    pub fn hive_partitions(self) -> Self {
        self.partitioned(Partitioning::Hive)
    }

    /// As [`hive_partitions`](Self::hive_partitions), with the columns of a schema.
    pub fn partitions(self, columns: SchemaRef) -> Self {
        self.partitioned(Partitioning::Schema(columns))
    }

    /// As [`hive_partitions`](Self::hive_partitions) or [`partitions`](Self::partitions).
    pub fn partitioned(mut self, partitioning: Partitioning) -> Self {
        self.added.partitioning = Some(partitioning);
        self
    }

    /// Adds a column with the path of the file of each row.
    pub fn file_column(mut self, name: impl Into<String>) -> Self {
        self.added.file_column = Some(name.into());
        self
    }

    /// Adds a column with the number of each row in its file.
    pub fn row_column(mut self, name: impl Into<String>) -> Self {
        self.added.row_column = Some(name.into());
        self
    }

    /// Sets the limits on the resources that a file may use.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits: Some(limits), ..self }
    }

    /// Sets the options of stores. Those that are not set come from the environment.
    #[cfg(feature = "stores")]
    pub fn store_options(self, options: StoreOptions) -> Self {
        Self { store_options: options, ..self }
    }

    /// Keeps the bytes of objects in a cache.
    #[cfg(feature = "stores")]
    pub fn cache(self, cache: Cache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Calls a function while files are searched and opened, and stops when it returns true.
    pub fn interrupt(self, interrupt: Interrupt) -> Self {
        Self { interrupt: Some(interrupt), ..self }
    }

    /// Finds the files, and detects their format in the first one that has content and that the filter does not rule out by its
    /// directories.
    ///
    /// # Errors
    /// There is no such file; its format is unknown; a store cannot be reached; the interrupt returned true.
    pub fn find(self) -> Result<Found, FeedError> {
        let places = match self.format {
            Some(format) => self.places(format)?,
            None => self.places_of_any()?,
        };
        let detected = match self.format {
            Some(_) => None,
            None => self.detected(&places)?,
        };
        Ok(Found { open: self, places, detected })
    }

    /// The format of the files that the filter does not rule out by their directories, or of all. `None`: there is no file.
    fn detected(&self, places: &[Place]) -> Result<Option<Detected>, FeedError> {
        if places.is_empty() {
            return Ok(None);
        }
        let (limits, sources) = (self.limits.clone().unwrap_or_default(), self.in_question(places));
        match detect_first(sources, &limits, self.interrupt.as_ref()) {
            Ok(found) if found.evidence() == Evidence::Nothing => {
                let message = "expected a file of a known format, found an empty file";
                let error = FeedError::new(FeedErrorKind::Format, message).with_advice(&give_format());
                Err(error.in_file(FileSource::from(places[0].clone()).name()))
            }
            Err(error) if error.kind() == FeedErrorKind::Format => Err(error.with_advice(&give_format())),
            found => found.map(Some),
        }
    }

    /// The files that the filter does not rule out by their directories, or all.
    fn in_question(&self, places: &[Place]) -> Vec<FileSource> {
        let all = || places.iter().cloned().map(FileSource::from).collect::<Vec<_>>();
        let (Some(partitioning), Some(filter)) = (&self.added.partitioning, &self.filter) else {
            return all();
        };
        let mut kept = partitioning.rule_out(all(), filter);
        kept.retain(|source| !source.is_ruled_out());
        if kept.is_empty() { all() } else { kept }
    }

    /// The files of all paths. In directories, those of the first format that has some there.
    fn places_of_any(&self) -> Result<Vec<Place>, FeedError> {
        let is_missing =
            |error: &FeedError| error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
        let mut first = None;
        for format in Format::ALL {
            match self.places(*format) {
                Err(error) if is_missing(&error) => first = first.or(Some(error)),
                found => return found,
            }
        }
        first.map_or(Ok(Vec::new()), Err)
    }

    /// The files of all paths. In directories, those of the format.
    fn places(&self, format: Format) -> Result<Vec<Place>, FeedError> {
        let (extension, interrupt) = (format.name(), self.interrupt.as_ref());
        let mut places = Vec::new();
        for path in &self.paths {
            if let Some(url) = path.to_str().filter(|text| sources::is_remote(text)) {
                places.extend(self.objects(url, extension)?);
                continue;
            }
            let resolve = match self.added.searches_below() {
                true => sources::resolve_below,
                false => sources::resolve_extension,
            };
            places.extend(resolve([path], extension, interrupt)?.into_iter().map(Place::Local));
        }
        Ok(places)
    }

    /// The files of a URL.
    #[cfg(feature = "stores")]
    fn objects(&self, url: &str, extension: &str) -> Result<Vec<Place>, FeedError> {
        use crate::store::{StoreFile, resolve, resolve_below};

        let resolve = if self.added.searches_below() { resolve_below } else { resolve };
        let files = resolve(url, extension, &self.store_options, None, self.interrupt.as_ref());
        let files = files.map_err(|error| error.in_file(&sources::redacted(url)))?;
        let place = |StoreFile { name, object, .. }: StoreFile| Place::Object {
            name,
            object: match &self.cache {
                Some(cache) => Arc::new(cache.object(object)),
                None => object,
            },
        };
        Ok(files.into_iter().map(place).collect())
    }

    #[cfg(not(feature = "stores"))]
    #[expect(clippy::unused_self, reason = "as with stores")]
    fn objects(&self, url: &str, _: &str) -> Result<Vec<Place>, FeedError> {
        let message = "expected a local file, found a URL: enable the feature \"stores\"";
        Err(refused(message).in_file(&sources::redacted(url)))
    }

    /// Opens the first file, which gives the schema. The filter has no effect on the set.
    ///
    /// # Errors
    /// As [`find`](Self::find); those of [`FormatOptions::files`]; a column does not exist.
    pub fn files(self) -> Result<FileSet, FeedError> {
        self.find()?.files()
    }

    /// Reads the files as record batches, with the default options.
    ///
    /// # Errors
    /// As [`files`](Self::files).
    pub fn read(self) -> Result<FileReader, FeedError> {
        self.read_with(ReadOptions::default())
    }

    /// Reads the files as record batches. The filter and the interrupt of this builder replace those of the options.
    ///
    /// # Errors
    /// As [`files`](Self::files); an option is invalid.
    pub fn read_with(self, options: ReadOptions) -> Result<FileReader, FeedError> {
        let filter = self.filter.clone().or(options.filter);
        let interrupt = self.interrupt.clone().or(options.interrupt);
        self.files()?.read_files(ReadOptions { filter, interrupt, ..options })
    }

    /// Opens the files on a thread of the crate [`blocking`], and reads them as a stream, with the default options. Needs the feature
    /// `async`.
    ///
    /// # Errors
    /// As [`files`](Self::files).
    #[cfg(feature = "async")]
    pub async fn stream(self) -> Result<crate::asynchronous::BatchStream, FeedError> {
        self.stream_with(ReadOptions::default()).await
    }

    /// As [`stream`](Self::stream), with options, as in [`read_with`](Self::read_with).
    ///
    /// # Errors
    /// As [`read_with`](Self::read_with).
    #[cfg(feature = "async")]
    pub async fn stream_with(
        self,
        options: ReadOptions,
    ) -> Result<crate::asynchronous::BatchStream, FeedError> {
        crate::asynchronous::open(move || self.read_with(options)).await
    }

    /// Makes a dataset of the rows, with inferred tensors.
    ///
    /// # Errors
    /// As [`files`](Self::files); tensors cannot be inferred.
    pub fn dataset(self) -> Result<Dataset, DatasetError> {
        self.dataset_with(DatasetOptions::default())
    }

    /// Makes a dataset of the rows.
    ///
    /// # Errors
    /// As [`files`](Self::files); a tensor cannot be made from the columns; the index belongs to other files.
    pub fn dataset_with(self, options: DatasetOptions) -> Result<Dataset, DatasetError> {
        let (filter, interrupt) = (self.filter.clone(), self.interrupt.clone().or(options.interrupt.clone()));
        let dataset = Dataset::open(self.files()?, DatasetOptions { interrupt, ..options })?;
        match filter {
            Some(filter) => dataset.filter(&filter),
            None => Ok(dataset),
        }
    }
}

impl fmt::Debug for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open")
            .field("paths", &self.paths)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// Advice with the formats of this build.
fn give_format() -> String {
    format!("give the format: {}", FormatOptions::formats().map(Format::name).collect::<Vec<_>>().join(", "))
}

fn refused(message: &str) -> FeedError {
    FeedError::new(FeedErrorKind::Options, message)
}

/// A file that was found.
#[derive(Debug, Clone)]
enum Place {
    Local(PathBuf),
    #[cfg(feature = "stores")]
    Object {
        name: String,
        object: Arc<dyn RemoteObject>,
    },
}

impl From<Place> for FileSource {
    fn from(place: Place) -> Self {
        match place {
            Place::Local(path) => path.into(),
            #[cfg(feature = "stores")]
            Place::Object { name, object } => Self::remote(name, object),
        }
    }
}

/// Files that were found, and their format. Created by [`Open::find`].
#[derive(Debug)]
pub struct Found {
    open: Open,
    places: Vec<Place>,
    detected: Option<Detected>,
}

impl Found {
    /// The format of the files: the given one, or that of the first file.
    pub fn format(&self) -> Format {
        self.open.format.or(self.detected.as_ref().map(Detected::format)).unwrap_or(Format::Avro)
    }

    /// Sets the options of the format, with those that follow from the file where the caller says nothing; see
    /// [`Detected::complete`]. `is_given`: whether the caller gives an option.
    ///
    /// # Errors
    /// The options are those of another format.
    pub fn options(
        mut self,
        options: FormatOptions,
        is_given: impl Fn(&str) -> bool,
    ) -> Result<Self, FeedError> {
        if options.format() != self.format() {
            let (expected, found) = (self.format().name(), options.format().name());
            return Err(refused(&format!("options: expected those of {expected}, found those of {found}")));
        }
        self.open.options = Some(match self.detected.take() {
            Some(detected) => detected.complete(options, is_given),
            None => options,
        });
        self.open.format = self.open.options.as_ref().map(FormatOptions::format);
        Ok(self)
    }

    /// As [`Open::files`].
    ///
    /// # Errors
    /// Those of [`FormatOptions::files`]; a column does not exist.
    pub fn files(self) -> Result<FileSet, FeedError> {
        let format = self.format();
        let Self { open, places, detected } = self;
        let mut options = match (open.options, detected) {
            (Some(options), _) => options,
            (None, Some(detected)) => detected.into_options(),
            (None, None) => FormatOptions::new(format)?,
        };
        let (columns, exclude) = options.selection_mut();
        if open.columns.is_some() || open.exclude.is_some() {
            (*columns, *exclude) = (open.columns, open.exclude);
        }
        if let Some(limits) = open.limits {
            *options.limits_mut() = limits;
        }
        let sources = places.into_iter().map(Into::into).collect();
        let (files, _) = open.added.open(sources, options, open.filter.as_ref(), open.interrupt.as_ref())?;
        Ok(files)
    }
}
