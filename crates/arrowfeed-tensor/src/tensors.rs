//! [`Tensors`]: the tensors of a batch, by name.

use std::ops::Deref;

use crate::error::{ConversionError, ConversionErrorKind};
use crate::spec::TensorKind;
use crate::tensor::{DenseTensor, RaggedTensor, SparseTensor, StructuredTensor, Tensor};

/// Named tensors, in the order of their definitions: a slice of pairs, with access by name.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{Float64Array, RecordBatch};
/// use arrowfeed_tensor::{Dense, Representation, TensorAdapter};
///
/// let batch = RecordBatch::try_from_iter([("x", Arc::new(Float64Array::from(vec![0.5, 1.5])) as _)])?;
/// let x = Representation::Dense(Dense { column: "x".to_owned(), ..Default::default() });
/// let tensors = TensorAdapter::try_new(batch.schema(), [("x", x)])?.convert(&batch)?;
///
/// assert_eq!(tensors.dense("x")?.values().as_f64(), Some(&[0.5, 1.5][..]));
/// assert_eq!(
///     tensors.ragged("x").unwrap_err().to_string(),
///     "tensor \"x\": expected a ragged tensor, found a dense tensor",
/// );
/// assert!(tensors.get("y").is_none());
/// for (name, tensor) in &tensors {
///     assert!(name == "x" && tensor.as_dense().is_some());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tensors(Vec<(String, Tensor)>);

impl Tensors {
    /// The tensor of a name. It is searched from the first one, so look up a tensor once for a batch.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, tensor)| tensor)
    }

    /// The dense tensor of a name.
    ///
    /// # Errors
    /// There is no tensor of this name, or it is of another kind.
    pub fn dense(&self, name: &str) -> Result<&DenseTensor, ConversionError> {
        self.of_kind(name, TensorKind::Dense, Tensor::as_dense)
    }

    /// The sparse tensor of a name.
    ///
    /// # Errors
    /// As [`dense`](Self::dense).
    pub fn sparse(&self, name: &str) -> Result<&SparseTensor, ConversionError> {
        self.of_kind(name, TensorKind::Sparse, Tensor::as_sparse)
    }

    /// The ragged tensor of a name.
    ///
    /// # Errors
    /// As [`dense`](Self::dense).
    pub fn ragged(&self, name: &str) -> Result<&RaggedTensor, ConversionError> {
        self.of_kind(name, TensorKind::Ragged, Tensor::as_ragged)
    }

    /// The structured tensor of a name.
    ///
    /// # Errors
    /// As [`dense`](Self::dense).
    pub fn structured(&self, name: &str) -> Result<&StructuredTensor, ConversionError> {
        self.of_kind(name, TensorKind::Structured, Tensor::as_structured)
    }

    fn of_kind<'a, T>(
        &'a self,
        name: &str,
        kind: TensorKind,
        as_kind: impl FnOnce(&'a Tensor) -> Option<&'a T>,
    ) -> Result<&'a T, ConversionError> {
        let tensor =
            self.get(name).ok_or_else(|| unknown_name(self.0.iter().map(|(name, _)| &**name), name))?;
        as_kind(tensor).ok_or_else(|| {
            let (expected, found) = (kind.name(), tensor.kind().name());
            let (expected, found) = (format!("a {expected} tensor"), format!("a {found} tensor"));
            ConversionError::new(ConversionErrorKind::Tensor, expected, found).in_tensor(name)
        })
    }
}

/// The error for a name that no tensor has.
pub(crate) fn unknown_name<'a>(known: impl Iterator<Item = &'a str>, name: &str) -> ConversionError {
    ConversionError::new(ConversionErrorKind::Name, one_of(known), format!("{name:?}"))
}

/// What is expected of a name.
pub(crate) fn one_of<'a>(known: impl Iterator<Item = &'a str>) -> String {
    format!("the name of a tensor, one of {:?}", known.collect::<Vec<_>>())
}

impl Deref for Tensors {
    type Target = [(String, Tensor)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl From<Vec<(String, Tensor)>> for Tensors {
    fn from(tensors: Vec<(String, Tensor)>) -> Self {
        Self(tensors)
    }
}

impl FromIterator<(String, Tensor)> for Tensors {
    fn from_iter<I: IntoIterator<Item = (String, Tensor)>>(tensors: I) -> Self {
        Self(tensors.into_iter().collect())
    }
}

impl IntoIterator for Tensors {
    type Item = (String, Tensor);
    type IntoIter = std::vec::IntoIter<(String, Tensor)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Tensors {
    type Item = &'a (String, Tensor);
    type IntoIter = std::slice::Iter<'a, (String, Tensor)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
