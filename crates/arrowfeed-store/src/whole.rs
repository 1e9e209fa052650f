//! Objects of servers without range support, which are downloaded as a whole to a temporary file.
//!
//! All requests for an object share one download while at least one of them waits for it, and share the file while a
//! reader holds it. The last file of the process is held until the next download, or until its object is dropped: a
//! constructor reads a header, and the reading begins later.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Weak};

use arrowfeed_source::io::remote::{ObjectBody, ObjectResponse, ObjectVersion, RequestCounts};
use arrowfeed_source::{FeedError, ForkLock};
use futures_util::FutureExt;

use crate::exact_url::UNKNOWN_LEN;
use crate::failure::{Failed, Fault, Reason};
use crate::object::{Object, check, receive, version_of};
use crate::retry::retried;
use crate::shared_work::SharedWork;

/// The last downloaded file.
static LAST_FILE: ForkLock<Option<Arc<File>>> = ForkLock::new(None);

/// A downloaded object.
#[derive(Clone)]
pub(crate) struct Whole {
    pub file: Arc<File>,
    pub version: ObjectVersion,
}

/// The running download of an object, and the file of the last one.
pub(crate) struct Downloads {
    running: SharedWork<Whole>,
    last: ForkLock<Option<(Weak<File>, ObjectVersion)>>,
}

impl Downloads {
    pub(crate) const fn new() -> Self {
        Self { running: SharedWork::new(), last: ForkLock::new(None) }
    }

    /// The last file, if a reader still holds it.
    fn known(&self) -> Option<Whole> {
        let last = |last: &mut Option<(Weak<File>, ObjectVersion)>| {
            let (file, version) = last.as_ref()?;
            Some(Whole { file: file.upgrade()?, version: version.clone() })
        };
        self.last.with(last).flatten()
    }
}

impl Drop for Downloads {
    /// Deletes the file, unless a reader still holds it.
    fn drop(&mut self) {
        let own = self.last.with(|last| last.as_ref().map(|(file, _)| file.as_ptr())).flatten();
        LAST_FILE.with(|last| last.take_if(|file| Some(Arc::as_ptr(file)) == own));
    }
}

impl Object {
    /// Answers a request for any range with the whole object.
    pub(crate) async fn whole(
        self: &Arc<Self>,
        expected: Option<&ObjectVersion>,
        counts: &Arc<RequestCounts>,
    ) -> Result<ObjectResponse, FeedError> {
        let Whole { file, version } = self.download(counts).await?;
        check(expected, &version)?;
        Ok(ObjectResponse { version, body: ObjectBody::Whole(file) })
    }

    /// Downloads the object, or joins a running download.
    pub(crate) async fn download(self: &Arc<Self>, counts: &Arc<RequestCounts>) -> Result<Whole, Failed> {
        if let Some(known) = self.downloads.known() {
            return Ok(known);
        }
        let start = || {
            let (object, counts) = (self.clone(), counts.clone());
            async move { download(&object, &counts).await }.boxed()
        };
        let whole = self.downloads.running.join(start).await?;
        let last = (Arc::downgrade(&whole.file), whole.version.clone());
        self.downloads.last.with(|known| *known = Some(last));
        LAST_FILE.with(|last| *last = Some(whole.file.clone()));
        Ok(whole)
    }
}

async fn download(object: &Object, counts: &RequestCounts) -> Result<Whole, Failed> {
    let (client, options) = (object.store.reading()?, object.store.options());
    let client = &client;
    let attempt = || async move {
        let mut file = tempfile::tempfile().map_err(of_disk)?;
        let result = object.get_whole(client).await?;
        let mut version = version_of(&result.meta);
        let len = (version.len != UNKNOWN_LEN).then_some(version.len);
        let write =
            |bytes: bytes::Bytes| tokio::task::block_in_place(|| file.write_all(&bytes).map_err(of_disk));
        version.len = receive(result.into_stream(), len, options, counts, write).await?;
        Ok(Whole { file: Arc::new(file), version })
    };
    let whole = retried(options, Some(counts), "the object", attempt).await;
    let whole = whole.map_err(|end| end.failed("the object"))?;
    counts.whole_downloads();
    Ok(whole)
}

fn of_disk(error: io::Error) -> Fault {
    Fault::Permanent(Reason::new(error.kind(), format!("an error of the temporary file: {error}")))
}
