//! URLs of objects, split into store and object name.
//!
//! The name of an object is the unmodified text after the authority: the URL `s3://bucket/a b#%20.avro` has the name
//! `a b#%20.avro`, as in the tools of the stores. HTTP URLs have percent-encoded names, queries and fragments.

use arrowfeed_source::io::url::{redacted, scheme};
use arrowfeed_source::{FeedError, FeedErrorKind, quoted};
use object_store::path::Path;

use crate::exact_url::ExactUrl;

/// A kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    S3,
    Gcs,
    Azure,
    Http,
    Memory,
    Hdfs,
}

impl Family {
    /// The family of a scheme, if this build supports it.
    fn of(scheme: &str) -> Option<Self> {
        let family = match scheme.to_ascii_lowercase().as_str() {
            "s3" | "s3a" => Self::S3,
            "gs" => Self::Gcs,
            "az" | "azure" | "adl" | "abfs" | "abfss" => Self::Azure,
            "http" | "https" => Self::Http,
            "memory" => Self::Memory,
            "hdfs" | "viewfs" => Self::Hdfs,
            _ => return None,
        };
        let is_built = match family {
            Self::S3 => cfg!(feature = "aws"),
            Self::Gcs => cfg!(feature = "gcp"),
            Self::Azure => cfg!(feature = "azure"),
            Self::Http => cfg!(feature = "http"),
            Self::Memory => true,
            Self::Hdfs => cfg!(feature = "hdfs"),
        };
        is_built.then_some(family)
    }

    /// The name of the family in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Gcs => "gs",
            Self::Azure => "azure",
            Self::Http => "http",
            Self::Memory => "memory",
            Self::Hdfs => "hdfs",
        }
    }
}

/// Whether a text is a URL of a store that this build can read.
///
/// ```
/// assert!(arrowfeed_store::supports("s3://bucket/part-0.avro"));
/// assert!(!arrowfeed_store::supports("data/part-0.avro"));
/// ```
pub fn supports(url: &str) -> bool {
    scheme(url).and_then(Family::of).is_some()
}

/// A parsed URL.
#[derive(Debug, Clone)]
pub(crate) struct Location {
    pub family: Family,
    /// Lower-case scheme.
    pub scheme: String,
    /// Bucket, container or host, without user name and password. Exception: in Azure URLs the user name is the
    /// container.
    pub authority: String,
    /// The text after the authority, without the first slash. For HTTP, it ends before the query.
    pub name: String,
    /// The URL of requests, for HTTP.
    pub exact: Option<ExactUrl>,
}

impl Location {
    /// Parses a URL.
    ///
    /// # Errors
    /// This build does not support the scheme, or an HTTP URL is invalid.
    pub(crate) fn parse(url: &str) -> Result<Self, FeedError> {
        let family = scheme(url).and_then(|scheme| Some((scheme, Family::of(scheme)?)));
        let Some((scheme, family)) = family else {
            let found = scheme(url).map_or("none".to_owned(), quoted);
            return Err(wrong(format!(
                "expected a URL of a store that this build can read, found the scheme {found}"
            )));
        };
        let (authority, path) =
            url[scheme.len() + 3..].split_once('/').unwrap_or((&url[scheme.len() + 3..], ""));
        let scheme = scheme.to_ascii_lowercase();
        if family == Family::Http {
            let exact = ExactUrl::parse(url)?;
            let name = redacted(url).splitn(4, '/').nth(3).unwrap_or_default().to_owned();
            return Ok(Self {
                family,
                authority: exact.authority().to_owned(),
                scheme,
                name,
                exact: Some(exact),
            });
        }
        let (user, host) = authority.rsplit_once('@').map_or(("", authority), |(user, host)| (user, host));
        let container = user.split(':').next().unwrap_or_default();
        let authority = match family {
            Family::Azure if !container.is_empty() => format!("{container}@{host}"),
            _ => host.to_owned(),
        };
        if authority.is_empty() && !matches!(family, Family::Memory | Family::Hdfs) {
            return Err(wrong(format!("expected a bucket or container after {scheme}://, found none")));
        }
        Ok(Self { family, authority, scheme, name: path.to_owned(), exact: None })
    }

    /// The URL of the store, without secrets.
    pub(crate) fn root(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }
}

/// Converts the name of an object to a path of `object_store`.
///
/// # Errors
/// The name has an empty part, a part that is `.` or `..`, or a control character.
pub(crate) fn path_of(name: &str) -> Result<Path, FeedError> {
    let path = Path::parse(name).ok().filter(|path| path.as_ref() == name.trim_matches('/'));
    path.ok_or_else(|| {
        wrong(
            "expected a name without empty parts, '.', '..' and control characters, found one that has them"
                .to_owned(),
        )
    })
}

fn wrong(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Options, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(url: &str) -> (String, String) {
        let location = Location::parse(url).unwrap();
        (location.root(), location.name)
    }

    fn message(url: &str) -> String {
        Location::parse(url).unwrap_err().to_string()
    }

    fn pair(root: &str, name: &str) -> (String, String) {
        (root.to_owned(), name.to_owned())
    }

    #[test]
    fn names_stay_as_they_are() {
        assert_eq!(parts("s3://bucket/a b/#1+%20é?.avro"), pair("s3://bucket", "a b/#1+%20é?.avro"));
        assert_eq!(parts("S3A://bucket"), pair("s3a://bucket", ""));
        assert_eq!(parts("s3://me:word@bucket/a"), pair("s3://bucket", "a"));
        assert_eq!(parts("memory:///a"), pair("memory://", "a"));
        let azure = "abfss://data@account.dfs.core.windows.net";
        assert_eq!(parts(&format!("{azure}/a.avro")), pair(azure, "a.avro"));
        assert_eq!(parts("az://container/a.avro"), pair("az://container", "a.avro"));
        assert_eq!(path_of("a b/#1+%20é?.avro").unwrap().as_ref(), "a b/#1+%20é?.avro");
    }

    #[test]
    fn http_has_queries_and_users() {
        let url = "https://me:word@HOST:81/a%20b.avro?signature=hush#part";
        assert_eq!(parts(url), pair("https://host:81", "a%20b.avro"));
        assert!(!format!("{:?}", Location::parse(url).unwrap()).contains("hush"));
        assert!(!format!("{:?}", Location::parse(url).unwrap()).contains("word"));
        assert_eq!(parts("http://host"), pair("http://host", ""));
    }

    #[test]
    fn wrong_urls_are_refused() {
        let scheme = "expected a URL of a store that this build can read, found the scheme";
        assert_eq!(message("ftp://host/a.avro"), format!("{scheme} \"ftp\""));
        assert_eq!(message("a.avro"), format!("{scheme} none"));
        assert_eq!(message("s3:///a.avro"), "expected a bucket or container after s3://, found none");
        assert_eq!(message("http://host:port/"), "expected a URL, found an invalid one: invalid port number");
        let name =
            "expected a name without empty parts, '.', '..' and control characters, found one that has them";
        for wrong in ["a//b", "a/../b", "a/./b", "a\nb"] {
            assert_eq!(path_of(wrong).unwrap_err().to_string(), name);
        }
    }
}
