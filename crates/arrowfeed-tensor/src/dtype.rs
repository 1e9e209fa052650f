//! Types of the values of tensors.

use std::fmt;

use arrow_schema::DataType;

/// The type of a tensor's values.
///
/// ```
/// use arrow_schema::{DataType, TimeUnit};
/// use arrowfeed_tensor::DType;
///
/// assert_eq!(DType::of(&DataType::Float32), Some(DType::Float32));
/// assert_eq!(DType::of(&DataType::LargeUtf8), Some(DType::Bytes));
/// assert_eq!(DType::of(&DataType::Timestamp(TimeUnit::Second, None)), Some(DType::Int64));
/// assert_eq!(DType::of(&DataType::Null), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DType {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    Float32,
    Float64,
    /// Byte strings of any length: Arrow's binary and string types of every layout.
    Bytes,
}

impl DType {
    /// All types.
    pub const ALL: [Self; 13] = [
        Self::Bool,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::UInt8,
        Self::UInt16,
        Self::UInt32,
        Self::UInt64,
        Self::Float16,
        Self::Float32,
        Self::Float64,
        Self::Bytes,
    ];

    /// The tensor type for an Arrow type, or `None` if no tensor can hold its values.
    ///
    /// Dates, times, timestamps and durations become the integers that store them, in the unit of their Arrow type. A
    /// dictionary becomes the type of its values.
    pub fn of(data_type: &DataType) -> Option<Self> {
        use DataType::*;
        Some(match data_type {
            Boolean => Self::Bool,
            Int8 => Self::Int8,
            Int16 => Self::Int16,
            Int32 | Date32 | Time32(_) => Self::Int32,
            Int64 | Date64 | Time64(_) | Timestamp(..) | Duration(_) => Self::Int64,
            UInt8 => Self::UInt8,
            UInt16 => Self::UInt16,
            UInt32 => Self::UInt32,
            UInt64 => Self::UInt64,
            Float16 => Self::Float16,
            Float32 => Self::Float32,
            Float64 => Self::Float64,
            Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => {
                Self::Bytes
            }
            Dictionary(_, values) if !matches!(**values, Dictionary(..)) => Self::of(values)?,
            _ => return None,
        })
    }

    /// The Arrow type for these values. Byte strings become `LargeBinary`.
    pub fn arrow_type(self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::Int8 => DataType::Int8,
            Self::Int16 => DataType::Int16,
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::UInt8 => DataType::UInt8,
            Self::UInt16 => DataType::UInt16,
            Self::UInt32 => DataType::UInt32,
            Self::UInt64 => DataType::UInt64,
            Self::Float16 => DataType::Float16,
            Self::Float32 => DataType::Float32,
            Self::Float64 => DataType::Float64,
            Self::Bytes => DataType::LargeBinary,
        }
    }

    /// Size of one value in bytes, `None` for byte strings. A bool takes one byte in a tensor, and one bit in Arrow.
    pub fn size(self) -> Option<usize> {
        Some(match self {
            Self::Bool | Self::Int8 | Self::UInt8 => 1,
            Self::Int16 | Self::UInt16 | Self::Float16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 => 4,
            Self::Int64 | Self::UInt64 | Self::Float64 => 8,
            Self::Bytes => return None,
        })
    }

    /// Whether the values are integers.
    pub fn is_integer(self) -> bool {
        !matches!(self, Self::Bool | Self::Bytes) && !self.is_floating()
    }

    /// Whether the values are floating-point numbers.
    pub fn is_floating(self) -> bool {
        matches!(self, Self::Float16 | Self::Float32 | Self::Float64)
    }

    /// The name of the type in numpy and TensorFlow, `bytes` for byte strings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::UInt8 => "uint8",
            Self::UInt16 => "uint16",
            Self::UInt32 => "uint32",
            Self::UInt64 => "uint64",
            Self::Float16 => "float16",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Bytes => "bytes",
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
