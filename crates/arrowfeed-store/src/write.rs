//! Writing of new objects, in parts.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use arrowfeed_source::io::NewFile;
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, thousands};
use bytes::Bytes;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStoreExt, PutMultipartOptions, PutPayload};
use tokio::task::JoinHandle;

use crate::clients::Client;
use crate::failure::{Failed, Fault, classify};
use crate::location::path_of;
use crate::stores::Store;
use crate::{StoreOptions, runtime, wait};

/// Bytes of a part. S3 allows at most 10,000 parts of at most 5 GiB, and some compatible stores only parts of equal
/// size.
const PART: usize = 8 << 20;
/// Number of parts of equal size. After them the size doubles every [`STEP`] parts.
const EQUAL: usize = 5000;
const STEP: usize = 500;
const DOUBLINGS: usize = 9;

/// Maximum parts in flight.
const IN_FLIGHT: usize = 4;

/// Maximum time for aborting an upload.
const ABORT: Duration = Duration::from_secs(5);

/// Writes a new object. It becomes visible with [`commit`](Self::commit), and replaces an object of the same name. A
/// writer that is dropped before `commit` leaves no object.
///
/// [`Store`](crate::Store) has an example.
pub struct StoreWriter {
    client: Client,
    path: Path,
    name: String,
    interrupt: Option<Interrupt>,
    /// The bytes of the next part.
    buffer: Vec<u8>,
    upload: Option<Box<dyn MultipartUpload>>,
    /// Number of parts that were sent.
    parts: usize,
    in_flight: VecDeque<PartUpload>,
    failed: Option<Failed>,
    /// The process that created the writer.
    process: u32,
}

type PartUpload = JoinHandle<Result<(), Failed>>;

/// Makes the writer of a new object. Sends no request. If `store` is set, it is used instead of one made from
/// `options`.
///
/// # Errors
/// As [`Store::open`]; or the store does not support writing.
pub fn create(
    url: &str,
    options: &StoreOptions,
    store: Option<&Store>,
    interrupt: Option<Interrupt>,
) -> Result<StoreWriter, FeedError> {
    let store = store.map_or_else(|| Store::open(url, options), |store| Ok(store.clone()))?;
    if store.is_http() {
        let message = "expected a store that can be written to, found an HTTP server";
        return Err(FeedError::new(FeedErrorKind::Options, message));
    }
    let place = store.place(url)?;
    if place.name.is_empty() || place.name.ends_with('/') {
        let message = "expected the name of a new object, found a directory";
        return Err(FeedError::new(FeedErrorKind::Options, message));
    }
    let (client, path) = (store.writing()?, path_of(&place.name)?);
    let name = store.object(url)?.name().to_owned();
    let (buffer, in_flight, process) = (Vec::new(), VecDeque::new(), std::process::id());
    Ok(StoreWriter {
        client,
        path,
        name,
        interrupt,
        buffer,
        upload: None,
        parts: 0,
        in_flight,
        failed: None,
        process,
    })
}

impl StoreWriter {
    /// The URL of the object, without user name, password and query.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends the remaining bytes, and makes the object visible.
    ///
    /// # Errors
    /// A part cannot be written; the store rejects a request; `interrupt` returned true. The object is then not
    /// visible, unless the connection broke after the last request had arrived.
    pub fn commit(mut self) -> Result<(), FeedError> {
        self.check()?;
        if self.upload.is_none() {
            let (objects, path) = (self.client.objects.clone(), self.path.clone());
            let payload = PutPayload::from(Bytes::from(std::mem::take(&mut self.buffer)));
            let put = async move {
                let put = objects.put(&path, payload).await;
                put.map(drop).map_err(|error| failure(&error, "to write the object").into())
            };
            return wait::run(self.interrupt.as_ref(), put);
        }
        if !self.buffer.is_empty() {
            self.send_part()?;
        }
        self.wait_for_parts(0)?;
        let Some(upload) = self.upload.take() else { return Ok(()) };
        let mut open = AbortOnDrop(Some(upload));
        wait::run(self.interrupt.as_ref(), async move {
            if let Some(upload) = &mut open.0 {
                upload.complete().await.map_err(|error| failure(&error, "to complete the object"))?;
            }
            drop(open.0.take());
            Ok(())
        })
    }

    fn check(&self) -> Result<(), FeedError> {
        if self.process != std::process::id() {
            let message = "this writer was made before a fork: make one in the child";
            return Err(FeedError::io(io::Error::other(message)));
        }
        self.failed.clone().map_or(Ok(()), |failed| Err(failed.into()))
    }

    fn part_bytes(&self) -> usize {
        PART << (self.parts.saturating_sub(EQUAL).div_ceil(STEP)).min(DOUBLINGS)
    }

    /// Sends the buffer as a part, and waits until at most [`IN_FLIGHT`] parts are in flight.
    fn send_part(&mut self) -> Result<(), FeedError> {
        if self.upload.is_none() {
            let (objects, path) = (self.client.objects.clone(), self.path.clone());
            self.upload = Some(wait::run(self.interrupt.as_ref(), async move {
                let upload = objects.put_multipart_opts(&path, PutMultipartOptions::default()).await;
                upload.map_err(|error| failure(&error, "to begin the object").into())
            })?);
        }
        let runtime = runtime::handle()?;
        let bytes = Bytes::from(std::mem::take(&mut self.buffer));
        let Some(upload) = &mut self.upload else { return Ok(()) };
        let part = {
            let _inside = runtime.enter();
            upload.put_part(PutPayload::from(bytes))
        };
        self.parts += 1;
        let number = self.parts;
        self.in_flight.push_back(runtime.spawn(async move {
            let expected = || format!("to write part {} of the object", thousands(number as u64));
            part.await.map_err(|error| failure(&error, &expected()))
        }));
        self.wait_for_parts(IN_FLIGHT)
    }

    fn wait_for_parts(&mut self, most: usize) -> Result<(), FeedError> {
        while self.in_flight.len() > most {
            let Some(part) = self.in_flight.pop_front() else { break };
            let written = wait::run(self.interrupt.as_ref(), async move {
                let ended = part.await.map_err(|_| Failed::io(io::ErrorKind::Other, ENDED.to_owned()))?;
                Ok(ended?)
            });
            if let Err(error) = written {
                self.failed = Some(Failed::from(error.clone_without_source()));
                return Err(error);
            }
        }
        Ok(())
    }
}

const ENDED: &str = "expected to write a part of the object, found that its task has ended";

/// Makes the error for the caller.
fn failure(error: &object_store::Error, expected: &str) -> Failed {
    let (kind, text) = match classify(error) {
        Fault::Transient(reason) | Fault::Permanent(reason) => (reason.kind, reason.text),
        _ => (io::ErrorKind::Other, "an unexpected response".to_owned()),
    };
    Failed::io(kind, format!("expected {expected}, found {text}"))
}

impl Write for StoreWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check().map_err(FeedError::into_io)?;
        if self.buffer.len() >= self.part_bytes() {
            self.send_part().map_err(FeedError::into_io)?;
        }
        let taken = bytes.len().min(self.part_bytes().saturating_sub(self.buffer.len()));
        self.buffer.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Does nothing, because parts have a fixed size.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile for StoreWriter {
    fn commit(self: Box<Self>) -> io::Result<()> {
        (*self).commit().map_err(FeedError::into_io)
    }
}

impl fmt::Debug for StoreWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreWriter").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        let (upload, in_flight) = (self.upload.take(), std::mem::take(&mut self.in_flight));
        if self.process != std::process::id() {
            std::mem::forget((upload, in_flight, self.client.clone()));
            return;
        }
        in_flight.iter().for_each(JoinHandle::abort);
        if let Some(mut upload) = upload {
            wait::run_within(ABORT, async move {
                for part in in_flight {
                    let _ = part.await;
                }
                let _ = upload.abort().await;
                Ok(())
            });
        }
    }
}

/// An upload that is aborted if the future that completes it is dropped.
struct AbortOnDrop(Option<Box<dyn MultipartUpload>>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if let (Some(mut upload), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move { upload.abort().await });
        }
    }
}
