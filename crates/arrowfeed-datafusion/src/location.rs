//! The files of a `LOCATION`, and the names of the partition columns below it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use arrowfeed::source::io::FileSource;
use arrowfeed::{FeedError, sources};
use datafusion_common::Result;
use datafusion_datasource::ListingTableUrl;
use datafusion_session::Session;
use futures_util::TryStreamExt;

use crate::blocking::blocking;
use crate::error::external;
use crate::options::TableOptions;
use crate::store::session_file;

/// The files of locations.
#[derive(Default)]
pub(crate) struct Located {
    pub(crate) files: Vec<FileSource>,
    /// The names before `=` in the directories below the locations.
    pub(crate) partitions: BTreeSet<String>,
}

impl Located {
    pub(crate) fn add(&mut self, others: Self) {
        self.files.extend(others.files);
        self.partitions.extend(others.partitions);
    }

    /// Adds a file of a location. `path`: its path, in the form of `location`.
    fn push(&mut self, file: FileSource, path: &Path, location: &Path) {
        self.files.push(file);
        self.partitions.extend(names_below(path, location));
    }
}

/// The files of a location.
///
/// # Errors
/// There is none; a directory or a store cannot be listed; a URL is invalid.
pub(crate) async fn located(state: &dyn Session, location: &str, options: &TableOptions) -> Result<Located> {
    if !sources::is_remote(location) {
        return local_files(location, options).await;
    }
    let url = ListingTableUrl::parse(location)?;
    let Ok(store) = state.runtime_env().object_store(&url) else {
        let (location, options) = (location.to_owned(), options.clone());
        return blocking(move |interrupt| of_own_store(&location, &options, interrupt)).await;
    };
    // A single object may have any extension.
    let extension = if url.is_collection() { format!(".{}", options.extension) } else { String::new() };
    let listed = url.list_all_files(state, &store, &extension).await?;
    let mut objects: Vec<_> = listed.try_collect().await?;
    objects.sort_by(|a, b| a.location.cmp(&b.location));
    if objects.is_empty() {
        let message = format!("expected objects named *.{}, found none", options.extension);
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, message);
        return Err(external(FeedError::io(error).in_file(&sources::redacted(location))));
    }
    let root = url.object_store();
    let mut found = Located::default();
    for object in objects {
        let path = PathBuf::from(object.location.as_ref());
        let file = session_file(&store, root.as_str(), object).await.map_err(external)?;
        found.push(file, &path, Path::new(url.prefix().as_ref()));
    }
    Ok(found)
}

async fn local_files(location: &str, options: &TableOptions) -> Result<Located> {
    let base = match sources::scheme(location) {
        // The paths of the files have no escapes. A wrong URL is an error of the search for them.
        Some(_) => ListingTableUrl::parse(location)
            .map_or_else(|_| PathBuf::new(), |url| PathBuf::from(format!("/{}", url.prefix()))),
        None => PathBuf::from(location),
    };
    let (location, extension) = (PathBuf::from(location), options.extension.clone());
    blocking(move |interrupt| {
        let mut found = Located::default();
        for path in sources::resolve_below([location], &extension, Some(interrupt))? {
            found.push(FileSource::from(&path), &path, &base);
        }
        Ok(found)
    })
    .await
}

#[cfg(feature = "stores")]
fn of_own_store(
    location: &str,
    options: &TableOptions,
    interrupt: &arrowfeed::source::Interrupt,
) -> Result<Located, FeedError> {
    use arrowfeed::store;

    /// The part of a URL after the name of its store.
    fn path(url: &str) -> &Path {
        Path::new(url.splitn(4, '/').nth(3).unwrap_or_default())
    }

    let of_store = store::StoreOptions::parse(&options.store)?;
    let mut found = Located::default();
    for file in store::resolve_below(location, &options.extension, &of_store, None, Some(interrupt))? {
        let source = FileSource::remote(file.name.clone(), file.object);
        found.push(source, path(&file.name), path(location));
    }
    Ok(found)
}

#[cfg(not(feature = "stores"))]
fn of_own_store(
    location: &str,
    _options: &TableOptions,
    _interrupt: &arrowfeed::source::Interrupt,
) -> Result<Located, FeedError> {
    let message = "expected a URL of a store that is registered in the session, or the feature \"stores\" of \
                   arrowfeed-datafusion";
    let error = FeedError::new(arrowfeed::FeedErrorKind::Options, message);
    Err(error.in_file(&sources::redacted(location)))
}

/// The names before `=` in the directories of a path after those that it shares with a location: for a glob, the directories from
/// the first wildcard on.
fn names_below<'a>(path: &'a Path, location: &'a Path) -> impl Iterator<Item = String> + 'a {
    fn parts(path: &Path) -> impl Iterator<Item = Component<'_>> {
        path.components().filter(|part| *part != Component::CurDir)
    }
    let directories = parts(path.parent().unwrap_or(Path::new("")));
    let mut shared = parts(location);
    let below = directories.skip_while(move |directory| shared.next() == Some(*directory));
    below.filter_map(|directory| {
        let (name, _) = directory.as_os_str().to_str()?.split_once('=')?;
        Some(unescaped(name))
    })
}

/// The name of the column of a directory, whose name may have `%XX` escapes.
fn unescaped(name: &str) -> String {
    object_store::path::Path::from_url_path(name).map_or_else(|_| name.to_owned(), |path| path.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_directories_after_the_shared_ones() {
        let names = |path, location| names_below(Path::new(path), Path::new(location)).collect::<Vec<_>>();
        let path = "/e=x/t/a=1/b%20c=2/p=q.avro";
        for location in
            ["/e=x/t", "/e=x/t/", "/e=x//./t", "/e=x/*", "/e=x/t/a=*/*/*.avro", "/e=x/t/**/*.avro"]
        {
            assert_eq!(names(path, location), ["a", "b c"], "{location}");
        }
        assert_eq!(names(path, "/*/t"), ["e", "a", "b c"]);
        assert_eq!(names(path, "/e=x/t/a=1/b%20c=?/*.avro"), ["b c"]);
        assert_eq!(names(path, path), [""; 0]);
        assert_eq!(names("t/a=1/x.avro", "./t/"), ["a"]);
        assert_eq!(names("a=1/x.avro", ""), ["a"]);
    }
}
