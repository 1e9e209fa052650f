//! Decimals of every width as Avro's `decimal`: big-endian two's complement, in bytes or in a fixed.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::DataType;
use arrowfeed_source::FeedError;

use super::BlockBuffer;
use super::computed::misfit;
use super::leaf::Computed;
use crate::schema::graph;
use crate::write::plan;

/// Bytes of the widest decimal.
const WIDTH: usize = 32;

/// Decimals, and unsigned 64-bit integers as decimals of scale 0. `size` is the size of a fixed, or `None` for bytes.
pub(super) fn decimal(
    array: &ArrayRef,
    ty: graph::Decimal,
    size: Option<usize>,
    path: &str,
) -> Result<Computed, FeedError> {
    let target = DecimalWire { precision: ty.precision, size, path: path.into() };
    let scale = match array.data_type() {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => *scale,
        _ => 0,
    };
    if usize::try_from(scale) != Ok(ty.scale) {
        let (precision, expected, found) = (ty.precision, ty.scale, array.data_type());
        let message = format!(
            "expected a decimal of scale {expected}, found {found}: cast the column to decimal({precision}, {expected})"
        );
        return Err(plan::error(path, message));
    }
    macro_rules! narrow {
        ($type:ty) => {{
            let values = array.as_primitive::<$type>().values().clone();
            let bound = 10_i128.checked_pow(ty.precision.min(39) as u32).unwrap_or(i128::MAX);
            Computed::new(move |slot, out| {
                let value = i128::from(values[slot]);
                if value.unsigned_abs() >= bound.unsigned_abs() {
                    return Err(target.refuse(value));
                }
                let bits = if value < 0 { !value } else { value };
                let len = (128 - bits.leading_zeros() as usize) / 8 + 1;
                target.put(&value.to_be_bytes(), len, out)
            })
        }};
    }
    Ok(match array.data_type() {
        DataType::Decimal32(..) => narrow!(Decimal32Type),
        DataType::Decimal64(..) => narrow!(Decimal64Type),
        DataType::Decimal128(..) => narrow!(Decimal128Type),
        DataType::UInt64 => narrow!(UInt64Type),
        _ => {
            let values = array.as_primitive::<Decimal256Type>().values().clone();
            let bound = i256::from_i128(10).checked_pow(ty.precision.min(76) as u32).unwrap_or(i256::MAX);
            Computed::new(move |slot, out| {
                let value = values[slot];
                if value >= bound || value <= bound.wrapping_neg() {
                    return Err(target.refuse(value));
                }
                let bytes = value.to_be_bytes();
                let sign = if value.is_negative() { 0xff } else { 0 };
                let same = bytes.iter().take_while(|byte| **byte == sign).count().min(WIDTH - 1);
                // The first byte that is kept must carry the sign.
                let fits = same > 0 && (bytes[same] ^ sign) < 0x80;
                target.put(&bytes, WIDTH - same + usize::from(same > 0 && !fits), out)
            })
        }
    })
}

/// The encoding of decimals on the wire.
struct DecimalWire {
    precision: usize,
    /// `None`: a length, then as many bytes as the value needs.
    size: Option<usize>,
    path: Arc<str>,
}

impl DecimalWire {
    /// Writes a value. `len` is the number of trailing bytes that it needs.
    #[inline(always)]
    fn put(&self, bytes: &[u8], len: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        let value = &bytes[bytes.len() - len..];
        match self.size {
            None => out.sized(value),
            Some(size) => {
                let sign = if value[0] < 0x80 { 0 } else { 0xff };
                // Valid schemas have a precision that fits the size, so `len` is at most `size`.
                (len..size).for_each(|_| out.byte(sign));
                out.extend(value);
            }
        }
        Ok(())
    }

    #[cold]
    fn refuse(&self, found: impl std::fmt::Display) -> FeedError {
        let digits = self.precision;
        misfit(&self.path, &format!("a decimal of at most {digits} digits"), found)
    }
}
