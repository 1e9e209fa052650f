//! Iteration over datasets as record batches and tensors: in file order or shuffled, in shards, over several epochs,
//! with a state from which to resume.
//!
//! | to | use |
//! |---|---|
//! | make a dataset of files of any format | [`Dataset::open`] with a [`FileSet`](crate::source::run::FileSet) |
//! | mix datasets by weights | [`Dataset::mixed`] |
//! | iterate over batches or tensors | [`Dataset::record_batches`], [`Dataset::tensors`] with [`IterationOptions`] |
//! | make batches that do not depend on the number of processes | [`GlobalBatches`] |
//! | make batches of rows of similar length | [`LengthBatches`] |
//! | save a position, and resume there | [`Batches::state`], [`Batches::load_state`] |
//! | leave out rows | [`Dataset::filter`], [`Dataset::take`], [`Dataset::skip`] |
//! | divide rows at random, such as for validation | [`Dataset::split`] |
//! | convert the batches | [`Dataset::map`] |
//! | write a function that trains on any source | [`Tfxio`] |
//! | read rows by their numbers | [`Dataset::rows`], [`RowReader`] |
//! | see which rows a batch has, and which batches have a row | [`Dataset::rows_of`], [`Dataset::batches_of`] |
//! | read byte ranges of files in several processes | [`Dataset::plan_splits`], [`Dataset::read_split`] |
//!
//! ```
//! # #[cfg(not(feature = "avro"))] fn main() {}
//! # #[cfg(feature = "avro")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
//! use arrowfeed::avro::{AvroFormat, AvroOptions};
//! use arrowfeed::{Dataset, DatasetOptions, IterationOptions};
//!
//! let files = AvroFormat::files([path], AvroOptions::default(), None)?;
//! let dataset = Dataset::open(files, DatasetOptions::default())?;
//! let options =
//!     IterationOptions { batch_size: 2, shuffle_buffer_size: 1000, seed: Some(7), ..Default::default() };
//! let mut batches = dataset.record_batches(options.clone())?;
//! let first = batches.next().unwrap()?;
//! let state = batches.state()?;
//! let second = batches.next().unwrap()?;
//! assert_eq!((first.num_rows(), second.num_rows()), (2, 1));
//!
//! let mut resumed = dataset.record_batches(options)?;
//! resumed.load_state(&state)?;
//! assert_eq!(resumed.next().unwrap()?, second);
//! # Ok(())
//! # }
//! ```
//!
//! The order is a function of the files and the options. It never depends on threads or timing.

// Sources ──RowSource──> rows of each batch ──MapStage──> Batches of record batches or tensors
//    (files, seed, epoch, shard)      (Checkpoint)
//
// | file or folder | contents |
// |---|---|
// | `dataset` | the type `Dataset`, all of its methods |
// | `sources` | where the rows come from: files, or several datasets that are mixed |
// | `files` | the files: index, filters, splits, checksums |
// | `rows` | the rows of the batches of one process, and the trait `RowSource` |
// | `global` | the rows of batches that several processes make together |
// | `length` | the rows of batches of similar length |
// | `mapped` | functions over the batches |
// | `iteration` `conversion` | batches started ahead of the caller, with a conversion of each |
// | `batches` | the public iterator |
// | `state` | checkpoints and counts |
// | `history` | the counts of all iterations of a dataset |
// | `numbered` | rows by number |
// | `traced` | the rows of batches, and the batches of rows, without their values |
// | `tensor_definitions` | definitions of the tensors |
// | `tfxio` | the trait of all sources, and of their iterations |
// | `options` | options of an iteration |
// | `random` `joined` | random numbers that depend only on the seed and the position, and the joining of pieces |

mod batches;
mod conversion;
#[expect(clippy::module_inception, reason = "the module of the type `Dataset`")]
mod dataset;
mod files;
mod global;
mod history;
mod iteration;
mod joined;
mod length;
mod mapped;
mod numbered;
mod options;
mod random;
mod rows;
mod sources;
mod state;
mod tensor_definitions;
mod tfxio;
mod traced;

pub use batches::{BatchIterator, Batches, TensorIterator};
#[cfg(feature = "async")]
pub(crate) use conversion::{Conversion, ToTensors, Unchanged};
pub use dataset::{Dataset, DatasetOptions};
pub use files::selection::RowRestriction;
pub use files::selection::RowSplit;
pub use mapped::{BatchMap, MapCalls};
pub use numbered::row_reader::{ROW_CACHE_BYTES, RowOptions, RowReader};
pub use options::{Even, FileMatch, GlobalBatches, IterationOptions, LengthBatches};
pub use tensor_definitions::TensorDefinitions;
pub use tfxio::{Tfxio, TfxioBatches};
