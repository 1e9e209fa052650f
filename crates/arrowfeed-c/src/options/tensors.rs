//! Definitions of tensors in JSON: `{"scores": {"kind": "dense", "column": "scores", "shape": [2]}}`.

use std::fmt;

use arrowfeed::TensorDefinitions;
use arrowfeed::source::options::{Object, Ordered};
use arrowfeed::tensor::{
    ColumnPath, DefaultValue, Dense, Packed, PadTo, Padding, Partition, Ragged, Representation, Sparse,
    SplitsDType, Structured, VarLenRagged, VarLenSparse,
};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use super::transforms::{TransformOption, transforms};

/// The fields of the [`Representation`] of this kind.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum TensorOptions {
    Dense {
        column: String,
        #[serde(default)]
        shape: Vec<usize>,
        default: Option<DefaultOption>,
        #[serde(default)]
        pad: bool,
        #[serde(default)]
        transforms: Vec<TransformOption>,
    },
    VarLenSparse {
        column: String,
        #[serde(default)]
        transforms: Vec<TransformOption>,
    },
    Sparse {
        index_columns: Vec<String>,
        value_column: String,
        /// Null: one more than the largest index.
        dense_shape: Vec<Option<usize>>,
        #[serde(default)]
        already_sorted: bool,
        #[serde(default)]
        transforms: Vec<TransformOption>,
    },
    Ragged {
        path: Vec<String>,
        #[serde(default)]
        partitions: Vec<PartitionOption>,
        #[serde(default)]
        row_splits_dtype: SplitsName,
        #[serde(default)]
        transforms: Vec<TransformOption>,
    },
    VarLenRagged {
        column: String,
        #[serde(default)]
        row_splits_dtype: SplitsName,
        padding: Option<Object<PaddingOptions>>,
        #[serde(default)]
        transforms: Vec<TransformOption>,
    },
    Structured {
        columns: Vec<String>,
        #[serde(default)]
        row_splits_dtype: SplitsName,
    },
}

/// The fields of [`Padding`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaddingOptions {
    to: PadToOption,
    value: Option<DefaultOption>,
    #[serde(default)]
    truncate: bool,
    #[serde(default)]
    mask: bool,
    pack: Option<PackName>,
}

/// A length, `"longest"`, or `{"multiple_of": 8}`.
#[derive(Debug, Clone, Copy)]
enum PadToOption {
    Length(usize),
    Longest,
    Multiple(Multiple),
}

impl<'de> Deserialize<'de> for PadToOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PadToVisitor)
    }
}

struct PadToVisitor;

impl<'de> Visitor<'de> for PadToVisitor {
    type Value = PadToOption;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"longest\", a length, or {\"multiple_of\": 8}")
    }

    fn visit_u64<E: Error>(self, length: u64) -> Result<PadToOption, E> {
        let length = usize::try_from(length);
        length.map(PadToOption::Length).map_err(|error| E::custom(error))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<PadToOption, E> {
        match text {
            "longest" => Ok(PadToOption::Longest),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PadToOption, A::Error> {
        Multiple::deserialize(MapAccessDeserializer::new(map)).map(PadToOption::Multiple)
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Multiple {
    multiple_of: usize,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PackName {
    Values,
    SegmentIds,
    Positions,
}

impl From<PackName> for Packed {
    fn from(name: PackName) -> Self {
        match name {
            PackName::Values => Self::Values,
            PackName::SegmentIds => Self::SegmentIds,
            PackName::Positions => Self::Positions,
        }
    }
}

/// The length of uniform rows, or the name of the column of row lengths.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a partition to be a row length or the name of a column of row lengths"
)]
pub(crate) enum PartitionOption {
    Uniform(usize),
    RowLength(String),
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SplitsName {
    Int32,
    #[default]
    Int64,
}

/// A default value.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected a default value to be a number, a boolean or a string")]
pub(crate) enum DefaultOption {
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Text(String),
}

impl From<DefaultOption> for DefaultValue {
    fn from(option: DefaultOption) -> Self {
        match option {
            DefaultOption::Bool(value) => Self::Int(value.into()),
            DefaultOption::Int(value) => Self::Int(value),
            DefaultOption::UInt(value) => Self::UInt(value),
            DefaultOption::Float(value) => Self::Float(value),
            DefaultOption::Text(value) => Self::Bytes(value.into_bytes()),
        }
    }
}

impl From<SplitsName> for SplitsDType {
    fn from(name: SplitsName) -> Self {
        match name {
            SplitsName::Int32 => Self::Int32,
            SplitsName::Int64 => Self::Int64,
        }
    }
}

impl From<PaddingOptions> for Padding {
    fn from(options: PaddingOptions) -> Self {
        let PaddingOptions { to, value, truncate, mask, pack } = options;
        let to = match to {
            PadToOption::Length(length) => PadTo::Length(length),
            PadToOption::Longest => PadTo::Longest,
            PadToOption::Multiple(Multiple { multiple_of }) => PadTo::MultipleOf(multiple_of),
        };
        Self { to, value: value.map(Into::into), truncate, mask, pack: pack.map(Into::into) }
    }
}

impl From<TensorOptions> for Representation {
    fn from(options: TensorOptions) -> Self {
        let (plain, given) = match options {
            TensorOptions::Dense { column, shape, default, pad, transforms } => {
                let default = default.map(Into::into);
                (Self::Dense(Dense { column, shape, default, pad, ..Dense::default() }), transforms)
            }
            TensorOptions::VarLenSparse { column, transforms } => {
                (Self::VarLenSparse(VarLenSparse { column, ..VarLenSparse::default() }), transforms)
            }
            TensorOptions::Sparse {
                index_columns,
                value_column,
                dense_shape,
                already_sorted,
                transforms,
            } => {
                let sparse =
                    Sparse { index_columns, value_column, dense_shape, already_sorted, ..Sparse::default() };
                (Self::Sparse(sparse), transforms)
            }
            TensorOptions::Ragged { path, partitions, row_splits_dtype, transforms } => {
                let partition = |partition| match partition {
                    PartitionOption::Uniform(length) => Partition::Uniform(length),
                    PartitionOption::RowLength(column) => Partition::RowLength(column),
                };
                let ragged = Ragged {
                    path: ColumnPath::new(path),
                    partitions: partitions.into_iter().map(partition).collect(),
                    row_splits_dtype: row_splits_dtype.into(),
                    ..Ragged::default()
                };
                (Self::Ragged(ragged), transforms)
            }
            TensorOptions::VarLenRagged { column, row_splits_dtype, padding, transforms } => {
                let (row_splits_dtype, padding) =
                    (row_splits_dtype.into(), padding.map(|Object(padding)| padding.into()));
                let ragged = VarLenRagged { column, row_splits_dtype, padding, ..VarLenRagged::default() };
                (Self::VarLenRagged(ragged), transforms)
            }
            TensorOptions::Structured { columns, row_splits_dtype } => {
                let row_splits_dtype = row_splits_dtype.into();
                return Self::Structured(Structured { columns, row_splits_dtype, ..Structured::default() });
            }
        };
        plain.with_transforms(transforms(given))
    }
}

/// The definitions of the tensors.
pub(crate) fn definitions(tensors: Ordered<Object<TensorOptions>>) -> TensorDefinitions {
    let all = tensors.0.into_iter().map(|(name, Object(options))| (name, options.into()));
    TensorDefinitions::Representations(all.collect())
}
