//! Bloom filters, which tell that no row of a row group has a value.

use std::collections::HashMap;

use arrow_array::UInt32Array;
use arrow_schema::DataType;
use arrowfeed_predicate::Literal;
use arrowfeed_source::FeedErrorKind;
use parquet::basic::Type;
use parquet::bloom_filter::Sbbf;

use super::FileFilter;
use super::bounds::{Bounds, Leaf, Place};
use crate::bytes::{SourceBytes, guarded};

impl FileFilter {
    /// Whether a row of the row group may pass by its bloom filters and its statistics.
    pub(super) fn may_pass_bloom_filters(&self, bytes: &SourceBytes, group: usize) -> bool {
        let filters: HashMap<usize, (&Leaf, Sbbf)> = self
            .filter
            .outcomes
            .compared_for_equality()
            .into_iter()
            .filter_map(|column| {
                let Place::Leaf(leaf) = &self.places[column] else { return None };
                let chunk = self.file.metadata().metadata().row_group(group).columns().get(leaf.number)?;
                let read = || Sbbf::read_from_column_chunk(chunk, bytes);
                let filter = guarded(FeedErrorKind::Format, "a bloom filter", read).ok().flatten()?;
                (filter.num_blocks() > 0).then_some((column, (leaf, filter)))
            })
            .collect();
        let number = u32::try_from(group).map(|group| UInt32Array::from(vec![group]));
        let (false, Ok(number)) = (filters.is_empty(), number) else { return true };
        let bounds: Vec<Option<Bounds>> =
            self.bounds.iter().map(|bounds| bounds.as_ref()?.take(&number)).collect();
        let is_absent = |column: usize, literal: &Literal| {
            filters.get(&column).is_some_and(|(leaf, filter)| is_absent(filter, leaf, literal))
        };
        self.filter.outcomes.may_pass(&bounds, 1, &is_absent).value(0)
    }
}

/// Whether a filter says that no value of the column is the literal. Only integers, strings and bytes are looked up: other values
/// have several representations, or one that the schema does not tell.
fn is_absent(filter: &Sbbf, leaf: &Leaf, literal: &Literal) -> bool {
    let from = leaf.field.data_type();
    match literal {
        Literal::Number(number) if from.is_integer() => {
            let Ok(number) = number.to_string().parse::<i64>() else { return false };
            match physical_integer(from) {
                Type::INT32 => match (i32::try_from(number), u32::try_from(number)) {
                    (Ok(number), _) => !filter.check(&number),
                    (_, Ok(number)) => !filter.check(&number.cast_signed()),
                    _ => false,
                },
                _ => !filter.check(&number),
            }
        }
        Literal::String(text) if is_bytes(from) => !filter.check(text.as_str()),
        Literal::Binary(bytes) if is_bytes(from) => !filter.check(bytes.as_slice()),
        _ => false,
    }
}

/// The type that stores integers.
fn physical_integer(data_type: &DataType) -> Type {
    match data_type {
        DataType::Int64 | DataType::UInt64 => Type::INT64,
        _ => Type::INT32,
    }
}

fn is_bytes(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}
