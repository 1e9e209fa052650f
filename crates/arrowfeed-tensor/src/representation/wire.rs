//! Conversion of representations from and to the bytes of their messages.

use prost::Message;

use super::{
    DefaultValue, Dense, Partition, Ragged, Representation, SourceMessage, Sparse, Structured, VarLenRagged,
    VarLenSparse,
};
use crate::column_path::ColumnPath;
use crate::error::{RepresentationError, RepresentationErrorKind, count};
use crate::padding::Padding;
use crate::proto::fixed_shape::Dim;
use crate::proto::tensor_representation::ragged_tensor::{self, partition};
use crate::proto::tensor_representation::{self as message, RowPartitionDType, default_value};
use crate::proto::{FixedShape, Path, TensorRepresentation};
use crate::row_splits::SplitsDType;
use crate::transform::Transform;

fn error<T>(expected: &str, found: impl Into<String>) -> Result<T, RepresentationError> {
    Err(RepresentationError::new(RepresentationErrorKind::Proto, expected, found))
}

impl Representation {
    /// Parses the bytes of a `tensorflow.metadata.v0.TensorRepresentation`, or of this crate's message, which also has
    /// [`VarLenRagged`], [`Structured`] and `pad`. Ignores unknown fields. A field that is not set has its default: no shape
    /// is the shape of a scalar, and row splits without a type have 64 bits.
    ///
    /// # Errors
    /// The bytes are not such a message, or the message has no kind or is invalid.
    pub fn from_proto(bytes: &[u8]) -> Result<Self, RepresentationError> {
        match TensorRepresentation::decode(bytes) {
            Ok(message) => Self::from_message(&message),
            Err(source) => error("the bytes of a TensorRepresentation", source.to_string()),
        }
    }

    /// The bytes of the message. For the kinds that TensorFlow Metadata has, they are the bytes of its message. A
    /// representation that [`from_proto`](Self::from_proto) made gives the bytes of that message, without unknown fields: what
    /// was not set there is not set here. A ragged tensor that
    /// [`representations_from_tfmd`](crate::representations_from_tfmd) infers sets no type of the row splits.
    pub fn to_proto(&self) -> Vec<u8> {
        self.to_message().encode_to_vec()
    }

    /// The bytes of the message in which all fields with a meaning are set. They are the same for equal representations, also
    /// for those of different messages.
    ///
    /// ```
    /// use arrowfeed_tensor::{ColumnPath, Ragged, Representation};
    ///
    /// // The path of a ragged tensor, and no type of the row splits.
    /// let message = [0x22, 5, 0x0a, 3, 0x0a, 1, b'x'];
    /// let parsed = Representation::from_proto(&message)?;
    /// let made = Representation::Ragged(Ragged { path: ColumnPath::from("x"), ..Ragged::default() });
    /// assert_eq!(parsed, made);
    /// assert_eq!(parsed.to_proto(), message);
    /// assert_ne!(parsed.to_proto(), made.to_proto());
    /// assert_eq!(parsed.to_explicit_proto(), made.to_proto());
    /// # Ok::<(), arrowfeed_tensor::RepresentationError>(())
    /// ```
    pub fn to_explicit_proto(&self) -> Vec<u8> {
        self.explicit_message().encode_to_vec()
    }

    pub(crate) fn from_message(message: &TensorRepresentation) -> Result<Self, RepresentationError> {
        let representation = Self::parsed(message)?;
        representation.validate()?;
        if representation.explicit_message() == *message {
            return Ok(representation);
        }
        Ok(representation.with_source(SourceMessage::new(message.clone())))
    }

    /// The same ragged tensor with a message that does not set the type of the row splits. Other representations do not
    /// change.
    pub(crate) fn without_splits_dtype(self) -> Self {
        let mut message = self.explicit_message();
        match &mut message.kind {
            Some(message::Kind::RaggedTensor(ragged)) => ragged.row_partition_dtype = None,
            _ => return self,
        }
        self.with_source(SourceMessage::new(message))
    }

    /// The representation of a message, without the rules of [`validate`](Self::validate).
    fn parsed(message: &TensorRepresentation) -> Result<Self, RepresentationError> {
        use message::Kind;
        let transforms: Vec<Transform> =
            message.transform.iter().map(Transform::from_message).collect::<Result<_, _>>()?;
        let representation = match &message.kind {
            Some(Kind::StructuredTensor(_)) if !transforms.is_empty() => {
                return error("a structured tensor without transforms", count(transforms.len(), "transform"));
            }
            None => return error("a known kind of representation", "an unknown kind"),
            Some(Kind::DenseTensor(dense)) => Self::Dense(Dense {
                column: dense.column_name().to_owned(),
                shape: sizes(dense.shape.as_ref())?,
                default: dense.default_value.as_ref().map(default).transpose()?,
                pad: dense.pad(),
                ..Dense::default()
            }),
            Some(Kind::VarlenSparseTensor(varlen)) => Self::VarLenSparse(VarLenSparse {
                column: varlen.column_name().to_owned(),
                ..VarLenSparse::default()
            }),
            Some(Kind::SparseTensor(sparse)) => Self::Sparse(Sparse {
                index_columns: sparse.index_column_names.clone(),
                value_column: sparse.value_column_name().to_owned(),
                dense_shape: dims(sparse.dense_shape.as_ref()).map(dimension).collect::<Result<_, _>>()?,
                already_sorted: sparse.already_sorted(),
                ..Sparse::default()
            }),
            Some(Kind::RaggedTensor(ragged)) => Self::Ragged(Ragged {
                path: ColumnPath::new(ragged.feature_path.iter().flat_map(|path| &path.step)),
                partitions: ragged.partition.iter().map(parsed_partition).collect::<Result<_, _>>()?,
                row_splits_dtype: splits_dtype(ragged.row_partition_dtype),
                ..Ragged::default()
            }),
            Some(Kind::VarlenRaggedTensor(varlen)) => Self::VarLenRagged(VarLenRagged {
                column: varlen.column_name().to_owned(),
                row_splits_dtype: splits_dtype(varlen.row_partition_dtype),
                padding: varlen.pad_to.as_ref().map(|to| padding(to, varlen)).transpose()?,
                ..VarLenRagged::default()
            }),
            Some(Kind::StructuredTensor(structured)) => Self::Structured(Structured {
                columns: structured.column_names.clone(),
                row_splits_dtype: splits_dtype(structured.row_partition_dtype),
                source: SourceMessage::default(),
            }),
        };
        Ok(representation.with_transforms(transforms))
    }

    pub(crate) fn to_message(&self) -> TensorRepresentation {
        match self.source().and_then(SourceMessage::message) {
            Some(message) if self.is_of(message) => message.clone(),
            _ => self.explicit_message(),
        }
    }

    /// Whether the representation is still that of a message. Compares bytes, because a default of NaN differs from itself.
    fn is_of(&self, message: &TensorRepresentation) -> bool {
        Self::parsed(message).is_ok_and(|parsed| parsed.to_explicit_proto() == self.to_explicit_proto())
    }

    fn explicit_message(&self) -> TensorRepresentation {
        use message::Kind;
        let kind = match self {
            Self::Dense(dense) => Kind::DenseTensor(message::DenseTensor {
                column_name: Some(dense.column.clone()),
                shape: Some(fixed_shape(dense.shape.iter().map(|size| on_wire(*size)))),
                default_value: dense.default.as_ref().map(default_message),
                pad: dense.pad.then_some(true),
            }),
            Self::VarLenSparse(VarLenSparse { column, .. }) => {
                Kind::VarlenSparseTensor(message::VarLenSparseTensor { column_name: Some(column.clone()) })
            }
            Self::Sparse(sparse) => Kind::SparseTensor(message::SparseTensor {
                dense_shape: Some(fixed_shape(
                    sparse.dense_shape.iter().map(|size| size.map_or(-1, on_wire)),
                )),
                index_column_names: sparse.index_columns.clone(),
                value_column_name: Some(sparse.value_column.clone()),
                already_sorted: sparse.already_sorted.then_some(true),
            }),
            Self::Ragged(ragged) => Kind::RaggedTensor(message::RaggedTensor {
                feature_path: Some(Path { step: ragged.path.steps().to_vec() }),
                partition: ragged.partitions.iter().map(partition_message).collect(),
                row_partition_dtype: Some(dtype_message(ragged.row_splits_dtype)),
            }),
            Self::VarLenRagged(varlen) => {
                let padding = varlen.padding.as_ref();
                Kind::VarlenRaggedTensor(message::VarLenRaggedTensor {
                    column_name: Some(varlen.column.clone()),
                    row_partition_dtype: Some(dtype_message(varlen.row_splits_dtype)),
                    pad_to: padding.map(|padding| padding.to.to_string()),
                    pad_value: padding.and_then(|padding| padding.value.as_ref()).map(default_message),
                    truncate: padding.filter(|padding| padding.truncate).map(|_| true),
                    mask: padding.filter(|padding| padding.mask).map(|_| true),
                    pack: padding.and_then(|padding| padding.pack).map(|pack| pack.name().to_owned()),
                })
            }
            Self::Structured(structured) => Kind::StructuredTensor(message::StructuredTensor {
                column_names: structured.columns.clone(),
                row_partition_dtype: Some(dtype_message(structured.row_splits_dtype)),
            }),
        };
        let transform = self.transforms().iter().map(Transform::to_message).collect();
        TensorRepresentation { kind: Some(kind), transform }
    }
}

/// The sizes in a message. A size that is not set is 0.
pub(crate) fn dims(shape: Option<&FixedShape>) -> impl Iterator<Item = i64> + '_ {
    shape.into_iter().flat_map(|shape| &shape.dim).map(Dim::size)
}

pub(crate) fn sizes(shape: Option<&FixedShape>) -> Result<Vec<usize>, RepresentationError> {
    let sizes = dims(shape).map(|size| match usize::try_from(size) {
        Ok(size) => Ok(size),
        Err(_) => {
            let expected = "sizes of 0 or more in the shape of a dense tensor";
            Err(RepresentationError::new(RepresentationErrorKind::Shape, expected, size.to_string()))
        }
    });
    sizes.collect()
}

fn dimension(size: i64) -> Result<Option<usize>, RepresentationError> {
    match (size, usize::try_from(size)) {
        (-1, _) => Ok(None),
        (_, Ok(size)) => Ok(Some(size)),
        _ => {
            let expected = "sizes of 0 or more, or -1, in the shape of a sparse tensor";
            Err(RepresentationError::new(RepresentationErrorKind::Shape, expected, size.to_string()))
        }
    }
}

/// The size in a message. A size that does not fit becomes `i64::MAX`, which a reader rejects.
fn on_wire(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

fn fixed_shape(sizes: impl Iterator<Item = i64>) -> FixedShape {
    FixedShape { dim: sizes.map(|size| Dim { size: Some(size), name: None }).collect() }
}

fn default(value: &message::DefaultValue) -> Result<DefaultValue, RepresentationError> {
    use default_value::Kind;
    Ok(match &value.kind {
        Some(Kind::FloatValue(value)) => DefaultValue::Float(*value),
        Some(Kind::IntValue(value)) => DefaultValue::Int(*value),
        Some(Kind::UintValue(value)) => DefaultValue::UInt(*value),
        Some(Kind::BytesValue(value)) => DefaultValue::Bytes(value.clone()),
        None => {
            let kind = RepresentationErrorKind::Default;
            return Err(RepresentationError::new(kind, "a default value of a known kind", "none"));
        }
    })
}

fn default_message(value: &DefaultValue) -> message::DefaultValue {
    use default_value::Kind;
    let kind = match value {
        DefaultValue::Float(value) => Kind::FloatValue(*value),
        DefaultValue::Int(value) => Kind::IntValue(*value),
        DefaultValue::UInt(value) => Kind::UintValue(*value),
        DefaultValue::Bytes(value) => Kind::BytesValue(value.clone()),
    };
    message::DefaultValue { kind: Some(kind) }
}

fn parsed_partition(message: &ragged_tensor::Partition) -> Result<Partition, RepresentationError> {
    let error = |found: String| {
        let expected = "a uniform row length above 0, or a column of row lengths";
        Err(RepresentationError::new(RepresentationErrorKind::Partition, expected, found))
    };
    match &message.kind {
        Some(partition::Kind::RowLength(name)) => Ok(Partition::RowLength(name.clone())),
        Some(partition::Kind::UniformRowLength(length)) => match usize::try_from(*length) {
            Ok(size) if size > 0 => Ok(Partition::Uniform(size)),
            _ => error(length.to_string()),
        },
        None => error("neither".to_owned()),
    }
}

fn partition_message(partition: &Partition) -> ragged_tensor::Partition {
    let kind = match partition {
        Partition::Uniform(length) => partition::Kind::UniformRowLength(on_wire(*length)),
        Partition::RowLength(name) => partition::Kind::RowLength(name.clone()),
    };
    ragged_tensor::Partition { kind: Some(kind) }
}

fn padding(to: &str, message: &message::VarLenRaggedTensor) -> Result<Padding, RepresentationError> {
    let to = to.parse().map_err(|()| {
        let expected = "\"longest\", a length above 0, or \"multiple of\" a number above 0, to pad to";
        RepresentationError::new(RepresentationErrorKind::Shape, expected, format!("{to:?}"))
    })?;
    let value = message.pad_value.as_ref().map(default).transpose()?;
    let pack = message.pack.as_ref().map(|text| {
        text.parse().map_err(|()| {
            let expected = "\"values\", \"segment_ids\" or \"positions\" to pack";
            RepresentationError::new(RepresentationErrorKind::Shape, expected, format!("{text:?}"))
        })
    });
    let pack = pack.transpose()?;
    Ok(Padding { to, value, truncate: message.truncate(), mask: message.mask(), pack })
}

/// The type in a message. A missing or unknown type means 64 bits.
fn splits_dtype(dtype: Option<i32>) -> SplitsDType {
    match dtype.map(RowPartitionDType::try_from) {
        Some(Ok(RowPartitionDType::Int32)) => SplitsDType::Int32,
        _ => SplitsDType::Int64,
    }
}

fn dtype_message(dtype: SplitsDType) -> i32 {
    match dtype {
        SplitsDType::Int32 => RowPartitionDType::Int32.into(),
        SplitsDType::Int64 => RowPartitionDType::Int64.into(),
    }
}

#[cfg(test)]
mod tests;
