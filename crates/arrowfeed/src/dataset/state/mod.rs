//! The checkpoints of iterations, and their counts.

// | file | contents |
// |---|---|
// | `checkpoint` | one envelope for all orders, and its comparison with an iteration |
// | `position` | the positions of all orders |
// | `counts` | the counts of a checkpoint |
// | `reported` | the counts of an iteration, over all its epochs |

pub(crate) mod checkpoint;
pub(crate) mod counts;
pub(crate) mod position;
pub(crate) mod reported;
