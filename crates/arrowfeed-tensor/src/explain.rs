//! Reports on the memory of tensors: shared with the batch, copied or computed, and why.

use std::fmt;

use arrow_schema::DataType;

use crate::dtype::DType;
use crate::error::printable;
use crate::leaf::Leaf;
use crate::row_splits::SplitsDType;
use crate::spec::TensorSpec;

/// The origin of the memory of a tensor part.
///
/// [`TensorAdapter::explain`](crate::TensorAdapter::explain) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// The batch's own memory.
    Shared,
    /// New memory, as large as the copied data.
    Copied,
    /// New memory, computed from the lengths of lists, or from the values by transforms. The batch has no such data.
    Computed,
}

/// One part of a tensor: the origin of its memory, and the reason.
///
/// [`TensorAdapter::explain`](crate::TensorAdapter::explain) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorPart {
    /// `values`, `indices` or `row_splits`. In structured tensors, the path of the field comes first.
    pub part: String,
    /// The origin of the memory, for batches to which no condition of `unless` applies.
    pub sharing: Sharing,
    /// The reason, if the part is not shared or is converted later.
    pub reason: Option<String>,
    /// Conditions under which the part of a batch is copied.
    pub unless: Vec<String>,
}

/// The report of [`TensorAdapter::explain`](crate::TensorAdapter::explain) on one tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Name of the tensor.
    pub tensor: String,
    /// Spec of the tensor.
    pub spec: TensorSpec,
    /// The parts of the tensor.
    pub parts: Vec<TensorPart>,
}

impl TensorPart {
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

    /// Puts the field of a structured tensor before the name of the part.
    pub(crate) fn of(mut self, field: &str) -> Self {
        self.part = format!("{field} {}", self.part);
        self
    }

    /// The values at the end of a path, shared unless one of the conditions `unless` applies.
    pub(crate) fn values(leaf: &Leaf, data_type: &DataType, unless: &[&str]) -> Self {
        if let Some(transforms) = leaf.transforms() {
            return Self::new("values", Sharing::Computed).because(transforms);
        }
        if !leaf.is_shared(data_type) {
            return Self::new("values", Sharing::Copied).because("a dictionary's keys are resolved");
        }
        let part = Self::new("values", Sharing::Shared).unless(unless.iter().copied());
        let part = match leaf.fills_nulls() {
            true => part.unless(["a null among them is filled"]),
            false => part,
        };
        match leaf.dtype {
            DType::Bool => part.because("as a bitmap, converted to bytes when they are read"),
            DType::Bytes => part.because("as an Arrow array, converted to objects when they are read"),
            _ => part,
        }
    }

    /// The row splits of lists whose offsets have the widths `own`, outermost first. One part if all widths are equal, else
    /// one per level.
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
                let reason =
                    format!("the offsets of the lists are {}, {} is requested", own.name(), wanted.name());
                Self::new(&part, Sharing::Copied).because(reason)
            }
            None => Self::new(&part, Sharing::Computed).because("the lists have no offsets"),
        }
    }
}

/// Condition that copies everything inside the lists: the values, and the row splits of inner lists.
pub(crate) const HIDDEN: &str = "a null list has stored values";

/// The same condition for list views.
pub(crate) const VIEWS: &str = "list views are not in order, overlap or leave gaps";

/// Formats like `values: shared; copied where a row is null and filled`.
impl fmt::Display for TensorPart {
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
