//! Avro as a file format: options, plans, and reusable decoders.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Weak};

use arrow_schema::SchemaRef;
use arrowfeed_predicate::{Lists, Predicate};
use arrowfeed_source::format::{
    ChunkScan, Claim, DecodeOptions, FileFormat, FormatFile, PassingShare, Unit, UnitDecoder,
    column_difference, compiled,
};
use arrowfeed_source::io::{FileSource, Fingerprint, Opened};
use arrowfeed_source::run::{FileReader, FileSet, Files, OpenedFile, ReadOptions, with_needed};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, Interrupt, Limits, OnError, SchemaMerge};

use super::decoders::Decoders;
use super::file::{AvroFile, Container, fingerprint};
use super::unit::AvroDecoder;
use crate::decode::selector::Probe;
use crate::plan::{DecodePlan, column_names, selected_columns};
use crate::{AvroOptions, AvroSchema, ColumnEncoding, merge};

/// Maximum number of cached plans, one for each schema text.
const MAX_PLANS: usize = 64;

/// Avro object container files that share one Arrow schema, which comes from the first file, from the reader schema, or from all
/// files.
///
/// ```
/// use arrowfeed_avro::{AvroFormat, AvroOptions, ReadOptions};
///
/// # fn main() -> Result<(), arrowfeed_avro::FeedError> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// let options = AvroOptions { columns: Some(vec!["id".to_owned()]), ..AvroOptions::default() };
/// let files = AvroFormat::files([path], options, None)?;
/// assert_eq!(files.schema().fields().len(), 1);
/// let mut rows = 0;
/// for batch in files.read_files(ReadOptions::default())? {
///     rows += batch?.num_rows();
/// }
/// assert_eq!(rows, 3);
/// # Ok(())
/// # }
/// ```
pub struct AvroFormat {
    options: Arc<AvroOptions>,
    schema: SchemaRef,
    first: FirstSchema,
    /// Selects rows, see [`FileFormat::selecting`].
    predicate: Option<Predicate>,
    known: ForkLock<HashMap<String, Known>>,
    /// The error that names the recursive columns, which the schema lacks.
    recursion_error: Option<FeedError>,
}

/// The file that determines the schema.
#[derive(Clone)]
struct FirstSchema {
    name: Arc<str>,
    schema: AvroSchema,
    json: String,
}

/// The cached plan and decoders of one writer schema.
struct Known {
    plan: Arc<DecodePlan>,
    probe: Option<Arc<Probe>>,
    /// The decoders live as long as a file uses them.
    decoders: Weak<Decoders>,
}

impl AvroFormat {
    /// Files that can be read repeatedly. Opens the first file that can be opened, to get the schema. Calls `interrupt`
    /// before it opens a file.
    ///
    /// If the schema is recursive and the options select no columns, the files have the other columns. A reading is an
    /// error then, unless [`FileSet::with_columns`] or the tensors of a dataset select columns first.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; its schema and the options do not allow a plan; or
    /// `interrupt` returned true.
    pub fn files(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: AvroOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let (options, files) = (options.checked()?, Files::new(sources));
        let (options, merge) = merged(options, &files, interrupt)?;
        let check = Check::of(interrupt);
        let open = |opened| FirstSchema::of(&Container::read(opened, &options.limits, &check)?, &options);
        let first = files.first_stored(&check, open)?;
        let in_first = |error: FeedError| error.in_file(&first.name);
        let (plan, recursion_error) =
            DecodePlan::compile_nonrecursive(&first.schema, &options).map_err(in_first)?;
        let columns = selected_columns(&first.schema, &options).map_err(in_first)?;
        let options = AvroOptions { columns: columns.clone(), exclude: None, ..options };
        let format =
            Self { recursion_error: recursion_error.map(in_first), ..Self::of(&first, options, plan, None) };
        let files = FileSet::new(files, Arc::new(format)).selecting(columns.as_deref(), None)?;
        Ok(merge.into_iter().fold(files, FileSet::of_merge))
    }

    /// Reads files once, in order. In contrast to [`files`](Self::files) followed by [`FileSet::read_files`], they may include
    /// streams, and the first file is opened only once. The batches have the schema of the first file that can be opened.
    ///
    /// ```
    /// use arrowfeed_avro::{AvroFormat, AvroOptions, FileSource, ReadOptions};
    ///
    /// # fn main() -> Result<(), arrowfeed_avro::FeedError> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// let stream = FileSource::reader("standard input", std::fs::File::open(path).unwrap());
    /// let reading = ReadOptions { batch_size: Some(2), ..ReadOptions::default() };
    /// let reader = AvroFormat::read([stream], AvroOptions::default(), reading)?;
    /// let rows = reader.map(|batch| Ok(batch?.num_rows())).collect::<Result<Vec<_>, arrowfeed_avro::FeedError>>()?;
    /// assert_eq!(rows, [2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// An option is invalid; there is no file; the first file cannot be opened, unless [`OnError::SkipFile`] skips it; its schema and
    /// the options do not allow a plan.
    pub fn read(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: AvroOptions,
        mut reading: ReadOptions,
    ) -> Result<FileReader, FeedError> {
        reading.check()?;
        let (mut files, opened, columns) = Self::open_files(sources, options.checked()?, &reading)?;
        if let Some(filter) = reading.filter.take() {
            files = files.filtered(filter)?;
            if let Some(columns) = columns {
                files = files.with_columns(&columns)?;
            }
        }
        files.read_opened(opened, reading)
    }

    /// The files, of which the first one that can be opened stays open, and the selected columns. The format has the columns of the
    /// filter too.
    fn open_files(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: AvroOptions,
        reading: &ReadOptions,
    ) -> Result<(FileSet, OpenedFile, Option<Vec<String>>), FeedError> {
        let (files, check) = (Files::new(sources), Check::of(reading.interrupt.as_ref()));
        let (options, merge) = merged(options, &files, reading.interrupt.as_ref())?;
        let open = |opened| {
            let container = Container::read(opened, &options.limits, &check)?;
            let first = FirstSchema::of(&container, &options)?;
            let selected = selected_columns(&first.schema, &options);
            let selected = selected.map_err(|error| error.in_file(&first.name))?;
            let columns = match (&selected, &reading.filter) {
                (Some(columns), Some(filter)) => Some(with_needed(columns, filter)),
                _ => selected.clone(),
            };
            let unknown = |error| match &reading.filter {
                Some(filter) => unknown_column(&first, &options, filter).unwrap_or(error),
                None => error,
            };
            let selecting = AvroOptions { columns, exclude: None, ..options.clone() };
            let format = Self::compiled(&first, selecting, reading.filter.clone()).map_err(unknown)?;
            Ok((container, format, selected))
        };
        let skips = |error: &FeedError| reading.on_error == OnError::SkipFile && error.is_file_error();
        let mut found = files.first(&check, open, skips)?;
        let Some((number, (container, format, selected))) = found.opened else {
            let nothing = || FeedError::new(FeedErrorKind::Options, "expected files to read, found none");
            return Err(found.failed.pop().unwrap_or_else(nothing));
        };
        let opened = OpenedFile { number, file: Arc::new(format.file(container)?), failed: found.failed };
        let files = FileSet::new(files, Arc::new(format));
        Ok((merge.into_iter().fold(files, FileSet::of_merge), opened, selected))
    }

    fn compiled(
        first: &FirstSchema,
        options: AvroOptions,
        predicate: Option<Predicate>,
    ) -> Result<Self, FeedError> {
        let plan = DecodePlan::compile(&first.schema, &options);
        Ok(Self::of(first, options, plan.map_err(|error| error.in_file(&first.name))?, predicate))
    }

    fn of(first: &FirstSchema, options: AvroOptions, plan: DecodePlan, predicate: Option<Predicate>) -> Self {
        let schema = plan.schema().clone();
        let format = Self {
            options: Arc::new(options),
            schema,
            first: first.clone(),
            predicate,
            known: ForkLock::default(),
            recursion_error: None,
        };
        let known = Known { plan: Arc::new(plan), probe: format.probe(&first.schema), decoders: Weak::new() };
        Self { known: ForkLock::new(HashMap::from([(first.json.clone(), known)])), ..format }
    }

    /// The probe for a writer's schema. `None` if there is no predicate, or if its paths do not select its columns, as where they
    /// are ambiguous among all fields.
    fn probe(&self, schema: &AvroSchema) -> Option<Arc<Probe>> {
        let predicate = self.predicate.as_ref()?;
        let plan = DecodePlan::compile_part(schema, &self.options, &predicate.columns()).ok()?;
        let lists = if self.lists_hold_one_value() { Lists::HoldOneValue } else { Lists::AreValues };
        let predicate = compiled(predicate, plan.schema(), lists).ok()?;
        Some(Arc::new(Probe { plan, predicate }))
    }

    fn file(&self, container: Container) -> Result<AvroFile, FeedError> {
        container.check_codec()?;
        let decoders = self.decoders(&container)?;
        Ok(AvroFile::new(container, self.options.clone(), decoders))
    }

    /// The decoders for a file's schema.
    fn decoders(&self, container: &Container) -> Result<Arc<Decoders>, FeedError> {
        let json = &container.header.schema_json;
        let of_known = |known: &mut Known| match known.decoders.upgrade() {
            Some(decoders) => decoders,
            None => {
                let decoders = Arc::new(Decoders::new(known.plan.clone(), known.probe.clone()));
                known.decoders = Arc::downgrade(&decoders);
                decoders
            }
        };
        if let Some(decoders) = self.known.with(|known| known.get_mut(json).map(of_known)).flatten() {
            return Ok(decoders);
        }
        let schema = container.schema(self.options.field_ids.as_deref(), &self.options.limits)?;
        if self.options.raw && schema.canonical() != self.first.schema.canonical() {
            return Err(self.is_of_another_schema(container));
        }
        let plan = DecodePlan::compile(&schema, &self.options);
        let plan = plan.map_err(|error| error.in_file(&container.name))?;
        if plan.schema() != &self.schema {
            return Err(self.differs(container, plan.schema()));
        }
        let (plan, probe) = (Arc::new(plan), self.probe(&schema));
        let decoders = Arc::new(Decoders::new(plan.clone(), probe.clone()));
        self.known.with(|known| {
            if known.len() >= MAX_PLANS {
                known.clear();
            }
            known.insert(json.clone(), Known { plan, probe, decoders: Arc::downgrade(&decoders) });
        });
        Ok(decoders)
    }

    /// The error for a file whose raw records differ from those of the first file.
    #[cold]
    fn is_of_another_schema(&self, file: &Container) -> FeedError {
        let first = &self.first.name;
        let message = format!("expected raw records with the schema of {first}, found a different schema");
        FeedError::new(FeedErrorKind::Schema, message).in_file(&file.name)
    }

    /// The error for a file whose columns differ from those of the first file.
    #[cold]
    fn differs(&self, file: &Container, found: &SchemaRef) -> FeedError {
        let what = column_difference(&self.schema, found);
        let first = &self.first.name;
        let message = format!(
            "expected the columns of {first}: {what}; set `reader_schema`, or merge the schemas of the files, to read both"
        );
        FeedError::new(FeedErrorKind::Schema, message).in_file(&file.name)
    }
}

/// The options with the merged schema of the files as reader schema, if they ask for it.
fn merged(
    options: AvroOptions,
    files: &Files,
    interrupt: Option<&Interrupt>,
) -> Result<(AvroOptions, Option<SchemaMerge>), FeedError> {
    if !options.merge_schemas {
        return Ok((options, None));
    }
    let merged = merge::files::merged(files, &options.limits, interrupt)?;
    let merge = SchemaMerge::from(&merged);
    Ok((AvroOptions { reader_schema: Some(merged.schema), merge_schemas: false, ..options }, Some(merge)))
}

/// Returns the error of a filter that names a column that the file does not have. `None` for recursive columns too.
fn unknown_column(first: &FirstSchema, options: &AvroOptions, filter: &Predicate) -> Option<FeedError> {
    let options = AvroOptions { columns: None, exclude: None, ..options.clone() };
    let (all, recursion) = DecodePlan::compile_nonrecursive(&first.schema, &options).ok()?;
    let unknown = |error: &FeedError| recursion.is_none() && error.kind() == FeedErrorKind::Options;
    compiled(filter, all.schema(), Lists::AreValues).err().filter(unknown)
}

impl FirstSchema {
    fn of(container: &Container, options: &AvroOptions) -> Result<Self, FeedError> {
        container.check_codec()?;
        let (name, json) = (container.name.clone(), container.header.schema_json.clone());
        let schema = container.schema(options.field_ids.as_deref(), &options.limits)?;
        Ok(Self { schema, name, json })
    }
}

impl FileFormat for AvroFormat {
    fn name(&self) -> &'static str {
        "avro"
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn limits(&self) -> &Limits {
        &self.options.limits
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        let options = AvroOptions { columns: Some(columns.to_vec()), ..(*self.options).clone() };
        Ok(Arc::new(Self::compiled(&self.first, options, None)?))
    }

    /// Without the columns of recursive types.
    fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        let options = AvroOptions { columns: None, ..(*self.options).clone() };
        let (plan, _) = DecodePlan::compile_nonrecursive(&self.first.schema, &options)?;
        Ok(plan.schema().clone())
    }

    fn column_names(&self) -> Result<Vec<String>, FeedError> {
        let names = column_names(&self.first.schema, &self.options);
        Ok(names.into_iter().map(ToOwned::to_owned).collect())
    }

    fn lists_hold_one_value(&self) -> bool {
        self.options.encoding != ColumnEncoding::Native
    }

    fn selecting(&self, predicate: &Predicate) -> Result<Option<Arc<dyn FileFormat>>, FeedError> {
        let (plan, _) = DecodePlan::compile_nonrecursive(&self.first.schema, &self.options)?;
        let recursion_error = self.recursion_error.as_ref().map(FeedError::clone_without_source);
        let format = Self::of(&self.first, (*self.options).clone(), plan, Some(predicate.clone()));
        Ok(Some(Arc::new(Self { recursion_error, ..format })))
    }

    fn check_complete(&self) -> Result<(), FeedError> {
        self.recursion_error.as_ref().map_or(Ok(()), |error| Err(error.clone_without_source()))
    }

    fn open(&self, file: Opened, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let container = Container::read(file, &self.options.limits, check)?;
        Ok(Arc::new(self.file(container)?))
    }
}

impl fmt::Debug for AvroFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroFormat").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl FormatFile for AvroFile {
    fn fingerprint(&self) -> Option<Fingerprint> {
        self.container().len().map(|_| fingerprint(self.header()))
    }

    fn body(&self) -> Range<u64> {
        self.container().body()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        let scanner = self.container().scanner(&self.options().limits)?;
        Some(Box::new(scanner))
    }

    fn row_bytes(&self, check: &Check<'_>) -> Option<u64> {
        let stored = self.container().record_bytes(check)?;
        let bytes = stored.saturating_mul(self.header().codec.usual_ratio());
        Some(self.decoders().plan.read_bytes(bytes))
    }

    fn free_spare_memory(&self) {
        self.drop_idle_blocks();
    }

    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError> {
        Ok(Box::new(AvroDecoder::new(self, unit, options, claim, None)?))
    }

    fn selective_decoder(
        self: Arc<Self>,
        unit: &Unit,
        options: &DecodeOptions,
        claim: &mut Option<Claim>,
        share: &Arc<PassingShare>,
    ) -> Result<Option<Box<dyn UnitDecoder>>, FeedError> {
        if self.decoders().probe.is_none() {
            return Ok(None);
        }
        let share = Some(share.clone());
        Ok(Some(Box::new(AvroDecoder::new(self, unit.clone(), options, claim.take(), share)?)))
    }
}
