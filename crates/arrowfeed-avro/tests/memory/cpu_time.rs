//! The time that the process uses the cores. Other programs do not add to it, unlike to the time of a clock.

#![expect(unsafe_code, reason = "asks the system for the time")]

use std::time::Duration;

/// The CPU time of all threads of the process. Always 0 on other systems than POSIX.
#[cfg(unix)]
pub(crate) fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes a value to the variable.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
pub(crate) fn cpu_time() -> Duration {
    Duration::ZERO
}
