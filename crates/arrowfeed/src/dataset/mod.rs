//! Files as a source of batches and tensors: in file order or shuffled, in shards, epoch after epoch, with a state to
//! go on from.
//!
//! ```text
//! files ──indexed──> order ──parts──> decoded pieces ──┬─pieces─> batches of one size ──adapter──> tensors
//!                    (seed, epoch, shard)              └─window─┘
//! ```
//! The order is a function of the files and the options, never of threads or speed.
//!
//! | file | what |
//! |---|---|
//! | `entry` | the entry: files, schema, tensors |
//! | `source` | what the tensors are made of |
//! | `options` | what an iteration chooses |
//! | `chunk_index` `indexed` | where all chunks are; made once for all iterations |
//! | `saved_index` | the same as a file |
//! | `order` | the order of an epoch |
//! | `epoch` | an epoch in either order |
//! | `sequential` `pieces` | in file order, cut into batches |
//! | `shuffled` `window` | in random order |
//! | `rows` `joined` | the rows of a batch that other threads put together |
//! | `iteration` | epoch after epoch, batches begun ahead of the caller |
//! | `batches` `tensors` | what the caller gets of each batch |
//! | `reported` `state` | what an iteration has read, and where it stands |

mod batches;
mod chunk_index;
mod entry;
mod epoch;
mod indexed;
mod iteration;
mod joined;
mod options;
mod order;
mod pieces;
mod reported;
mod rows;
mod saved_index;
mod sequential;
mod shuffled;
mod source;
mod state;
mod tensors;
mod window;

pub use batches::BatchIterator;
pub use entry::Dataset;
pub use options::IterationOptions;
pub use source::TensorDefinitions;
pub use tensors::TensorIterator;
