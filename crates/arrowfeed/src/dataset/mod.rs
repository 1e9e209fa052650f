//! Iteration over datasets as record batches and tensors: in file order or shuffled, in shards, over several epochs,
//! with a state from which to resume.
//!
//! The order is a function of the files and the options. It never depends on threads or timing.

// files ──indexed──> order ──parts──> decoded pieces ──┬─pieces─> batches of one size ──adapter──> tensors
//                    (seed, epoch, shard)              └─window─┘
//
// | file | contents |
// |---|---|
// | `dataset` | the type `Dataset`: files, schema, tensors |
// | `tensor_definitions` | definitions of the tensors |
// | `options` | options of an iteration |
// | `chunk_index` `indexed` | the positions of all chunks, computed once for all iterations |
// | `saved_index` | the chunk index as a file |
// | `order` | the order of an epoch |
// | `epoch` | an epoch in file order or shuffled |
// | `selected` | restrictions of a dataset to some of its rows, and their number |
// | `selection` | rows that a split chooses at random |
// | `sequential` `pieces` | an epoch in file order, cut into batches |
// | `shuffled` `window` | an epoch in random order |
// | `rows` `joined` | the rows of a batch, which workers join |
// | `iteration` | epoch after epoch, with batches started ahead of the caller |
// | `mixed` `mixture` `mixture_state` | several datasets whose rows are mixed, the iteration over them, and its checkpoint |
// | `any_iteration` | the iteration of files or of mixed datasets |
// | `batches` `tensors` | the public iterators |
// | `history` | the counts of all iterations of a dataset |
// | `reported` `state` | counts and position of an iteration |

mod any_iteration;
mod batches;
mod chunk_index;
#[expect(clippy::module_inception, reason = "the module of the type `Dataset`")]
mod dataset;
mod epoch;
mod history;
mod indexed;
mod iteration;
mod joined;
mod mixed;
mod mixture;
mod mixture_state;
mod options;
mod order;
mod pieces;
mod reported;
mod rows;
mod saved_index;
mod selected;
mod selection;
mod sequential;
mod shuffled;
mod state;
mod tensor_definitions;
mod tensors;
mod window;

pub use batches::BatchIterator;
pub use dataset::{Dataset, DatasetOptions};
pub use options::IterationOptions;
pub use selection::RowSplit;
pub use tensor_definitions::TensorDefinitions;
pub use tensors::TensorIterator;
