//! bzip2 streams.

use std::io::Write;

use arrowfeed_source::FeedError;
use bzip2::Compression;
use bzip2::write::BzEncoder;

use super::{Method, failed};

const LEVEL: i32 = 6;

pub(super) struct Bzip2 {
    level: u32,
}

impl Bzip2 {
    pub(super) fn new(level: Option<i32>) -> Self {
        Self { level: level.unwrap_or(LEVEL).unsigned_abs() }
    }
}

impl Method for Bzip2 {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), FeedError> {
        let mut encoder = BzEncoder::new(out, Compression::new(self.level));
        encoder.write_all(data).and_then(|()| encoder.try_finish()).map_err(failed)
    }
}
