//! Selection of features by field paths.

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::field_path::after_step;
use arrowfeed_source::format::named_columns;
use arrowfeed_source::{FeedError, FeedErrorKind, quoted};

use super::decoder::{SequenceExampleDecoder, SequenceFeatures};
use crate::example::{Feature, Unlisted};

impl SequenceFeatures {
    /// Selects the features of field paths, such as `user`, `##SEQUENCE##` and `##SEQUENCE##.token`, and returns them with
    /// the schema of their columns. Columns are in the order of first mention; the fields of the struct keep the order that
    /// they have in `self`.
    ///
    /// # Errors
    /// A path does not match a feature; the features are not valid for a decoder.
    pub(crate) fn select(&self, paths: &[String]) -> Result<(Self, SchemaRef), FeedError> {
        let whole = SequenceExampleDecoder::new(self, Unlisted::Check)?.schema().clone();
        let (mut order, mut context, mut read) = (Vec::new(), Vec::new(), vec![false; self.sequence.len()]);
        for path in paths {
            let number = named_columns(&whole, std::slice::from_ref(path))?[0];
            if !order.contains(&number) {
                order.push(number);
                context.extend(self.context.get(number).cloned());
            }
            if number == self.context.len() {
                let rest = after_step(path, &self.sequence_column).unwrap_or_default();
                let mut found = false;
                for (feature, read) in self.sequence.iter().zip(&mut read) {
                    if rest.is_empty() || after_step(rest, &feature.name).is_some() {
                        (found, *read) = (true, true);
                    }
                }
                if !found {
                    return Err(self.not_found(path));
                }
            }
        }
        let sequence = self.sequence.iter().zip(read).filter(|(_, read)| *read);
        let sequence: Vec<Feature> = sequence.map(|(feature, _)| feature.clone()).collect();
        let selected = Self { context, sequence, sequence_column: self.sequence_column.clone() };
        let decoded = SequenceExampleDecoder::new(&selected, Unlisted::Skip)?.schema().clone();
        let fields = order.iter().filter_map(|number| decoded.fields().find(whole.field(*number).name()));
        let schema = Schema::new(fields.map(|(_, field)| field.clone()).collect::<Vec<_>>());
        Ok((selected, schema.into()))
    }

    #[cold]
    fn not_found(&self, path: &str) -> FeedError {
        let names: Vec<String> = self.sequence.iter().map(|feature| quoted(&feature.name)).collect();
        let message = format!("expected a feature of the steps, one of {}, found none", names.join(", "));
        FeedError::new(FeedErrorKind::Schema, message).in_field(path)
    }
}
