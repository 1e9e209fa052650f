//! Serialised checkpoint of an iteration over mixed datasets, validated when it is loaded.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mixed::Mixed;
use super::options::IterationOptions;
use crate::error::{DatasetError, StateError, StateErrorKind};

/// Version of the state format and of the order of the rows. States of other versions are rejected.
const VERSION: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MixtureState {
    mixture: u32,
    /// The weights as text, which keeps every digit.
    weights: String,
    batch_size: usize,
    drop_remainder: bool,
    pub(super) seed: u64,
    /// Epoch of the datasets that the iteration began with.
    pub(super) first_epoch: u64,
    /// Number of draws, and of rows, before the position.
    pub(super) draws: u64,
    pub(super) rows: u64,
    pub(super) sources: Vec<SourceState>,
}

/// The position in one dataset.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SourceState {
    /// The state before the current batch.
    before: Value,
    /// Number of rows of the current batch that have been drawn.
    pub(super) drawn: usize,
    pub(super) has_ended: bool,
}

impl SourceState {
    pub(super) fn new(before: &str, drawn: usize, has_ended: bool) -> Self {
        Self { before: serde_json::from_str(before).unwrap_or_default(), drawn, has_ended }
    }

    pub(super) fn before(&self) -> String {
        self.before.to_string()
    }

    /// Whether it was saved with this number of epochs.
    pub(super) fn has_epochs(&self, epochs: Option<NonZeroU64>) -> bool {
        let saved = self.before.pointer("/options/epochs").and_then(Value::as_u64);
        saved == epochs.map(u64::from)
    }
}

impl MixtureState {
    pub(super) fn new(
        mixed: &Mixed,
        options: &IterationOptions,
        (seed, first_epoch): (u64, u64),
        (draws, rows): (u64, u64),
        sources: Vec<SourceState>,
    ) -> Self {
        let (weights, mixture) = (format!("{:?}", mixed.weights), VERSION);
        let IterationOptions { batch_size, drop_remainder, .. } = *options;
        Self { mixture, weights, batch_size, drop_remainder, seed, first_epoch, draws, rows, sources }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn from_json(text: &str) -> Result<Self, StateError> {
        #[derive(Deserialize)]
        struct Version {
            mixture: u32,
        }
        let invalid = |error: serde_json::Error| {
            let expected = "a saved state of a mixed dataset";
            StateError::new(StateErrorKind::Invalid, expected, format!("other data: {error}"))
        };
        let Version { mixture } = serde_json::from_str(text).map_err(invalid)?;
        if mixture != VERSION {
            let expected = format!("version {VERSION}");
            return Err(StateError::new(StateErrorKind::Invalid, expected, format!("version {mixture}")));
        }
        serde_json::from_str(text).map_err(invalid)
    }

    /// Checks that this state belongs to an iteration over these datasets with these options. The states of the datasets
    /// are checked when they are loaded.
    pub(super) fn check(&self, mixed: &Mixed, options: &IterationOptions) -> Result<(), DatasetError> {
        let same = |name: &str, own: String, found: String| {
            if own == found {
                return Ok(());
            }
            let expected = format!("{name} {own}, as requested");
            Err(StateError::new(StateErrorKind::Options, expected, format!("{name} {found}")))
        };
        same("number of datasets", mixed.datasets.len().to_string(), self.sources.len().to_string())?;
        same("weights", format!("{:?}", mixed.weights), self.weights.clone())?;
        same("batch_size", options.batch_size.to_string(), self.batch_size.to_string())?;
        same("drop_remainder", options.drop_remainder.to_string(), self.drop_remainder.to_string())?;
        if let Some(seed) = options.seed {
            same("seed", seed.to_string(), self.seed.to_string())?;
        }
        Ok(())
    }
}
