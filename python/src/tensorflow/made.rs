//! Sources that are made when an iteration begins, of arguments that only the graph knows.
//!
//! The arguments are a part of the state: `a`, the number of their bytes, `:`, and each as the number of its bytes, `:` and the
//! bytes; then what the source itself goes on from.

use std::sync::Arc;

use arrowfeed::tensor::Tensors;
use arrowfeed_tensorflow::{Failure, Feed, Source};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::attached;
use super::failure::{not_a_state, raised};
use super::source::{AnySource, TensorFlowSource};
use crate::errors::dataset_error;
use crate::shutdown::call;

/// What makes a source of arguments.
pub(super) struct Made {
    /// Called with a list of `bytes`. Gives a `TensorFlowSource`, or `None` where there is nothing to iterate over.
    pub(super) make: Py<PyAny>,
}

/// An iteration, and the arguments as they are in its state.
struct WithArguments {
    arguments: Vec<u8>,
    feed: Option<Box<dyn Feed>>,
}

/// The source of the arguments of a state.
pub(super) struct Opened<'a> {
    /// As they are in the state.
    pub(super) arguments: &'a [u8],
    /// `None`: there is nothing to iterate over.
    pub(super) source: Option<Arc<AnySource>>,
    /// What the source goes on from.
    pub(super) rest: &'a [u8],
}

impl Made {
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

impl Source for Made {
    fn start(&self, state: &[u8]) -> Result<Box<dyn Feed>, Failure> {
        let opened = attached(|py| self.opened(py, state).map_err(|error| raised(py, error)))?;
        let feed = opened.source.map(|source| source.start(opened.rest)).transpose()?;
        Ok(Box::new(WithArguments { arguments: opened.arguments.to_vec(), feed }))
    }
}

impl Feed for WithArguments {
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

/// The first bytes whose number stands before them, and what follows.
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
