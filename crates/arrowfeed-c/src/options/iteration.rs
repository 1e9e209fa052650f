//! Options of an iteration in JSON.

use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed::IterationOptions;
use arrowfeed::dataset::{Even, FileMatch, GlobalBatches, LengthBatches};
use arrowfeed::source::{Interrupt, OnError};
use serde::Deserialize;

use super::object::Object;
use crate::error::Error;

/// The fields of [`IterationOptions`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    batch_size: Option<usize>,
    global: Option<Object<GlobalOptions>>,
    by_length: Option<Object<LengthOptions>>,
    #[serde(default)]
    drop_remainder: bool,
    #[serde(default)]
    across_epochs: bool,
    /// Null: infinite.
    #[serde(default = "one_epoch")]
    epochs: Option<NonZeroU64>,
    #[serde(default)]
    start_epoch: u64,
    /// The first row, and the row after the last one.
    rows: Option<(u64, u64)>,
    #[serde(default)]
    shuffle_buffer_size: usize,
    seed: Option<u64>,
    /// Index and count.
    shard: Option<(u64, u64)>,
    threads: Option<NonZeroUsize>,
    #[serde(default)]
    decodes_ahead: bool,
    prefetch_bytes: Option<usize>,
    #[serde(default)]
    on_error: OnErrorName,
    #[serde(default)]
    file_match: FileMatchName,
}

fn one_epoch() -> Option<NonZeroU64> {
    IterationOptions::default().epochs
}

/// The fields of [`GlobalBatches`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GlobalOptions {
    size: usize,
    streams: Option<u64>,
    even: Option<EvenName>,
    turn: Option<(u64, u64)>,
}

/// The fields of [`LengthBatches`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LengthOptions {
    column: String,
    window: usize,
    #[serde(default)]
    boundaries: Vec<u64>,
    max_tokens: Option<NonZeroU64>,
    pack_to: Option<NonZeroUsize>,
    #[serde(default)]
    takes_turns: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EvenName {
    Drop,
    Repeat,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnErrorName {
    #[default]
    Raise,
    SkipBlock,
    SkipFile,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FileMatchName {
    #[default]
    Names,
    Contents,
}

impl From<OnErrorName> for OnError {
    fn from(name: OnErrorName) -> Self {
        match name {
            OnErrorName::Raise => Self::Raise,
            OnErrorName::SkipBlock => Self::SkipBlock,
            OnErrorName::SkipFile => Self::SkipFile,
        }
    }
}

/// Parses the options of an iteration. `None`: the defaults.
pub(crate) fn parse(text: Option<&str>, interrupt: Option<Interrupt>) -> Result<IterationOptions, Error> {
    let given: Given = super::parse(text.unwrap_or("{}"), "options")?;
    let defaults = IterationOptions::default();
    let (first, end) = given.rows.unwrap_or((defaults.rows.start, defaults.rows.end));
    Ok(IterationOptions {
        batch_size: given.batch_size.unwrap_or(defaults.batch_size),
        global: given.global.map(|Object(given)| global(given)),
        by_length: given.by_length.map(|Object(given)| by_length(given)),
        drop_remainder: given.drop_remainder,
        across_epochs: given.across_epochs,
        epochs: given.epochs,
        start_epoch: given.start_epoch,
        rows: first..end,
        shuffle_buffer_size: given.shuffle_buffer_size,
        seed: given.seed,
        shard: given.shard.unwrap_or(defaults.shard),
        threads: given.threads,
        decodes_ahead: given.decodes_ahead,
        prefetch_bytes: given.prefetch_bytes.unwrap_or(defaults.prefetch_bytes),
        on_error: given.on_error.into(),
        file_match: match given.file_match {
            FileMatchName::Names => FileMatch::Names,
            FileMatchName::Contents => FileMatch::Contents,
        },
        interrupt,
    })
}

fn global(given: GlobalOptions) -> GlobalBatches {
    let defaults = GlobalBatches::new(given.size);
    GlobalBatches {
        streams: given.streams.unwrap_or(defaults.streams),
        even: given.even.map(|even| match even {
            EvenName::Drop => Even::Drop,
            EvenName::Repeat => Even::Repeat,
        }),
        turn: given.turn.unwrap_or(defaults.turn),
        ..defaults
    }
}

fn by_length(given: LengthOptions) -> LengthBatches {
    let LengthOptions { column, window, boundaries, max_tokens, pack_to, takes_turns } = given;
    LengthBatches { column, boundaries, max_tokens, pack_to, window, takes_turns }
}
