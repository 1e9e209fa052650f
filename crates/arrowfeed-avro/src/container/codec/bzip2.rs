//! bzip2 streams.

use arrowfeed_source::{Check, FeedError, counted, thousands};
use bzip2::{Decompress, Status};

use super::Codec;
use super::decompressor::Method;
use super::output::{Output, STEP, out_of_memory};

/// Number of bytes of other work that take as long as one byte of this codec.
const SLOWNESS: usize = 16;

/// Decompresses all streams of a block.
pub(super) struct Bzip2;

impl Method for Bzip2 {
    fn decompress(
        &mut self,
        data: &[u8],
        output: &mut Output,
        check: &Check<'_>,
    ) -> Result<usize, FeedError> {
        if data.is_empty() {
            return Err(Codec::Bzip2.mismatch("no bytes"));
        }
        let mut stream = Decompress::new(false);
        let (mut read, mut written) = (0, 0);
        loop {
            let (consumed, produced) = (stream.total_in(), stream.total_out());
            let step = &data[read..data.len().min(read + STEP)];
            let status = stream.decompress(step, output.spare(written)?).map_err(|error| {
                let at = thousands(read as u64);
                Codec::Bzip2
                    .mismatch(format_args!("invalid data after byte {at} of the block"))
                    .with_source(error)
            })?;
            let consumed = usize::try_from(stream.total_in() - consumed).unwrap_or(0);
            let produced = usize::try_from(stream.total_out() - produced).unwrap_or(0);
            (read, written) = (read + consumed, written + produced);
            check.after((consumed + produced).saturating_mul(SLOWNESS))?;
            match status {
                Status::StreamEnd if read == data.len() => return Ok(written),
                Status::StreamEnd => stream = Decompress::new(false),
                Status::MemNeeded => return Err(out_of_memory()),
                _ if consumed == 0 && produced == 0 => {
                    let len = counted(data.len() as u64, "byte");
                    return Err(Codec::Bzip2.mismatch(format_args!("one that is truncated after {len}")));
                }
                _ => {}
            }
        }
    }
}
