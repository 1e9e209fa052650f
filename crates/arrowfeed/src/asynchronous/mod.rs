//! Datasets, readers and writers in asynchronous programs, for any executor. Needs the feature `async`.
//!
//! | of a blocking program | of an asynchronous one |
//! |---|---|
//! | [`FileReader`], an iterator | [`BatchStream`], from [`Open::stream`](crate::Open::stream), [`FileReader::into_stream`] or [`open`] |
//! | [`Dataset::record_batches`](crate::Dataset::record_batches), [`tensors`](crate::Dataset::tensors) | [`DatasetStream`], from [`record_batch_stream`](crate::Dataset::record_batch_stream), [`tensor_stream`](crate::Dataset::tensor_stream) |
//! | [`AvroWriter`](crate::avro::AvroWriter) | [`AsyncAvroWriter`] |
//! | any other function that reads files: [`resolve`](crate::resolve), [`Dataset::open`](crate::Dataset::open), counts, splits | [`run`] with that function |
//!
//! No poll waits for a file, for a response or for a decoder, so other tasks of the executor run meanwhile. A [`BatchStream`] that
//! waits has no thread. The other types wait on a thread of the crate [`blocking`], which ends when it is idle.
//!
//! ```
//! # #[cfg(not(feature = "avro"))] fn main() {}
//! # #[cfg(feature = "avro")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
//! let rows = async {
//!     let mut batches = arrowfeed::open(directory.join("*.avro")).stream().await?;
//!     let mut rows = 0;
//!     while let Some(batch) = batches.next().await {
//!         rows += batch?.num_rows();
//!     }
//!     Ok::<_, arrowfeed::FeedError>(rows)
//! };
//! assert!(futures_executor::block_on(rows)? > 0);
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "avro")]
mod avro_writer;
mod dataset_stream;
mod lent;

use arrowfeed_source::FeedError;
pub use arrowfeed_source::run::BatchStream;

#[cfg(feature = "avro")]
pub use avro_writer::AsyncAvroWriter;
pub use dataset_stream::DatasetStream;

use crate::FileReader;

/// Runs a function that may wait, such as one that opens files, on a thread of the crate [`blocking`]. If the future is dropped, a
/// function that has not started does not run.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let pattern = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/*.avro");
/// let files = futures_executor::block_on(arrowfeed::asynchronous::run(|| arrowfeed::resolve([pattern])))?;
/// assert!(!files.is_empty());
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// The function panics.
pub async fn run<T: Send + 'static>(function: impl FnOnce() -> T + Send + 'static) -> T {
    blocking::unblock(function).await
}

/// Opens a reader by a function, and returns the stream of its batches.
///
/// # Errors
/// Those of the function, and of [`FileReader::into_stream`].
pub async fn open(
    open: impl FnOnce() -> Result<FileReader, FeedError> + Send + 'static,
) -> Result<BatchStream, FeedError> {
    run(move || open()?.into_stream()).await
}
