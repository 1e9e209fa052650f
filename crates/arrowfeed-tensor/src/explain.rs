//! What is shared with the batch, what is copied, and why.

use std::fmt;

use arrow_schema::DataType;

use crate::dtype::DType;
use crate::error::printable;
use crate::leaf::Leaf;
use crate::row_splits::SplitsDType;
use crate::spec::TensorSpec;

/// How a part of a tensor comes from the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// The batch's own memory.
    Shared,
    /// New memory, of the size of what is copied.
    Copied,
    /// New memory, made from the lengths of lists: there is nothing like it in the batch.
    Computed,
}

/// One part of a tensor: where its memory is from, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// `values`, `indices`, `row_splits`; after the path of a field in structured tensors.
    pub part: String,
    /// As long as nothing of `unless` happens.
    pub sharing: Sharing,
    /// Why it is so, where it is not shared.
    pub reason: Option<String>,
    /// What makes a copy in a batch where it happens.
    pub unless: Vec<String>,
}

/// What [`TensorAdapter::explain`](crate::TensorAdapter::explain) says of one tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Name of the tensor.
    pub tensor: String,
    /// What it is.
    pub spec: TensorSpec,
    /// Where its parts are from.
    pub parts: Vec<Part>,
}

impl Part {
    pub(crate) fn new(part: &str, sharing: Sharing) -> Self {
        Self { part: part.to_owned(), sharing, reason: None, unless: Vec::new() }
    }

    pub(crate) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    pub(crate) fn unless<S: Into<String>>(mut self, what: impl IntoIterator<Item = S>) -> Self {
        self.unless.extend(what.into_iter().map(Into::into));
        self
    }

    /// The part of a field of a structured tensor.
    pub(crate) fn of(mut self, field: &str) -> Self {
        self.part = format!("{field} {}", self.part);
        self
    }

    /// Values at the end of a path, kept as they are `unless` something happens.
    pub(crate) fn values(leaf: &Leaf, data_type: &DataType, unless: &[&str]) -> Self {
        if !leaf.is_shared(data_type) {
            return Self::new("values", Sharing::Copied).because("a dictionary's keys are resolved");
        }
        let part = Self::new("values", Sharing::Shared).unless(unless.iter().copied());
        let part = match leaf.fills_nulls() {
            true => part.unless(["a null among them is filled"]),
            false => part,
        };
        match leaf.dtype {
            DType::Bool => part.because("as bits, made bytes at the hand-off"),
            DType::Bytes => part.because("as an Arrow array, made objects at the hand-off"),
            _ => part,
        }
    }

    /// Row splits of lists, whose offsets have these widths from the outside in; one part where they are alike.
    pub(crate) fn row_splits(own: &[Option<SplitsDType>], wanted: SplitsDType, views: bool) -> Vec<Self> {
        let Some((first, rest)) = own.split_first() else {
            return vec![Self::new("row_splits", Sharing::Computed).because("a row is a list of one value")];
        };
        if rest.iter().all(|own| own == first) {
            return vec![Self::splits("row_splits".to_owned(), *first, wanted, views)];
        }
        let levels = own.iter().enumerate();
        levels.map(|(level, own)| Self::splits(format!("row_splits[{level}]"), *own, wanted, views)).collect()
    }

    fn splits(part: String, own: Option<SplitsDType>, wanted: SplitsDType, views: bool) -> Self {
        match own {
            Some(own) if own == wanted => {
                let unless = ["the batch is a slice that begins later", HIDDEN];
                Self::new(&part, Sharing::Shared).unless(unless).unless(views.then_some(VIEWS))
            }
            Some(own) => {
                let reason = format!("the lists' offsets are {}, {} is asked for", own.name(), wanted.name());
                Self::new(&part, Sharing::Copied).because(reason)
            }
            None => Self::new(&part, Sharing::Computed).because("the lists have no offsets"),
        }
    }
}

/// What makes a copy of all that is in lists: values, and row splits below.
pub(crate) const HIDDEN: &str = "a null list stands over stored values";

/// The same of list views.
pub(crate) const VIEWS: &str = "list views are not in order, overlap or leave gaps";

/// `values: shared; copied where a row is null and filled`.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sharing = match self.sharing {
            Sharing::Shared => "shared",
            Sharing::Copied => "copied",
            Sharing::Computed => "computed",
        };
        write!(f, "{}: {sharing}", self.part)?;
        if let Some(reason) = &self.reason {
            write!(f, ", {reason}")?;
        }
        if !self.unless.is_empty() {
            write!(f, "; copied where {}", self.unless.join(", or "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", printable(&self.tensor), printable(&self.spec.to_string()))?;
        self.parts.iter().try_for_each(|part| write!(f, "\n  {}", printable(&part.to_string())))
    }
}
