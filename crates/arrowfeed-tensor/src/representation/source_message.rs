//! The message that a representation was made from.

use std::fmt;
use std::sync::Arc;

use super::Representation;
use crate::proto::TensorRepresentation;

/// The message that a representation was made from, if [`to_proto`](Representation::to_proto) would write it differently: it
/// does not set some fields, or it has names of dimensions. As long as the representation does not change,
/// [`to_proto`](Representation::to_proto) returns this message. It does not affect the tensor, and all values are equal.
/// Default: none.
#[derive(Clone, Default)]
pub struct SourceMessage(Option<Arc<TensorRepresentation>>);

impl SourceMessage {
    pub(super) fn new(message: TensorRepresentation) -> Self {
        Self(Some(Arc::new(message)))
    }

    pub(super) fn message(&self) -> Option<&TensorRepresentation> {
        self.0.as_deref()
    }
}

impl PartialEq for SourceMessage {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SourceMessage {}

impl fmt::Debug for SourceMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "SourceMessage(..)" } else { "None" })
    }
}

impl Representation {
    /// The message that the representation was made from. `None` for [`VarLenSparse`](super::VarLenSparse), whose message has
    /// only the column.
    pub(super) fn source(&self) -> Option<&SourceMessage> {
        match self {
            Self::Dense(dense) => Some(&dense.source),
            Self::VarLenSparse(_) => None,
            Self::Sparse(sparse) => Some(&sparse.source),
            Self::Ragged(ragged) => Some(&ragged.source),
            Self::VarLenRagged(varlen) => Some(&varlen.source),
            Self::Structured(structured) => Some(&structured.source),
        }
    }

    pub(super) fn with_source(mut self, source: SourceMessage) -> Self {
        match &mut self {
            Self::Dense(dense) => dense.source = source,
            Self::VarLenSparse(_) => {}
            Self::Sparse(sparse) => sparse.source = source,
            Self::Ragged(ragged) => ragged.source = source,
            Self::VarLenRagged(varlen) => varlen.source = source,
            Self::Structured(structured) => structured.source = source,
        }
        self
    }
}
