//! The number of rows of a batch, if the caller does not ask for one.

use arrow_schema::{DataType, Schema};

/// Number of rows of a batch of short rows.
pub const DEFAULT_BATCH_ROWS: usize = 8192;

/// Least number of rows. The first rows of a file may be much longer than all others.
const MIN_BATCH_ROWS: u64 = 256;

/// Size in bytes of a batch of long rows. A batch that leaves the cache of its core before it is complete is slower: 8,192
/// rows of 2.7 kB took 2.2 times as long as 1,024 rows on two threads, and 1.14 times as long on one.
const BATCH_BYTES: u64 = 2 << 20;

/// Size in bytes of a column in a batch of many columns, which may be larger than [`BATCH_BYTES`]. Each array of a batch costs
/// about half a microsecond.
const COLUMN_BYTES: u64 = 2 << 10;

/// The number of rows of a batch, a power of two. `row_bytes` is the result of
/// [`FormatFile::row_bytes`](crate::format::FormatFile::row_bytes) for the first file.
pub(super) fn batch_rows(row_bytes: Option<u64>, schema: &Schema) -> usize {
    let (columns, fixed_bytes) = sums(schema.fields().iter().map(|field| field.data_type()));
    let row_bytes = row_bytes.unwrap_or(0).max(fixed_bytes).max(1);
    let rows = BATCH_BYTES.max(COLUMN_BYTES.saturating_mul(columns)).div_ceil(row_bytes);
    rows.clamp(MIN_BATCH_ROWS, DEFAULT_BATCH_ROWS as u64).next_power_of_two() as usize
}

/// The number of arrays without children of a type, and the size of one of its rows, without the items of lists and
/// the bytes of text.
fn columns_and_bytes(data_type: &DataType) -> (u64, u64) {
    use DataType::{
        Dictionary, FixedSizeBinary, FixedSizeList, LargeList, LargeListView, List, ListView, Map,
        RunEndEncoded, Struct, Union,
    };
    match data_type {
        Struct(fields) => sums(fields.iter().map(|field| field.data_type())),
        Union(fields, _) => sums(fields.iter().map(|(_, field)| field.data_type())),
        List(item) | LargeList(item) | ListView(item) | LargeListView(item) | Map(item, _) => {
            (columns_and_bytes(item.data_type()).0, 8)
        }
        FixedSizeList(item, length) => {
            let (columns, bytes) = columns_and_bytes(item.data_type());
            (columns, bytes.saturating_mul(u64::try_from(*length).unwrap_or(0)))
        }
        FixedSizeBinary(length) => (1, u64::try_from(*length).unwrap_or(0)),
        Dictionary(keys, _) => columns_and_bytes(keys),
        RunEndEncoded(_, values) => columns_and_bytes(values.data_type()),
        other => (1, other.primitive_width().unwrap_or(8) as u64),
    }
}

fn sums<'a>(types: impl Iterator<Item = &'a DataType>) -> (u64, u64) {
    types.map(columns_and_bytes).fold((0, 0), |(columns, bytes), (more_columns, more_bytes)| {
        (u64::saturating_add(columns, more_columns), u64::saturating_add(bytes, more_bytes))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{Field, Fields, UnionFields, UnionMode};

    use super::*;

    fn rows(row_bytes: Option<u64>, types: impl IntoIterator<Item = DataType>) -> usize {
        let fields = types.into_iter().map(|data_type| Field::new("", data_type, true));
        batch_rows(row_bytes, &Schema::new(fields.collect::<Vec<_>>()))
    }

    #[test]
    fn the_size_of_a_row_determines_the_number_of_rows() {
        for (row_bytes, expected) in
            [(0, 8192), (256, 8192), (512, 4096), (2_671, 1024), (1 << 20, 256), (u64::MAX, 256)]
        {
            assert_eq!(rows(Some(row_bytes), [DataType::Utf8]), expected, "{row_bytes} bytes");
        }
        assert_eq!(rows(None, []), 8192);
    }

    #[test]
    fn the_number_of_columns_determines_the_number_of_rows() {
        for (columns, expected) in
            [(1, 8192), (64, 4096), (256, 1024), (1_024, 256), (4_096, 256), (100_000, 256)]
        {
            assert_eq!(rows(None, vec![DataType::Int64; columns]), expected, "{columns} columns");
            assert_eq!(rows(Some(1), vec![DataType::Int64; columns]), expected, "{columns} columns");
        }
    }

    #[test]
    fn sizes_that_no_row_has_do_not_overflow() {
        let mut data_type = DataType::Int64;
        for _ in 0..4 {
            let item = Arc::new(Field::new("", data_type, true));
            data_type = DataType::FixedSizeList(item, i32::MAX);
        }
        assert_eq!(rows(Some(u64::MAX), vec![data_type; 3]), 256);
    }

    #[test]
    fn the_columns_of_nested_types_count() {
        let field = |data_type| Arc::new(Field::new("", data_type, true));
        let ints = DataType::Struct(Fields::from(vec![field(DataType::Int64), field(DataType::Int32)]));
        let union = UnionFields::from_fields(vec![field(DataType::Int64), field(DataType::Float64)]);
        for (data_type, expected) in [
            (DataType::Boolean, (1, 8)),
            (DataType::Int32, (1, 4)),
            (DataType::Decimal256(40, 0), (1, 32)),
            (DataType::FixedSizeBinary(20), (1, 20)),
            (DataType::Utf8, (1, 8)),
            (DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)), (1, 4)),
            (DataType::List(field(ints.clone())), (2, 8)),
            (DataType::Map(field(ints.clone()), false), (2, 8)),
            (DataType::FixedSizeList(field(ints.clone()), 3), (2, 36)),
            (DataType::FixedSizeList(field(ints.clone()), -1), (2, 0)),
            (DataType::FixedSizeBinary(i32::MAX), (1, i32::MAX as u64)),
            (DataType::RunEndEncoded(field(DataType::Int32), field(ints)), (2, 12)),
            (DataType::Union(union, UnionMode::Dense), (2, 16)),
        ] {
            assert_eq!(columns_and_bytes(&data_type), expected, "{data_type}");
        }
    }
}
