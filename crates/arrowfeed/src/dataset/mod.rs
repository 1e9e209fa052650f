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
//! | `avro` | the entry: files, schema, tensors |
//! | `source` | what the tensors are made of |
//! | `options` | what an iteration chooses |
//! | `index` `indexed` | where all blocks are; made once for all iterations |
//! | `order` | the order of an epoch |
//! | `sequential` `pieces` | an epoch in file order, cut into batches |
//! | `shuffled` `window` | an epoch in random order |
//! | `gather` `ahead` | its rows put together, by other threads |
//! | `joined` | rows of several pieces in one batch |
//! | `iterator` `tensors` | epoch after epoch |
//! | `reported` `state` | what an iteration has read, and where it stands |

mod ahead;
mod avro;
mod gather;
mod index;
mod indexed;
mod iterator;
mod joined;
mod options;
mod order;
mod pieces;
mod reported;
mod sequential;
mod shuffled;
mod source;
mod state;
mod tensors;
mod window;

pub use avro::{AvroDataset, AvroDatasetOptions};
pub use iterator::BatchIterator;
pub use options::IterationOptions;
pub use source::TensorDefinitions;
pub use tensors::TensorIterator;
