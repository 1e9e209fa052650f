//! Records of TFRecord, one after the other, from bytes that may be compressed; and back.

use std::fmt;
use std::io::{self, BufRead, Read, Write};

use arrowfeed_source::io::decompression_error;
use arrowfeed_source::{FeedError, Limits};
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::frame::{self, FOOTER, HEADER, truncated};

/// How a file of TFRecord is compressed, as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Compression {
    /// It is not.
    #[default]
    None,
    /// gzip, `GZIP` in TensorFlow. Several members may follow each other.
    Gzip,
    /// zlib, `ZLIB` in TensorFlow.
    Zlib,
}

impl Compression {
    /// What the first bytes of a file say. Of a file that is not compressed, the first 12 have a checksum.
    pub fn of(start: &[u8]) -> Self {
        match start {
            _ if start.first_chunk().is_some_and(frame::is_header) => Self::None,
            [0x1f, 0x8b, ..] => Self::Gzip,
            // Deflate with a window of at most 32 KiB; both bytes together are a multiple of 31.
            [first, second, ..]
                if first & 0x0f == 8 && *first < 0x80 && u16::from_be_bytes([*first, *second]) % 31 == 0 =>
            {
                Self::Zlib
            }
            _ => Self::None,
        }
    }
}

/// The bytes of a file, without its compression.
enum Input<R> {
    None(R),
    Gzip(MultiGzDecoder<R>),
    Zlib(ZlibDecoder<R>),
}

impl<R: BufRead> Read for Input<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::None(input) => input.read(into),
            Self::Gzip(input) => input.read(into),
            Self::Zlib(input) => input.read(into),
        }
    }
}

/// Reads records one after the other, and checks the checksums of each.
///
/// ```
/// use arrowfeed_source::Limits;
/// use arrowfeed_tfrecord::{Compression, RecordWriter, Records};
///
/// let mut writer = RecordWriter::new(Vec::new(), Compression::Gzip);
/// writer.write(b"one")?;
/// writer.write(b"")?;
/// let file = writer.finish()?;
///
/// let mut records = Records::new(&file[..], Compression::of(&file), Limits::default());
/// assert_eq!(records.next()?, Some(&b"one"[..]));
/// assert_eq!(records.next()?, Some(&b""[..]));
/// assert_eq!(records.next()?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Records<R> {
    input: Input<R>,
    limits: Limits,
    /// The record, and its checksum.
    buffer: Vec<u8>,
    /// Records so far.
    number: u64,
    /// Bytes so far, without the compression.
    offset: u64,
    has_ended: bool,
}

impl<R> fmt::Debug for Records<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("number", &self.number).finish_non_exhaustive()
    }
}

impl<R: BufRead> Records<R> {
    /// A reader of the records of a file. `limits.decoded_block_bytes` bounds a record.
    pub fn new(input: R, compression: Compression, limits: Limits) -> Self {
        let input = match compression {
            Compression::None => Input::None(input),
            Compression::Gzip => Input::Gzip(MultiGzDecoder::new(input)),
            Compression::Zlib => Input::Zlib(ZlibDecoder::new(input)),
        };
        Self { input, limits, buffer: Vec::new(), number: 0, offset: 0, has_ended: false }
    }

    /// The next record. `None`: there are no more. Behind a record with a wrong checksum, the next call gives the record after
    /// it; after any other error there are no more.
    ///
    /// # Errors
    /// The file ends inside of a record; a checksum or the compression is wrong; a record is too long; the system refuses. The
    /// error names the record, and where it starts in a file that is not compressed.
    #[expect(clippy::should_implement_trait, reason = "a record lives until the next one")]
    pub fn next(&mut self) -> Result<Option<&[u8]>, FeedError> {
        match self.advance() {
            Ok(true) => self.current().map(Some),
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the next record, whose checksum is not looked at. False: there is none.
    ///
    /// # Errors
    /// As [`next`](Self::next), but for the checksum of a record. There are no more records.
    pub(crate) fn advance(&mut self) -> Result<bool, FeedError> {
        if self.has_ended {
            return Ok(false);
        }
        let read = self.read();
        self.has_ended = !matches!(read, Ok(true));
        read.map_err(|error| self.located(error))
    }

    /// The record that was read last.
    ///
    /// # Errors
    /// It has another checksum.
    pub(crate) fn current(&self) -> Result<&[u8], FeedError> {
        frame::check(&self.buffer).map_err(|error| self.located(error))?;
        Ok(&self.buffer[..self.buffer.len() - FOOTER])
    }

    /// Bytes of the record that was read last, and of its checksum.
    pub(crate) fn len(&self) -> usize {
        self.buffer.len()
    }

    fn located(&self, error: FeedError) -> FeedError {
        let error = error.in_record(self.number);
        if matches!(self.input, Input::None(_)) { error.at_offset(self.offset) } else { error }
    }

    /// Reads a record and its checksum into the buffer. False: the file ends.
    fn read(&mut self) -> Result<bool, FeedError> {
        if !self.buffer.is_empty() {
            self.offset += (HEADER + self.buffer.len()) as u64;
            self.number += 1;
        }
        let found = self.fill(HEADER)?;
        if found == 0 {
            return Ok(false);
        }
        let header = self.buffer.first_chunk();
        let header = header.ok_or_else(|| truncated(HEADER as u64, frame::BEFORE, found as u64))?;
        let length = frame::allowed(frame::length(header)?, &self.limits)?;
        let found = self.fill(length + FOOTER)?;
        if found < length + FOOTER {
            return Err(truncated((length + FOOTER) as u64, frame::REST, found as u64));
        }
        Ok(true)
    }

    /// Reads so many bytes into the buffer, or fewer where the file ends. Memory is taken as bytes come.
    fn fill(&mut self, count: usize) -> Result<usize, FeedError> {
        self.buffer.clear();
        let is_compressed = !matches!(self.input, Input::None(_));
        let read = (&mut self.input).take(count as u64).read_to_end(&mut self.buffer);
        read.map_err(|error| if is_compressed { decompression_error(error) } else { FeedError::io(error) })
    }
}

/// Writes records one after the other.
pub struct RecordWriter<W: Write> {
    output: Output<W>,
    frame: Vec<u8>,
}

enum Output<W: Write> {
    None(W),
    Gzip(GzEncoder<W>),
    Zlib(ZlibEncoder<W>),
}

impl<W: Write> fmt::Debug for RecordWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordWriter").finish_non_exhaustive()
    }
}

impl<W: Write> RecordWriter<W> {
    /// A writer of a file.
    pub fn new(output: W, compression: Compression) -> Self {
        let level = flate2::Compression::default();
        let output = match compression {
            Compression::None => Output::None(output),
            Compression::Gzip => Output::Gzip(GzEncoder::new(output, level)),
            Compression::Zlib => Output::Zlib(ZlibEncoder::new(output, level)),
        };
        Self { output, frame: Vec::new() }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// The output refuses.
    pub fn write(&mut self, record: &[u8]) -> io::Result<()> {
        self.frame.clear();
        frame::write(record, &mut self.frame);
        match &mut self.output {
            Output::None(output) => output.write_all(&self.frame),
            Output::Gzip(output) => output.write_all(&self.frame),
            Output::Zlib(output) => output.write_all(&self.frame),
        }
    }

    /// Ends the compression, and gives the output back. It is not flushed.
    ///
    /// # Errors
    /// The output refuses.
    pub fn finish(self) -> io::Result<W> {
        match self.output {
            Output::None(output) => Ok(output),
            Output::Gzip(output) => output.finish(),
            Output::Zlib(output) => output.finish(),
        }
    }
}
