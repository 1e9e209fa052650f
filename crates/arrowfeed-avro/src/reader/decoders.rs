//! Decoders of a writer's schema that are used again.

use std::sync::Arc;

use arrowfeed_source::ForkLock;

use crate::ReadOptions;
use crate::decode::batcher::Batcher;
use crate::plan::DecodePlan;

/// A plan and the decoders that were made for it: their memory is warm.
pub(super) struct Decoders {
    pub(super) plan: Arc<DecodePlan>,
    /// Decoders that no thread uses. Iterators over the same files share them, also in a child of a fork.
    idle: ForkLock<Vec<Batcher>>,
}

impl Decoders {
    pub(super) fn new(plan: Arc<DecodePlan>) -> Self {
        Self { plan, idle: ForkLock::default() }
    }

    pub(super) fn take(&self, options: &ReadOptions) -> Batcher {
        let idle = self.idle.try_with(Vec::pop).flatten();
        idle.unwrap_or_else(|| Batcher::new(self.plan.clone(), options))
    }

    /// Only a decoder that has come to its end without an error.
    pub(super) fn give_back(&self, batcher: Batcher) {
        self.idle.try_with(|idle| idle.push(batcher));
    }
}
