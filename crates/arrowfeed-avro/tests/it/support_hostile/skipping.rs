//! Comparison of a file that is read as a whole with the same file read in part.

use super::outcome::{Fault, Outcome};

/// Parts of the messages of checks that decoding does and skipping does not.
const DECODED_ONLY: [&str; 4] =
    ["expected a string in UTF-8", "expected a uuid", "expected a decimal", "expected a duration"];

/// Whether `part`, which skips some columns, may accept a file that `whole` has rejected. The fault is then in a skipped
/// string, logical type or wide column, or in the items of an array that states its size.
pub(crate) fn may_differ(whole: &Outcome, part: &Outcome) -> bool {
    let in_items = |fault: &Fault| fault.field.as_ref().is_some_and(|field| field.contains('['));
    let decoded_only = |fault: &Fault| DECODED_ONLY.iter().any(|what| fault.to_string().contains(what));
    // A wide column takes no memory in the batch if it is skipped.
    let too_large = |fault: &Fault| fault.limit == Some("batch_bytes");
    let stated_size = |fault: &Fault| fault.to_string().contains("bytes of items, as their block states");
    let Some(fault) = &whole.fault else { return false };
    // After this fault, the remaining rows are read from another position, so anything may follow.
    let later = part.fault.is_none() || part.fault != whole.fault;
    later && (in_items(fault) || decoded_only(fault) || too_large(fault) || stated_size(fault))
}

/// Checks that the columns of `part` equal those of `whole`, for the same number of rows.
pub(crate) fn assert_same_columns(whole: &Outcome, part: &Outcome) {
    assert_eq!(part.rows(), whole.rows());
    let (Some(whole), Some(part)) = (whole.table(), part.table()) else { return };
    for (field, column) in part.schema().fields().iter().zip(part.columns()) {
        assert!(whole.column_by_name(field.name()) == Some(column), "column {}", field.name());
    }
}
