//! Per-process values: after a fork, the child creates its own.

use std::fmt;
use std::mem::ManuallyDrop;

use arrowfeed_source::ForkLock;

/// A value that is created on its first use in a process. A value of another process is neither used nor dropped: the
/// threads that it works with do not exist in the child of a fork, and its locks may be held forever.
///
/// There are two slots for the value. The second one is used if another thread held the lock of the first one when the
/// process forked.
pub(crate) struct PerProcess<T>([ForkLock<Slot<T>>; 2]);

type Slot<T> = Option<(u32, ManuallyDrop<T>)>;

impl<T: Clone> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self([ForkLock::new(None), ForkLock::new(None)])
    }

    /// The value of this process, if it has been created.
    pub(crate) fn get(&self) -> Option<T> {
        let own = |slot: &mut Slot<T>| slot.as_ref().and_then(of_this_process).cloned();
        self.0.iter().find_map(|slot| slot.with(own)).flatten()
    }

    /// The value of this process, created if needed. If two threads create it at the same time, both get the value that
    /// was stored first.
    pub(crate) fn get_or<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some(known) = self.get() {
            return Ok(known);
        }
        let made = make()?;
        let insert = |slot: &mut Slot<T>| match slot.as_ref().and_then(of_this_process) {
            Some(known) => known.clone(),
            None => {
                *slot = Some((std::process::id(), ManuallyDrop::new(made.clone())));
                made.clone()
            }
        };
        let inserted = self.0.iter().find_map(|slot| slot.with(insert));
        Ok(inserted.unwrap_or(made))
    }
}

fn of_this_process<T>((process, value): &(u32, ManuallyDrop<T>)) -> Option<&T> {
    (*process == std::process::id()).then_some(&**value)
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        for slot in &self.0 {
            let taken = slot.try_with(Option::take).flatten();
            if let Some((process, value)) = taken
                && process == std::process::id()
            {
                drop(ManuallyDrop::into_inner(value));
            }
        }
    }
}

impl<T> fmt::Debug for PerProcess<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerProcess").finish_non_exhaustive()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests do not fork")]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use super::*;

    fn ok<T>(value: T) -> Result<T, Infallible> {
        Ok(value)
    }

    #[test]
    fn a_value_is_made_once_and_dropped_with_its_owner() {
        let value = Arc::new(1);
        let cell = PerProcess::new();
        assert_eq!(cell.get(), None);
        assert_eq!(cell.get_or(|| ok(value.clone())), Ok(Arc::new(1)));
        assert_eq!(cell.get_or(|| ok(Arc::new(2))), Ok(Arc::new(1)));
        assert_eq!(Arc::strong_count(&value), 2);
        drop(cell);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn a_value_of_another_process_is_replaced_and_not_dropped() {
        let value = Arc::new(1);
        let cell = PerProcess::new();
        let other = std::process::id() + 1;
        cell.0[0].with(|slot| *slot = Some((other, ManuallyDrop::new(value.clone()))));
        assert_eq!(cell.get(), None);
        assert_eq!(cell.get_or(|| ok(Arc::new(2))), Ok(Arc::new(2)));
        assert_eq!(cell.get(), Some(Arc::new(2)));
        assert_eq!(Arc::strong_count(&value), 2);
        cell.0[1].with(|slot| *slot = Some((other, ManuallyDrop::new(value.clone()))));
        drop(cell);
        assert_eq!(Arc::strong_count(&value), 3);
    }

    #[test]
    fn the_second_place_is_used_where_the_first_one_is_locked() {
        let cell: &'static PerProcess<i32> = Box::leak(Box::new(PerProcess::new()));
        let (send, locked) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            cell.0[0].with(|_| {
                let _ = send.send(());
                loop {
                    std::thread::park();
                }
            })
        });
        locked.recv().unwrap();
        assert_eq!(cell.get_or(|| ok(1)), Ok(1));
        assert_eq!(cell.get_or(|| ok(2)), Ok(1));
    }
}
