//! A file read whole and with some columns: what must be the same.

use super::outcome::{Fault, Outcome};

/// What decoding checks and skipping does not, by what the message says.
const DECODED_ONLY: [&str; 4] =
    ["expected a string in UTF-8", "expected a uuid", "expected a decimal", "expected a duration"];

/// Whether `part`, which skips some columns, may take what `whole` has refused: a string or a logical type whose
/// value nobody reads, or the items of an array that states its size.
pub(crate) fn may_differ(whole: &Outcome, part: &Outcome) -> bool {
    let in_items = |fault: &Fault| fault.field.as_ref().is_some_and(|field| field.contains('['));
    let decoded_only = |fault: &Fault| DECODED_ONLY.iter().any(|what| fault.to_string().contains(what));
    // A column that is wide and skipped takes no room in the batch.
    let too_large = |fault: &Fault| fault.limit == Some("batch_bytes");
    let stated_size = |fault: &Fault| fault.to_string().contains("bytes of items, as their block states");
    let Some(fault) = &whole.fault else { return false };
    // The rows after it are read from another place, so that anything may follow.
    let later = part.fault.is_none() || part.fault != whole.fault;
    later && (in_items(fault) || decoded_only(fault) || too_large(fault) || stated_size(fault))
}

/// The columns of `part` are those of `whole`, to the row where the shorter one ends.
pub(crate) fn assert_same_columns(whole: &Outcome, part: &Outcome) {
    assert_eq!(part.rows(), whole.rows());
    let (Some(whole), Some(part)) = (whole.table(), part.table()) else { return };
    for (field, column) in part.schema().fields().iter().zip(part.columns()) {
        assert!(whole.column_by_name(field.name()) == Some(column), "column {}", field.name());
    }
}
