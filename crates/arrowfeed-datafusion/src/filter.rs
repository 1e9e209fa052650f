//! Filters of DataFusion as predicates.
//!
//! A part of an expression that predicates do not have, or compare in another way, is left to DataFusion. The rest of a
//! conjunction still selects rows before they are decoded whole.

use std::sync::Arc;

use arrow_schema::{DataType, Schema};
use arrowfeed_predicate::{Comparison, Lists, Literal, Operand, Predicate};
use arrowfeed_source::field_path::joined;
use datafusion_common::ScalarValue;
use datafusion_expr::Operator;
use datafusion_physical_expr::expressions::{
    BinaryExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr, Literal as ConstantExpr, NotExpr,
};
use datafusion_physical_expr::{PhysicalExpr, ScalarFunctionExpr};

use crate::literal::{Constant, constant};

/// A predicate that passes all rows for which a filter is true.
#[derive(Debug, Clone)]
pub(crate) struct Translated {
    pub(crate) predicate: Predicate,
    /// Whether the predicate is true, false and null where the filter is.
    pub(crate) is_exact: bool,
}

impl Translated {
    pub(crate) fn exact(predicate: Predicate) -> Self {
        Self { predicate, is_exact: true }
    }

    /// A predicate that is true wherever the filter is.
    pub(crate) fn weaker(predicate: Predicate) -> Self {
        Self { predicate, is_exact: false }
    }
}

/// Translates a filter over columns of a schema. `None`: no part of it can be translated.
pub(crate) fn translate(filter: &Arc<dyn PhysicalExpr>, schema: &Schema, lists: Lists) -> Option<Translated> {
    let translated = Translator { schema }.filter(filter)?;
    translated.predicate.compile(schema, lists).is_ok().then_some(translated)
}

struct Translator<'a> {
    schema: &'a Schema,
}

impl Translator<'_> {
    fn filter(&self, filter: &Arc<dyn PhysicalExpr>) -> Option<Translated> {
        if let Some(binary) = filter.downcast_ref::<BinaryExpr>() {
            return match binary.op() {
                Operator::And => self.and(binary),
                Operator::Or => {
                    let (left, right) = (self.filter(binary.left())?, self.filter(binary.right())?);
                    let is_exact = left.is_exact && right.is_exact;
                    Some(Translated { predicate: left.predicate | right.predicate, is_exact })
                }
                operator => self.comparison(binary.left(), *operator, binary.right()),
            };
        }
        if let Some(not) = filter.downcast_ref::<NotExpr>() {
            let inner = self.filter(not.arg()).filter(|inner| inner.is_exact)?;
            return Some(Translated::exact(!inner.predicate));
        }
        if let Some(is_null) = filter.downcast_ref::<IsNullExpr>() {
            return Some(Translated::exact(self.operand(is_null.arg())?.0.is_null()));
        }
        if let Some(is_not_null) = filter.downcast_ref::<IsNotNullExpr>() {
            return Some(Translated::exact(self.operand(is_not_null.arg())?.0.is_not_null()));
        }
        if let Some(list) = filter.downcast_ref::<InListExpr>() {
            return self.in_list(list);
        }
        if let Some(like) = filter.downcast_ref::<LikeExpr>() {
            return self.like(like);
        }
        match self.operand(filter)? {
            (operand, DataType::Boolean) => Some(Translated::exact(operand.eq(true))),
            _ => None,
        }
    }

    /// Of a conjunction, the parts that can be translated.
    fn and(&self, binary: &BinaryExpr) -> Option<Translated> {
        match (self.filter(binary.left()), self.filter(binary.right())) {
            (Some(left), Some(right)) => {
                let is_exact = left.is_exact && right.is_exact;
                Some(Translated { predicate: left.predicate & right.predicate, is_exact })
            }
            (Some(part), None) | (None, Some(part)) => Some(Translated::weaker(part.predicate)),
            (None, None) => None,
        }
    }

    fn comparison(
        &self,
        left: &Arc<dyn PhysicalExpr>,
        operator: Operator,
        right: &Arc<dyn PhysicalExpr>,
    ) -> Option<Translated> {
        let (column, operator, value) = match right.downcast_ref::<ConstantExpr>() {
            Some(value) => (left, operator, value),
            None => (right, operator.swap()?, left.downcast_ref::<ConstantExpr>()?),
        };
        let comparison = match operator {
            Operator::Eq => Comparison::Eq,
            Operator::NotEq => Comparison::Ne,
            Operator::Lt => Comparison::Lt,
            Operator::LtEq => Comparison::Le,
            Operator::Gt => Comparison::Gt,
            Operator::GtEq => Comparison::Ge,
            _ => return None,
        };
        let (operand, data_type) = self.operand(column)?;
        match constant(value.value(), data_type)? {
            Constant::Same(literal) => Some(Translated::exact(operand.compare(comparison, literal))),
            Constant::Float(value) => compare_float(operand, comparison, value),
        }
    }

    /// `IN` of a list without nulls.
    fn in_list(&self, list: &InListExpr) -> Option<Translated> {
        let (operand, data_type) = self.operand(list.expr())?;
        let literal = |value: &Arc<dyn PhysicalExpr>| match constant(
            value.downcast_ref::<ConstantExpr>()?.value(),
            data_type,
        )? {
            Constant::Same(literal) => Some(literal),
            Constant::Float(value) => is_found_alike(value).then(|| Literal::from(value)),
        };
        let literals: Vec<Literal> = list.list().iter().map(literal).collect::<Option<_>>()?;
        let found = operand.is_in(literals);
        Some(Translated::exact(if list.negated() { !found } else { found }))
    }

    /// `LIKE` of a prefix.
    fn like(&self, like: &LikeExpr) -> Option<Translated> {
        let (operand, _) = self.operand(like.expr())?;
        let pattern = like.pattern().downcast_ref::<ConstantExpr>()?.value();
        let (ScalarValue::Utf8(pattern) | ScalarValue::LargeUtf8(pattern) | ScalarValue::Utf8View(pattern)) =
            pattern
        else {
            return None;
        };
        if like.case_insensitive() {
            return None;
        }
        let found = operand.starts_with(prefix(pattern.as_deref()?)?);
        Some(Translated::exact(if like.negated() { !found } else { found }))
    }

    /// A column or a field of a struct, with its type. DataFusion does not see that the struct around a field is null, so
    /// such a field is left to it.
    fn operand(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<(Operand, &DataType)> {
        let (path, data_type) = self.path(expr)?;
        Some((arrowfeed_predicate::col(path), data_type))
    }

    fn path(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<(String, &DataType)> {
        if let Some(column) = expr.downcast_ref::<Column>() {
            let field = self.schema.fields().get(column.index())?;
            let of_name = self.schema.fields().iter().filter(|other| other.name() == column.name());
            let is_known = field.name() == column.name() && of_name.count() == 1;
            return is_known.then(|| (joined("", field.name()), field.data_type()));
        }
        let function = expr.downcast_ref::<ScalarFunctionExpr>()?;
        if function.fun().name() != "get_field" {
            return None;
        }
        let (base, names) = function.args().split_first()?;
        let column = base.downcast_ref::<Column>()?;
        let (mut path, mut data_type) = self.path(base)?;
        let mut is_nullable = self.schema.field(column.index()).is_nullable();
        for name in names {
            let name = name.downcast_ref::<ConstantExpr>()?.value().try_as_str().flatten()?.to_owned();
            let DataType::Struct(fields) = data_type else { return None };
            let (_, field) = fields.find(&name).filter(|_| !is_nullable)?;
            (path, data_type, is_nullable) = (joined(&path, &name), field.data_type(), field.is_nullable());
        }
        Some((path, data_type))
    }
}

/// The text before the only wildcard of a pattern, if this is a `%` at its end.
fn prefix(pattern: &str) -> Option<String> {
    let mut characters = pattern.strip_suffix('%')?.chars();
    let mut prefix = String::new();
    while let Some(character) = characters.next() {
        prefix.push(match character {
            '%' | '_' => return None,
            '\\' => characters.next().filter(|escaped| matches!(escaped, '%' | '_' | '\\'))?,
            other => other,
        });
    }
    Some(prefix)
}

/// Translates the comparison of a column of floats with a constant.
///
/// DataFusion orders floats by `totalOrder` of IEEE 754: NaN is greater than all numbers, NaN with a sign is less than all, and -0.0
/// is less than 0.0. In a predicate, NaN differs from every value, and -0.0 equals 0.0. `not (x < c)` also passes NaN. So each
/// range has a predicate that passes all of its rows, and some more.
fn compare_float(operand: Operand, comparison: Comparison, constant: f64) -> Option<Translated> {
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
fn is_found_alike(constant: f64) -> bool {
    constant != 0.0 && !constant.is_nan()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_with_one_wildcard_at_its_end_is_a_prefix() {
        assert_eq!(prefix("ab%").as_deref(), Some("ab"));
        assert_eq!(prefix("%").as_deref(), Some(""));
        assert_eq!(prefix(r"a\_b\%c\\%").as_deref(), Some(r"a_b%c\"));
        for pattern in ["ab", "a_b%", "a%b%", r"ab\%", r"a\b%", "%%"] {
            assert_eq!(prefix(pattern), None, "{pattern}");
        }
    }
}
