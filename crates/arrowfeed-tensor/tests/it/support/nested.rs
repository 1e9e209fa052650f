//! The values that a key selects, as nested lists.

use arrowfeed_tensor::KeyValues;
use serde_json::Value;

use super::json;

/// A value for each row: nested lists with one level for each dimension of the key.
pub(crate) fn rows_of(selected: &KeyValues) -> Value {
    let value = |i: usize| match selected.nulls() {
        Some(nulls) if nulls.is_null(i) => Value::Null,
        _ => json::value(selected.values(), i),
    };
    let mut items: Vec<Value> = (0..selected.values().len()).map(value).collect();
    for splits in selected.row_splits().iter().rev() {
        assert_eq!(splits.last(), items.len());
        items =
            (0..splits.rows()).map(|row| Value::Array(items[splits.range(row).unwrap()].to_vec())).collect();
    }
    assert_eq!(items.len(), selected.rows());
    Value::Array(items)
}
