//! The tensors of a dataset, pass after pass.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};

use arrowfeed::dataset::TensorIterator;
use arrowfeed::tensor::Tensors;
use arrowfeed::{Dataset, IterationOptions};
use arrowfeed_tensorflow::{Code, Failure, Feed, Source};

use super::failure::failure;

/// Passes over a dataset.
pub(super) struct Passes {
    dataset: Dataset,
    options: IterationOptions,
    /// Number of the next one.
    next: AtomicU64,
}

/// One pass, and its number.
struct Pass {
    number: u64,
    tensors: TensorIterator,
}

impl Passes {
    pub(super) fn new(dataset: Dataset, options: IterationOptions) -> Self {
        Self { dataset, options, next: AtomicU64::new(0) }
    }

    /// The number of a pass that begins now, which others do not get.
    pub(super) fn begin(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Gives the next pass this number.
    pub(super) fn set_next(&self, number: u64) {
        self.next.store(number, Ordering::Relaxed);
    }
}

impl Source for Passes {
    fn start(&self, state: &[u8]) -> Result<Box<dyn Feed>, Failure> {
        let (number, state) = match state {
            [] => (self.begin(), None),
            state => {
                let (number, state) = parsed(state)?;
                (number, Some(state))
            }
        };
        // With a seed, each pass has an order of its own: its epochs are those after the epochs of the passes before it.
        let ordered = self.options.shuffle_buffer_size > 0 && self.options.seed.is_some();
        let before = if ordered { number } else { 0 };
        let each = self.options.epochs.map_or(1, NonZeroU64::get);
        let epochs =
            self.options.epochs.map(|epochs| epochs.saturating_mul(NonZeroU64::MIN.saturating_add(before)));
        let mut tensors =
            self.dataset.tensors(IterationOptions { epochs, ..self.options.clone() }).map_err(failure)?;
        match state {
            None if before > 0 => tensors.start_at_epoch(each.saturating_mul(before)),
            None => {}
            Some(state) => tensors.load_state(state).map_err(failure)?,
        }
        Ok(Box::new(Pass { number, tensors }))
    }
}

/// The number of the pass, and the state of its iteration.
fn parsed(state: &[u8]) -> Result<(u64, &str), Failure> {
    let parts = std::str::from_utf8(state).ok().and_then(|text| text.split_once(' '));
    let parts = parts.and_then(|(number, state)| Some((number.parse().ok()?, state)));
    parts
        .ok_or_else(|| Failure::new(Code::InvalidArgument, "expected a state of arrowfeed, found other data"))
}

impl Feed for Pass {
    fn next(&mut self) -> Result<Option<Tensors>, Failure> {
        self.tensors.next().transpose().map_err(failure)
    }

    fn state(&mut self) -> Result<Vec<u8>, Failure> {
        let state = self.tensors.state().map_err(failure)?;
        Ok(format!("{} {state}", self.number).into_bytes())
    }
}
