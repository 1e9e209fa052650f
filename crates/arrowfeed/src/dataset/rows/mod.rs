//! The rows of the batches of one process: in file order, shuffled, and drawn from several datasets.

// index ──order──> parts ──> decoded pieces ──┬─pieces─> Rows ──> RowSource
//                                             └─window─┘
//
// | file | contents |
// |---|---|
// | `source` | the trait `RowSource`, and the positions of the batches that were started and yielded |
// | `gather` | the rows of a batch before they are joined |
// | `file_rows` | the rows of files, epoch after epoch |
// | `epoch` `epoch_rows` | an epoch in file order or shuffled, and a check of its number of rows |
// | `sequential` `pieces` | an epoch in file order, cut into batches |
// | `shuffled` `window` `order` | an epoch in random order, its windows, and its order |
// | `mixed_rows` | the rows of several datasets that are mixed |

pub(crate) mod epoch;
pub(crate) mod epoch_rows;
pub(crate) mod file_rows;
pub(crate) mod gather;
pub(crate) mod mixed_rows;
pub(crate) mod order;
pub(crate) mod pieces;
pub(crate) mod sequential;
pub(crate) mod shuffled;
pub(crate) mod source;
pub(crate) mod window;
