//! The loop around supply and engine: what all readers have in common.

use arrowfeed_source::{Check, FeedError, Interrupt, Report};

use super::engine::{Inline, Threads};
use super::prepare::Prepare;
use super::supply::{FileBatch, Supply};

/// Rows before a fault are given first, then the error; after an error, nothing.
pub(super) struct Driver {
    supply: Supply,
    engine: Engine,
    report: Report,
    interrupt: Option<Interrupt>,
}

pub(super) enum Engine {
    Inline(Box<Inline>),
    /// Threads that start when the first batch is asked for.
    Later {
        threads: usize,
        /// Bytes of batches that may wait.
        ahead: usize,
        prepare: Option<Prepare>,
    },
    Threads(Box<Threads>),
    /// Nothing comes any more: the end, an error, or closed.
    Ended,
}

impl Engine {
    /// Threads that work ahead, or the caller's.
    pub(super) fn of(threads: usize, ahead: usize, prepare: Option<Prepare>) -> Self {
        match threads {
            0 | 1 => Self::Inline(Box::default()),
            threads => Self::Later { threads, ahead, prepare },
        }
    }
}

impl Driver {
    pub(super) fn new(supply: Supply, engine: Engine, report: Report, interrupt: Option<Interrupt>) -> Self {
        Self { supply, engine, report, interrupt }
    }

    pub(super) fn report(&self) -> Report {
        let mut report = self.report.clone();
        if let Engine::Inline(inline) = &self.engine {
            report.add(inline.open_report());
        }
        report
    }

    pub(super) fn left_out(&self) -> Vec<usize> {
        self.supply.left_out()
    }

    /// See [`Threads::spawn`].
    pub(super) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        if let Engine::Threads(threads) = &self.engine {
            threads.spawn(work);
        }
    }

    pub(super) fn close(&mut self) {
        self.report = self.report();
        self.engine = Engine::Ended;
    }

    fn read(&mut self) -> Result<Option<FileBatch>, FeedError> {
        if let Engine::Later { threads, ahead, prepare } = &mut self.engine {
            self.engine = Engine::Threads(Box::new(Threads::start(*threads, *ahead, prepare.take())?));
        }
        let (supply, report, check) =
            (&mut self.supply, &mut self.report, Check::of(self.interrupt.as_ref()));
        match &mut self.engine {
            Engine::Inline(inline) => inline.next(supply, report, &check),
            Engine::Threads(threads) => threads.next(supply, report, &check),
            Engine::Later { .. } | Engine::Ended => Ok(None),
        }
    }
}

impl Iterator for Driver {
    type Item = Result<FileBatch, FeedError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.read() {
            Ok(Some(found)) => {
                self.report.rows += found.batch.num_rows() as u64;
                Some(Ok(found))
            }
            Ok(None) => {
                self.close();
                None
            }
            Err(error) => {
                self.close();
                Some(Err(error))
            }
        }
    }
}
