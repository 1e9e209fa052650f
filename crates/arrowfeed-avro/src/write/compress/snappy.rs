//! Raw snappy, followed by a checksum.

use arrowfeed_source::FeedError;
use snap::raw::{Encoder, max_compress_len};

use super::{Method, failed};

pub(super) struct Snappy(Encoder);

impl Snappy {
    pub(super) fn new() -> Self {
        Self(Encoder::new())
    }
}

impl Method for Snappy {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), FeedError> {
        let start = out.len();
        out.resize(start + max_compress_len(data.len()), 0);
        let len = self.0.compress(data, &mut out[start..]).map_err(failed)?;
        out.truncate(start + len);
        out.extend_from_slice(&crc32fast::hash(data).to_be_bytes());
        Ok(())
    }
}
