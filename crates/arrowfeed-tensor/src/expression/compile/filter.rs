//! Compilation of filters: checks that their two sides can be compared.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray};
use arrow_schema::DataType;

use super::type_names::described;
use super::{Compiler, PathPosition};
use crate::error::{RepresentationError, RepresentationErrorKind, count};
use crate::expression::compare::Class;
use crate::expression::filter::{self, Test};
use crate::expression::key::{self, Literal, OperandKind, Path};
use crate::leaf;

impl Compiler<'_> {
    pub(super) fn filter(
        &mut self,
        filter: &key::Filter,
        spot: &PathPosition,
    ) -> Result<filter::Filter, RepresentationError> {
        let test = match (&filter.left.kind, &filter.right.kind) {
            (OperandKind::Path(path), OperandKind::Literal(literal)) => {
                self.constant((path, filter.left.at), (literal, filter.right.at), spot)?
            }
            (OperandKind::Literal(literal), OperandKind::Path(path)) => {
                self.constant((path, filter.right.at), (literal, filter.left.at), spot)?
            }
            (OperandKind::Path(left), OperandKind::Path(right)) => {
                let (left, left_class) = self.comparable(left, filter.left.at, spot)?;
                let (right, right_class) = self.comparable(right, filter.right.at, spot)?;
                if left_class != right_class {
                    let expected = format!("{} to compare it with", described(&left.path.data_type));
                    let found = described(&right.path.data_type);
                    return Err(self.error(filter.right.at, RepresentationErrorKind::Type, expected, found));
                }
                Test::Equal(left, right)
            }
            // The parser rejects such a filter.
            (OperandKind::Literal(_), OperandKind::Literal(_)) => {
                let (expected, found) =
                    ("a filter with a path on one side".to_owned(), "two constants".to_owned());
                return Err(self.error(filter.left.at, RepresentationErrorKind::Key, expected, found));
            }
        };
        Ok(filter::Filter { test, negated: filter.negated })
    }

    /// Compiles the test of a path against a constant, each with its character in the text.
    fn constant(
        &mut self,
        (path, at): (&Path, usize),
        (literal, literal_at): (&Literal, usize),
        spot: &PathPosition,
    ) -> Result<Test, RepresentationError> {
        if *literal == Literal::Null {
            return Ok(Test::IsNull(self.operand(path, at, spot)?));
        }
        let (operand, _) = self.comparable(path, at, spot)?;
        let one = leaf::plain(&operand.path.data_type).and_then(|plain| constant(&plain, literal));
        match one {
            Some(one) => Ok(Test::Literal(operand, one)),
            None => {
                let expected = format!("{} to compare it with", described(&operand.path.data_type));
                Err(self.error(literal_at, RepresentationErrorKind::Type, expected, literal.to_string()))
            }
        }
    }

    fn operand(
        &mut self,
        path: &Path,
        at: usize,
        spot: &PathPosition,
    ) -> Result<filter::Operand, RepresentationError> {
        let rank = path.rank();
        if rank > 0 {
            let expected = "one value on each side of a filter".to_owned();
            let found = count(rank, "dimension");
            return Err(self.error(at, RepresentationErrorKind::Shape, expected, found));
        }
        let start = if path.from_root { self.root.clone() } else { spot.clone() };
        Ok(filter::Operand { from_root: path.from_root, path: self.path(path, start)? })
    }

    fn comparable(
        &mut self,
        path: &Path,
        at: usize,
        spot: &PathPosition,
    ) -> Result<(filter::Operand, Class), RepresentationError> {
        let operand = self.operand(path, at, spot)?;
        match Class::of(&operand.path.data_type) {
            Some(class) => Ok((operand, class)),
            None => {
                let expected = "values that can be compared".to_owned();
                let found = described(&operand.path.data_type);
                Err(self.error(at, RepresentationErrorKind::Type, expected, found))
            }
        }
    }
}

/// An array of one value, `None` if the literal does not fit the type.
fn constant(plain: &DataType, literal: &Literal) -> Option<ArrayRef> {
    match literal {
        Literal::Text(text) => leaf::bytes(plain, text.as_bytes()),
        Literal::Bool(value) => {
            (*plain == DataType::Boolean).then(|| -> ArrayRef { Arc::new(BooleanArray::from(vec![*value])) })
        }
        Literal::Integer(_) if *plain == DataType::Boolean => None,
        Literal::Integer(value) => leaf::integer(plain, *value).or_else(|| float(plain, *value as f64)),
        Literal::Float(value) => float(plain, *value),
        Literal::Null => None,
    }
}

/// The nearest float of the type, `None` if the value is beyond its largest one.
fn float(plain: &DataType, value: f64) -> Option<ArrayRef> {
    let largest = match plain {
        DataType::Float16 => half::f16::MAX.to_f64(),
        DataType::Float32 => f64::from(f32::MAX),
        _ => f64::MAX,
    };
    if value.abs() > largest { None } else { leaf::float(plain, value) }
}
