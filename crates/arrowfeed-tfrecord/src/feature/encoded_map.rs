//! Encoding of columns as a feature map.

use arrow_array::ArrayRef;
use arrowfeed_source::FeedError;

use super::encoded::{FIRST, Sizes, VALUE, WITHOUT_LIST, field_len};
use super::encoded_column::EncodedColumn;
use crate::wire::push_head;

/// The columns that become the features of records, in this order.
#[derive(Debug)]
pub(crate) struct EncodedFeatures {
    columns: Vec<(String, EncodedColumn)>,
    /// Sizes of the features of the current row.
    sizes: Vec<Option<Sizes>>,
    null_features: bool,
}

impl EncodedFeatures {
    /// Converts columns to features.
    ///
    /// # Errors
    /// As in [`EncodedColumn::new`]. The error names the column.
    pub(crate) fn new<'a>(columns: impl Iterator<Item = (&'a str, &'a ArrayRef)>) -> Result<Self, FeedError> {
        let mut features = Vec::new();
        for (name, column) in columns {
            let encoded = EncodedColumn::new(column).map_err(|error| error.in_field(name))?;
            features.extend(encoded.map(|encoded| (name.to_owned(), encoded)));
        }
        Ok(Self { columns: features, sizes: Vec::new(), null_features: false })
    }

    /// Sets whether a null row has a feature without a list.
    pub(crate) fn with_null_features(self, null_features: bool) -> Self {
        Self { null_features, ..self }
    }

    /// Appends field 1 of a message: the map of a row, unless it is empty.
    pub(crate) fn push(&mut self, row: usize, message: &mut Vec<u8>) {
        let Self { columns, sizes, null_features } = self;
        let null = null_features.then_some(WITHOUT_LIST);
        sizes.clear();
        sizes.extend(columns.iter().map(|(_, column)| column.sizes(row).or(null)));
        let entry = |name: &str, sizes: &Sizes| field_len(name.len()) + field_len(sizes.feature);
        let features = columns.iter().zip(&*sizes);
        let features = features.filter_map(|((name, column), sizes)| Some((name, column, sizes.as_ref()?)));
        let bytes: usize = features.clone().map(|(name, _, sizes)| field_len(entry(name, sizes))).sum();
        if bytes > 0 {
            push_head(message, FIRST, bytes);
        }
        for (name, column, sizes) in features {
            push_head(message, FIRST, entry(name, sizes));
            push_head(message, FIRST, name.len());
            message.extend_from_slice(name.as_bytes());
            push_head(message, VALUE, sizes.feature);
            column.push(row, *sizes, message);
        }
    }
}
