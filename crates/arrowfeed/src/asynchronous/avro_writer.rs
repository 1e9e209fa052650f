//! A writer of Avro files whose calls do not wait in the executor.

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
/// use arrowfeed::{WriteOptions, avro::AvroWriter};
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
}

impl AsyncAvroWriter {
    /// Takes a writer, before or after its first batch.
    pub fn new(writer: AvroWriter) -> Self {
        Self { writer: Lent::new(Some(writer)) }
    }

    /// Writes a batch. If the future is dropped, the batch is written nevertheless, and the next call returns its error.
    ///
    /// # Errors
    /// As [`AvroWriter::write`].
    pub async fn write(&mut self, batch: RecordBatch) -> Result<(), FeedError> {
        let write = move |writer: &mut Option<AvroWriter>| {
            let writer = writer.as_mut().ok_or_else(finished)?;
            writer.write(&batch).map(|()| None)
        };
        self.call(write).await.map(drop)
    }

    /// Writes what is left, and makes the file appear under its name.
    ///
    /// # Errors
    /// As [`AvroWriter::finish`].
    pub async fn finish(mut self) -> Result<Written, FeedError> {
        let finish = |writer: &mut Option<AvroWriter>| writer.take().ok_or_else(finished)?.finish().map(Some);
        self.call(finish).await?.ok_or_else(finished)
    }

    async fn call(
        &mut self,
        call: impl FnOnce(&mut Option<AvroWriter>) -> Result<Option<Written>, FeedError> + Send + 'static,
    ) -> Result<Option<Written>, FeedError> {
        // A call whose future was dropped.
        poll_fn(|context| self.writer.poll(context)).await.transpose()?;
        self.writer.start(call);
        poll_fn(|context| self.writer.poll(context)).await.unwrap_or_else(|| Err(finished()))
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
