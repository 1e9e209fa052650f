//! A lock that never blocks forever in a forked child process.
//!
//! A fork copies the memory of a process, but only the thread that calls it. A lock that another thread holds at that
//! moment stays locked in the child forever. Objects that a child may use or drop therefore use a [`ForkLock`]. It
//! guards only data that the caller can do without: memory for reuse, and results that can be recomputed.

#![expect(clippy::disallowed_types, reason = "the ForkLock, a mutex on which only try_lock is called")]

use std::fmt;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

/// Attempts before [`ForkLock::try_with`] gives up. Other threads hold the lock for less than a microsecond.
const ATTEMPTS: usize = 1000;

/// Time before [`ForkLock::with`] gives up. A thread that holds the lock may be waiting for a core.
const GIVE_UP_AFTER: Duration = Duration::from_millis(20);

/// A mutex whose methods give up instead of waiting for a thread that may not exist in this process.
pub struct ForkLock<T>(Mutex<T>);

impl<T> ForkLock<T> {
    /// Creates an unlocked lock.
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Runs `work` with the value; returns `None` if the lock is not free within a few microseconds. Use it in
    /// destructors, and for memory that can be allocated again.
    pub fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        for _ in 0..ATTEMPTS {
            if let Some(mut value) = self.attempt() {
                return Some(work(&mut value));
            }
            std::hint::spin_loop();
        }
        None
    }

    /// Runs `work` with the value; returns `None` if the lock is not free within 20 ms: this process is a forked child, or the
    /// machine is so busy that a thread that holds the lock gets no core. Use it for results that are expensive to recompute.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.with_until(work, || true)
    }

    /// Like [`with`](Self::with), but in the process with this number, it waits until the lock is free. Some thread of that process
    /// must have had the lock before, or have made it, so that no other process holds it. Use it for changes that must not be lost,
    /// such as those for which other threads wait.
    pub fn with_in<R>(&self, process: u32, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.with_until(work, || std::process::id() != process)
    }

    fn with_until<R>(&self, work: impl FnOnce(&mut T) -> R, gives_up: impl Fn() -> bool) -> Option<R> {
        let start = Instant::now();
        loop {
            if let Some(mut value) = self.attempt() {
                return Some(work(&mut value));
            }
            if start.elapsed() > GIVE_UP_AFTER && gives_up() {
                return None;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    fn attempt(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(value) => Some(value),
            Err(TryLockError::Poisoned(value)) => Some(value.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl<T: Default> Default for ForkLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> fmt::Debug for ForkLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForkLock").finish_non_exhaustive()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests do not fork")]
mod tests {
    use super::*;

    #[test]
    fn a_free_lock_returns_its_value() {
        let lock = ForkLock::new(1);
        assert_eq!(lock.try_with(|value| std::mem::replace(value, 2)), Some(1));
        assert_eq!(lock.with(|value| *value), Some(2));
    }

    #[test]
    fn waiting_for_a_lock_that_is_held_forever_ends() {
        let lock: &'static ForkLock<i32> = Box::leak(Box::default());
        let (send, locked) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            lock.with(|_| {
                let _ = send.send(());
                loop {
                    std::thread::park();
                }
            })
        });
        locked.recv().unwrap();
        assert_eq!((lock.try_with(|value| *value), lock.with(|value| *value)), (None, None));
    }

    #[test]
    fn a_lock_that_this_process_holds_for_long_is_waited_for() {
        let lock: &'static ForkLock<i32> = Box::leak(Box::default());
        let (send, locked) = std::sync::mpsc::channel();
        let (release, released) = std::sync::mpsc::channel::<()>();
        let holder = std::thread::spawn(move || {
            lock.with(|value| {
                send.send(()).unwrap();
                released.recv().unwrap();
                *value = 1;
            })
        });
        locked.recv().unwrap();
        let own = std::process::id();
        assert_eq!((lock.with(|value| *value), lock.with_in(own + 1, |value| *value)), (None, None));
        let waiting = std::thread::spawn(move || lock.with_in(own, |value| *value));
        std::thread::sleep(5 * GIVE_UP_AFTER);
        release.send(()).unwrap();
        assert_eq!((holder.join().unwrap(), waiting.join().unwrap()), (Some(()), Some(1)));
    }

    #[test]
    fn a_panic_inside_leaves_the_lock_free() {
        let lock = ForkLock::new(1);
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            lock.with(|_| std::panic::resume_unwind(Box::new(())))
        }));
        assert!(panic.is_err());
        assert_eq!(lock.try_with(|value| *value), Some(1));
    }
}
