//! Opening of a text file: its compression, byte order mark, skipped lines and header.

use arrowfeed_source::format::FileFormat;
use arrowfeed_source::format::records::{FramedFile, RecordReader};
use arrowfeed_source::io::{FileEnds, OpenFile, Opened, SequentialReader, unsupported_compression};
use arrowfeed_source::{Check, FeedError, FeedErrorKind};

use crate::format::{IsGzip, TextFormat};
use crate::framing::Framing;
use crate::records::{Input, TextRecords};

/// The UTF-8 byte order mark, which some programs write at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An open text file.
pub(crate) type TextFile = FramedFile<TextFormat>;

/// Opens a file: reads both of its ends, and its header. Returns the header too, if the files have headers.
///
/// # Errors
/// The file is a stream, or a gzip file and gzip is not compiled in; its header is missing, or names other columns; it has
/// changed; the system reports an error; the caller cancels.
pub(crate) fn open(
    opened: Opened,
    format: TextFormat,
    check: &Check<'_>,
) -> Result<(TextFile, Option<Vec<u8>>), FeedError> {
    let name = opened.name().clone();
    open_file(opened.into_file()?, format, check).map_err(|error| error.in_file(&name))
}

fn open_file(
    file: OpenFile,
    format: TextFormat,
    check: &Check<'_>,
) -> Result<(TextFile, Option<Vec<u8>>), FeedError> {
    let ends = FileEnds::read(&file)?;
    let fingerprint = format.marked(ends.fingerprint());
    file.check_fingerprint(&fingerprint)?;
    // No UTF-8 text starts with the gzip magic bytes, because 0x8b cannot follow 0x1f.
    let is_gzip = ends.start.starts_with(b"\x1f\x8b");
    if is_gzip && cfg!(not(feature = "gzip")) {
        return Err(FeedError::codec_not_compiled("gzip", "gzip", env!("CARGO_PKG_NAME")));
    }
    if let Some(found) = unsupported_compression(&ends.start) {
        let message = format!(
            "expected text, uncompressed or compressed with gzip, found a file compressed with {found}"
        );
        return Err(FeedError::new(FeedErrorKind::Codec, message));
    }
    let mut file = FramedFile::new(file, fingerprint, IsGzip(is_gzip), format);
    if is_marked(&file)? {
        file = file.with_start(BYTE_ORDER_MARK.len() as u64);
    }
    let start = end_of_skipped_lines(&file, check)?;
    file = file.with_start(start);
    if !file.format().has_header() {
        return Ok((file, None));
    }
    let Some((header, end)) = first_record(&file, check)? else {
        let message = "expected a line with the names of the columns, found the end of the file";
        return Err(FeedError::new(FeedErrorKind::Format, message));
    };
    let format = file.format().of_header(&header)?;
    Ok((file.with_start(end).with_format(format), Some(header)))
}

/// Returns the offset after the skipped lines, or at the end of a file that has fewer lines.
fn end_of_skipped_lines(file: &TextFile, check: &Check<'_>) -> Result<u64, FeedError> {
    let count = file.format().skipped_lines();
    if count == 0 {
        return Ok(file.start());
    }
    let mut lines = head(file, Framing::Lines);
    for _ in 0..count {
        if lines.advance(check)?.is_none() {
            break;
        }
        lines.record()?;
    }
    Ok(lines.offset())
}

/// Returns the first record that is not an empty line, and the offset of its end; `None` if there is none.
///
/// # Errors
/// The record is longer than `header_bytes`; the system reports an error; the caller cancels.
pub(crate) fn first_record(file: &TextFile, check: &Check<'_>) -> Result<Option<(Vec<u8>, u64)>, FeedError> {
    let mut records = head(file, file.format().framing());
    while let Some(found) = records.advance(check)? {
        if found.is_row {
            return Ok(Some((records.record()?.to_vec(), records.offset())));
        }
    }
    Ok(None)
}

/// A reader of the first records, which may have at most `header_bytes` each.
fn head(file: &TextFile, framing: Framing) -> TextRecords {
    let limit = ("header_bytes", file.format().limits().header_bytes);
    TextRecords::new(input(file), framing, file.start(), limit, None)
}

fn is_marked(file: &TextFile) -> Result<bool, FeedError> {
    let (mut found, mut filled, mut input) = ([0; BYTE_ORDER_MARK.len()], 0, input(file));
    while filled < found.len() {
        match input.read(&mut found[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(found[..filled] == *BYTE_ORDER_MARK)
}

/// The decompressed content from its first byte on.
pub(crate) fn input(file: &TextFile) -> Input {
    let reader = SequentialReader::new(file.file().source().clone(), 0);
    #[cfg(feature = "gzip")]
    if file.compression() == IsGzip(true) {
        return Input::gzip(reader);
    }
    Input::Plain(reader)
}
