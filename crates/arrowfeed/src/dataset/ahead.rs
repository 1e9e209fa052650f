//! Work that other threads may do before its result is asked for. Results come in the order of the work.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrowfeed_source::{FeedError, FeedErrorKind};

/// How often one who waits looks whether the caller wants to stop.
const PATIENCE: Duration = Duration::from_millis(20);

type Outcome<T> = Result<T, FeedError>;
type Work<T> = Box<dyn FnOnce() -> Outcome<T> + Send>;

/// What is to be done, the oldest first.
pub(super) struct Ahead<T> {
    tasks: VecDeque<Task<T>>,
    /// The process of those who do it: in a child of it they are not there.
    process: u32,
}

struct Task<T> {
    /// Taken by who does it: another thread, or the one that asks for the result before that has begun.
    work: Arc<Mutex<Option<Work<T>>>>,
    result: Receiver<Outcome<T>>,
}

impl<T: Send + 'static> Ahead<T> {
    pub(super) fn new() -> Self {
        Self { tasks: VecDeque::new(), process: std::process::id() }
    }

    /// Number of results that are to come.
    pub(super) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Adds work, and gives what another thread may call, or not.
    pub(super) fn add(
        &mut self,
        work: impl FnOnce() -> Outcome<T> + Send + 'static,
    ) -> impl FnOnce() + Send + 'static {
        let (sender, result) = channel();
        let work: Work<T> = Box::new(work);
        let work = Arc::new(Mutex::new(Some(work)));
        let shared = work.clone();
        self.tasks.push_back(Task { work, result });
        move || {
            if let Some(work) = take(&shared) {
                let done = catch_unwind(AssertUnwindSafe(work));
                // Nobody may want it any more.
                let _ = sender.send(done.unwrap_or_else(|panic| Err(FeedError::from_panic(&*panic))));
            }
        }
    }

    /// The oldest result: does the work, or waits for who does; `None`: there is none. `ask` is called now and then.
    pub(super) fn next(&mut self, ask: impl Fn() -> Result<(), FeedError>) -> Option<Outcome<T>> {
        let task = self.tasks.pop_front()?;
        if self.process != std::process::id() {
            let message = "this reader was started in another process: make a new one after a fork";
            return Some(Err(FeedError::new(FeedErrorKind::Internal, message)));
        }
        if let Some(work) = take(&task.work) {
            return Some(work());
        }
        loop {
            match task.result.recv_timeout(PATIENCE) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = ask() {
                        return Some(Err(error));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let message = "expected a thread that gathers rows, found it gone";
                    return Some(Err(FeedError::new(FeedErrorKind::Internal, message)));
                }
            }
        }
    }
}

impl<T> Drop for Ahead<T> {
    /// Cancels the work that has not begun.
    fn drop(&mut self) {
        if self.process == std::process::id() {
            self.tasks.iter().for_each(|task| drop(take(&task.work)));
        } else {
            // A thread of the parent may have held the lock of the work, or have been sending the result, which the
            // destructor of a receiver waits for.
            std::mem::forget(std::mem::take(&mut self.tasks));
        }
    }
}

fn take<T>(work: &Mutex<Option<Work<T>>>) -> Option<Work<T>> {
    work.lock().unwrap_or_else(PoisonError::into_inner).take()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> Result<(), FeedError> {
        Ok(())
    }

    fn rest<T: Send + 'static>(ahead: &mut Ahead<T>) -> Vec<Outcome<T>> {
        std::iter::from_fn(|| ahead.next(nothing)).collect()
    }

    #[test]
    fn results_come_in_the_order_of_the_work_whoever_does_it() {
        let mut ahead = Ahead::new();
        let mut threads = Vec::new();
        for i in 0..60_u64 {
            let work = ahead.add(move || {
                std::thread::sleep(Duration::from_micros(50 * (i * 7 % 5)));
                Ok(i)
            });
            match i % 3 {
                0 => threads.push(std::thread::spawn(work)),
                1 => work(),
                _ => drop(work),
            }
        }
        assert_eq!(ahead.len(), 60);
        let found: Vec<u64> = rest(&mut ahead).into_iter().map(Result::unwrap).collect();
        assert_eq!(found, (0..60).collect::<Vec<_>>());
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn a_panic_of_another_thread_is_the_error_of_its_own_work() {
        let mut ahead = Ahead::new();
        ahead.add(|| panic!("no such row"))();
        ahead.add(|| Ok(1))();
        let found: Vec<Result<i32, String>> =
            rest(&mut ahead).into_iter().map(|it| it.map_err(|error| error.to_string())).collect();
        let message = "a defect of this library, please report it: no such row";
        assert_eq!(found, [Err(message.to_owned()), Ok(1)]);
    }

    #[test]
    fn what_nobody_wants_is_not_done() {
        let mut ahead = Ahead::new();
        let work = ahead.add(|| -> Outcome<()> { panic!("done for nobody") });
        drop(ahead);
        work();
    }

    #[test]
    fn who_waits_may_stop() {
        let mut ahead = Ahead::new();
        let (begun, has_begun) = channel();
        let (end, ended) = channel::<()>();
        let work = ahead.add(move || {
            begun.send(()).unwrap();
            let _ = ended.recv();
            Ok(())
        });
        let thread = std::thread::spawn(work);
        has_begun.recv().unwrap();
        let enough = || Err(FeedError::new(FeedErrorKind::Interrupted, "enough"));
        assert_eq!(ahead.next(enough).unwrap().unwrap_err().to_string(), "enough");
        drop(end);
        thread.join().unwrap();
    }
}
