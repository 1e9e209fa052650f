//! Number of rows that are read at a time, so that a batch stays within `batch_bytes`.
//!
//! The `parquet` crate reads a fixed number of rows, and their size is known only afterwards. So the first number follows from
//! the sizes in the footer. If the rows are longer than these tell, as values of a dictionary may be, fewer of them are read
//! again.

use arrow_array::RecordBatch;
use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};

/// A read should take this part of `batch_bytes`, because rows differ, and a buffer may be twice as large as its values.
const PART: u64 = 4;

/// Decompressed sizes in the footer may be false, so they never lead to fewer rows at a time than this.
const LEAST: u64 = 64;

/// Returns the number of rows of a row group to read at a time at first, for the columns `leaves` of a file of `file_len`
/// bytes.
pub(crate) fn first_step(
    group: &RowGroupMetaData,
    leaves: &[usize],
    file_len: u64,
    batch_bytes: usize,
) -> usize {
    let columns = || leaves.iter().filter_map(|leaf| group.columns().get(*leaf));
    let sum = |bytes: fn(&ColumnChunkMetaData) -> u64| columns().map(bytes).fold(0, u64::saturating_add);
    let rows_of = |bytes: u64| {
        let rows = u128::from(batch_bytes as u64 / PART) * u128::from(count(group.num_rows()));
        u64::try_from(rows / u128::from(bytes.max(1))).unwrap_or(u64::MAX)
    };
    let stored = rows_of(sum(|column| count(column.compressed_size())).min(file_len));
    let decoded = rows_of(sum(decoded_bytes));
    usize::try_from(stored.max(1).min(decoded.max(LEAST))).unwrap_or(usize::MAX)
}

/// Returns the number of rows to read at a time instead of those of a batch, if it takes more than `batch_bytes`. `None` if it
/// does not, and for a single row.
pub(crate) fn fewer_rows(batch: &RecordBatch, batch_bytes: usize) -> Option<usize> {
    let (rows, bytes) = (batch.num_rows(), batch.get_array_memory_size());
    if rows < 2 || bytes <= batch_bytes {
        return None;
    }
    let fitting = batch_bytes as u128 / u128::from(PART) * rows as u128 / bytes as u128;
    Some(usize::try_from(fitting).unwrap_or(usize::MAX).clamp(1, rows / 2))
}

/// Divides a batch into reads of the same number of rows, at most `most`.
pub(crate) fn divided(batch_size: usize, most: usize) -> usize {
    batch_size.div_ceil(batch_size.div_ceil(most).max(1))
}

/// The bytes of the values of a column, as the footer declares them.
fn decoded_bytes(column: &ColumnChunkMetaData) -> u64 {
    let of_width = |width: u64| count(column.num_values()).saturating_mul(width);
    match column.column_type() {
        Type::BOOLEAN => of_width(1) / 8,
        Type::INT32 | Type::FLOAT => of_width(4),
        Type::INT64 | Type::DOUBLE => of_width(8),
        Type::INT96 => of_width(12),
        Type::FIXED_LEN_BYTE_ARRAY => of_width(count(column.column_descr().type_length().into())),
        Type::BYTE_ARRAY => count(column.uncompressed_size())
            .max(count(column.unencoded_byte_array_data_bytes().unwrap_or(0))),
    }
}

/// A number of the footer, which may be negative if it is damaged.
fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};

    use super::*;

    #[test]
    fn a_batch_is_divided_into_equal_reads() {
        for (batch_size, most, expected) in
            [(1024, 4096, 1024), (1024, 671, 512), (1000, 300, 250), (997, 300, 250), (7, 1, 1), (1, 5, 1)]
        {
            assert_eq!(divided(batch_size, most), expected, "{batch_size} {most}");
        }
    }

    #[test]
    fn fewer_rows_are_read_until_a_batch_fits() {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
        let batch = RecordBatch::try_from_iter([("id", ids)]).unwrap();
        let bytes = batch.get_array_memory_size();
        assert_eq!(fewer_rows(&batch, bytes), None);
        assert_eq!(fewer_rows(&batch, bytes - 1), Some(249));
        assert_eq!(fewer_rows(&batch, 1), Some(1));
        assert_eq!(fewer_rows(&batch.slice(0, 1), 1), None);
    }
}
