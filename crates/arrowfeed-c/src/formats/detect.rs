//! The format of a file, by its first bytes or its name.

use arrowfeed::source::Check;
use arrowfeed::source::Interrupt;
use arrowfeed::source::io::{FileSource, Opened, checked_read_at};
use arrowfeed::{FeedError, FeedErrorKind};

use super::FormatName;
use crate::error::Error;

/// First bytes of files.
const STARTS: [(&[u8], FormatName); 4] = [
    (b"Obj\x01", FormatName::Avro),
    (b"PAR1", FormatName::Parquet),
    (b"ARROW1", FormatName::Arrow),
    // A stream begins with the marker of a message.
    (b"\xff\xff\xff\xff", FormatName::Arrow),
];

/// Ends of names, perhaps followed by `.gz`.
const SUFFIXES: [(&str, FormatName); 5] = [
    (".tfrecord", FormatName::Tfrecord),
    (".tfrecords", FormatName::Tfrecord),
    (".jsonl", FormatName::JsonLines),
    (".ndjson", FormatName::JsonLines),
    (".csv", FormatName::Csv),
];

/// Finds the format of a file.
pub(crate) fn detect(file: FileSource, interrupt: Option<&Interrupt>) -> Result<FormatName, Error> {
    let name = file.name().to_owned();
    let starts = first_bytes(file, interrupt)?;
    if let Some((_, format)) = STARTS.iter().find(|(start, _)| starts.starts_with(start)) {
        return Ok(*format);
    }
    let lower = name.to_ascii_lowercase();
    let stem = lower.strip_suffix(".gz").unwrap_or(&lower);
    let named = SUFFIXES.iter().find(|(suffix, _)| stem.ends_with(suffix));
    named.map(|(_, format)| *format).ok_or_else(|| {
        let names = FormatName::ALL.map(FormatName::name).join(", ");
        let message = format!(
            "expected an Avro, Parquet or Arrow IPC file, or a name that ends with .tfrecord, .jsonl or .csv, \
             found neither: give the format: {names}"
        );
        FeedError::new(FeedErrorKind::Format, message).in_file(&name).into()
    })
}

fn first_bytes(file: FileSource, interrupt: Option<&Interrupt>) -> Result<Vec<u8>, FeedError> {
    let Opened::File(file) = file.open(&Check::of(interrupt))? else { return Ok(Vec::new()) };
    let most = STARTS.iter().map(|(start, _)| start.len()).max().unwrap_or(0);
    let mut bytes = vec![0; most.min(usize::try_from(file.len()).unwrap_or(most))];
    let read = checked_read_at(&**file.source(), 0, &mut bytes);
    bytes.truncate(read.map_err(|error| FeedError::io(error).in_file(file.name()))?);
    Ok(bytes)
}
