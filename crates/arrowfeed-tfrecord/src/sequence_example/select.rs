//! Selection of features by field paths.

use std::collections::{HashMap, HashSet};

use arrow_schema::{FieldRef, Schema, SchemaRef};
use arrowfeed_source::FeedError;
use arrowfeed_source::field_path::{after_step, first_steps};
use arrowfeed_source::format::each_named_column;

use super::decoder::{SequenceExampleDecoder, SequenceFeatures};
use crate::example::{Feature, UnknownFeatures};

impl SequenceFeatures {
    /// Selects the features of field paths, such as `user`, `##SEQUENCE##` and `##SEQUENCE##.token`, and returns them with
    /// the schema of their columns. Columns are in the order of first mention; the fields of the struct keep the order that
    /// they have in `self`.
    ///
    /// # Errors
    /// A path does not match a feature; the features are not valid for a decoder.
    pub(crate) fn select(&self, paths: &[String]) -> Result<(Self, SchemaRef), FeedError> {
        let whole = SequenceExampleDecoder::new(self, UnknownFeatures::Check)?.schema().clone();
        let (mut order, mut context, mut read) = (Vec::new(), Vec::new(), vec![false; self.sequence.len()]);
        let steps = self.sequence.iter().map(|feature| feature.name.as_str()).zip(0..);
        let steps: HashMap<&str, usize> = steps.collect();
        let mut seen = HashSet::new();
        for (path, number) in paths.iter().zip(each_named_column(&whole, paths)) {
            let number = number?;
            if seen.insert(number) {
                order.push(number);
                context.extend(self.context.get(number).cloned());
            }
            if number == self.context.len() {
                let rest = after_step(path, &self.sequence_column).unwrap_or_default();
                // A feature has no fields, so its name is the rest of the path.
                let named = first_steps(rest).filter(|(_, rest)| rest.is_empty());
                let named = named.filter_map(|(name, _)| steps.get(&*name).copied());
                let found: Vec<usize> =
                    if rest.is_empty() { (0..read.len()).collect() } else { named.collect() };
                found.into_iter().for_each(|number| read[number] = true);
            }
        }
        let sequence = self.sequence.iter().zip(read).filter(|(_, read)| *read);
        let sequence: Vec<Feature> = sequence.map(|(feature, _)| feature.clone()).collect();
        let selected = Self { context, sequence, sequence_column: self.sequence_column.clone() };
        let decoded = SequenceExampleDecoder::new(&selected, UnknownFeatures::Skip)?.schema().clone();
        let by_name: HashMap<&String, &FieldRef> =
            decoded.fields().iter().map(|field| (field.name(), field)).collect();
        let fields = order.iter().filter_map(|number| by_name.get(whole.field(*number).name()));
        let schema = Schema::new(fields.map(|field| (*field).clone()).collect::<Vec<_>>());
        Ok((selected, schema.into()))
    }
}
