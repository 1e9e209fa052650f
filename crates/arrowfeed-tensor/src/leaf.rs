//! Conversion of the values at the end of a path, for every kind of tensor: types, nulls and defaults.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, FixedSizeBinaryArray, Float16Array,
    Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, LargeBinaryArray,
    LargeStringArray, StringArray, StringViewArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array, types,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, TimeUnit};
use arrowfeed_select::{compact, take};

use crate::cast::Unfit;
use crate::copy_limit::check;
use crate::dtype::DType;
use crate::error::{ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind};
use crate::gather::{ArraySlices, gather, overflow};
use crate::options::{AdapterOptions, InnerNulls};
use crate::representation::DefaultValue;
use crate::rounding::f16_of;
use crate::transform::{Chain, Transform};
use crate::values::Values;

/// The compiled end of a path.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    pub(crate) dtype: DType,
    /// The type of the tensor's array: the type of the column, except for dictionaries and times.
    data_type: DataType,
    /// One value, which replaces missing values.
    pub(crate) fill: ArrayRef,
    nulls: InnerNulls,
    /// Limit on the bytes of a dictionary's values once each row has its own copy.
    batch_bytes: usize,
    /// The transforms of the values.
    chain: Option<Chain>,
}

impl Leaf {
    /// Compiles the leaf. Fails if no tensor can hold values of this type, if a transform does not take them, or if the default
    /// value does not fit the type of the results.
    pub(crate) fn compile(
        data_type: &DataType,
        default: Option<&DefaultValue>,
        transforms: &[Transform],
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let chain = Chain::compile(data_type, transforms)?;
        let data_type = chain.as_ref().map_or(data_type, |chain| &chain.data_type);
        let plain = plain(data_type);
        let (Some(dtype), Some(plain)) = (DType::of(data_type), plain) else {
            let expected = "a column of numbers, bools, byte strings or times";
            let found = data_type.to_string();
            return Err(RepresentationError::new(RepresentationErrorKind::Type, expected, found));
        };
        let fill = match default {
            Some(default) => one(&plain, dtype, default)?,
            None => zero(&plain),
        };
        let AdapterOptions { inner_nulls: nulls, batch_bytes, .. } = *options;
        Ok(Self { dtype, data_type: plain, fill, nulls, batch_bytes, chain })
    }

    /// Makes an array of one value, with exactly the type of the tensor's array.
    pub(crate) fn one(&self, value: &DefaultValue) -> Result<ArrayRef, RepresentationError> {
        one(&self.data_type, self.dtype, value)
    }

    /// The type of the tensor's array.
    pub(crate) fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// Whether the tensor's array shares the memory of the column.
    pub(crate) fn is_shared(&self, data_type: &DataType) -> bool {
        !matches!(data_type, DataType::Dictionary(..))
    }

    /// The transforms of the values, for reports.
    pub(crate) fn transforms(&self) -> Option<&str> {
        self.chain.as_ref().map(|chain| chain.text.as_str())
    }

    /// Converts the values to the type of the tensor's array: transforms them, resolves dictionaries, and makes times integers.
    /// Nulls stay null, and the second part of the result has all of them.
    pub(crate) fn plain(
        &self,
        array: ArrayRef,
        nulls: Option<NullBuffer>,
    ) -> Result<(ArrayRef, Option<NullBuffer>), Unfit> {
        if let Some(chain) = &self.chain {
            return chain.run(array, nulls);
        }
        if *array.data_type() == self.data_type {
            return Ok((array, nulls));
        }
        let array = match array.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let key = |(i, key)| array.is_valid(i).then_some(key);
                let picks = || dictionary.normalized_keys().into_iter().enumerate().map(key);
                check(dictionary.values(), array.len(), picks, self.batch_bytes)?;
                let values = with_checked_views(&array).and_then(|array| {
                    let dictionary = array.as_any_dictionary();
                    take(dictionary.values(), dictionary.keys())
                });
                // More than 2 GiB of strings do not fit into one array.
                let values = values.map_err(|error| overflow(array.len(), &error))?;
                if *values.data_type() == self.data_type { values } else { as_integers(&values) }
            }
            _ => as_integers(&array),
        };
        let nulls = crate::lists::with_parents(nulls.as_ref(), &array);
        Ok((array, nulls))
    }

    /// Converts the values and removes nulls: a null is filled or is an error, depending on the options of the adapter.
    /// `row_of` maps a value to its row, for the error.
    pub(crate) fn values(
        &self,
        array: ArrayRef,
        nulls: Option<NullBuffer>,
        row_of: impl Fn(usize) -> usize,
    ) -> Result<Values, ConversionError> {
        let (array, nulls) = self.plain(array, nulls).map_err(|unfit| unfit.in_row(&row_of))?;
        let array = match nulls {
            None => array,
            Some(nulls) => self.without_nulls(&array, &nulls, row_of)?,
        };
        Values::try_new(array)
    }

    /// Fills the nulls of the array, or fails at the first one.
    pub(crate) fn without_nulls(
        &self,
        array: &ArrayRef,
        nulls: &NullBuffer,
        row_of: impl Fn(usize) -> usize,
    ) -> Result<ArrayRef, ConversionError> {
        let first_null = (0..nulls.len()).find(|&i| nulls.is_null(i));
        match (first_null, self.nulls) {
            (None, _) => return Ok(array.clone()),
            (Some(null), InnerNulls::Error) => return Err(null_error().in_row(row_of(null))),
            (Some(_), InnerNulls::Fill) => {}
        }
        let mut pieces = ArraySlices::default();
        let mut end = 0;
        for (start, stop) in nulls.valid_slices() {
            pieces.fill(start - end);
            pieces.copy(start..stop);
            end = stop;
        }
        pieces.fill(array.len() - end);
        gather(array, &pieces, Some(&self.fill))
    }

    /// Whether nulls among the values are filled.
    pub(crate) fn fills_nulls(&self) -> bool {
        self.nulls == InnerNulls::Fill
    }
}

pub(crate) fn null_error() -> ConversionError {
    ConversionError::new(ConversionErrorKind::Null, "values without nulls", "a null")
}

/// Removes the views to which no valid key refers. Nobody may have checked them, and `take` copies the view of the key under
/// a null.
fn with_checked_views(dictionary: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match dictionary.data_type() {
        DataType::Dictionary(_, values) if matches!(**values, DataType::Utf8View | DataType::BinaryView) => {
            compact(dictionary)
        }
        _ => Ok(dictionary.clone()),
    }
}

/// The type of the tensor's array for a column of this type.
pub(crate) fn plain(data_type: &DataType) -> Option<DataType> {
    use DataType::*;
    DType::of(data_type)?;
    Some(match data_type {
        Date32 | Time32(_) => Int32,
        Date64 | Time64(_) | Timestamp(..) | Duration(_) => Int64,
        Dictionary(_, values) => plain(values)?,
        other => other.clone(),
    })
}

/// Reinterprets times as the integers that store them, in the same memory.
pub(crate) fn as_integers(array: &ArrayRef) -> ArrayRef {
    use TimeUnit::*;
    macro_rules! reinterpret {
        ($from:ident, $to:ident) => {
            Arc::new(array.as_primitive::<types::$from>().reinterpret_cast::<types::$to>())
        };
    }
    match array.data_type() {
        DataType::Date32 => reinterpret!(Date32Type, Int32Type),
        DataType::Date64 => reinterpret!(Date64Type, Int64Type),
        DataType::Time32(Second) => reinterpret!(Time32SecondType, Int32Type),
        DataType::Time32(_) => reinterpret!(Time32MillisecondType, Int32Type),
        DataType::Time64(Microsecond) => reinterpret!(Time64MicrosecondType, Int64Type),
        DataType::Time64(_) => reinterpret!(Time64NanosecondType, Int64Type),
        DataType::Timestamp(Second, _) => reinterpret!(TimestampSecondType, Int64Type),
        DataType::Timestamp(Millisecond, _) => reinterpret!(TimestampMillisecondType, Int64Type),
        DataType::Timestamp(Microsecond, _) => reinterpret!(TimestampMicrosecondType, Int64Type),
        DataType::Timestamp(Nanosecond, _) => reinterpret!(TimestampNanosecondType, Int64Type),
        DataType::Duration(Second) => reinterpret!(DurationSecondType, Int64Type),
        DataType::Duration(Millisecond) => reinterpret!(DurationMillisecondType, Int64Type),
        DataType::Duration(Microsecond) => reinterpret!(DurationMicrosecondType, Int64Type),
        DataType::Duration(Nanosecond) => reinterpret!(DurationNanosecondType, Int64Type),
        _ => array.clone(),
    }
}

/// One value: zero, false or the empty string. `data_type` is the type of a tensor's array.
pub(crate) fn zero(data_type: &DataType) -> ArrayRef {
    use DataType::*;
    match data_type {
        Utf8 => Arc::new(StringArray::from(vec![""])),
        LargeUtf8 => Arc::new(LargeStringArray::from(vec![""])),
        Utf8View => Arc::new(StringViewArray::from(vec![""])),
        Binary => Arc::new(BinaryArray::from(vec![&b""[..]])),
        LargeBinary => Arc::new(LargeBinaryArray::from(vec![&b""[..]])),
        BinaryView => Arc::new(BinaryViewArray::from(vec![&b""[..]])),
        FixedSizeBinary(size) => fixed(*size, &vec![0; usize::try_from(*size).unwrap_or(0)]),
        Boolean => Arc::new(BooleanArray::from(vec![false])),
        Float16 => Arc::new(Float16Array::from(vec![half::f16::ZERO])),
        Float32 => Arc::new(Float32Array::from(vec![0.0])),
        Float64 => Arc::new(Float64Array::from(vec![0.0])),
        _ => integer(data_type, 0).expect("zero is of every integer type"),
    }
}

fn fixed(size: i32, value: &[u8]) -> ArrayRef {
    let array = FixedSizeBinaryArray::try_new_with_len(size, value.into(), None, 1);
    Arc::new(array.expect("the value has the size"))
}

/// One integer or bool of this type. `None` if the value does not fit the type.
pub(crate) fn integer(data_type: &DataType, value: i128) -> Option<ArrayRef> {
    macro_rules! one {
        ($array:ident) => {
            Arc::new($array::from_value(value.try_into().ok()?, 1))
        };
    }
    use DataType::*;
    Some(match data_type {
        Int8 => one!(Int8Array),
        Int16 => one!(Int16Array),
        Int32 => one!(Int32Array),
        Int64 => one!(Int64Array),
        UInt8 => one!(UInt8Array),
        UInt16 => one!(UInt16Array),
        UInt32 => one!(UInt32Array),
        UInt64 => one!(UInt64Array),
        Boolean if value == 0 || value == 1 => Arc::new(BooleanArray::from(vec![value == 1])),
        _ => return None,
    })
}

/// One default value with exactly this type.
pub(crate) fn one(
    data_type: &DataType,
    dtype: DType,
    default: &DefaultValue,
) -> Result<ArrayRef, RepresentationError> {
    let wanted = match dtype {
        DType::Bool => "0 or 1 as default value of a bool column".to_owned(),
        DType::Bytes => match data_type {
            DataType::FixedSizeBinary(size) => format!("{size} bytes as default value"),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                "UTF-8 as default value of a string column".to_owned()
            }
            _ => "bytes as default value of a binary column".to_owned(),
        },
        _ if dtype.is_floating() => format!("a float as default value of a {dtype} column"),
        _ => format!("an integer of type {dtype} as default value"),
    };
    if let (DefaultValue::Float(value), Some(_)) = (default, float(data_type, 0.0))
        && value.is_finite()
        && float(data_type, *value).is_none()
    {
        let expected = format!("a default value in the range of {dtype}");
        return Err(RepresentationError::new(RepresentationErrorKind::Default, expected, value.to_string()));
    }
    let array = match default {
        DefaultValue::Int(value) => integer(data_type, i128::from(*value)),
        DefaultValue::UInt(value) => integer(data_type, i128::from(*value)),
        DefaultValue::Float(value) => float(data_type, *value),
        DefaultValue::Bytes(value) => bytes(data_type, value),
    };
    array.ok_or_else(|| {
        RepresentationError::new(RepresentationErrorKind::Default, wanted, default.to_string())
    })
}

/// One float of this type. `None` if the type is not a float, or if a finite value would become infinite.
pub(crate) fn float(data_type: &DataType, value: f64) -> Option<ArrayRef> {
    let fits = |narrow: f64| (narrow.is_finite() || !value.is_finite()).then_some(());
    Some(match data_type {
        DataType::Float16 => {
            let narrow = f16_of(value);
            fits(narrow.to_f64())?;
            Arc::new(Float16Array::from(vec![narrow]))
        }
        DataType::Float32 => {
            fits(f64::from(value as f32))?;
            Arc::new(Float32Array::from(vec![value as f32]))
        }
        DataType::Float64 => Arc::new(Float64Array::from(vec![value])),
        _ => return None,
    })
}

pub(crate) fn bytes(data_type: &DataType, value: &[u8]) -> Option<ArrayRef> {
    use DataType::*;
    let text = || std::str::from_utf8(value).ok();
    Some(match data_type {
        Utf8 => Arc::new(StringArray::from(vec![text()?])),
        LargeUtf8 => Arc::new(LargeStringArray::from(vec![text()?])),
        Utf8View => Arc::new(StringViewArray::from(vec![text()?])),
        Binary => Arc::new(BinaryArray::from(vec![value])),
        LargeBinary => Arc::new(LargeBinaryArray::from(vec![value])),
        BinaryView => Arc::new(BinaryViewArray::from(vec![value])),
        FixedSizeBinary(size) if usize::try_from(*size) == Ok(value.len()) => fixed(*size, value),
        _ => return None,
    })
}
