//! Whether a thread is Python's main thread, without the interpreter.

use std::cell::Cell;

thread_local! {
    /// The process in which this thread is the main thread. After a fork, the forking thread is the main thread of the
    /// child.
    static MAIN_OF: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Stores that this thread is Python's main thread.
pub(crate) fn set() {
    MAIN_OF.set(Some(std::process::id()));
}

/// Whether this thread was stored as Python's main thread.
pub(crate) fn is_this() -> bool {
    MAIN_OF.get() == Some(std::process::id())
}
