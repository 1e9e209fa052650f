//! Exact HTTP URLs, including their queries.
//!
//! `object_store` builds the URL of a request from the name of an object, without a query. [`Connector`] replaces it by
//! the URL of the caller, so that presigned URLs work and the objects of a server share connections.

use std::fmt;

use arrowfeed_source::{FeedError, FeedErrorKind};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, CONTENT_LENGTH};
use http::{HeaderValue, Uri};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};
use percent_encoding::percent_decode_str;
use url::{Position, Url};

/// The length that [`Connector`] sets for a response without one.
pub(crate) const UNKNOWN_LEN: u64 = u64::MAX;

/// A URL with its query, user name and password. [`Debug`](fmt::Debug) shows none of these.
#[derive(Clone)]
pub(crate) struct ExactUrl {
    uri: Uri,
    authorization: Option<HeaderValue>,
}

impl ExactUrl {
    /// Parses a URL, and moves the user name and the password to a header.
    pub(crate) fn parse(text: &str) -> Result<Self, FeedError> {
        let wrong = |why: &dyn fmt::Display| {
            FeedError::new(FeedErrorKind::Options, format!("expected a URL, found an invalid one: {why}"))
        };
        let mut url = Url::parse(text).map_err(|error| wrong(&error))?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        let authorization = has_user.then(|| {
            let mut credentials: Vec<u8> = percent_decode_str(url.username()).collect();
            credentials.push(b':');
            credentials.extend(percent_decode_str(url.password().unwrap_or_default()));
            let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(credentials)))?;
            value.set_sensitive(true);
            Ok::<_, http::header::InvalidHeaderValue>(value)
        });
        let authorization = authorization.transpose().map_err(|error| wrong(&error))?;
        // Neither call can fail, because the URL has a host.
        let _ = (url.set_username(""), url.set_password(None));
        let uri =
            url[..Position::AfterQuery].parse().map_err(|error: http::uri::InvalidUri| wrong(&error))?;
        Ok(Self { uri, authorization })
    }

    /// The host and port.
    pub(crate) fn authority(&self) -> &str {
        self.uri.authority().map_or("", |authority| authority.as_str())
    }

    /// A hash of the URL with its query, which may contain secrets.
    pub(crate) fn hash(&self) -> u32 {
        arrowfeed_source::crc32c(self.uri.to_string().as_bytes())
    }
}

impl fmt::Debug for ExactUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExactUrl").finish_non_exhaustive()
    }
}

/// Makes clients that send requests to the [`ExactUrl`] in the extensions of a request.
#[derive(Debug)]
pub(crate) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        ReqwestConnector::default().connect(options).map(|client| HttpClient::new(Service(client)))
    }
}

#[derive(Debug)]
struct Service(HttpClient);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if let Some(exact) = request.extensions().get::<ExactUrl>().cloned() {
            *request.uri_mut() = exact.uri;
            if let Some(authorization) = exact.authorization {
                request.headers_mut().insert(AUTHORIZATION, authorization);
            }
        }
        let mut response = self.0.execute(request).await?;
        if response.status().is_success() && !response.headers().contains_key(CONTENT_LENGTH) {
            response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(UNKNOWN_LEN));
        }
        Ok(response)
    }
}
