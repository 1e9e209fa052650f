//! The checkpoint of an iteration: one envelope for all orders, which is validated when it is loaded.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::counts::Counts;
use super::position::Position;
use crate::dataset::files::checksums::SavedFiles;
use crate::dataset::files::counted_files::CountedFiles;
use crate::dataset::options::{ALL_ROWS, FileMatch, IterationOptions, shown_rows};
use crate::error::{DatasetError, StateError, StateErrorKind};

/// Version of the format, and of the orders that positions refer to. Checkpoints of other versions are rejected.
const VERSION: u32 = 5;

/// The options on which no order depends, and `seed` and `rows`, which stand elsewhere in the checkpoint. All others, and each new
/// one, are compared when a checkpoint is loaded.
const NOT_COMPARED: [&str; 6] = ["threads", "decodes_ahead", "prefetch_bytes", "file_match", "seed", "rows"];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkpoint {
    version: u32,
    /// The options on which the order depends.
    options: Options,
    pub(crate) seed: Option<u64>,
    /// The weights of a mixture as text, which keeps every digit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<String>,
    /// The files of each dataset.
    sources: Vec<SavedSource>,
    pub(crate) position: Position,
    /// The counts of the iteration. The datasets of a mixture have counts of their own, so only its rows are here.
    pub(crate) report: Counts,
}

type Options = serde_json::Map<String, Value>;

/// The files of a dataset, and the rows of them that it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedSource {
    files: SavedFiles,
    /// Checksum of the file fingerprints and chunks, if the order depends on them.
    chunks: Option<u32>,
    /// `None`: all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<(u64, u64)>,
    /// The filter, and the parts that `split` made. `None`: neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    restrictions: Option<String>,
}

impl Checkpoint {
    pub(crate) fn new(
        options: &IterationOptions,
        seed: Option<u64>,
        weights: Option<&[f64]>,
        sources: Vec<SavedSource>,
        position: Position,
        report: Counts,
    ) -> Self {
        let weights = weights.map(|weights| format!("{weights:?}"));
        Self { version: VERSION, options: compared(options), seed, weights, sources, position, report }
    }

    /// The checkpoint of an iteration with other options, which divides the batches of this one.
    pub(crate) fn with_options(self, options: &IterationOptions) -> Self {
        Self { options: compared(options), ..self }
    }

    /// The checkpoint at another position.
    pub(crate) fn with_position(self, position: Position, report: Counts) -> Self {
        Self { position, report, ..self }
    }

    pub(crate) fn is_mixed(&self) -> bool {
        self.weights.is_some()
    }

    /// The number of epochs. `None`: infinite.
    pub(crate) fn epochs(&self) -> Option<u64> {
        self.options.get("epochs").and_then(Value::as_u64)
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn from_json(text: &str) -> Result<Self, StateError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } = serde_json::from_str(text).map_err(invalid)?;
        if version != VERSION {
            let found = format!(
                "version {version}: start without the state, or resume with the version of arrowfeed that saved it"
            );
            return Err(StateError::new(StateErrorKind::Invalid, format!("version {VERSION}"), found));
        }
        let checkpoint: Self = serde_json::from_str(text).map_err(invalid)?;
        checkpoint.report.check()?;
        Ok(checkpoint)
    }

    /// Checks that this checkpoint belongs to the iteration of which `own` is one. `options`: those of the caller; `files`: those
    /// of each dataset. Whether the position exists is checked when it is loaded.
    pub(crate) fn check(
        &self,
        own: &Self,
        options: &IterationOptions,
        files: &[CountedFiles<'_>],
    ) -> Result<(), DatasetError> {
        self.check_options(own)?;
        match (options.seed, self.seed) {
            (Some(seed), Some(found)) if seed != found => return Err(other("seed", seed, found).into()),
            _ if self.seed.is_none() && (options.shuffles() || own.is_mixed()) => {
                return Err(StateError::new(StateErrorKind::Invalid, "a seed", "none").into());
            }
            _ => {}
        }
        let sources = || self.sources.iter().zip(&own.sources);
        for ((found, own), files) in sources().zip(files) {
            found.check(own, files, options.file_match)?;
        }
        self.position.check(files)?;
        Ok(sources().try_for_each(|(found, own)| found.files.check_contents(&own.files))?)
    }

    fn check_options(&self, own: &Self) -> Result<(), StateError> {
        let batches = |of: &Self, name: &str| of.options.get(name).is_some_and(|value| !value.is_null());
        for (name, with, without) in [
            ("by_length", "with batches by length", "without them"),
            ("global", "with global batches", "with batches of each shard"),
        ] {
            match (batches(own, name), batches(self, name)) {
                (true, false) => return Err(of_other_batches(with, without)),
                (false, true) if name == "by_length" => {
                    return Err(of_other_batches("without batches by length", "with them"));
                }
                (false, true) => return Err(of_other_batches(without, with)),
                _ => {}
            }
        }
        match (own.is_mixed(), self.is_mixed()) {
            (true, false) => return Err(of_other_batches("over a mixture", "over one dataset")),
            (false, true) => return Err(of_other_batches("over one dataset", "over a mixture")),
            _ if own.sources.len() != self.sources.len() => {
                return Err(other("number of datasets", own.sources.len(), self.sources.len()));
            }
            _ => {}
        }
        if let (Some(own), Some(found)) = (&own.weights, &self.weights)
            && own != found
        {
            return Err(other("weights", own, found));
        }
        // Batches of a mixture may always have rows of several epochs.
        same(&own.options, &self.options, if own.is_mixed() { "across_epochs" } else { "" })
    }
}

/// The options of which a checkpoint compares the values.
fn compared(options: &IterationOptions) -> Options {
    let Ok(Value::Object(mut compared)) = serde_json::to_value(options) else { return Options::new() };
    compared.retain(|name, _| !NOT_COMPARED.contains(&name.as_str()));
    if let Some(Value::Object(global)) = compared.get_mut("global") {
        // Processes divide the batches, and take turns with them.
        global.remove("turn");
        compared.remove("batch_size");
        compared.remove("shard");
    }
    if options.by_length.as_ref().is_some_and(|batches| batches.takes_turns) {
        compared.remove("shard");
    }
    if options.batch_size == usize::MAX {
        compared.insert("batch_size".to_owned(), Value::Null);
    }
    compared
}

/// Checks that options are the same. The position says whether the number of epochs fits.
fn same(own: &Options, found: &Options, ignored: &str) -> Result<(), StateError> {
    for (name, own) in own.iter().filter(|(name, _)| *name != "epochs" && *name != ignored) {
        let found = found.get(name).unwrap_or(&Value::Null);
        match (name.as_str(), own, found) {
            (_, own, found) if own == found => {}
            (_, Value::Object(own), Value::Object(found)) => same(own, found, "")?,
            ("size", ..) => return Err(other("global batch size", own, found)),
            ("takes_turns", ..) => {
                let even = |turns: &Value| if *turns == Value::Bool(true) { "\"drop\"" } else { "null" };
                return Err(other("even", even(own), even(found)));
            }
            ("shard", ..) => {
                let error = other("shard", own, found);
                return Err(match own.get(1) == found.get(1) {
                    true => error,
                    // The rows of a shard depend on the number of shards.
                    false => error.with_advice(
                        "to change the number of shards, begin a later epoch with `start_epoch` and no state; states of \
                         global batches can be loaded by any number of processes",
                    ),
                });
            }
            _ => return Err(other(name, own, found)),
        }
    }
    Ok(())
}

impl SavedSource {
    /// `rows`: the selected rows, and `restrictions`: the filter and the parts that `split` made, as text.
    pub(crate) fn new(
        files: SavedFiles,
        chunks: Option<u32>,
        rows: &Range<u64>,
        restrictions: Option<String>,
    ) -> Self {
        let rows = (*rows != ALL_ROWS).then_some((rows.start, rows.end));
        Self { files, chunks, rows, restrictions }
    }

    fn check(&self, own: &Self, files: &CountedFiles<'_>, how: FileMatch) -> Result<(), StateError> {
        if own.rows != self.rows {
            let shown =
                |rows: Option<(u64, u64)>| shown_rows(&rows.map_or(ALL_ROWS, |(start, end)| start..end));
            let expected = format!("{}, as requested", shown(own.rows));
            return Err(StateError::new(StateErrorKind::Options, expected, shown(self.rows)));
        }
        if own.restrictions != self.restrictions {
            let of = |source: &Self| source.restrictions.clone();
            let some = of(own).or_else(|| of(self));
            let none = if some.is_some_and(|some| some.contains("filter(")) { "filter" } else { "split" };
            let shown = |source: &Self| of(source).unwrap_or_else(|| format!("no {none}"));
            let expected = format!("{}, as requested", shown(own));
            return Err(StateError::new(StateErrorKind::Options, expected, shown(self)));
        }
        let same_chunks = self.chunks.map(|chunks| Some(chunks) == own.chunks);
        self.files.check(&own.files, files, how, same_chunks)
    }
}

#[cold]
fn invalid(error: impl std::fmt::Display) -> StateError {
    StateError::new(StateErrorKind::Invalid, "a saved state of an iteration", format!("other data: {error}"))
}

/// The error for another value.
#[cold]
fn other(name: &str, own: impl std::fmt::Display, found: impl std::fmt::Display) -> StateError {
    let expected = format!("{name} {own}, as requested");
    StateError::new(StateErrorKind::Options, expected, format!("{name} {found}"))
}

/// The error for a checkpoint of an iteration that makes other batches.
#[cold]
fn of_other_batches(own: &str, found: &str) -> StateError {
    let expected = format!("a state of an iteration {own}");
    let found = format!("a state of one {found}: start without the state, or iterate as when it was saved");
    StateError::new(StateErrorKind::Options, expected, found)
}

/// Checks that an iteration has an epoch, or ends before it.
pub(crate) fn check_epoch(epoch: u64, options: &IterationOptions) -> Result<(), StateError> {
    let end = options.end_epoch().unwrap_or(u64::MAX);
    if (options.start_epoch..=end).contains(&epoch) {
        return Ok(());
    }
    let expected = format!("an epoch from {} to {end}", options.start_epoch);
    Err(StateError::new(StateErrorKind::Invalid, expected, epoch))
}

/// Checks that a position, which needs `needed` epochs, lies within the requested number of epochs. `epoch` is its epoch.
pub(crate) fn within_epochs(own: Option<u64>, needed: u64, epoch: u64) -> Result<(), StateError> {
    match own.filter(|own| *own < needed) {
        None => Ok(()),
        Some(own) => {
            let expected = format!("epochs {own}, as requested");
            let found =
                format!("a position in epoch {epoch}, counted from 0, which needs epochs {needed} or more");
            Err(StateError::new(StateErrorKind::Options, expected, found))
        }
    }
}

/// The error for a number of epochs that must be that of the checkpoint. `found`: what the checkpoint has, after its epochs.
#[cold]
pub(crate) fn other_epochs(
    own: Option<u64>,
    saved: Option<u64>,
    found: impl Fn(&str) -> String,
) -> StateError {
    let shown = |epochs: Option<u64>| epochs.map_or("unlimited".to_owned(), |epochs| epochs.to_string());
    let expected = format!("epochs {}, as requested", shown(own));
    StateError::new(StateErrorKind::Options, expected, found(&shown(saved)))
}
