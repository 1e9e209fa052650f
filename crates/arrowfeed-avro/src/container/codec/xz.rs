//! xz streams.

use arrowfeed_source::{Check, FeedError, counted, thousands};
use liblzma::stream::{Action, CONCATENATED, Error, Status, Stream};

use super::Codec;
use super::decompressor::Method;
use super::output::{Output, STEP, out_of_memory};

/// Number of bytes of other work that take as long as one byte of this codec.
const SLOWNESS: usize = 16;

/// Decompresses all streams of a block. The decoder uses at most `memory` bytes.
pub(super) struct Xz {
    pub(super) memory: usize,
}

impl Method for Xz {
    fn decompress(
        &mut self,
        data: &[u8],
        output: &mut Output,
        check: &Check<'_>,
    ) -> Result<usize, FeedError> {
        let memory = self.memory;
        if data.is_empty() {
            return Err(Codec::Xz.mismatch("no bytes"));
        }
        let bad = |error| bad_data(error, data.len(), memory);
        let mut stream = Stream::new_stream_decoder(memory as u64, CONCATENATED).map_err(bad)?;
        let (mut read, mut written) = (0, 0);
        loop {
            let (consumed, produced) = (stream.total_in(), stream.total_out());
            let end = data.len().min(read + STEP);
            let action = if end == data.len() { Action::Finish } else { Action::Run };
            let status = stream.process(&data[read..end], output.spare(written)?, action).map_err(bad)?;
            let consumed = usize::try_from(stream.total_in() - consumed).unwrap_or(0);
            let produced = usize::try_from(stream.total_out() - produced).unwrap_or(0);
            (read, written) = (read + consumed, written + produced);
            check.after((consumed + produced).saturating_mul(SLOWNESS))?;
            match status {
                Status::StreamEnd => return Ok(written),
                // There is always room for output, so the decoder needs more input.
                Status::MemNeeded => {
                    let len = counted(data.len() as u64, "byte");
                    return Err(Codec::Xz.mismatch(format_args!("one that is truncated after {len}")));
                }
                Status::Ok | Status::GetCheck => {}
            }
        }
    }
}

#[cold]
fn bad_data(error: Error, len: usize, memory: usize) -> FeedError {
    match error {
        Error::MemLimit => {
            let most = thousands(memory as u64);
            let message =
                format!("expected an xz stream that takes at most {most} bytes of memory, found more");
            FeedError::limit_reached("xz_memory_bytes", message)
        }
        Error::Mem => out_of_memory(),
        _ => {
            let len = thousands(len as u64);
            Codec::Xz.mismatch(format_args!("{len} bytes of invalid data")).with_source(error)
        }
    }
}
