//! Paths, globs, directories and URLs to files.

#[cfg(not(feature = "stores"))]
#[path = "files/no_stores.rs"]
mod stores;
#[cfg(feature = "stores")]
mod stores;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use arrowfeed::source::Interrupt;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::io::remote::RemoteObject;
use arrowfeed::{FeedError, sources};

use crate::error::Error;
use crate::formats::{FormatName, detect};
use crate::options::OpenOptions;
use stores::Stores;

/// A file that was found.
#[derive(Clone)]
enum Found {
    Local(PathBuf),
    #[cfg_attr(not(feature = "stores"), expect(dead_code, reason = "made of stores"))]
    Object {
        name: String,
        object: Arc<dyn RemoteObject>,
    },
}

impl From<Found> for FileSource {
    fn from(found: Found) -> Self {
        match found {
            Found::Local(path) => path.into(),
            Found::Object { name, object } => Self::remote(name, object),
        }
    }
}

/// Finds the files of the options, and their format, which is that of the first file that `rule_out` does not mark.
pub(crate) fn files(
    options: &OpenOptions,
    rule_out: impl Fn(Vec<FileSource>) -> Vec<FileSource>,
    interrupt: Option<&Interrupt>,
) -> Result<(Vec<FileSource>, FormatName), Error> {
    let search = Search { stores: Stores::new(options)?, below: options.partitioning.is_some(), interrupt };
    let found = match options.format {
        Some(format) => search.all(&options.paths, format)?,
        None => search.any(&options.paths)?,
    };
    let sources = rule_out(found.iter().cloned().map(Into::into).collect());
    let first = found.get(sources.iter().position(|source| !source.is_ruled_out()).unwrap_or(0));
    let format = match (options.format, first) {
        (Some(format), _) => format,
        (None, Some(first)) => detect(first.clone().into(), interrupt)?,
        (None, None) => FormatName::Avro,
    };
    Ok((sources, format))
}

struct Search<'a> {
    stores: Stores,
    /// Whether directories below count.
    below: bool,
    interrupt: Option<&'a Interrupt>,
}

impl Search<'_> {
    /// The files of all paths. In directories, those of the first format that has some.
    fn any(&self, paths: &[String]) -> Result<Vec<Found>, FeedError> {
        let mut first = None;
        for format in FormatName::ALL {
            match self.all(paths, format) {
                Err(error) if is_missing(&error) => first = first.or(Some(error)),
                found => return found,
            }
        }
        first.map_or(Ok(Vec::new()), Err)
    }

    /// The files of all paths. In directories, those of the format.
    fn all(&self, paths: &[String], format: FormatName) -> Result<Vec<Found>, FeedError> {
        let mut found = Vec::new();
        for path in paths {
            let is_remote = sources::scheme(path).is_some_and(|scheme| !scheme.eq_ignore_ascii_case("file"));
            if is_remote {
                found.extend(self.stores.resolve(path, format.extension(), self.below, self.interrupt)?);
                continue;
            }
            let resolve = if self.below { sources::resolve_below } else { sources::resolve_extension };
            let paths = resolve([path], format.extension(), self.interrupt)?;
            found.extend(paths.into_iter().map(Found::Local));
        }
        Ok(found)
    }
}

fn is_missing(error: &FeedError) -> bool {
    error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
}
