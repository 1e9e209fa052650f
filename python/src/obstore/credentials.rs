//! Credentials that Python code provides.

#![expect(
    clippy::disallowed_types,
    reason = "the credential of a client of a store; only threads of the runtime lock it, and each process makes its own clients"
)]

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use object_store::CredentialProvider;
use object_store::aws::AwsCredential;
use object_store::azure::{AzureAccessKey, AzureCredential};
use object_store::gcp::GcpCredential;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokio::sync::Mutex;

use crate::object::Object;
use crate::shutdown::{call_method, try_attach};

/// Minimum time between two calls of a provider whose credentials are about to expire.
const PAUSE: Duration = Duration::from_millis(100);

/// A credential of a store, parsed from the dict that a provider returns.
pub(super) trait Credential: fmt::Debug + Sized + Send + Sync + 'static {
    fn parse(dict: &Bound<'_, PyDict>) -> PyResult<Self>;
}

/// Calls a Python provider, and keeps its credential until shortly before it expires.
#[derive(Debug)]
pub(super) struct Credentials<T> {
    provider: Arc<Object>,
    /// The time before the end of a credential from which a new one is fetched.
    refresh: Duration,
    kept: Mutex<Option<Kept<T>>>,
}

#[derive(Debug)]
struct Kept<T> {
    credential: Arc<T>,
    fetched: Instant,
    /// None: it does not expire.
    expires: Option<Instant>,
}

impl<T: Credential> Credentials<T> {
    pub(super) fn new(provider: Object, refresh: Duration) -> Self {
        Self { provider: Arc::new(provider), refresh, kept: Mutex::new(None) }
    }
}

impl<T> Kept<T> {
    fn is_fresh(&self, refresh: Duration) -> bool {
        let Some(expires) = self.expires else { return true };
        let left = expires.saturating_duration_since(Instant::now());
        left > refresh || (!left.is_zero() && self.fetched.elapsed() < PAUSE)
    }
}

#[async_trait]
impl<T: Credential> CredentialProvider for Credentials<T> {
    type Credential = T;

    async fn get_credential(&self) -> object_store::Result<Arc<T>> {
        let mut kept = self.kept.lock().await;
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_fresh(self.refresh)) {
            return Ok(kept.credential.clone());
        }
        // Python code may take its time, so it does not run in a thread of the runtime.
        let provider = self.provider.clone();
        let fetched = tokio::task::spawn_blocking(move || try_attach(|py| fetch::<T>(py, &provider))).await;
        let refused = |source: Box<dyn std::error::Error + Send + Sync>| {
            object_store::Error::Unauthenticated { path: "credential_provider".to_owned(), source }
        };
        let new = match fetched {
            Ok(Some(fetched)) => fetched.map_err(|error| refused(error.into()))?,
            Ok(None) => {
                return Err(refused("expected a running Python interpreter, found it shut down".into()));
            }
            Err(error) => return Err(refused(error.into())),
        };
        let credential = new.credential.clone();
        *kept = Some(new);
        Ok(credential)
    }
}

fn fetch<T: Credential>(py: Python<'_>, provider: &Object) -> PyResult<Kept<T>> {
    let module = py.import("arrowfeed._obstore")?;
    let found = call_method(&module, "credential_of", (provider.bind(py),))?;
    let (dict, left) = found.extract::<(Bound<'_, PyDict>, Option<f64>)>()?;
    let fetched = Instant::now();
    // A time that is too far away for a duration never comes.
    let left = left.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
    let expires = left.and_then(|left| fetched.checked_add(left));
    Ok(Kept { credential: Arc::new(T::parse(&dict)?), fetched, expires })
}

/// A value of the dict that may be missing or None.
fn optional(dict: &Bound<'_, PyDict>, key: &str) -> PyResult<Option<String>> {
    dict.get_item(key)?.map_or(Ok(None), |value| value.extract())
}

fn required(dict: &Bound<'_, PyDict>, key: &str) -> PyResult<String> {
    optional(dict, key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()))
}

impl Credential for AwsCredential {
    fn parse(dict: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(Self {
            key_id: required(dict, "access_key_id")?,
            secret_key: required(dict, "secret_access_key")?,
            token: optional(dict, "token")?,
        })
    }
}

impl Credential for GcpCredential {
    fn parse(dict: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(Self { bearer: required(dict, "token")? })
    }
}

impl Credential for AzureCredential {
    fn parse(dict: &Bound<'_, PyDict>) -> PyResult<Self> {
        if let Some(key) = optional(dict, "access_key")? {
            let key = AzureAccessKey::try_new(&key);
            return Ok(Self::AccessKey(
                key.map_err(|_| PyValueError::new_err("access_key: expected base64"))?,
            ));
        }
        match dict.get_item("sas_token")? {
            Some(token) => Ok(Self::SASToken(token.extract()?)),
            None => Ok(Self::BearerToken(required(dict, "token")?)),
        }
    }
}
