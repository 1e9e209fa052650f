//! Sources that are created at the start of an iteration, from arguments that are known only in the graph.
//!
//! The arguments are part of the state. The state is `a`, the length of the arguments in bytes, `:`, each argument as its
//! length, `:` and its bytes, and then the state of the source.

use std::sync::Arc;

use arrowfeed::tensor::Tensors;
use arrowfeed_tensorflow::{Failure, TensorSource, TensorStream};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::attached;
use super::failure::{not_a_state, raised};
use super::source::{AnySource, TensorFlowSource};
use crate::errors::dataset_error;
use crate::shutdown::call;

/// A function that creates a source from arguments.
pub(super) struct LazySource {
    /// Takes a list of `bytes`. Returns a `TensorFlowSource`, or `None` if there is nothing to iterate over.
    pub(super) make: Py<PyAny>,
}

/// An iteration, and its arguments in the form of the state.
struct WithArguments {
    arguments: Vec<u8>,
    feed: Option<Box<dyn TensorStream>>,
}

/// A state, split into the arguments with their source and the rest.
pub(super) struct Opened<'a> {
    /// The arguments in the form of the state.
    pub(super) arguments: &'a [u8],
    /// `None`: there is nothing to iterate over.
    pub(super) source: Option<Arc<AnySource>>,
    /// The state of the source.
    pub(super) rest: &'a [u8],
}

impl LazySource {
    pub(super) fn opened<'a>(&self, py: Python<'_>, state: &'a [u8]) -> PyResult<Opened<'a>> {
        let rest = state.strip_prefix(b"a").and_then(netstring);
        let parsed = rest.and_then(|(arguments, rest)| Some((each(arguments)?, rest)));
        let (arguments, rest) = parsed.ok_or_else(|| dataset_error(py, not_a_state()))?;
        let arguments: Vec<_> = arguments.iter().map(|argument| PyBytes::new(py, argument)).collect();
        let made = call(self.make.bind(py), (arguments,))?;
        let source =
            if made.is_none() { None } else { Some(made.cast::<TensorFlowSource>()?.get().source()) };
        Ok(Opened { arguments: &state[..state.len() - rest.len()], source, rest })
    }
}

impl TensorSource for LazySource {
    fn start(&self, state: &[u8]) -> Result<Box<dyn TensorStream>, Failure> {
        let opened = attached(|py| self.opened(py, state).map_err(|error| raised(py, error)))?;
        let feed = opened.source.map(|source| source.start(opened.rest)).transpose()?;
        Ok(Box::new(WithArguments { arguments: opened.arguments.to_vec(), feed }))
    }
}

impl TensorStream for WithArguments {
    fn next(&mut self) -> Result<Option<Tensors>, Failure> {
        self.feed.as_mut().map_or(Ok(None), |feed| feed.next())
    }

    fn state(&mut self) -> Result<Vec<u8>, Failure> {
        let mut state = self.arguments.clone();
        if let Some(feed) = &mut self.feed {
            state.extend(feed.state()?);
        }
        Ok(state)
    }
}

/// Splits off the first length-prefixed byte string.
fn netstring(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = bytes.iter().position(|byte| *byte == b':')?;
    let len = std::str::from_utf8(&bytes[..colon]).ok()?.parse().ok()?;
    bytes[colon + 1..].split_at_checked(len)
}

fn each(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let (one, rest) = netstring(bytes)?;
        found.push(one);
        bytes = rest;
    }
    Some(found)
}
