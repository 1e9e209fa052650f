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
// | `random` | random numbers that depend only on the seed and the position |
// | `order` | the order of an epoch |
// | `epoch` `epoch_rows` | an epoch in file order or shuffled, and a check of its number of rows |
// | `selected_files` | files, and the rows of them that belong to a dataset |
// | `selected` | restrictions of a dataset to some of its rows, and their number |
// | `filtered` | rows that pass a predicate, and their numbers |
// | `selection` `chosen_rows` | rows that a split chooses at random, and those of them in decoded pieces |
// | `sequential` `pieces` | an epoch in file order, cut into batches |
// | `shuffled` `window` | an epoch in random order |
// | `row_errors` | errors for rows that differ from the index, or that memory cannot hold |
// | `rows` `joined` | the rows of a batch, which workers join |
// | `file_rows` | the rows of batches, epoch after epoch |
// | `mixed` `mixed_rows` `mixture_state` | several datasets whose rows are mixed, the rows of their batches, and the checkpoint |
// | `global_rows` `global_state` | batches that several processes make together, and the checkpoint |
// | `global_plan` `global_reading` `global_draws` | the numbers of these batches, their rows, and the choices of a mixture |
// | `stream_lengths` `stream_laps` | equal parts of the order of an epoch, and their windows |
// | `stream_reader` `stream_schedule` `stream_lap` | the rows of streams, the order in which their parts are read, and those of one epoch |
// | `length_rows` `length_plan` `length_state` `row_lengths` | batches of rows of similar length: windows, their division, the checkpoint, and the lengths |
// | `mapped` | functions over the batches |
// | `iteration` `conversion` | batches started ahead of the caller, with a conversion of each |
// | `batches` | the public iterator |
// | `tfxio` | the trait of all sources, and of their iterations |
// | `row_reader` `numbered_rows` `chunk_cache` | rows by number, and the decoded chunks that are kept for them |
// | `traced` | the rows of batches, and the batches of rows, without their values |
// | `history` | the counts of all iterations of a dataset |
// | `reported` `state` | counts and position of an iteration |
// | `state_files` `counted_files` `relative_names` | the files of a state, those on which the order depends, and their names below their common parent |

mod batches;
mod chosen_rows;
mod chunk_cache;
mod chunk_index;
mod conversion;
mod counted_files;
#[expect(clippy::module_inception, reason = "the module of the type `Dataset`")]
mod dataset;
mod epoch;
mod epoch_rows;
mod file_rows;
mod filtered;
mod global_draws;
mod global_plan;
mod global_reading;
mod global_rows;
mod global_state;
mod history;
mod indexed;
mod iteration;
mod joined;
mod length_plan;
mod length_rows;
mod length_state;
mod mapped;
mod mixed;
mod mixed_rows;
mod mixture_state;
mod numbered_rows;
mod options;
mod order;
mod pieces;
mod random;
mod relative_names;
mod reported;
mod row_errors;
mod row_lengths;
mod row_reader;
mod rows;
mod saved_index;
mod selected;
mod selected_files;
mod selection;
mod sequential;
mod shuffled;
mod state;
mod state_files;
mod stream_lap;
mod stream_laps;
mod stream_lengths;
mod stream_reader;
mod stream_schedule;
mod tensor_definitions;
mod tfxio;
mod traced;
mod window;

pub use batches::{BatchIterator, Batches, TensorIterator};
#[cfg(feature = "async")]
pub(crate) use conversion::{Conversion, ToTensors, Unchanged};
pub use dataset::{Dataset, DatasetOptions};
pub use filtered::RowRestriction;
pub use mapped::{BatchMap, MapCalls};
pub use options::{Even, FileMatch, GlobalBatches, IterationOptions, LengthBatches};
pub use row_reader::{ROW_CACHE_BYTES, RowOptions, RowReader};
pub use selection::RowSplit;
pub use tensor_definitions::TensorDefinitions;
pub use tfxio::{Tfxio, TfxioBatches};
