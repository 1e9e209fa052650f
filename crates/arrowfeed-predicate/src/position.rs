//! The position of a literal among the values that a type has: a comparison with any number becomes one with a value.

use arrow_buffer::i256;

use crate::Comparison;

/// Where a literal is among the values of a type, which are ordered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Position<T> {
    /// It is a value.
    At(T),
    /// It is between this value and the next.
    After(T),
    /// It is below all values.
    BelowAll,
    /// It is above all values.
    AboveAll,
    /// It is not a number.
    Unordered,
}

/// A comparison of values of one type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Exact<T> {
    /// All values have this result.
    Constant(bool),
    /// A value is compared with this value.
    With(Comparison, T),
}

impl<T> Position<T> {
    /// Compares the values with the literal at this position.
    pub(crate) fn compare(self, comparison: Comparison) -> Exact<T> {
        use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        match (self, comparison) {
            (Self::At(value), comparison) => Exact::With(comparison, value),
            (_, Eq) => Exact::Constant(false),
            (_, Ne) => Exact::Constant(true),
            (Self::After(value), Lt | Le) => Exact::With(Le, value),
            (Self::After(value), Gt | Ge) => Exact::With(Gt, value),
            (Self::BelowAll, comparison) => Exact::Constant(matches!(comparison, Gt | Ge)),
            (Self::AboveAll, comparison) => Exact::Constant(matches!(comparison, Lt | Le)),
            (Self::Unordered, _) => Exact::Constant(false),
        }
    }
}

impl Position<i256> {
    /// The position among the values of a smaller type of integers, to which `narrow` converts.
    pub(crate) fn narrow<N>(self, narrow: impl Fn(i256) -> Option<N>) -> Position<N> {
        let (value, position): (_, fn(N) -> Position<N>) = match self {
            Self::At(value) => (value, Position::At),
            Self::After(value) => (value, Position::After),
            Self::BelowAll => return Position::BelowAll,
            Self::AboveAll => return Position::AboveAll,
            Self::Unordered => return Position::Unordered,
        };
        match narrow(value) {
            Some(value) => position(value),
            None if value.is_negative() => Position::BelowAll,
            None => Position::AboveAll,
        }
    }
}
