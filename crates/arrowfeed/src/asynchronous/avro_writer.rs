//! A writer of Avro files whose calls do not wait in the executor.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroWriter, Written};
use arrowfeed_source::{FeedError, FeedErrorKind};

use super::lent::Lent;

/// Writes batches to an Avro file on disk, in a store or elsewhere, in an asynchronous program.
///
/// Batches are encoded and sent on other threads. A file or an object appears under its name when [`finish`](Self::finish) has
/// completed it. A writer that is dropped before leaves nothing.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use arrowfeed::arrow::array::{Int64Array, RecordBatch};
/// use arrowfeed::asynchronous::AsyncAvroWriter;
/// use arrowfeed::avro::{AvroWriter, WriteOptions};
/// # let path = std::env::temp_dir().join(format!("arrowfeed-async-{}.avro", std::process::id()));
/// let batch = RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as _)])?;
/// let mut writer = AsyncAvroWriter::new(AvroWriter::create(&path, batch.schema(), WriteOptions::default())?);
/// let written = futures_executor::block_on(async {
///     writer.write(batch).await?;
///     writer.finish().await
/// })?;
/// assert_eq!(written.rows, 3);
/// # std::fs::remove_file(path)?;
/// # Ok(())
/// # }
/// ```
///
/// For an object, pass [`store::create`](crate::store::create) to [`AvroWriter::create_file`]; for an `object_store` of your own,
/// a store of [`Store::custom`](crate::store::Store::custom). At most four parts of 8 MiB are in flight.
pub struct AsyncAvroWriter {
    writer: Lent<Option<AvroWriter>, Result<Option<Written>, FeedError>>,
    /// The batches whose writing has not begun.
    waiting: VecDeque<RecordBatch>,
}

impl AsyncAvroWriter {
    /// Takes a writer, before or after its first batch.
    pub fn new(writer: AvroWriter) -> Self {
        Self { writer: Lent::new(Some(writer)), waiting: VecDeque::new() }
    }

    /// Writes a batch. If the future was polled and is dropped, the batch is written nevertheless, and the next call returns its
    /// error.
    ///
    /// # Errors
    /// As [`AvroWriter::write`], or the error of an earlier batch whose future was dropped: this batch is then not written.
    pub async fn write(&mut self, batch: RecordBatch) -> Result<(), FeedError> {
        self.waiting.push_back(batch);
        let written = self.write_waiting().await;
        if written.is_err() {
            // The batch, if the error is that of an earlier one.
            self.waiting.pop_back();
        }
        written
    }

    /// Writes what is left, and makes the file appear under its name.
    ///
    /// # Errors
    /// As [`AvroWriter::finish`].
    pub async fn finish(mut self) -> Result<Written, FeedError> {
        self.write_waiting().await?;
        self.start(|writer| writer.take().ok_or_else(finished)?.finish().map(Some))?;
        self.ended().await?.ok_or_else(finished)
    }

    /// Waits for the call in progress, and writes the waiting batches. The first error ends it.
    async fn write_waiting(&mut self) -> Result<(), FeedError> {
        loop {
            self.ended().await?;
            let Some(batch) = self.waiting.pop_front() else { return Ok(()) };
            self.start(move |writer| writer.as_mut().ok_or_else(finished)?.write(&batch).map(|()| None))?;
        }
    }

    /// Starts a call. None is in progress.
    fn start(
        &mut self,
        call: impl FnOnce(&mut Option<AvroWriter>) -> Result<Option<Written>, FeedError> + Send + 'static,
    ) -> Result<(), FeedError> {
        if self.writer.start(call) { Ok(()) } else { Err(finished()) }
    }

    /// Waits for the call in progress, if there is one.
    async fn ended(&mut self) -> Result<Option<Written>, FeedError> {
        poll_fn(|context| self.writer.poll(context)).await.unwrap_or(Ok(None))
    }
}

impl fmt::Debug for AsyncAvroWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncAvroWriter").finish_non_exhaustive()
    }
}

impl Drop for AsyncAvroWriter {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take().and_then(|writer| *writer) {
            // The writer waits for its threads, and removes what it has written.
            blocking::unblock(move || drop(writer)).detach();
        }
    }
}

fn finished() -> FeedError {
    FeedError::new(
        FeedErrorKind::Internal,
        "expected a writer that has not ended, found one whose call has panicked",
    )
}
