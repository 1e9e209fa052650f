//! xz streams.

use std::io::Write;

use arrowfeed_source::FeedError;
use liblzma::write::XzEncoder;

use super::{Method, failed};

const LEVEL: i32 = 6;

pub(super) struct Xz {
    level: u32,
}

impl Xz {
    pub(super) fn new(level: Option<i32>) -> Self {
        Self { level: level.unwrap_or(LEVEL).unsigned_abs() }
    }
}

impl Method for Xz {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), FeedError> {
        let mut encoder = XzEncoder::new(out, self.level);
        encoder.write_all(data).and_then(|()| encoder.try_finish()).map_err(failed)
    }
}
