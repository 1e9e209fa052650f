//! Serialised checkpoint of an iteration by length, validated when it is loaded.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::options::{IterationOptions, LengthBatches};
use super::state::{invalid, same_option};
use crate::error::{StateError, StateErrorKind};

/// Version of the state format and of the division of windows. States of other versions are rejected.
const VERSION: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LengthState {
    by_length: u32,
    length: String,
    bucket_boundaries: Vec<u64>,
    max_tokens: Option<u64>,
    pack_to: Option<usize>,
    length_window: usize,
    /// `None`: batches have any number of rows.
    batch_size: Option<usize>,
    /// Whether shards take turns with the batches. A state is then for any number of shards.
    takes_turns: bool,
    epochs: Option<u64>,
    /// That of the window's state, for workers that share a seed.
    seed: Option<u64>,
    pub(super) passed: Passed,
    /// The state before the window.
    window: Value,
}

/// The position after a batch.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Passed {
    /// Number of batches of the current window before it.
    pub(super) batches: usize,
    /// Number of rows of all batches that were yielded.
    pub(super) rows: u64,
}

impl LengthState {
    pub(super) fn new(
        by_length: &LengthBatches,
        options: &IterationOptions,
        passed: Passed,
        window: &str,
    ) -> Self {
        let window: Value = serde_json::from_str(window).unwrap_or_default();
        Self {
            by_length: VERSION,
            length: by_length.column.clone(),
            bucket_boundaries: by_length.boundaries.clone(),
            max_tokens: by_length.max_tokens.map(Into::into),
            pack_to: by_length.pack_to.map(Into::into),
            length_window: by_length.window,
            batch_size: (options.batch_size < usize::MAX).then_some(options.batch_size),
            takes_turns: by_length.takes_turns,
            epochs: options.epochs.map(Into::into),
            seed: window.get("seed").and_then(Value::as_u64),
            passed,
            window,
        }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn from_json(text: &str) -> Result<Self, StateError> {
        #[derive(Deserialize)]
        struct Version {
            by_length: Option<u32>,
        }
        match serde_json::from_str(text).map_err(invalid)? {
            Version { by_length: Some(VERSION) } => serde_json::from_str(text).map_err(invalid),
            Version { by_length: Some(version) } => {
                let expected = format!("version {VERSION}");
                Err(StateError::new(StateErrorKind::Invalid, expected, format!("version {version}")))
            }
            Version { by_length: None } => Err(of_other_batches("with batches by length", "without them")),
        }
    }

    /// Checks that this state belongs to an iteration with these options. The state of the window is checked when it is
    /// loaded.
    pub(super) fn check(&self, own: &LengthBatches, options: &IterationOptions) -> Result<(), StateError> {
        let own = Self::new(own, options, Passed::default(), "");
        macro_rules! same {
            ($($field:ident: $option:literal),* $(,)?) => {$(
                same_option($option, &own.$field, &self.$field)?;
            )*};
        }
        same! {
            length: "column",
            bucket_boundaries: "boundaries",
            max_tokens: "max_tokens",
            pack_to: "pack_to",
            length_window: "window",
            batch_size: "batch_size",
        }
        let even = |takes_turns: bool| takes_turns.then_some("drop");
        same_option("even", &even(own.takes_turns), &even(self.takes_turns))?;
        // A window of several epochs has other rows, and so other batches, if it is the last one.
        let crosses_epochs = options.across_epochs || self.window.get("mixture").is_some();
        if own.epochs == self.epochs || self.passed.batches == 0 || !crosses_epochs {
            return Ok(());
        }
        let shown = |epochs: Option<u64>| epochs.map_or("unlimited".to_owned(), |epochs| epochs.to_string());
        let (own, saved) = (shown(own.epochs), shown(self.epochs));
        let found = format!(
            "epochs {saved} and a position inside a window of several epochs: load it with epochs {saved}"
        );
        Err(StateError::new(StateErrorKind::Options, format!("epochs {own}, as requested"), found))
    }

    /// The state before the window.
    pub(super) fn window(&self) -> String {
        self.window.to_string()
    }
}

/// The error for a state of an iteration that makes other batches.
#[cold]
pub(super) fn of_other_batches(own: &str, found: &str) -> StateError {
    let expected = format!("a state of an iteration {own}");
    let found = format!("a state of one {found}: start without the state, or iterate as when it was saved");
    StateError::new(StateErrorKind::Options, expected, found)
}
