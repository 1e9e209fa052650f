//! The format of a file, by its content and its name.

use std::sync::Arc;

use arrowfeed_source::io::{FileSource, OpenFile, checked_read_at, unsupported_compression};
#[cfg(feature = "tfrecord")]
use arrowfeed_source::run::ReadOptions;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits, text_or_hex};

#[cfg(feature = "text")]
use super::has_suffix;
use super::{Format, FormatOptions};
#[cfg(feature = "tfrecord")]
use crate::tfrecord::RecordKind;

/// Number of bytes at the start of a file that usually suffice to detect its format.
const START: usize = 256 << 10;

/// Number of bytes that a message about an unknown format shows.
const SHOWN: usize = 16;

/// Number of bytes at the start of a TFRecord file that have the length of the first record and its checksum.
#[cfg(feature = "tfrecord")]
const RECORD_HEADER: usize = 12;

/// Maximum size of the first line of a file that may be of JSON lines: a file of another format may have no line end.
#[cfg(feature = "text")]
const MOST_LINE: usize = 16 << 20;

/// The format of a file, with the options that follow from its content and its name. [`detect`] has an example.
#[derive(Debug, Clone)]
pub struct Detected {
    options: FormatOptions,
    evidence: Evidence,
    start: Arc<[u8]>,
    len: u64,
}

/// The evidence for the format of a file. [`detect`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The content.
    Content,
    /// The name, because no format recognizes the content, such as that of CSV or of a damaged file.
    Name,
    /// The name, because the file has no content.
    NameOfEmpty,
    /// None: the file has no content, and its name says no format. It counts as a TFRecord file without records.
    Nothing,
}

impl Detected {
    /// The format.
    pub fn format(&self) -> Format {
        self.options.format()
    }

    /// The options of the format: a `.tsv` file has tabs between its cells, and the first record of a TFRecord file says which
    /// messages it has.
    pub fn options(&self) -> &FormatOptions {
        &self.options
    }

    /// As [`options`](Self::options).
    pub fn into_options(self) -> FormatOptions {
        self.options
    }

    /// The evidence for the format.
    pub fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// The first bytes of the file, at most 256 KiB, as they are stored.
    pub fn start(&self) -> &[u8] {
        &self.start
    }

    /// The length of the file in bytes.
    #[expect(clippy::len_without_is_empty, reason = "`evidence` says whether the file is empty")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Options of the caller, with those that follow from the file where the caller says nothing. `is_given`: whether the
    /// caller gives an option.
    #[cfg_attr(
        not(all(feature = "text", feature = "tfrecord")),
        allow(unused_variables, unreachable_patterns, reason = "only these formats use them")
    )]
    pub fn complete(self, mut options: FormatOptions, is_given: impl Fn(&str) -> bool) -> FormatOptions {
        match (&mut options, self.options) {
            #[cfg(feature = "text")]
            (FormatOptions::Csv(options), FormatOptions::Csv(found)) if !is_given("delimiter") => {
                options.delimiter = found.delimiter;
            }
            #[cfg(feature = "tfrecord")]
            (FormatOptions::TfRecord(options), FormatOptions::TfRecord(found)) => {
                let of_kind = ["format", "features", "context", "sequence", "sequence_column", "column"];
                if !of_kind.iter().any(|name| is_given(name)) {
                    follow(&mut options.kind, found.kind);
                }
            }
            _ => {}
        }
        options
    }
}

/// Sets the content of records that was found. The caller says at most from how many records features are inferred.
#[cfg(feature = "tfrecord")]
fn follow(given: &mut RecordKind, found: RecordKind) {
    use RecordKind::{Example, Raw, SequenceExample};

    let sample = match given {
        Example { sample, .. } | SequenceExample { sample, .. } => *sample,
        Raw { .. } => None,
    };
    *given = match found {
        Example { features, .. } => Example { features, sample },
        SequenceExample { features, .. } => SequenceExample { features, sample },
        // Raw records have no features, so they are refused as messages.
        Raw { .. } if sample.is_some() => return,
        Raw { column } => Raw { column },
    };
}

/// Finds the format of a file.
///
/// The first bytes identify Avro, Parquet and Arrow IPC, the first record TFRecord, and the first line JSON lines. Any text is valid
/// CSV, so the name identifies CSV. It also identifies an empty or a damaged file. The first 256 KiB are read once; more is read
/// only if the first record or line is longer. The limits are those of a record.
///
/// ```
/// # #[cfg(feature = "text")] {
/// use arrowfeed::formats::{Evidence, Format, detect};
/// use arrowfeed::source::Limits;
/// use arrowfeed::source::io::FileSource;
///
/// let lines = FileSource::bytes(b"{\"id\": 1}\n".to_vec());
/// let found = detect(lines, &Limits::default(), None)?;
/// assert_eq!((found.format(), found.evidence()), (Format::JsonLines, Evidence::Content));
/// # }
/// # Ok::<(), arrowfeed::FeedError>(())
/// ```
///
/// # Errors
/// Neither the content nor the name belongs to a format of this build; a record is over a limit; the file is a stream, or cannot be
/// read; `interrupt` returned true.
pub fn detect(
    file: FileSource,
    limits: &Limits,
    interrupt: Option<&Interrupt>,
) -> Result<Detected, FeedError> {
    let file = Start::read(file, limits, interrupt)?;
    let (options, evidence) = file.options()?;
    Ok(Detected { options, evidence, len: file.file.len(), start: file.bytes })
}

/// Finds the format of several files: that of the first one that has content and can be read, or else of the first one.
///
/// ```
/// # #[cfg(feature = "text")] {
/// use arrowfeed::formats::{Format, detect_first};
/// use arrowfeed::source::Limits;
/// use arrowfeed::source::io::FileSource;
///
/// let files = ["", "{\"id\": 1}\n"].map(|text| FileSource::bytes(text.as_bytes().to_vec()));
/// assert_eq!(detect_first(files, &Limits::default(), None)?.format(), Format::JsonLines);
/// # }
/// # Ok::<(), arrowfeed::FeedError>(())
/// ```
///
/// # Errors
/// Those of [`detect`] for the first file; there is no file.
pub fn detect_first(
    files: impl IntoIterator<Item = FileSource>,
    limits: &Limits,
    interrupt: Option<&Interrupt>,
) -> Result<Detected, FeedError> {
    let mut first = None;
    for file in files {
        match detect(file, limits, interrupt) {
            Ok(found) if matches!(found.evidence, Evidence::Content | Evidence::Name) => return Ok(found),
            Err(error) if error.io_error().is_none() => return Err(error),
            found => first = first.or(Some(found)),
        }
    }
    first.unwrap_or_else(|| {
        Err(FeedError::new(FeedErrorKind::Options, "expected at least one file, found none"))
    })
}

/// An open file, and its first bytes.
#[cfg_attr(not(feature = "tfrecord"), allow(dead_code, reason = "the probe of this format uses all fields"))]
struct Start<'a> {
    file: OpenFile,
    bytes: Arc<[u8]>,
    limits: &'a Limits,
    interrupt: Option<&'a Interrupt>,
}

impl<'a> Start<'a> {
    fn read(
        file: FileSource,
        limits: &'a Limits,
        interrupt: Option<&'a Interrupt>,
    ) -> Result<Self, FeedError> {
        let file = file.open(&Check::of(interrupt))?.into_file()?;
        let mut bytes = vec![0; START.min(usize::try_from(file.len()).unwrap_or(START))];
        let read = checked_read_at(&**file.source(), 0, &mut bytes);
        bytes.truncate(read.map_err(|error| FeedError::io(error).in_file(file.name()))?);
        Ok(Self { file, bytes: bytes.into(), limits, interrupt })
    }

    /// The options of the format of the file.
    #[cfg_attr(
        not(feature = "tfrecord"),
        allow(unused_mut, reason = "only a probe of this format finds that a compressed file is empty")
    )]
    fn options(&self) -> Result<(FormatOptions, Evidence), FeedError> {
        let begins =
            |format: &&Format| format.first_bytes().iter().any(|start| self.bytes.starts_with(start));
        if let Some(format) = Format::ALL.iter().find(begins) {
            return Ok((FormatOptions::new(*format)?, Evidence::Content));
        }
        let (mut is_empty, mut damage) = (self.bytes.is_empty(), None);
        if !is_empty {
            #[cfg(feature = "tfrecord")]
            match self.tfrecord() {
                Ok(Some(found)) => return Ok((found, Evidence::Content)),
                // A compressed file may have no content.
                Ok(None) => is_empty = true,
                Err(error) if !is_other(&error) => return Err(error),
                Err(error) => damage = Some(error).filter(|error| self.has_records(error)),
            }
            #[cfg(feature = "text")]
            if !is_empty && self.is_json_lines()? {
                return Ok((FormatOptions::new(Format::JsonLines)?, Evidence::Content));
            }
            #[cfg(feature = "ipc")]
            if !is_empty && self.is_old_stream()? {
                return Ok((FormatOptions::new(Format::Arrow)?, Evidence::Content));
            }
        }
        let evidence = if is_empty { Evidence::NameOfEmpty } else { Evidence::Name };
        let name = self.file.name();
        match Format::of_name(name) {
            Some(format) => Ok((of_name(format, name, is_empty)?, evidence)),
            #[cfg(feature = "tfrecord")]
            None if is_empty => Ok((raw().into(), Evidence::Nothing)),
            None => Err(damage.unwrap_or_else(|| self.unknown())),
        }
    }

    fn unknown(&self) -> FeedError {
        let first = &self.bytes[..self.bytes.len().min(SHOWN)];
        let line = first.split(|byte| b"\r\n".contains(byte)).next().filter(|line| !line.is_empty());
        let found = match unsupported_compression(&self.bytes) {
            Some(compression) => format!("a file compressed with {compression}"),
            None => format!("{} at its start", text_or_hex(line.unwrap_or(first))),
        };
        let message = format!(
            "expected the content of an Avro, Parquet, Arrow IPC, TFRecord or JSON lines file, or the name of a CSV file, which \
             ends with .csv or .tsv, found {found}"
        );
        FeedError::new(FeedErrorKind::Format, message).in_file(self.file.name())
    }

    /// The result of a probe of the start, or of the file if the start does not suffice.
    #[cfg(any(feature = "ipc", feature = "text", feature = "tfrecord"))]
    fn probe<T>(
        &self,
        probe: impl Fn(FileSource) -> Result<T, FeedError>,
        is_cut: impl Fn(&FeedError) -> bool,
    ) -> Result<T, FeedError> {
        let source = |bytes: Option<&[u8]>| match bytes {
            Some(bytes) => FileSource::bytes(bytes.to_vec()).with_name(&**self.file.name()),
            None => FileSource::from_source(&**self.file.name(), self.file.source().clone()),
        };
        let is_cut = |error: &FeedError| error.kind() == FeedErrorKind::Truncated || is_cut(error);
        match probe(source(Some(&self.bytes))) {
            Err(error) if self.file.len() > self.bytes.len() as u64 && is_cut(&error) => probe(source(None)),
            found => found,
        }
    }

    /// Whether the error of a TFRecord file is that of a damaged one: its first record begins with a checksum that fits.
    #[cfg(feature = "tfrecord")]
    fn has_records(&self, error: &FeedError) -> bool {
        error.kind() != FeedErrorKind::Format && self.bytes.len() >= RECORD_HEADER
    }

    /// The options of a TFRecord file, by its first record. `None`: it has no record.
    #[cfg(feature = "tfrecord")]
    fn tfrecord(&self) -> Result<Option<FormatOptions>, FeedError> {
        use arrow_array::cast::AsArray;

        use crate::tfrecord::sequence_example::{self, SEQUENCE_COLUMN};
        use crate::tfrecord::{RecordFormat, RecordOptions, example};

        let reading = || ReadOptions {
            batch_size: Some(1),
            threads: Some(std::num::NonZeroUsize::MIN),
            interrupt: self.interrupt.cloned(),
            ..ReadOptions::default()
        };
        let first = |file| {
            let options = RecordOptions { limits: self.limits.clone(), ..raw() };
            let mut batches = RecordFormat::files([file], options, self.interrupt)?.read_files(reading())?;
            batches.next().transpose()
        };
        let Some(batch) = self.probe(first, |_| false)? else { return Ok(None) };
        let record = batch.column(0).as_binary::<i64>().value(0);
        let steps = sequence_example::decode_inferred(&[record], SEQUENCE_COLUMN);
        let has_steps = steps.is_ok_and(|batch| batch.column_by_name(SEQUENCE_COLUMN).is_some());
        let options = if has_steps {
            RecordOptions::new(RecordKind::SequenceExample { features: None, sample: None })
        } else if example::decode_inferred(&[record]).is_ok() {
            RecordOptions::new(RecordKind::Example { features: None, sample: None })
        } else {
            raw()
        };
        Ok(Some(options.into()))
    }

    /// Whether the first line that is not empty is a JSON object.
    #[cfg(feature = "text")]
    fn is_json_lines(&self) -> Result<bool, FeedError> {
        use crate::text::{JsonLinesFormat, JsonLinesOptions};

        let probe = |file| {
            let limits = Limits { decoded_block_bytes: MOST_LINE, ..Limits::default() };
            let options = JsonLinesOptions { sample: Some(1), limits, ..JsonLinesOptions::default() };
            JsonLinesFormat::files([file], options, self.interrupt).map(drop)
        };
        // The line may be longer than the start.
        let is_cut = |_: &FeedError| !self.bytes.trim_ascii_start().contains(&b'\n');
        is_so(self.probe(probe, is_cut))
    }

    /// Whether the file is an Arrow IPC stream as of Arrow 0.14, whose messages have no marker.
    #[cfg(feature = "ipc")]
    fn is_old_stream(&self) -> Result<bool, FeedError> {
        use crate::ipc::{IpcFormat, IpcOptions};

        let probe = |file| IpcFormat::files([file], IpcOptions::default(), self.interrupt).map(drop);
        is_so(self.probe(probe, |_| false))
    }
}

/// Whether a probe found its format. A file of the format may have columns that cannot be read.
#[cfg(any(feature = "ipc", feature = "text"))]
fn is_so(found: Result<(), FeedError>) -> Result<bool, FeedError> {
    match found {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == FeedErrorKind::Schema => Ok(true),
        Err(error) if is_other(&error) || error.kind() == FeedErrorKind::Limit => Ok(false),
        Err(error) => Err(error),
    }
}

/// The options of a format, with those that follow from a name.
#[cfg_attr(
    not(all(feature = "text", feature = "tfrecord")),
    allow(unused_variables, unreachable_patterns, unused_mut, reason = "only these formats use them")
)]
fn of_name(format: Format, name: &str, is_empty: bool) -> Result<FormatOptions, FeedError> {
    let mut options = FormatOptions::new(format)?;
    match &mut options {
        #[cfg(feature = "text")]
        FormatOptions::Csv(options) if has_suffix(name, ".tsv") => options.delimiter = b'\t',
        // No features can be inferred from no record.
        #[cfg(feature = "tfrecord")]
        FormatOptions::TfRecord(options) if is_empty => *options = raw(),
        _ => {}
    }
    Ok(options)
}

/// The options of records of any bytes.
#[cfg(feature = "tfrecord")]
fn raw() -> crate::tfrecord::RecordOptions {
    crate::tfrecord::RecordOptions::new(RecordKind::Raw { column: "record".to_owned() })
}

/// Whether the content of a file is not that of the format that was tried, as opposed to a file that cannot be read.
#[cfg(any(feature = "ipc", feature = "text", feature = "tfrecord"))]
fn is_other(error: &FeedError) -> bool {
    use FeedErrorKind::{Codec, CorruptBlock, Format, Truncated};

    matches!(error.kind(), Codec | CorruptBlock | Format | Truncated)
}
