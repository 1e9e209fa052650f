//! The dictionaries that are in effect for a record batch.
//!
//! A message replaces a dictionary, or adds values to it. In a stream, the messages before a record batch apply to it; in a
//! file, all of them. A decoder may start at any record batch, so the values for the last few of them are kept.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed_source::io::OpenFile;
use arrowfeed_source::{FeedError, FeedErrorKind, ForkLock, Limits, thousands};

use crate::batch::{Dictionaries, read_columns};
use crate::index::DictionaryPlace;
use crate::message::guarded;
use crate::schema::dictionaries;

/// Number of states that are kept: threads read neighbouring record batches.
const KEPT: usize = 4;

/// The dictionaries of the columns that are read from a file.
#[derive(Debug)]
pub(crate) struct FileDictionaries {
    /// The type of the values of each dictionary.
    types: HashMap<i64, DataType>,
    /// Whether some values contain dictionaries. They then depend on all messages before them.
    are_nested: bool,
    /// The values after some messages; the last used one is the last.
    kept: ForkLock<Vec<DictionaryValues>>,
}

/// The values after the messages with these numbers.
#[derive(Debug, Clone)]
struct DictionaryValues {
    messages: Vec<usize>,
    values: Arc<Dictionaries>,
}

impl FileDictionaries {
    /// The dictionaries of some columns.
    pub(crate) fn new<'a>(columns: impl Iterator<Item = &'a Field>) -> Self {
        let mut types = HashMap::new();
        columns.for_each(|field| dictionaries(field, &mut types));
        let are_nested = types.values().any(|values| {
            let mut inner = HashMap::new();
            dictionaries(&Field::new("", values.clone(), true), &mut inner);
            !inner.is_empty()
        });
        Self { types, are_nested, kept: ForkLock::default() }
    }

    /// The ranges of the messages that the values after all messages depend on, unless they have been read.
    pub(crate) fn ranges(&self, places: &[DictionaryPlace]) -> Vec<Range<u64>> {
        let needed = self.needed(places);
        let is_known = |kept: &mut Vec<DictionaryValues>| kept.iter().any(|state| state.messages == needed);
        if self.kept.with(is_known).unwrap_or(false) {
            return Vec::new();
        }
        needed.iter().map(|message| places[*message].place.offset..places[*message].place.end).collect()
    }

    /// The values after the first `count` messages.
    ///
    /// # Errors
    /// A message is invalid; a limit is reached; an I/O error.
    pub(crate) fn after(
        &self,
        file: &OpenFile,
        places: &[DictionaryPlace],
        count: usize,
        limits: &Limits,
    ) -> Result<Arc<Dictionaries>, FeedError> {
        let needed = self.needed(&places[..count.min(places.len())]);
        if needed.is_empty() {
            return Ok(Arc::default());
        }
        let longest = |kept: &mut Vec<DictionaryValues>| {
            let usable = kept.iter().filter(|state| needed.starts_with(&state.messages));
            usable.max_by_key(|state| state.messages.len()).cloned()
        };
        let found = self.kept.with(longest).flatten();
        let (done, values) = found.map_or((0, Arc::default()), |state| (state.messages.len(), state.values));
        if done == needed.len() {
            return Ok(values);
        }
        let mut values = (*values).clone();
        for message in &needed[done..] {
            let place = &places[*message];
            self.apply(file, place, &mut values, limits)
                .map_err(|error| error.at_offset(place.place.offset))?;
        }
        let state = DictionaryValues { messages: needed, values: Arc::new(values) };
        let values = state.values.clone();
        self.kept.with(|kept| {
            if kept.len() == KEPT {
                kept.remove(0);
            }
            kept.push(state);
        });
        Ok(values)
    }

    /// The numbers of the messages that the values depend on: the last one that replaces each dictionary, and the additions
    /// after it.
    fn needed(&self, places: &[DictionaryPlace]) -> Vec<usize> {
        let mut complete = HashSet::new();
        let mut needed = Vec::new();
        for (number, place) in places.iter().enumerate().rev() {
            if !self.types.contains_key(&place.id) || (!self.are_nested && complete.contains(&place.id)) {
                continue;
            }
            needed.push(number);
            if !place.is_delta {
                complete.insert(place.id);
            }
        }
        needed.reverse();
        needed
    }

    fn apply(
        &self,
        file: &OpenFile,
        place: &DictionaryPlace,
        values: &mut Dictionaries,
        limits: &Limits,
    ) -> Result<(), FeedError> {
        let changed = || {
            let message =
                "expected the dictionary that was there when the file was opened, found another message";
            FeedError::new(FeedErrorKind::Changed, message)
        };
        let found = place.place.read(file, limits)?.ok_or_else(changed)?;
        let message = found.get(limits)?;
        let dictionary = message.header_as_dictionary_batch().ok_or_else(changed)?;
        let (Some(batch), Some(of)) = (dictionary.data(), self.types.get(&place.id)) else {
            return Err(FeedError::new(
                FeedErrorKind::CorruptBlock,
                "expected values of a dictionary, found none",
            ));
        };
        let schema: SchemaRef = Arc::new(Schema::new(vec![Field::new("", of.clone(), true)]));
        let columns = read_columns(file, &found, batch, message.version(), (&schema, &[0]), values, limits)?;
        let Some(mut read) = columns.into_iter().next() else { return Ok(()) };
        if place.is_delta {
            let expected = "values that can be added to a dictionary";
            let Some(before) = values.get(&place.id) else {
                let message =
                    format!("expected a dictionary of number {} before values for it, found none", place.id);
                return Err(FeedError::new(FeedErrorKind::CorruptBlock, message));
            };
            read = guarded(FeedErrorKind::CorruptBlock, expected, || {
                arrowfeed_select::concat(&[before, &read])
            })?;
        }
        values.insert(place.id, read);
        let bytes: usize = values.values().map(|values| values.get_array_memory_size()).sum();
        let most = limits.batch_bytes;
        if bytes > most {
            let (most, bytes) = (thousands(most as u64), thousands(bytes as u64));
            let message = format!("expected dictionaries of at most {most} bytes, found {bytes}");
            return Err(FeedError::limit_reached("batch_bytes", message));
        }
        Ok(())
    }
}
