//! Batches of rows of similar length.

// | file | contents |
// |---|---|
// | `rows` | the rows of the batches: windows, and their batches |
// | `plan` | the division of a window into batches |
// | `row_lengths` | the lengths of rows |

pub(crate) mod plan;
pub(crate) mod row_lengths;
pub(crate) mod rows;
