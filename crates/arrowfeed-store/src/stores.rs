//! Stores: the clients of each process, and properties of servers.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrowfeed_source::io::url::scheme;
use arrowfeed_source::{FeedError, ForkLock};
use object_store::ObjectStore;
use percent_encoding::percent_decode_str;

use crate::StoreOptions;
use crate::clients::{Client, ClientPurpose};
use crate::exact_url::ExactUrl;
use crate::location::{Family, Location, path_of};
use crate::object::{Key, StoreObject};
use crate::process::PerProcess;

/// Maximum number of stores that are kept open for reuse, with their connections.
const KEPT: usize = 64;

/// The stores that have been opened, oldest first.
static OPENED: ForkLock<VecDeque<Store>> = ForkLock::new(VecDeque::new());

/// Servers that do not support ranges, and whether [`take_servers_without_ranges`] has returned them.
static WITHOUT_RANGES: ForkLock<Vec<(String, bool)>> = ForkLock::new(Vec::new());

/// Returns the servers that have sent whole objects because they do not support ranges, so that callers can warn about
/// them. Each server is returned once per process.
pub fn take_servers_without_ranges() -> Vec<String> {
    let take = |servers: &mut Vec<(String, bool)>| {
        let new = servers.iter_mut().filter(|(_, reported)| !reported);
        new.map(|(server, reported)| {
            *reported = true;
            server.clone()
        })
        .collect()
    };
    WITHOUT_RANGES.with(take).unwrap_or_default()
}

/// Creates the client of a custom store.
pub type MakeStore = Arc<dyn Fn() -> Result<Arc<dyn ObjectStore>, FeedError> + Send + Sync>;

/// A URL, resolved in a store.
pub(crate) struct ResolvedUrl {
    /// `scheme://authority`; empty if the caller passed the name of an object.
    pub root: String,
    pub name: String,
    /// The URL of requests, for HTTP.
    pub exact: Option<ExactUrl>,
    /// Whether objects can be listed.
    pub is_listed: bool,
}

/// A bucket, container or server, with options. Clones share connections.
///
/// ```no_run
/// use arrowfeed_source::io::FileSource;
/// use arrowfeed_store::{StoreOptions, resolve};
///
/// let options = StoreOptions::parse([("aws_region", "eu-west-1")])?;
/// let files = resolve("s3://bucket/part-*.avro", "avro", &options, None, None)?;
/// let sources: Vec<_> = files.into_iter().map(|file| FileSource::remote(file.name, file.object)).collect();
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    /// `scheme://authority`, or the name that was passed to [`Store::custom`].
    name: String,
    options: StoreOptions,
    kind: StoreKind,
    reading: PerProcess<Client>,
    writing: PerProcess<Client>,
    /// The server has sent the whole object in response to a range request.
    without_ranges: AtomicBool,
}

enum StoreKind {
    Url(Location),
    Custom(MakeStore),
}

impl Store {
    /// Opens the store of a URL. Stores with the same scheme, authority and options share their connections.
    ///
    /// # Errors
    /// This build cannot read the URL; the store does not know a key of the options, or does not accept its value.
    pub fn open(url: &str, options: &StoreOptions) -> Result<Self, FeedError> {
        let location = Location::parse(url)?;
        let root = location.root();
        let is_same = |store: &&Store| {
            matches!(store.0.kind, StoreKind::Url(_)) && store.0.name == root && store.0.options == *options
        };
        if let Some(known) = OPENED.with(|opened| opened.iter().find(is_same).cloned()).flatten() {
            return Ok(known);
        }
        let new =
            Self::new(root.clone(), options.clone(), StoreKind::Url(Location { exact: None, ..location }));
        new.reading()?;
        let kept = OPENED.with(|opened| {
            // A memory store with a given name is unique, whatever the options are.
            let is_same_memory = |store: &&Store| store.is_memory() && store.0.name == root;
            if let Some(known) = opened.iter().find(|store| is_same(store) || is_same_memory(store)) {
                return (known.clone(), None);
            }
            let oldest = opened.iter().position(|store| !store.is_memory()).filter(|_| opened.len() >= KEPT);
            let oldest = oldest.and_then(|oldest| opened.remove(oldest));
            opened.push_back(new.clone());
            (new.clone(), oldest)
        });
        // The oldest store is dropped outside of the lock.
        Ok(kept.map_or(new, |(kept, _oldest)| kept))
    }

    /// Makes a store whose client is created by the caller. `make` is called once in each process that uses the store.
    /// Keys of `options` for a client are left to the caller.
    pub fn custom(make: MakeStore, name: impl Into<String>, options: StoreOptions) -> Self {
        Self::new(name.into(), options, StoreKind::Custom(make))
    }

    fn new(name: String, options: StoreOptions, kind: StoreKind) -> Self {
        let (reading, writing) = (PerProcess::new(), PerProcess::new());
        Self(Arc::new(Inner {
            name,
            options,
            kind,
            reading,
            writing,
            without_ranges: AtomicBool::new(false),
        }))
    }

    /// An object of the store. Sends no request.
    ///
    /// # Errors
    /// The URL is invalid, or contains a name that the store cannot have.
    pub fn object(&self, url: &str) -> Result<StoreObject, FeedError> {
        let ResolvedUrl { root, name, exact, .. } = self.place(url)?;
        let shown = if root.is_empty() { name.clone() } else { format!("{root}/{name}") };
        let key = match exact {
            Some(exact) => Key::exact(exact),
            None => Key::of(path_of(&name)?),
        };
        Ok(StoreObject::new(self.clone(), key, shown, None))
    }

    /// Resolves a URL in this store. A custom store also accepts names of objects.
    pub(crate) fn place(&self, url: &str) -> Result<ResolvedUrl, FeedError> {
        if let StoreKind::Url(_) = self.0.kind {
            let location = Location::parse(url)?;
            let is_listed = location.family != Family::Http;
            return Ok(ResolvedUrl {
                root: location.root(),
                name: location.name,
                exact: location.exact,
                is_listed,
            });
        }
        let Some(scheme) = scheme(url) else {
            return Ok(ResolvedUrl {
                root: String::new(),
                name: url.to_owned(),
                exact: None,
                is_listed: true,
            });
        };
        let (authority, name) = url[scheme.len() + 3..].split_once('/').unwrap_or_default();
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let is_listed = !["http", "https"].iter().any(|http| scheme.eq_ignore_ascii_case(http));
        let name = if is_listed {
            name.to_owned()
        } else {
            let path = &name[..name.find(['?', '#']).unwrap_or(name.len())];
            percent_decode_str(path).decode_utf8_lossy().into_owned()
        };
        Ok(ResolvedUrl { root: format!("{scheme}://{host}"), name, exact: None, is_listed })
    }

    /// The options of the store.
    pub fn options(&self) -> &StoreOptions {
        &self.0.options
    }

    /// The client of this process for single attempts.
    pub(crate) fn reading(&self) -> Result<Client, FeedError> {
        self.0.reading.get_or(|| self.connect(ClientPurpose::Reading))
    }

    /// The client of this process that retries requests.
    pub(crate) fn writing(&self) -> Result<Client, FeedError> {
        // Objects written to memory must be readable.
        if self.is_memory() || matches!(self.0.kind, StoreKind::Custom(_)) {
            return self.reading();
        }
        self.0.writing.get_or(|| self.connect(ClientPurpose::Writing))
    }

    fn connect(&self, purpose: ClientPurpose) -> Result<Client, FeedError> {
        match &self.0.kind {
            StoreKind::Url(location) => Client::connect(location, &self.0.options, purpose),
            StoreKind::Custom(make) => make().map(Client::of),
        }
    }

    fn is_memory(&self) -> bool {
        matches!(&self.0.kind, StoreKind::Url(Location { family: Family::Memory, .. }))
    }

    /// Whether it is an HTTP server, which supports neither listing nor writing.
    pub(crate) fn is_http(&self) -> bool {
        matches!(&self.0.kind, StoreKind::Url(Location { family: Family::Http, .. }))
    }

    /// Records the server for a warning.
    pub(crate) fn set_without_ranges(&self) {
        if !self.0.without_ranges.swap(true, Ordering::Relaxed) {
            WITHOUT_RANGES.with(|servers| {
                if !servers.iter().any(|(server, _)| *server == self.0.name) {
                    servers.push((self.0.name.clone(), false));
                }
            });
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { name, options, .. } = &*self.0;
        f.debug_struct("Store").field("name", name).field("options", options).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(url: &str, request_timeout: usize) -> Store {
        let timeout = request_timeout.to_string();
        Store::open(url, &StoreOptions::parse([("request_timeout", timeout.as_str())]).unwrap()).unwrap()
    }

    /// Other tests may open stores at the same time.
    #[test]
    fn at_most_64_stores_are_kept_and_all_in_memory() {
        let url = "memory://kept/";
        let in_memory = Store::open(url, &StoreOptions::default()).unwrap();
        let server = "http://127.0.0.1:9/";
        let stores: Vec<Store> = (1..=KEPT + 6).map(|timeout| opened(server, timeout)).collect();
        let is_same = |first: &Store, second: &Store| Arc::ptr_eq(&first.0, &second.0);
        let kept = |store: &Store| OPENED.with(|opened| opened.iter().any(|other| is_same(other, store)));
        let count = OPENED.with(|opened| opened.iter().filter(|store| !store.is_memory()).count()).unwrap();
        assert!(count <= KEPT, "{count}");
        assert_eq!((kept(&stores[0]), kept(&stores[KEPT + 5])), (Some(false), Some(true)));
        assert!(is_same(&opened(server, KEPT + 6), &stores[KEPT + 5]));
        assert!(!is_same(&opened(server, 1), &stores[0]));
        assert!(is_same(&Store::open(url, &StoreOptions::default()).unwrap(), &in_memory));
    }
}
