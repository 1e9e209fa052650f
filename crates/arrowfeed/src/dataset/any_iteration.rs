//! The iteration of any dataset: of files, or of several datasets that are mixed.

use arrow_schema::SchemaRef;
use arrowfeed_source::Report;

use super::iteration::{Conversion, Iteration};
use super::mixture::Mixture;
use super::options::IterationOptions;
use super::reported::Counted;
use crate::error::DatasetError;

pub(super) enum AnyIteration<C: Conversion> {
    Files(Box<Iteration<C>>),
    Mixed(Box<Mixture<C>>),
}

macro_rules! of_any {
    ($self:ident, $iteration:ident => $body:expr) => {
        match $self {
            Self::Files($iteration) => $body,
            Self::Mixed($iteration) => $body,
        }
    };
}

impl<C: Conversion> AnyIteration<C> {
    pub(super) fn schema(&self) -> SchemaRef {
        of_any!(self, iteration => iteration.schema())
    }

    pub(super) fn options(&self) -> &IterationOptions {
        of_any!(self, iteration => iteration.options())
    }

    /// Epoch of the last batch that was yielded. Mixed datasets have none in common.
    pub(super) fn epoch(&self) -> Option<u64> {
        match self {
            Self::Files(iteration) => Some(iteration.epoch()),
            Self::Mixed(_) => None,
        }
    }

    pub(super) fn next(&mut self) -> Option<Result<C::Output, DatasetError>> {
        of_any!(self, iteration => iteration.next())
    }

    pub(super) fn report(&self) -> Report {
        of_any!(self, iteration => iteration.report())
    }

    /// The report without the parts that are `counted`, which are updated, but with all rows.
    pub(super) fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        of_any!(self, iteration => iteration.uncounted(counted))
    }

    pub(super) fn close(&mut self) {
        of_any!(self, iteration => iteration.close());
    }

    pub(super) fn state(&mut self) -> Result<String, DatasetError> {
        of_any!(self, iteration => iteration.state())
    }

    pub(super) fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        of_any!(self, iteration => iteration.load_state(state))
    }

    pub(super) fn start_at_epoch(&mut self, epoch: u64) {
        of_any!(self, iteration => iteration.start_at_epoch(epoch));
    }
}
