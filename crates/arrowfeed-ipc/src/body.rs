//! The buffers of a record batch in memory: read, decompressed, aligned.

use std::ops::Range;

use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::{RecordBatch as StoredBatch, RecordBatchBuilder};
use arrowfeed_source::io::OpenFile;
use arrowfeed_source::{FeedError, Limits, thousands};
use flatbuffers::FlatBufferBuilder;

use crate::codec::Codec;
use crate::layout::{Buffers, StoredBuffer, corrupt};
use crate::message::{read_into, shared, zeroed};

/// Bytes between two buffers that are read rather than skipped.
const GAP: u64 = 16 << 10;

/// Buffers that are copied start at multiples of this number, which frameworks require for arrays that share memory.
const COPIED: usize = 64;

/// Buffers are used in place if they start at multiples of this number in memory. Arrow copies those of types that need more.
const ALIGNED: usize = 8;

/// The number that stands before a buffer that is not compressed, in a batch that is.
const NOT_COMPRESSED: i64 = -1;

/// The length before a compressed buffer.
const PREFIX: usize = 8;

/// Reads the parts of a body that contain the buffers. Others are zero.
///
/// # Errors
/// The file is shorter; a limit is reached; an I/O error.
pub(crate) fn read_body(
    file: &OpenFile,
    body: Range<u64>,
    buffers: &[StoredBuffer],
    limits: &Limits,
) -> Result<Buffer, FeedError> {
    let len = body.end.saturating_sub(body.start);
    let len = usize::try_from(len).ok().filter(|len| *len <= limits.decoded_block_bytes);
    let Some(len) = len else { return Err(too_large(limits, body.end.saturating_sub(body.start))) };
    if let Some(shared) = shared(file, body.start, len) {
        return Ok(shared);
    }
    let mut bytes = zeroed(len)?;
    for range in stretches(buffers) {
        let within = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
        let part = within.and_then(|(start, end)| bytes.get_mut(start..end));
        let Some(part) = part else { return Err(corrupt("expected buffers inside of the body".to_owned())) };
        read_into(file, body.start + range.start, part)?;
    }
    Ok(bytes.into())
}

/// The ranges of the body that contain the buffers, without larger gaps.
pub(crate) fn stretches(buffers: &[StoredBuffer]) -> Vec<Range<u64>> {
    let mut sorted: Vec<Range<u64>> = buffers
        .iter()
        .filter(|buffer| buffer.len > 0)
        .map(|buffer| buffer.offset..buffer.offset + buffer.len)
        .collect();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(GAP) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// A body that was copied or is shared, and the record batch that describes it.
pub(crate) struct Copied {
    pub(crate) body: Buffer,
    /// A record batch in the encoding of metadata, whose buffers are not compressed.
    pub(crate) batch: Vec<u8>,
}

/// Decompresses the buffers, or aligns them. `None` if the body can be used as it is. Buffers that are left out become empty.
///
/// # Errors
/// A codec is unknown or not compiled in; a buffer cannot be decompressed; a limit is reached.
pub(crate) fn copied(
    body: &Buffer,
    batch: &StoredBatch<'_>,
    Buffers { found: buffers, are_fewer }: &Buffers,
    limits: &Limits,
) -> Result<Option<Copied>, FeedError> {
    let codec = batch.compression().map(|compression| Codec::new(compression.codec())).transpose()?;
    let at = body.as_ptr().addr();
    let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let is_aligned = |buffer: &StoredBuffer| at.wrapping_add(number(buffer.offset)).is_multiple_of(ALIGNED);
    if codec.is_none() && buffers.iter().all(is_aligned) {
        if !are_fewer {
            return Ok(None);
        }
        let parts = buffers.iter().map(|buffer| (buffer.number, number(buffer.offset), number(buffer.len)));
        return Ok(Some(Copied { body: body.clone(), batch: with_buffers(batch, parts) }));
    }
    let mut parts = Vec::with_capacity(buffers.len());
    let (mut total, mut end) = (0_usize, 0_usize);
    for buffer in buffers {
        let start = number(buffer.offset);
        let Some(bytes) = body.get(start..start.saturating_add(number(buffer.len))) else {
            return Err(corrupt("expected buffers inside of the body".to_owned()));
        };
        let part = DecodedBuffer::new(bytes, codec)?;
        buffer.check_width(part.len as u64)?;
        total = total.saturating_add(part.len);
        end = end.next_multiple_of(COPIED).saturating_add(part.len);
        if total > limits.decoded_block_bytes {
            return Err(too_large(limits, total as u64));
        }
        parts.push((buffer.number, end - part.len, part));
    }
    let mut copy: MutableBuffer = zeroed(end)?;
    for (_, start, part) in &parts {
        part.write(&mut copy[*start..*start + part.len])?;
    }
    let batch = with_buffers(batch, parts.iter().map(|(number, start, part)| (*number, *start, part.len)));
    Ok(Some(Copied { body: copy.into(), batch }))
}

/// A buffer, and what it takes to decode it.
struct DecodedBuffer<'a> {
    bytes: &'a [u8],
    codec: Option<Codec>,
    /// Number of bytes after decompression.
    len: usize,
}

impl<'a> DecodedBuffer<'a> {
    fn new(bytes: &'a [u8], codec: Option<Codec>) -> Result<Self, FeedError> {
        let as_it_is = |bytes: &'a [u8]| Ok(Self { bytes, codec: None, len: bytes.len() });
        if codec.is_none() || bytes.is_empty() {
            return as_it_is(bytes);
        }
        let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX>() else {
            let found = bytes.len();
            return Err(corrupt(format!(
                "expected {PREFIX} bytes before a compressed buffer, found {found}"
            )));
        };
        let len = i64::from_le_bytes(*prefix);
        match usize::try_from(len) {
            _ if len == NOT_COMPRESSED => as_it_is(rest),
            Ok(0) => as_it_is(&[]),
            Ok(len) => Ok(Self { bytes: rest, codec, len }),
            Err(_) => Err(corrupt(format!("expected the length of a buffer, found {len}"))),
        }
    }

    fn write(&self, into: &mut [u8]) -> Result<(), FeedError> {
        match self.codec {
            Some(codec) => codec.decompress(self.bytes, into),
            None => {
                into.copy_from_slice(self.bytes);
                Ok(())
            }
        }
    }
}

/// The record batch with other buffers, given by number, offset and length. The remaining ones are empty.
fn with_buffers(batch: &StoredBatch<'_>, parts: impl Iterator<Item = (usize, usize, usize)>) -> Vec<u8> {
    let mut buffers = vec![arrow_ipc::Buffer::new(0, 0); batch.buffers().map_or(0, |buffers| buffers.len())];
    for (number, start, len) in parts {
        buffers[number] = arrow_ipc::Buffer::new(start as i64, len as i64);
    }
    let nodes: Vec<_> = batch.nodes().into_iter().flatten().copied().collect();
    let counts: Option<Vec<_>> = batch.variadicBufferCounts().map(|counts| counts.iter().collect());
    let mut into = FlatBufferBuilder::new();
    let nodes = into.create_vector(&nodes);
    let buffers = into.create_vector(&buffers);
    let counts = counts.map(|counts| into.create_vector(&counts));
    let mut built = RecordBatchBuilder::new(&mut into);
    built.add_length(batch.length());
    built.add_nodes(nodes);
    built.add_buffers(buffers);
    if let Some(counts) = counts {
        built.add_variadicBufferCounts(counts);
    }
    let built = built.finish();
    into.finish(built, None);
    into.finished_data().to_vec()
}

#[cold]
fn too_large(limits: &Limits, found: u64) -> FeedError {
    let (most, found) = (thousands(limits.decoded_block_bytes as u64), thousands(found));
    FeedError::limit_reached(
        "decoded_block_bytes",
        format!("expected a body of at most {most} bytes, found {found}"),
    )
}
