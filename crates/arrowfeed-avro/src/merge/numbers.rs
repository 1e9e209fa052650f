//! The types that store the values of two types without parts.

use crate::schema::graph::Type;

/// The type of the values of both types. `None`: they cannot be merged.
///
/// A logical type is kept only if both types have it, so that every value can be read and stays what it is. Only types
/// without a logical type are promoted. Integers and floats become doubles: a float has 24 bits.
pub(super) fn widest(a: &Type, b: &Type) -> Option<Type> {
    use Type::{Boolean, Bytes, Double, Float, Int, Long, String};
    Some(match (a, b) {
        (Boolean, Boolean) => Boolean,
        (Int(a), Int(b)) => Int(common(*a, *b)?),
        (Long(a), Long(b)) => Long(common(*a, *b)?),
        (Bytes(a), Bytes(b)) => Bytes(common(*a, *b)?),
        (String { uuid: a }, String { uuid: b }) => String { uuid: *a && *b },
        (Float, Float) => Float,
        (Int(None), Long(None)) | (Long(None), Int(None)) => Long(None),
        (Int(None) | Long(None) | Float | Double, Int(None) | Long(None) | Float | Double) => Double,
        (String { uuid: false }, Bytes(None)) | (Bytes(None), String { uuid: false }) => Bytes(None),
        _ => return None,
    })
}

/// The logical type of two types: none if only one of them has one. `None`: they have different ones.
pub(super) fn common<T: PartialEq>(a: Option<T>, b: Option<T>) -> Option<Option<T>> {
    match (a, b) {
        (Some(a), Some(b)) => (a == b).then_some(Some(a)),
        _ => Some(None),
    }
}

/// Whether a type is a number.
pub(super) fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Long(_) | Type::Float | Type::Double)
}

/// Whether a type is a text or bytes.
pub(super) fn is_bytes(ty: &Type) -> bool {
    matches!(ty, Type::String { .. } | Type::Bytes(_))
}
