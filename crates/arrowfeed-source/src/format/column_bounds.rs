//! What a file states about the values of its columns.

use arrow_array::ArrayRef;

/// What a file states about the values of a column in all of its rows, see [`FormatFile::column_bounds`](super::FormatFile::column_bounds).
#[derive(Debug, Clone)]
pub struct ColumnBounds {
    /// One value of the type of the column. No value of the column is less, but NaN may be. Null: unknown.
    pub min: ArrayRef,
    /// One value of the type of the column. No value of the column is greater, but NaN may be. Null: unknown.
    pub max: ArrayRef,
    /// Whether `min` and `max` are values of the column. Writers cut long texts.
    pub is_exact: bool,
    /// Number of rows that are null.
    pub nulls: Option<u64>,
}
