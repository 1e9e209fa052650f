//! Resolution of URLs to objects: a single object, those of a directory, or those that match a glob.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use arrowfeed_source::io::remote::RequestCounts;
use arrowfeed_source::{FeedError, Interrupt};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{ListResult, ObjectMeta};

use crate::clients::Client;
use crate::failure::{Failed, Fault, Reason, classify};
use crate::location::path_of;
use crate::object::{Key, StoreObject};
use crate::pattern::{Glob, GlobPart, is_glob};
use crate::retry::retried;
use crate::stores::{ResolvedUrl, Store};
use crate::wait;
use crate::{StoreOptions, retry};

/// Start of error messages.
const LISTING: &str = "a listing of the objects";

/// A file that a URL resolves to.
///
/// [`Store`](crate::Store) has an example.
#[derive(Debug)]
pub struct StoreFile {
    /// The URL of the file, without user name, password and query.
    pub name: String,
    /// The object of the file.
    pub object: Arc<StoreObject>,
}

/// Resolves a URL to files. If `store` is set, it is used instead of one made from `options`; a custom store also
/// accepts object names.
///
/// A URL with `*`, `?` or `[` is a glob with the rules of a shell; the matching objects are sorted; `**` matches any
/// number of directories. A URL that ends with a slash, or that neither has the extension nor names an object, is a
/// directory: it resolves to the objects directly under it whose names have the extension and no leading dot, sorted.
/// HTTP servers cannot list objects, so their URLs always resolve to one file. So do other URLs with the extension. No
/// request is sent for either of them.
///
/// A length from a listing is only a hint: the object may have changed since then.
///
/// # Errors
/// As [`Store::open`]; nothing is found ([`NotFound`](io::ErrorKind::NotFound)); the listing fails; `interrupt`
/// returned true.
pub fn resolve(
    url: &str,
    extension: &str,
    options: &StoreOptions,
    store: Option<&Store>,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<StoreFile>, FeedError> {
    resolve_in(url, Search { extension: format!(".{extension}"), below: false }, options, store, interrupt)
}

/// Like [`resolve`], but a directory also has the objects under all directories below, without those whose names, or whose
/// directories' names, start with a dot or an underscore.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_below(
    url: &str,
    extension: &str,
    options: &StoreOptions,
    store: Option<&Store>,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<StoreFile>, FeedError> {
    resolve_in(url, Search { extension: format!(".{extension}"), below: true }, options, store, interrupt)
}

/// The objects that are selected in a directory.
struct Search {
    /// With its dot.
    extension: String,
    /// Whether those of the directories below are selected too.
    below: bool,
}

fn resolve_in(
    url: &str,
    search: Search,
    options: &StoreOptions,
    store: Option<&Store>,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<StoreFile>, FeedError> {
    let store = store.map_or_else(|| Store::open(url, options), |store| Ok(store.clone()))?;
    let place = store.place(url)?;
    if !place.is_listed || (!is_glob(&place.name) && place.name.ends_with(&search.extension)) {
        let object = store.object(url)?;
        return Ok(vec![StoreFile { name: object.name().to_owned(), object: Arc::new(object) }]);
    }
    let objects = wait::run(interrupt, {
        let (store, name) = (store.clone(), place.name.clone());
        async move { find(store, name, search).await }
    })?;
    if objects.is_empty() {
        let message = "expected files that match this URL, found none";
        return Err(FeedError::io(io::Error::new(io::ErrorKind::NotFound, message)));
    }
    let file = |listed: Listed| {
        let object = StoreObject::new(
            store.clone(),
            Key::of(listed.path),
            shown(&place, &listed.name),
            Some(listed.len),
        );
        StoreFile { name: object.name().to_owned(), object: Arc::new(object) }
    };
    Ok(objects.into_iter().map(file).collect())
}

fn shown(place: &ResolvedUrl, name: &str) -> String {
    if place.root.is_empty() { name.to_owned() } else { format!("{}/{name}", place.root) }
}

/// An object from a listing.
struct Listed {
    name: String,
    path: Path,
    len: u64,
}

async fn find(store: Store, name: String, search: Search) -> Result<Vec<Listed>, FeedError> {
    let lister = Lister { client: store.reading()?, options: store.options() };
    let mut found = if is_glob(&name) {
        lister.glob(&Glob::parse(&name)?).await?
    } else {
        if !name.is_empty() && !name.ends_with('/') {
            let object = StoreObject::new(store.clone(), Key::of(path_of(&name)?), name.clone(), None);
            match object.version(&Arc::new(RequestCounts::default())).await {
                Ok(version) => return Ok(vec![Listed { path: path_of(&name)?, name, len: version.len }]),
                Err(error)
                    if error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        let directory = if name.is_empty() || name.ends_with('/') { name } else { name + "/" };
        let Search { extension, below } = &search;
        if *below {
            let is_wanted = |name: &str| {
                let name = name.strip_prefix(&directory).unwrap_or(name);
                name.ends_with(extension) && !name.split('/').any(|part| part.starts_with(['.', '_']))
            };
            lister.everything(directory.clone(), &directory, &is_wanted).await?
        } else {
            let is_visible = |name: &str| !name.starts_with('.');
            let is_wanted = |name: &str| name.ends_with(extension) && is_visible(name);
            let (below, found) = lister.level(directory.clone(), &directory, &is_visible, &is_wanted).await?;
            if found.is_empty() && !below.is_empty() {
                let message = format!(
                    "expected files named *{extension} under this URL, found none, and directories: read the files in them \
                     with the glob **/*{extension}, or with a partitioning if the names of the directories are values"
                );
                return Err(FeedError::io(io::Error::new(io::ErrorKind::NotFound, message)));
            }
            found
        }
    };
    found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    found.dedup_by(|a, b| a.name == b.name);
    Ok(found)
}

struct Lister<'a> {
    client: Client,
    options: &'a StoreOptions,
}

impl Lister<'_> {
    async fn glob(&self, glob: &Glob) -> Result<Vec<Listed>, Failed> {
        if glob.is_recursive() {
            let start = glob.parts.first().map_or("", |part| &part.start);
            return self
                .everything(format!("{}{start}", glob.base), &glob.base, &|name| glob.matches(name))
                .await;
        }
        let mut directories = vec![glob.base.clone()];
        let Some((last, parts)) = glob.parts.split_last() else { return Ok(Vec::new()) };
        for part in parts {
            if part.is_literal {
                directories.iter_mut().for_each(|directory| *directory += &format!("{}/", part.start));
                continue;
            }
            directories = self.levels(directories, part).await?.0;
        }
        Ok(self.levels(directories, last).await?.1)
    }

    /// The directories and objects that match a part of a glob, in several directories.
    async fn levels(
        &self,
        directories: Vec<String>,
        part: &GlobPart,
    ) -> Result<(Vec<String>, Vec<Listed>), Failed> {
        let level = |directory: String| async move {
            let start = format!("{directory}{}", part.start);
            let matches = |name: &str| part.matches(name);
            self.level(start, &directory, &matches, &matches).await
        };
        let levels = stream::iter(directories).map(level).buffer_unordered(self.options.max_requests.max(1));
        let add = |mut all: (Vec<String>, Vec<Listed>), level: (Vec<String>, Vec<Listed>)| async move {
            all.0.extend(level.0);
            all.1.extend(level.1);
            Ok(all)
        };
        levels.try_fold((Vec::new(), Vec::new()), add).await
    }

    /// The directories of a directory whose names match the first function, each with a trailing slash, and the objects whose
    /// names match the second one. `start` is a known common prefix of their names.
    async fn level(
        &self,
        start: String,
        directory: &str,
        is_directory: &(dyn Fn(&str) -> bool + Sync),
        is_object: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<(Vec<String>, Vec<Listed>), Failed> {
        let (mut directories, mut objects) = (Vec::new(), Vec::new());
        let mut take = |result: ListResult| {
            let last = |path: &Path, matches: &(dyn Fn(&str) -> bool + Sync)| {
                let name = path.as_ref().strip_prefix(directory)?;
                (!name.is_empty() && !name.contains('/') && matches(name)).then(|| path.as_ref().to_owned())
            };
            directories.extend(
                result.common_prefixes.iter().filter_map(|path| Some(last(path, is_directory)? + "/")),
            );
            objects.extend(result.objects.into_iter().filter_map(|meta| {
                let name = last(&meta.location, is_object)?;
                Some(Listed { name, path: meta.location, len: meta.size })
            }));
        };
        match &self.client.pages {
            Some(pages) => self.pages(&**pages, &start, Some(Cow::Borrowed("/")), take).await?,
            None => {
                let path = directory_path(directory)?;
                let (store, path) = (&self.client.objects, path.as_ref());
                let attempt =
                    || async move { store.list_with_delimiter(path).await.map_err(|error| classify(&error)) };
                take(self.attempts(attempt).await?);
            }
        }
        Ok((directories, objects))
    }

    /// All objects under a directory, at any depth, whose names match.
    async fn everything(
        &self,
        start: String,
        directory: &str,
        matches: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Vec<Listed>, Failed> {
        let listed = |meta: ObjectMeta| {
            let name = meta.location.as_ref().to_owned();
            matches(&name).then_some(Listed { name, path: meta.location, len: meta.size })
        };
        match &self.client.pages {
            Some(pages) => {
                let mut objects = Vec::new();
                let take = |result: ListResult| objects.extend(result.objects.into_iter().filter_map(listed));
                self.pages(&**pages, &start, None, take).await?;
                Ok(objects)
            }
            None => {
                let path = directory_path(directory)?;
                let (store, path, time) = (&self.client.objects, path.as_ref(), self.options.request_timeout);
                let attempt = || async move { collect(store.list(path), time, listed).await };
                self.attempts(attempt).await
            }
        }
    }

    /// Lists page by page. Each page has its own attempts.
    async fn pages(
        &self,
        store: &dyn PaginatedListStore,
        start: &str,
        delimiter: Option<Cow<'static, str>>,
        mut take: impl FnMut(ListResult),
    ) -> Result<(), Failed> {
        let (start, time) = ((!start.is_empty()).then_some(start), self.options.request_timeout);
        let mut options = PaginatedListOptions { delimiter, ..PaginatedListOptions::default() };
        loop {
            let options_of_page = &options;
            let attempt = || async move {
                let page = store.list_paginated(start, options_of_page.clone());
                let page = tokio::time::timeout(time, page).await.map_err(|_| no_response(time))?;
                page.map_err(|error| classify(&error))
            };
            let page = self.attempts(attempt).await?;
            take(page.result);
            match page.page_token {
                Some(token) => options.page_token = Some(token),
                None => return Ok(()),
            }
        }
    }

    async fn attempts<T, F: Future<Output = Result<T, Fault>>>(
        &self,
        attempt: impl FnMut() -> F,
    ) -> Result<T, Failed> {
        retried(self.options, None, LISTING, attempt).await.map_err(|end| end.failed(LISTING))
    }
}

async fn collect(
    mut objects: impl Stream<Item = object_store::Result<ObjectMeta>> + Unpin,
    time: Duration,
    listed: impl Fn(ObjectMeta) -> Option<Listed>,
) -> Result<Vec<Listed>, Fault> {
    let mut found = Vec::new();
    while let Some(meta) = tokio::time::timeout(time, objects.next()).await.map_err(|_| no_response(time))? {
        found.extend(listed(meta.map_err(|error| classify(&error))?));
    }
    Ok(found)
}

fn no_response(time: Duration) -> Fault {
    let text = format!("no response within {}", retry::seconds(time));
    Fault::Transient(Reason::new(io::ErrorKind::TimedOut, text))
}

/// The path of a directory; `None` for the root.
fn directory_path(directory: &str) -> Result<Option<Path>, Failed> {
    if directory.is_empty() {
        return Ok(None);
    }
    Ok(Some(path_of(directory)?))
}
