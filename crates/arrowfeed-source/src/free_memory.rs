//! Return of free memory to the system.

#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "calls a function of the C library")
)]

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of decoded rows from which on free memory is returned. To decode them takes much longer than the return.
const RETURNED_FROM: usize = 64 << 20;

/// Bytes of the rows of datasets that were decoded since free memory was returned. One number for all datasets, as they share
/// the allocator.
static DECODED: AtomicUsize = AtomicUsize::new(0);

/// Counts decoded rows of a dataset: once they are freed, [`return_free_memory`] is worth its time.
pub fn count_decoded(bytes: usize) {
    DECODED.fetch_add(bytes, Ordering::Relaxed);
}

/// Returns the memory that the allocator keeps for later allocations, if at least 64 MiB were decoded since the last return.
///
/// The C library keeps freed memory in one arena per thread. After a shuffle, whose windows are freed on several
/// threads, that is the size of two windows.
pub fn return_free_memory() {
    let enough = |decoded| (decoded >= RETURNED_FROM).then_some(0);
    if DECODED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, enough).is_ok() {
        trim();
    }
}

fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function takes no pointer and may be called on any thread. It takes the locks of the allocator itself.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn resident_mebibytes() -> usize {
        let sizes = std::fs::read_to_string("/proc/self/statm").unwrap();
        // Pages of at least 4 KiB.
        sizes.split(' ').nth(1).unwrap().parse::<usize>().unwrap() >> 8
    }

    /// No other test of this crate counts rows, so the number is that of this test.
    #[test]
    fn free_memory_is_returned_after_many_decoded_rows() {
        let counted = || DECODED.load(Ordering::Relaxed);
        count_decoded(RETURNED_FROM - 1);
        return_free_memory();
        assert_eq!(counted(), RETURNED_FROM - 1);
        // Small values between large ones keep the allocator from returning these by itself.
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        let (_small, before) = {
            let large: Vec<(Vec<u8>, Box<u8>)> =
                (0..1 << 11).map(|_| (vec![1; 64 << 10], Box::new(1))).collect();
            let small: Vec<Box<u8>> = large.into_iter().map(|(_, small)| small).collect();
            (small, resident_mebibytes())
        };
        return_free_memory();
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        assert!(resident_mebibytes() + 8 > before);
        count_decoded(1);
        return_free_memory();
        assert_eq!(counted(), 0);
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        assert!(resident_mebibytes() + 64 < before, "{before} MiB before, {} after", resident_mebibytes());
    }
}
