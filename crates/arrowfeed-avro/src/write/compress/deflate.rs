//! Raw deflate.

use arrowfeed_source::FeedError;
use libdeflater::{CompressionLvl, Compressor};

use super::{Method, failed};

const LEVEL: i32 = 6;

pub(super) struct Deflate(Compressor);

impl Deflate {
    pub(super) fn new(level: Option<i32>) -> Self {
        Self(Compressor::new(CompressionLvl::new(level.unwrap_or(LEVEL)).unwrap_or_default()))
    }
}

impl Method for Deflate {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), FeedError> {
        let start = out.len();
        out.resize(start + self.0.deflate_compress_bound(data.len()), 0);
        let len = self.0.deflate_compress(data, &mut out[start..]);
        out.truncate(start + len.map_err(failed)?);
        Ok(())
    }
}
