//! Inference of the kinds of features from records.

use std::collections::BTreeMap;

use arrowfeed_source::{FeedError, FeedErrorKind};

use super::entry::Entry;
use super::kind::{Feature, FeatureKind};
use crate::wire::Malformed;

/// The features of the observed records, sorted by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds {
    /// The kinds by name; `None` if no record had a list.
    kinds: BTreeMap<String, Option<FeatureKind>>,
}

/// The features of the map of one record. If several entries have the same name, the last one counts.
#[derive(Debug, Default)]
pub(crate) struct RecordKinds {
    features: BTreeMap<String, FoundKinds>,
}

/// The kinds of the lists of a feature.
#[derive(Debug, Default)]
struct FoundKinds {
    /// The kind of the feature, or of the first step that has a list; `None` if there is no list.
    kind: Option<FeatureKind>,
    /// The kind of the first step that has another kind.
    other: Option<FeatureKind>,
}

impl RecordKinds {
    /// Adds an entry whose value is a `Feature`.
    ///
    /// # Errors
    /// The entry is not a valid message.
    pub(crate) fn add_feature(&mut self, entry: &[u8]) -> Result<(), Malformed> {
        let mut parts = Vec::new();
        let entry = Entry::read(entry, &mut parts)?;
        let found = FoundKinds { kind: entry.kind()?, other: None };
        self.add(&entry, found);
        Ok(())
    }

    /// Adds an entry whose value is a `FeatureList`.
    ///
    /// # Errors
    /// The entry is not a valid message.
    pub(crate) fn add_feature_list(&mut self, entry: &[u8]) -> Result<(), Malformed> {
        let mut parts = Vec::new();
        let entry = Entry::read(entry, &mut parts)?;
        let mut found = FoundKinds::default();
        entry.each_kind(|kind| match found.kind {
            None => found.kind = Some(kind),
            Some(first) if first != kind => found.other = found.other.or(Some(kind)),
            Some(_) => {}
        })?;
        self.add(&entry, found);
        Ok(())
    }

    fn add(&mut self, entry: &Entry<'_>, found: FoundKinds) {
        // The name is valid UTF-8: it was checked with the value.
        self.features.insert(String::from_utf8_lossy(entry.name).into_owned(), found);
    }
}

impl Kinds {
    /// Checks the features of a record against those of earlier records.
    ///
    /// # Errors
    /// A feature has another kind than in an earlier record, or steps of several kinds. The error names the feature.
    pub(crate) fn check(&self, record: &RecordKinds) -> Result<(), FeedError> {
        for (name, found) in &record.features {
            let wrong = |expected: FeatureKind, before: &str, found: FeatureKind| {
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

    /// The features of all records, those that never had a list with the kind [`FeatureKind::Null`].
    pub(crate) fn features(&self) -> Vec<Feature> {
        let features = self.kinds.iter();
        features
            .map(|(name, kind)| Feature { name: name.clone(), kind: kind.unwrap_or(FeatureKind::Null) })
            .collect()
    }
}
