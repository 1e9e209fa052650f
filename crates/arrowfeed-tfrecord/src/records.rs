//! Sequential reading and writing of TFRecord records, with or without compression.

use std::fmt;
use std::io::{self, BufRead, Read, Write};

#[cfg(feature = "gzip")]
use arrowfeed_source::io::GzipReader;
use arrowfeed_source::io::decompression_error;
use arrowfeed_source::{FeedError, Limits};
#[cfg(feature = "gzip")]
use flate2::bufread::ZlibDecoder;
#[cfg(feature = "gzip")]
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::frame::{self, FOOTER, HEADER, truncated};

/// The compression of a whole TFRecord file. gzip and zlib need the Cargo feature `gzip`. Without it, reading or writing
/// compressed records is an error of kind [`Codec`](arrowfeed_source::FeedErrorKind::Codec).
///
/// [`RecordWriter`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Compression {
    /// No compression.
    #[default]
    None,
    /// gzip, `GZIP` in TensorFlow. A file may have several members.
    Gzip,
    /// zlib, `ZLIB` in TensorFlow.
    Zlib,
}

arrowfeed_source::words! { Compression { "none" = None, "gzip" = Gzip, "zlib" = Zlib } }

impl Compression {
    /// Detects the compression from the first bytes of a file. In an uncompressed file, the first 12 bytes contain a
    /// checksum.
    pub fn of(start: &[u8]) -> Self {
        match start {
            _ if start.first_chunk().is_some_and(frame::is_header) => Self::None,
            [0x1f, 0x8b, ..] => Self::Gzip,
            // A zlib header: deflate with a window of at most 32 KiB, and both bytes together are a multiple of 31.
            [first, second, ..]
                if first & 0x0f == 8 && *first < 0x80 && u16::from_be_bytes([*first, *second]) % 31 == 0 =>
            {
                Self::Zlib
            }
            _ => Self::None,
        }
    }

    /// Returns an error if the compression is not compiled in.
    pub(crate) fn check_compiled(self) -> Result<(), FeedError> {
        let name = match self {
            Self::None => return Ok(()),
            _ if cfg!(feature = "gzip") => return Ok(()),
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
        };
        Err(FeedError::codec_not_compiled(name, "gzip", env!("CARGO_PKG_NAME")))
    }
}

/// The decompressed bytes of a file.
enum Input<R> {
    None(R),
    #[cfg(feature = "gzip")]
    Gzip(GzipReader<R>),
    #[cfg(feature = "gzip")]
    Zlib(ZlibDecoder<R>),
    /// The compression is not compiled in.
    #[cfg(not(feature = "gzip"))]
    Unknown(Compression),
}

impl<R: BufRead> Read for Input<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::None(input) => input.read(into),
            #[cfg(feature = "gzip")]
            Self::Gzip(input) => input.read(into),
            #[cfg(feature = "gzip")]
            Self::Zlib(input) => input.read(into),
            #[cfg(not(feature = "gzip"))]
            Self::Unknown(compression) => {
                compression.check_compiled().map_err(FeedError::into_io).map(|()| 0)
            }
        }
    }
}

/// Reads records in order, and verifies their checksums.
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
    /// The current record and its checksum.
    buffer: Vec<u8>,
    /// Index of the current record.
    number: u64,
    /// Offset of the current record in the decompressed bytes.
    offset: u64,
    has_ended: bool,
}

impl<R> fmt::Debug for Records<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("number", &self.number).finish_non_exhaustive()
    }
}

impl<R: BufRead> Records<R> {
    /// Creates a reader of the records of a file. `limits.decoded_block_bytes` limits the size of a record.
    pub fn new(input: R, compression: Compression, limits: Limits) -> Self {
        let input = match compression {
            Compression::None => Input::None(input),
            #[cfg(feature = "gzip")]
            Compression::Gzip => Input::Gzip(GzipReader::new(input)),
            #[cfg(feature = "gzip")]
            Compression::Zlib => Input::Zlib(ZlibDecoder::new(input)),
            #[cfg(not(feature = "gzip"))]
            compression => Input::Unknown(compression),
        };
        Self { input, limits, buffer: Vec::new(), number: 0, offset: 0, has_ended: false }
    }

    /// Returns the next record; `None` at the end. After a record with a wrong checksum, the next call returns the record
    /// after it. After any other error, it returns `None`.
    ///
    /// # Errors
    /// The file ends inside a record; a checksum or the compressed data is wrong; the compression is not compiled in; a
    /// record exceeds the limit; the system reports an error. The error names the record, and its offset in an uncompressed file.
    #[expect(clippy::should_implement_trait, reason = "a record lives until the next one")]
    pub fn next(&mut self) -> Result<Option<&[u8]>, FeedError> {
        match self.advance() {
            Ok(true) => self.current().map(Some),
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the next record without verifying its checksum. Returns false at the end.
    ///
    /// # Errors
    /// As in [`next`](Self::next), except for the checksum of a record. No record follows an error.
    pub(crate) fn advance(&mut self) -> Result<bool, FeedError> {
        if self.has_ended {
            return Ok(false);
        }
        let read = self.read();
        self.has_ended = !matches!(read, Ok(true));
        read.map_err(|error| self.located(error))
    }

    /// The current record.
    ///
    /// # Errors
    /// Its checksum does not match.
    pub(crate) fn current(&self) -> Result<&[u8], FeedError> {
        frame::check(&self.buffer).map_err(|error| self.located(error))?;
        Ok(&self.buffer[..self.buffer.len() - FOOTER])
    }

    /// Length of the current record and its checksum in bytes.
    pub(crate) fn len(&self) -> usize {
        self.buffer.len()
    }

    fn located(&self, error: FeedError) -> FeedError {
        let error = error.in_record(self.number);
        if matches!(self.input, Input::None(_)) { error.at_offset(self.offset) } else { error }
    }

    /// Reads a record and its checksum into the buffer. Returns false at the end of the file.
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

    /// Reads `count` bytes into the buffer, or fewer at the end of the file. The buffer grows only with the bytes that are
    /// read, so a wrong length does not allocate memory.
    fn fill(&mut self, count: usize) -> Result<usize, FeedError> {
        self.buffer.clear();
        let is_compressed = !matches!(self.input, Input::None(_));
        let read = (&mut self.input).take(count as u64).read_to_end(&mut self.buffer);
        read.map_err(|error| if is_compressed { decompression_error(error) } else { FeedError::io(error) })
    }
}

/// Writes records in order.
///
/// ```
/// use arrowfeed_source::Limits;
/// use arrowfeed_tfrecord::{Compression, RecordWriter, Records};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut writer = RecordWriter::new(Vec::new(), Compression::None);
/// writer.write(b"first")?;
/// writer.write(b"second")?;
/// let file = writer.finish()?;
/// let mut records = Records::new(&file[..], Compression::of(&file), Limits::default());
/// assert_eq!(records.next()?, Some(&b"first"[..]));
/// # Ok(())
/// # }
/// ```
pub struct RecordWriter<W: Write> {
    output: Output<W>,
    frame: Vec<u8>,
}

enum Output<W: Write> {
    None(W),
    #[cfg(feature = "gzip")]
    Gzip(GzEncoder<W>),
    #[cfg(feature = "gzip")]
    Zlib(ZlibEncoder<W>),
    /// The compression is not compiled in.
    #[cfg(not(feature = "gzip"))]
    Unknown(W, Compression),
}

impl<W: Write> fmt::Debug for RecordWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordWriter").finish_non_exhaustive()
    }
}

impl<W: Write> RecordWriter<W> {
    /// Creates a writer of a file.
    pub fn new(output: W, compression: Compression) -> Self {
        #[cfg(feature = "gzip")]
        let level = flate2::Compression::default();
        let output = match compression {
            Compression::None => Output::None(output),
            #[cfg(feature = "gzip")]
            Compression::Gzip => Output::Gzip(GzEncoder::new(output, level)),
            #[cfg(feature = "gzip")]
            Compression::Zlib => Output::Zlib(ZlibEncoder::new(output, level)),
            #[cfg(not(feature = "gzip"))]
            compression => Output::Unknown(output, compression),
        };
        Self { output, frame: Vec::new() }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// The compression is not compiled in; the output reports an error.
    pub fn write(&mut self, record: &[u8]) -> io::Result<()> {
        self.frame.clear();
        frame::write(record, &mut self.frame);
        match &mut self.output {
            Output::None(output) => output.write_all(&self.frame),
            #[cfg(feature = "gzip")]
            Output::Gzip(output) => output.write_all(&self.frame),
            #[cfg(feature = "gzip")]
            Output::Zlib(output) => output.write_all(&self.frame),
            #[cfg(not(feature = "gzip"))]
            Output::Unknown(_, compression) => compression.check_compiled().map_err(FeedError::into_io),
        }
    }

    /// Ends the compression, and returns the output without flushing it.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn finish(self) -> io::Result<W> {
        match self.output {
            Output::None(output) => Ok(output),
            #[cfg(feature = "gzip")]
            Output::Gzip(output) => output.finish(),
            #[cfg(feature = "gzip")]
            Output::Zlib(output) => output.finish(),
            #[cfg(not(feature = "gzip"))]
            Output::Unknown(output, compression) => {
                compression.check_compiled().map_err(FeedError::into_io).map(|()| output)
            }
        }
    }
}
