//! Clients from the configurations of obstore stores.
//!
//! `arrowfeed._obstore` reads a store of obstore into plain values. [`Configuration::client`] makes a client from them, with
//! the cryptography library of this crate.

mod credentials;

use std::collections::HashMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use arrowfeed::store::install_cryptography;
use http::{HeaderMap, HeaderName, HeaderValue};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, Certificate, ClientOptions, ObjectStore, RetryConfig};
use pyo3::prelude::*;

use crate::object::Object;
use crate::shutdown::call_method;
use credentials::Credentials;

/// An error whose text may contain values of options, so it is not shown.
type HiddenError = Box<dyn std::error::Error + Send + Sync>;

/// The `Configuration` of `arrowfeed._obstore`. A detached thread may drop it.
#[derive(FromPyObject)]
pub(crate) struct Configuration {
    kind: String,
    root: Option<String>,
    prefix: Option<String>,
    config: Vec<(String, String)>,
    client: Vec<(String, String)>,
    headers: Vec<(String, Vec<u8>)>,
    certificates: Option<Vec<u8>>,
    retry: HashMap<String, f64>,
    #[pyo3(from_py_with = reference)]
    provider: Option<Object>,
    refresh: f64,
}

/// Applies a configuration to a builder of `object_store`, and builds the store. The builders share no trait.
macro_rules! cloud_store {
    ($Builder:ident, $configuration:expr, $py:expr) => {{
        let mut builder = $Builder::from_env()
            .with_client_options($configuration.client_options()?)
            .with_retry($configuration.retries()?);
        for (key, value) in &$configuration.config {
            builder = builder.with_config(key.parse()?, value);
        }
        if let Some(provider) = &$configuration.provider {
            let refresh = Duration::try_from_secs_f64($configuration.refresh)?;
            let provider = Object::new(provider.clone_ref($py));
            builder = builder.with_credentials(Arc::new(Credentials::new(provider, refresh)));
        }
        $configuration.with_prefix(builder.build()?)
    }};
}

impl Configuration {
    /// Reads the configuration of a store. None: it is no store of obstore, or a memory store.
    pub(crate) fn of(store: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let module = store.py().import("arrowfeed._obstore")?;
        call_method(&module, "configuration_of", (store,))?.extract()
    }

    /// Makes a client. It sends no request.
    ///
    /// # Errors
    /// `object_store` does not know an option, or does not accept its value. obstore may have another version of it.
    pub(crate) fn client(&self, py: Python<'_>) -> Result<Arc<dyn ObjectStore>, HiddenError> {
        install_cryptography();
        match self.kind.as_str() {
            "S3Store" => cloud_store!(AmazonS3Builder, self, py),
            "GCSStore" => cloud_store!(GoogleCloudStorageBuilder, self, py),
            "AzureStore" => cloud_store!(MicrosoftAzureBuilder, self, py),
            "HTTPStore" => {
                let builder = HttpBuilder::new().with_url(self.root.clone().unwrap_or_default());
                let builder = builder.with_client_options(self.client_options()?);
                Ok(Arc::new(builder.with_retry(self.retries()?).build()?))
            }
            "LocalStore" => Ok(match &self.root {
                Some(root) => Arc::new(LocalFileSystem::new_with_prefix(PathBuf::from(root))?),
                None => Arc::new(LocalFileSystem::new()),
            }),
            other => Err(format!("expected a class of obstore, found {other}").into()),
        }
    }

    fn with_prefix<T: ObjectStore>(&self, store: T) -> Result<Arc<dyn ObjectStore>, HiddenError> {
        Ok(match &self.prefix {
            Some(prefix) => Arc::new(PrefixStore::new(store, Path::parse(prefix)?)),
            None => Arc::new(store),
        })
    }

    fn client_options(&self) -> Result<ClientOptions, HiddenError> {
        let mut options = ClientOptions::new();
        for (key, value) in &self.client {
            options = options.with_config(key.parse()?, value);
        }
        if !self.headers.is_empty() {
            let mut headers = HeaderMap::with_capacity(self.headers.len());
            for (name, value) in &self.headers {
                headers.insert(HeaderName::from_str(name)?, HeaderValue::from_bytes(value)?);
            }
            options = options.with_default_headers(headers);
        }
        for certificate in self.certificates.iter().map(|pem| Certificate::from_pem_bundle(pem)) {
            for certificate in certificate? {
                options = options.with_root_certificate(certificate);
            }
        }
        Ok(options)
    }

    fn retries(&self) -> Result<RetryConfig, HiddenError> {
        let number = |key: &str| self.retry.get(key).copied();
        let seconds = |key, default| number(key).map_or(Ok(default), Duration::try_from_secs_f64);
        let RetryConfig { backoff, max_retries, retry_timeout } = RetryConfig::default();
        Ok(RetryConfig {
            backoff: BackoffConfig {
                init_backoff: seconds("init_backoff", backoff.init_backoff)?,
                max_backoff: seconds("max_backoff", backoff.max_backoff)?,
                base: number("base").unwrap_or(backoff.base),
            },
            max_retries: number("max_retries").map_or(max_retries, |retries| retries as usize),
            retry_timeout: seconds("retry_timeout", retry_timeout)?,
        })
    }
}

/// A reference to a value, unless it is None.
fn reference(value: &Bound<'_, PyAny>) -> PyResult<Option<Object>> {
    Ok((!value.is_none()).then(|| Object::new(value.clone().unbind())))
}
