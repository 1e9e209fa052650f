//! Return of free memory to the system.

#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "calls a function of the C library")
)]

/// Returns the memory that the allocator keeps for later allocations.
///
/// The C library keeps freed memory in one arena per thread. After a shuffle, whose windows are freed on several
/// threads, that is the size of two windows.
pub fn return_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function takes no pointer and may be called on any thread. It takes the locks of the allocator itself.
    unsafe {
        libc::malloc_trim(0);
    }
}
