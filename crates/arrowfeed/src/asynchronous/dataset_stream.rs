//! A stream of the batches of a dataset.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use arrow_schema::SchemaRef;
use arrowfeed_source::{FeedError, FeedErrorKind, interrupt_or};
use futures_core::Stream;

use super::lent::Lent;
use crate::dataset::{Batches, Conversion, Dataset, IterationOptions, ToTensors, Unchanged};
use crate::error::DatasetError;

/// The batches of a dataset as a stream for any executor: record batches ([`Dataset::record_batch_stream`]) or tensors
/// ([`Dataset::tensor_stream`]).
///
/// The batches are those of the [iterator](Batches). Dropping the stream cancels the reading, and does not wait for it.
///
/// ```
/// # #[cfg(not(feature = "avro"))] fn main() {}
/// # #[cfg(feature = "avro")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use arrowfeed::avro::{AvroFormat, AvroOptions};
/// use arrowfeed::{Dataset, DatasetOptions, IterationOptions};
///
/// let files = AvroFormat::files(arrowfeed::resolve([path])?, AvroOptions::default(), None)?;
/// let dataset = Dataset::open(files, DatasetOptions::default())?;
/// let options = IterationOptions { batch_size: 2, shuffle_buffer_size: 10, ..Default::default() };
/// let mut batches = dataset.record_batch_stream(options)?;
/// let first = futures_executor::block_on(batches.next()).transpose()?;
/// assert_eq!(first.map(|batch| batch.num_rows()), Some(2));
/// let checkpoint = batches.iterator()?.state()?;
/// # assert!(!checkpoint.is_empty());
/// # Ok(())
/// # }
/// ```
pub struct DatasetStream<C: Conversion> {
    batches: Lent<Batches<C>, Option<Result<C::Output, DatasetError>>>,
    schema: SchemaRef,
    closed: Arc<AtomicBool>,
    has_ended: bool,
}

impl Dataset {
    /// Streams the record batches. The options are those of [`record_batches`](Self::record_batches).
    ///
    /// # Errors
    /// As [`record_batches`](Self::record_batches).
    pub fn record_batch_stream(
        &self,
        options: IterationOptions,
    ) -> Result<DatasetStream<Unchanged>, DatasetError> {
        DatasetStream::new(options, |options| self.record_batches(options))
    }

    /// Streams the tensors of each batch, by name. The options are those of [`tensors`](Self::tensors).
    ///
    /// # Errors
    /// As [`tensors`](Self::tensors).
    pub fn tensor_stream(&self, options: IterationOptions) -> Result<DatasetStream<ToTensors>, DatasetError> {
        DatasetStream::new(options, |options| self.tensors(options))
    }
}

impl<C: Conversion> DatasetStream<C> {
    fn new(
        mut options: IterationOptions,
        iterate: impl FnOnce(IterationOptions) -> Result<Batches<C>, DatasetError>,
    ) -> Result<Self, DatasetError> {
        let closed = Arc::<AtomicBool>::default();
        options.interrupt = Some(interrupt_or(closed.clone(), options.interrupt.take()));
        let batches = iterate(options)?;
        Ok(Self { schema: batches.schema(), batches: Lent::new(batches), closed, has_ended: false })
    }

    /// The schema of the record batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns the next batch, or `None` at the end. A batch is not lost if the future is dropped.
    ///
    /// # Errors
    /// As the iterator. The stream has then ended.
    pub async fn next(&mut self) -> Option<Result<C::Output, DatasetError>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// The iterator, for its [`state`](Batches::state), [`load_state`](Batches::load_state), [`report`](Batches::report) and
    /// [`stats`](Batches::stats).
    ///
    /// # Errors
    /// A batch is in flight, because a future of [`next`](Self::next) was dropped before it was ready.
    pub fn iterator(&mut self) -> Result<&mut Batches<C>, DatasetError> {
        // A loaded state continues a stream that has ended.
        self.has_ended = false;
        self.batches.get().ok_or_else(|| {
            let message = "expected no batch in flight, found one that the stream has not returned yet";
            FeedError::new(FeedErrorKind::Options, message).into()
        })
    }
}

impl<C: Conversion> Stream for DatasetStream<C> {
    type Item = Result<C::Output, DatasetError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.has_ended {
            return Poll::Ready(None);
        }
        this.batches.start(Iterator::next);
        let next = ready!(this.batches.poll(context)).flatten();
        this.has_ended = !matches!(next, Some(Ok(_)));
        Poll::Ready(next)
    }
}

impl<C: Conversion> Drop for DatasetStream<C> {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        if let Some(batches) = self.batches.take() {
            // The iterator waits for its threads.
            blocking::unblock(move || drop(batches)).detach();
        }
    }
}

impl<C: Conversion> fmt::Debug for DatasetStream<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetStream").field("schema", &self.schema).finish_non_exhaustive()
    }
}
