//! The kinds of the features that records have.

use std::collections::BTreeMap;

use arrowfeed_source::{FeedError, FeedErrorKind};

use super::entry::Entry;
use super::kind::{Feature, Kind};
use crate::wire::Malformed;

/// The features of the maps of records, in the order of their names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds {
    /// `None`: no record had a list.
    kinds: BTreeMap<String, Option<Kind>>,
}

/// The features of the map of one record. Of several entries with one name, the last one counts.
#[derive(Debug, Default)]
pub(crate) struct RecordKinds {
    features: BTreeMap<String, Found>,
}

/// What a feature has.
#[derive(Debug, Default)]
struct Found {
    /// The kind of its first list; `None`: it has no list.
    kind: Option<Kind>,
    /// The kind of the first step that has another one.
    other: Option<Kind>,
}

impl RecordKinds {
    /// Adds an entry whose value is a `Feature`.
    ///
    /// # Errors
    /// It is no message.
    pub(crate) fn add_feature(&mut self, entry: &[u8]) -> Result<(), Malformed> {
        let mut parts = Vec::new();
        let entry = Entry::read(entry, &mut parts)?;
        let found = Found { kind: entry.kind()?, other: None };
        self.add(&entry, found);
        Ok(())
    }

    /// Adds an entry whose value is a `FeatureList`.
    ///
    /// # Errors
    /// It is no message.
    pub(crate) fn add_feature_list(&mut self, entry: &[u8]) -> Result<(), Malformed> {
        let mut parts = Vec::new();
        let entry = Entry::read(entry, &mut parts)?;
        let mut found = Found::default();
        entry.each_kind(|kind| match found.kind {
            None => found.kind = Some(kind),
            Some(first) if first != kind => found.other = found.other.or(Some(kind)),
            Some(_) => {}
        })?;
        self.add(&entry, found);
        Ok(())
    }

    fn add(&mut self, entry: &Entry<'_>, found: Found) {
        // The name was checked with the value.
        self.features.insert(String::from_utf8_lossy(entry.name).into_owned(), found);
    }
}

impl Kinds {
    /// # Errors
    /// A feature has another kind than in a record before, or steps of several kinds. The error names the feature.
    pub(crate) fn check(&self, record: &RecordKinds) -> Result<(), FeedError> {
        for (name, found) in &record.features {
            let wrong = |expected: Kind, before: &str, found: Kind| {
                let (expected, found) = (expected.name(), found.name());
                let message = format!("expected values of {expected}, as in {before} before, found {found}");
                FeedError::new(FeedErrorKind::CorruptBlock, message).in_field(name)
            };
            let Some(kind) = found.kind else { continue };
            if let Some(known) = self.kinds.get(name).copied().flatten()
                && let Some(other) = [Some(kind), found.other].into_iter().flatten().find(|it| *it != known)
            {
                return Err(wrong(known, "records", other));
            }
            if let Some(other) = found.other {
                return Err(wrong(kind, "steps", other));
            }
        }
        Ok(())
    }

    /// Adds the features of a record, which was [checked](Self::check).
    pub(crate) fn add(&mut self, record: RecordKinds) {
        for (name, found) in record.features {
            let kind = self.kinds.entry(name).or_default();
            *kind = kind.or(found.kind);
        }
    }

    /// The features that had a list.
    pub(crate) fn features(&self) -> Vec<Feature> {
        let known = self.iter().filter_map(|(name, kind)| Some((name, kind?)));
        known.map(|(name, kind)| Feature { name: name.to_owned(), kind }).collect()
    }

    /// The names of the features without a list.
    pub(crate) fn without_kind(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|(_, kind)| kind.is_none()).map(|(name, _)| name)
    }

    /// All features; `None`: without a list.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Option<Kind>)> {
        self.kinds.iter().map(|(name, kind)| (name.as_str(), *kind))
    }
}
