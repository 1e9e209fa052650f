//! Zstandard frames.

use arrowfeed_source::{Check, FeedError, thousands};
use zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;
use zstd::zstd_safe::{
    DCtx, find_frame_compressed_size, get_dict_id_from_frame, get_error_name, get_frame_content_size,
};

use super::Codec;
use super::decompressor::Method;
use super::output::{Output, out_of_memory};

const MAGIC: u32 = 0xfd2f_b528;
const SKIPPABLE_MAGIC: std::ops::RangeInclusive<u32> = 0x184d_2a50..=0x184d_2a5f;

/// Initial room per byte of input: enough for most data, too little for a decompression bomb.
const RATIO: usize = 16;

/// Decompresses all frames of a block in one call, directly into the output, so that no window buffer is
/// needed. The library's context is created for the first block and reused.
pub(super) struct Zstandard {
    context: Option<DCtx<'static>>,
    window_limit: usize,
}

impl Zstandard {
    pub(super) fn new(window_limit: usize) -> Self {
        Self { context: None, window_limit }
    }

    /// Walks over the frames without decompressing them. Returns the total length of their content if every
    /// frame declares its length.
    fn check_frames(&self, data: &[u8]) -> Result<Option<u64>, FeedError> {
        if data.is_empty() {
            return Err(Codec::Zstandard.mismatch("no bytes"));
        }
        let (mut rest, mut content) = (data, Some(0u64));
        while !rest.is_empty() {
            let magic = rest.first_chunk().map(|magic| u32::from_le_bytes(*magic));
            let skippable = magic.is_some_and(|magic| SKIPPABLE_MAGIC.contains(&magic));
            if !skippable && magic != Some(MAGIC) {
                let at = thousands((data.len() - rest.len()) as u64);
                return Err(Codec::Zstandard.mismatch(format_args!("no frame at byte {at} of the block")));
            }
            if !skippable {
                self.check_window(rest)?;
                if let Some(dictionary) = get_dict_id_from_frame(rest) {
                    let found =
                        format_args!("one that needs the dictionary {dictionary}, which is not in the file");
                    return Err(Codec::Zstandard.mismatch(found));
                }
                let declared = get_frame_content_size(rest).ok().flatten();
                content = content.zip(declared).and_then(|(sum, declared)| sum.checked_add(declared));
            }
            let frame = find_frame_compressed_size(rest).map_err(|code| bad_data(data, code))?;
            // No frame is empty: each has a magic number.
            rest = rest.get(frame.max(1)..).unwrap_or(&[]);
        }
        Ok(content)
    }

    /// Checks the window descriptor (RFC 8878, 3.1.1.1), if the frame has one. Without a descriptor the window
    /// is the content, which the block limit covers.
    fn check_window(&self, frame: &[u8]) -> Result<(), FeedError> {
        let (Some(descriptor), Some(window)) = (frame.get(4), frame.get(5)) else { return Ok(()) };
        if descriptor & 0x20 != 0 {
            return Ok(());
        }
        let base = 1u64 << (10 + (window >> 3));
        let found = base + base / 8 * u64::from(window & 7);
        if found <= self.window_limit as u64 {
            return Ok(());
        }
        let (most, found) = (thousands(self.window_limit as u64), thousands(found));
        let message = format!("expected a zstandard window of at most {most} bytes, found {found}");
        Err(FeedError::limit_reached("zstd_window_bytes", message))
    }
}

impl Method for Zstandard {
    fn decompress(
        &mut self,
        data: &[u8],
        output: &mut Output,
        check: &Check<'_>,
    ) -> Result<usize, FeedError> {
        let declared = self.check_frames(data)?;
        if let Some(declared) = declared {
            output.check_declared(declared)?;
        }
        let guess = data.len().saturating_mul(RATIO);
        let first = declared.and_then(|declared| usize::try_from(declared).ok()).unwrap_or(guess).min(guess);
        if self.context.is_none() {
            self.context = Some(DCtx::try_create().ok_or_else(out_of_memory)?);
        }
        let Some(context) = &mut self.context else { return Err(out_of_memory()) };
        output.fit(first, check, |room| match context.decompress(room, data) {
            Ok(len) => Ok(Some(len)),
            Err(code) if is_too_small(code) => Ok(None),
            Err(code) => Err(bad_data(data, code)),
        })
    }
}

/// The library returns an error code as its wrapped negative.
fn is_too_small(code: usize) -> bool {
    code.wrapping_neg() == ZSTD_ErrorCode::ZSTD_error_dstSize_tooSmall as usize
}

#[cold]
fn bad_data(data: &[u8], code: usize) -> FeedError {
    let found = thousands(data.len() as u64);
    let error = Codec::Zstandard.mismatch(format_args!("{found} bytes of invalid or truncated data"));
    error.with_source(get_error_name(code))
}
