//! Comparisons of floats. DataFusion orders floats by `totalOrder` of IEEE 754: NaN is greater than all numbers, NaN with a sign is
//! less than all, and -0.0 is less than 0.0. In a predicate, NaN differs from every value, and -0.0 equals 0.0.
//!
//! `not (x < c)` also passes NaN. So each range has a predicate that passes all of its rows, and some more.

use arrowfeed_predicate::{Comparison, Operand};

use crate::filter::Translated;

/// Translates the comparison of a column of floats with a constant.
pub(crate) fn compare(operand: Operand, comparison: Comparison, constant: f64) -> Option<Translated> {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    if constant.is_nan() {
        return None;
    }
    let is_zero = constant == 0.0;
    Some(match comparison {
        Eq if is_zero => Translated::weaker(operand.eq(constant)),
        Ne if is_zero => return None,
        Eq | Ne => Translated::exact(operand.compare(comparison, constant)),
        // Both zeros pass where one of them does.
        Lt | Le if is_zero => Translated::weaker(!operand.gt(constant)),
        Gt | Ge if is_zero => Translated::weaker(!operand.lt(constant)),
        Lt => Translated::weaker(!operand.ge(constant)),
        Le => Translated::weaker(!operand.gt(constant)),
        Gt => Translated::weaker(!operand.le(constant)),
        Ge => Translated::weaker(!operand.lt(constant)),
    })
}

/// Whether `in` finds a float as DataFusion does.
pub(crate) fn is_found_alike(constant: f64) -> bool {
    constant != 0.0 && !constant.is_nan()
}
