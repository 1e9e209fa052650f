//! Clients of `object_store`, and their options.

use std::str::FromStr;
use std::sync::Arc;

use arrowfeed_source::{FeedError, FeedErrorKind, quoted};
use object_store::list::PaginatedListStore;
use object_store::memory::InMemory;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, RetryConfig};

use crate::StoreOptions;
use crate::location::{Family, Location};

/// A client of a store. It belongs to the process that created it.
#[derive(Clone)]
pub(crate) struct Client {
    pub objects: Arc<dyn ObjectStore>,
    /// Lists page by page, if the store supports it.
    pub pages: Option<Arc<dyn PaginatedListStore>>,
}

/// Purpose of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientPurpose {
    /// Each request is a single attempt: this crate retries, and counts retries.
    Reading,
    /// `object_store` retries requests, because it knows which ones are safe to repeat.
    Writing,
}

/// Request timeout where progress is monitored instead.
const LONG: &str = "365 days";

/// Maximum duration of an attempt whose progress cannot be monitored, as a multiple of `request_timeout`.
const WRITING: u32 = 10;

impl Client {
    /// Makes the client for a URL.
    ///
    /// # Errors
    /// The store does not know a key, or does not accept its value.
    pub(crate) fn connect(
        at: &Location,
        options: &StoreOptions,
        purpose: ClientPurpose,
    ) -> Result<Self, FeedError> {
        let settings = Settings { at, options, purpose };
        match at.family {
            #[cfg(feature = "aws")]
            Family::S3 => settings.s3(),
            #[cfg(feature = "gcp")]
            Family::Gcs => settings.gcs(),
            #[cfg(feature = "azure")]
            Family::Azure => settings.azure(),
            #[cfg(feature = "http")]
            Family::Http => settings.http(),
            #[cfg(feature = "hdfs")]
            Family::Hdfs => settings.hdfs(),
            Family::Memory => settings.memory(),
            #[allow(unreachable_patterns, reason = "the build may have all stores")]
            _ => Err(FeedError::new(
                FeedErrorKind::Options,
                "expected a store that this build supports, found one that it does not support",
            )),
        }
    }

    pub(crate) fn of(objects: Arc<dyn ObjectStore>) -> Self {
        Self { objects, pages: None }
    }

    #[cfg(any(feature = "aws", feature = "azure", feature = "gcp"))]
    fn with_pages<T: ObjectStore + PaginatedListStore>(store: T) -> Self {
        let store = Arc::new(store);
        Self { objects: store.clone(), pages: Some(store) }
    }
}

struct Settings<'a> {
    at: &'a Location,
    options: &'a StoreOptions,
    purpose: ClientPurpose,
}

/// Makes a client with a builder of `object_store` from the environment, the URL and the options. The builders share no
/// trait.
#[cfg(any(feature = "aws", feature = "gcp", feature = "azure"))]
macro_rules! cloud_client {
    ($settings:expr, $Builder:ident, $Key:ident) => {{
        let (settings, timeout) = ($settings, $Key::Client(ClientConfigKey::Timeout));
        let builder = $Builder::from_env().with_url(settings.at.root());
        let mut builder = builder.with_config(timeout, settings.timeout());
        for (key, value) in settings.pairs::<$Key>()? {
            builder = builder.with_config(key, value);
        }
        install_cryptography();
        let store = builder.with_retry(settings.retries()).build();
        Ok(Client::with_pages(store.map_err(|error| settings.refused(error))?))
    }};
}

impl Settings<'_> {
    fn retries(&self) -> RetryConfig {
        let max_retries = match self.purpose {
            ClientPurpose::Reading => 0,
            ClientPurpose::Writing => self.options.max_retries.try_into().unwrap_or(usize::MAX),
        };
        RetryConfig {
            max_retries,
            retry_timeout: self.options.retry_timeout,
            backoff: BackoffConfig::default(),
        }
    }

    fn timeout(&self) -> String {
        match self.purpose {
            ClientPurpose::Reading => LONG.to_owned(),
            ClientPurpose::Writing => format!("{} ms", (self.options.request_timeout * WRITING).as_millis()),
        }
    }

    /// The caller's keys, parsed, with their values.
    ///
    /// # Errors
    /// The store does not know a key.
    fn pairs<K: FromStr>(&self) -> Result<Vec<(K, &str)>, FeedError> {
        let pairs = self.options.client().map(|(key, value)| match key.parse() {
            Ok(known) => Ok((known, value)),
            Err(_) => {
                let (store, key) = (self.at.family.name(), quoted(key));
                let message = format!("storage_options: expected a key of {store}, found {key}");
                Err(FeedError::new(FeedErrorKind::Options, message))
            }
        });
        pairs.collect()
    }

    /// Makes the error for a store that rejects its options. Names replace the values of options and environment variables.
    fn refused(&self, error: object_store::Error) -> FeedError {
        let environment = std::env::vars_os().filter_map(|(key, value)| {
            let key = key.into_string().ok()?;
            let is_taken = ["AWS_", "AZURE_", "GOOGLE_"].iter().any(|start| key.starts_with(start));
            is_taken.then_some((key, value.into_string().ok()?))
        });
        let options = self.options.client().map(|(key, value)| (key.to_owned(), value.to_owned()));
        let secrets: Vec<_> =
            options.chain(environment).map(|(key, value)| (format!("the value of {key}"), value)).collect();
        let text = crate::failure::innermost_without(&error, &secrets);
        let store = self.at.family.name();
        FeedError::new(
            FeedErrorKind::Options,
            format!("storage_options: expected options that {store} accepts: {text}"),
        )
    }

    #[cfg(feature = "aws")]
    fn s3(&self) -> Result<Client, FeedError> {
        use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
        cloud_client!(self, AmazonS3Builder, AmazonS3ConfigKey)
    }

    #[cfg(feature = "gcp")]
    fn gcs(&self) -> Result<Client, FeedError> {
        use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
        cloud_client!(self, GoogleCloudStorageBuilder, GoogleConfigKey)
    }

    #[cfg(feature = "azure")]
    fn azure(&self) -> Result<Client, FeedError> {
        use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
        cloud_client!(self, MicrosoftAzureBuilder, AzureConfigKey)
    }

    #[cfg(feature = "http")]
    fn http(&self) -> Result<Client, FeedError> {
        let mut client = ClientOptions::new().with_config(ClientConfigKey::Timeout, self.timeout());
        if self.at.scheme == "http" {
            client = client.with_allow_http(true);
        }
        for (key, value) in self.pairs::<ClientConfigKey>()? {
            client = client.with_config(key, value);
        }
        install_cryptography();
        let builder = object_store::http::HttpBuilder::new().with_url(self.at.root());
        let builder = builder.with_client_options(client).with_http_connector(crate::exact_url::Connector);
        let store = builder.with_retry(self.retries()).build().map_err(|error| self.refused(error))?;
        Ok(Client::of(Arc::new(store)))
    }

    #[cfg(feature = "hdfs")]
    fn hdfs(&self) -> Result<Client, FeedError> {
        use std::sync::atomic::{AtomicU32, Ordering};

        /// The first process that has used HDFS.
        static READS: AtomicU32 = AtomicU32::new(0);
        let own = std::process::id();
        let first = READS
            .compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed)
            .unwrap_or_else(|first| first);
        if first != 0 && first != own {
            // The HDFS client has a single connection pool per process, which a fork copies.
            let message = "expected a process that was not forked from one that reads HDFS, found a forked one: start it with the method spawn";
            return Err(FeedError::io(std::io::Error::other(message)));
        }
        let mut builder = hdfs_native_object_store::HdfsObjectStoreBuilder::new();
        // Without an authority, the builder uses the file system from the Hadoop configuration.
        if !self.at.authority.is_empty() {
            builder = builder.with_url(self.at.root());
        }
        let builder = builder.with_config(self.options.client()).with_io_runtime(crate::runtime::handle()?);
        Ok(Client::of(Arc::new(builder.build().map_err(|error| self.refused(error))?)))
    }

    fn memory(&self) -> Result<Client, FeedError> {
        /// The memory store has no keys.
        struct None;
        impl FromStr for None {
            type Err = ();
            fn from_str(_: &str) -> Result<Self, ()> {
                Err(())
            }
        }
        self.pairs::<None>()?;
        Ok(Client::of(Arc::new(InMemory::new())))
    }
}

/// Installs the default TLS cryptography provider, unless the program has installed one.
pub fn install_cryptography() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // An error means that another thread has installed one at the same time.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}
