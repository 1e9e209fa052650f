//! Conversion of keyword arguments to the options of an iteration.

use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed::IterationOptions;
use arrowfeed::dataset::{Even, GlobalBatches, LengthBatches};
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::argument::{BY_LENGTH, FILTER, flag, found, integer, items, unexpected_keyword, wrong_type};
use crate::argument_types::Argument;
use crate::dataset::by_length::ByLength;

/// Options for which other libraries have other names.
const ITERATION: [&str; 6] =
    [BY_LENGTH, "shuffle_buffer_size", "drop_remainder", "epochs", "batch_size", FILTER];

/// Parses the keyword arguments of `function`.
pub(crate) fn iteration_options(
    function: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<IterationOptions> {
    let mut given = Given::new();
    for (name, value) in keywords.into_iter().flatten() {
        let name = name.extract::<String>()?;
        if !set(&mut given, &name, &value)? {
            return Err(unexpected_keyword(function, &name, |name| ITERATION.contains(&name)));
        }
    }
    let options = given.options(function)?;
    if options.shuffle_buffer_size > 0 && options.shard.1 > 1 && options.seed.is_none() {
        return Err(PyValueError::new_err("seed: expected an integer, the same for all shards, found None"));
    }
    Ok(options)
}

/// The value of `even`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EvenArgument {
    /// "drop" for `shard="auto"`, otherwise None.
    Auto,
    Drop,
    Repeat,
}

choices! { EvenArgument { "drop" = Drop, "repeat" = Repeat, "auto" = Auto } }

/// Options that were given.
struct Given<'py> {
    options: IterationOptions,
    batch_size: Option<Bound<'py, PyAny>>,
    by_length: Option<ByLength>,
    global_batch_size: Option<usize>,
    streams: u64,
    even: Option<EvenArgument>,
    turn: (u64, u64),
    is_auto: bool,
}

impl Given<'_> {
    fn new() -> Self {
        let GlobalBatches { streams, turn, .. } = GlobalBatches::new(0);
        let (options, even) = (IterationOptions::default(), Some(EvenArgument::Auto));
        Self {
            options,
            batch_size: None,
            by_length: None,
            global_batch_size: None,
            streams,
            even,
            turn,
            is_auto: false,
        }
    }

    fn options(mut self, function: &str) -> PyResult<IterationOptions> {
        let has_budget = self.by_length.as_ref().is_some_and(ByLength::has_budget);
        let by_length = self.by_length()?;
        let Self { options, batch_size, global_batch_size, streams, even, turn, is_auto, .. } = self;
        let options = IterationOptions { by_length, ..options };
        let refused = |message: &str| Err(PyValueError::new_err(message.to_owned()));
        let Some(size) = global_batch_size else {
            if streams != GlobalBatches::new(0).streams {
                return refused("streams: expected global_batch_size= too, which has rows of each stream");
            }
            if even.is_some_and(|even| even != EvenArgument::Auto) && options.by_length.is_none() {
                return refused("even: expected global_batch_size= too, found batch_size=");
            }
            // With a budget, None is the default.
            let Some(batch_size) = batch_size.filter(|size| !has_budget || !size.is_none()) else {
                if has_budget {
                    return Ok(IterationOptions { batch_size: usize::MAX, ..options });
                }
                let message = format!("{function}() missing 1 required keyword-only argument: 'batch_size'");
                return Err(PyTypeError::new_err(message));
            };
            return Ok(IterationOptions { batch_size: integer("batch_size", 1, &batch_size)?, ..options });
        };
        if batch_size.is_some_and(|batch_size| !batch_size.is_none()) {
            return refused(
                "global_batch_size: expected either batch_size= or global_batch_size=, found both",
            );
        }
        let even = match even {
            // Processes with different numbers of steps would wait for each other without end.
            Some(EvenArgument::Auto) => is_auto.then_some(Even::Drop),
            Some(EvenArgument::Drop) => Some(Even::Drop),
            Some(EvenArgument::Repeat) => Some(Even::Repeat),
            None => None,
        };
        let global = GlobalBatches { size, streams, even, turn };
        Ok(IterationOptions { global: Some(global), ..options })
    }
}

impl Given<'_> {
    /// The options of batches by length.
    fn by_length(&mut self) -> PyResult<Option<LengthBatches>> {
        let Some(by_length) = self.by_length.take() else { return Ok(None) };
        if self.even == Some(EvenArgument::Repeat) {
            let message = "even: expected \"drop\" or None with batches=ByLength(...), found \"repeat\"";
            return Err(PyValueError::new_err(message));
        }
        let size = self.batch_size.as_ref().filter(|size| !size.is_none());
        let size = size.map(|size| integer("batch_size", 1, size)).transpose()?;
        let takes_turns = self.even == Some(EvenArgument::Drop);
        Ok(Some(LengthBatches { takes_turns, ..by_length.options(size) }))
    }
}

/// Whether a seed has no effect, because rows are not shuffled. The order of a mixture depends on its seed.
fn has_unused_seed(options: &IterationOptions, is_mixture: bool) -> bool {
    options.seed.is_some() && options.shuffle_buffer_size == 0 && !is_mixture
}

/// Warns of a seed that has no effect.
///
/// # Errors
/// A filter of Python turns the warning into an exception.
pub(super) fn warn_of_unused_seed(
    py: Python<'_>,
    options: &IterationOptions,
    is_mixture: bool,
) -> PyResult<()> {
    if !has_unused_seed(options, is_mixture) {
        return Ok(());
    }
    let message = c"seed: expected shuffle_buffer_size= too, because a seed alone does not shuffle the rows";
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), message, 1)
}

/// Removes a seed that has no effect from the options of a framework, and warns of it: so the iterations do not warn again.
pub(super) fn without_unused_seed<'py>(
    options: Option<Bound<'py, PyDict>>,
    parsed: &IterationOptions,
    is_mixture: bool,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    match options {
        Some(options) if has_unused_seed(parsed, is_mixture) => {
            warn_of_unused_seed(options.py(), parsed, is_mixture)?;
            let options = options.copy()?;
            options.del_item("seed")?;
            Ok(Some(options))
        }
        options => Ok(options),
    }
}

/// Sets one option. Returns false if the option does not exist.
fn set<'py>(found: &mut Given<'py>, name: &str, value: &Bound<'py, PyAny>) -> PyResult<bool> {
    let given = Some(value).filter(|value| !value.is_none());
    let options = &mut found.options;
    match name {
        "batch_size" => found.batch_size = Some(value.clone()),
        "batches" => {
            let by_length = given.map(|value| {
                let by_length = value.cast::<ByLength>();
                by_length
                    .map(|by_length| by_length.get().clone())
                    .map_err(|_| wrong_type(name, "a ByLength", value))
            });
            found.by_length = by_length.transpose()?;
        }
        "global_batch_size" => {
            found.global_batch_size = given.map(|value| integer(name, 1, value)).transpose()?;
        }
        "streams" => found.streams = integer(name, 1, value)?,
        "even" => found.even = given.map(|value| EvenArgument::parse(name, value)).transpose()?,
        MATCH => options.file_match = Argument::parse("match", value)?,
        TURN => found.turn = value.extract()?,
        "drop_remainder" => options.drop_remainder = flag(name, value)?,
        "across_epochs" => options.across_epochs = flag(name, value)?,
        "epochs" => {
            options.epochs =
                given.map(|value| integer(name, 1, value)).transpose()?.and_then(NonZeroU64::new);
        }
        "start_epoch" => options.start_epoch = integer(name, 0, value)?,
        "shuffle_buffer_size" => options.shuffle_buffer_size = integer(name, 0, value)?,
        "seed" => options.seed = given.map(|value| integer(name, 0, value)).transpose()?,
        "shard" => {
            options.shard = shard(name, value)?;
            found.is_auto = is_auto(value);
        }
        "threads" => {
            options.threads =
                given.map(|value| integer(name, 1, value)).transpose()?.and_then(NonZeroUsize::new);
        }
        "prefetch_bytes" => options.prefetch_bytes = integer(name, 0, value)?,
        "on_error" => options.on_error = Argument::parse(name, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The option with which the workers of a `DataLoader` take turns: see [`GlobalBatches::turn`].
const TURN: &str = "_turn";

/// The option for checkpoints that a framework loads: how files are compared.
const MATCH: &str = "_match";

/// The value of `shard` for the shard that the launcher or a framework assigns to this process.
const AUTO: &str = "auto";

/// Replaces `shard="auto"` by the shard of this process, and sets the default of `even` for it, for iterations that start
/// later or in another process.
pub(super) fn with_known_shard<'py>(
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(options) = options else { return Ok(None) };
    match options.get_item("shard")? {
        Some(shard) if is_auto(&shard) => {
            let options = options.copy()?;
            options.set_item("shard", shard_of_process(options.py())?)?;
            let is_global = options.get_item("global_batch_size")?.is_some_and(|size| !size.is_none());
            let even = options.get_item("even")?;
            if is_global && even.is_none_or(|even| is_auto(&even)) {
                options.set_item("even", "drop")?;
            }
            Ok(Some(options))
        }
        _ => Ok(Some(options.clone())),
    }
}

fn is_auto(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<PyString>().is_ok_and(|text| text == AUTO)
}

fn shard_of_process(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("arrowfeed._sharding")?.call_method0("shard_of_process")
}

fn shard(name: &str, value: &Bound<'_, PyAny>) -> PyResult<(u64, u64)> {
    if is_auto(value) {
        return shard_of_process(value.py())?.extract();
    }
    let expected = "\"auto\", or a pair of the index of this shard and the number of shards";
    let Some([index, count]) = items(value).and_then(|items| <[_; 2]>::try_from(items).ok()) else {
        return Err(wrong_type(name, expected, value));
    };
    let (index, count) = (integer::<u64>(name, 0, &index)?, integer::<u64>(name, 1, &count)?);
    if index >= count {
        let message = format!("{name}: expected an index below the count, found {}", found(value));
        return Err(PyValueError::new_err(message));
    }
    Ok((index, count))
}
