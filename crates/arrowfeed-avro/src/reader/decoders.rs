//! Reusable decoders of a writer's schema.

use std::sync::Arc;

use arrowfeed_source::ForkLock;

use crate::AvroOptions;
use crate::decode::batcher::Batcher;
use crate::decode::selector::Probe;
use crate::plan::DecodePlan;

/// A plan and a pool of decoders for it, whose buffers are reused.
pub(super) struct Decoders {
    pub(super) plan: Arc<DecodePlan>,
    /// Present if passing records can be selected.
    pub(super) probe: Option<Arc<Probe>>,
    /// Unused decoders. Iterators over the same files share them, also in a forked child.
    idle: ForkLock<Vec<Batcher>>,
}

impl Decoders {
    pub(super) fn new(plan: Arc<DecodePlan>, probe: Option<Arc<Probe>>) -> Self {
        Self { plan, probe, idle: ForkLock::default() }
    }

    pub(super) fn take(&self, options: &AvroOptions) -> Batcher {
        let idle = self.idle.try_with(Vec::pop).flatten();
        idle.unwrap_or_else(|| Batcher::new(self.plan.clone(), self.probe.clone(), options))
    }

    /// Returns a decoder to the pool. Only for a decoder that finished without an error.
    pub(super) fn give_back(&self, batcher: Batcher) {
        self.idle.try_with(|idle| idle.push(batcher));
    }
}
