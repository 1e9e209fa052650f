//! Predicates compiled for a schema, and their evaluation.
//!
//! | file | purpose |
//! |---|---|
//! | `operand` | paths to columns of a schema, and the arrays of a batch |
//! | `place` | literals as values of the types of columns |
//! | `test` | tests of the values of one array |

mod operand;
mod place;
mod test;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Schema};

use crate::{Node, Operand, Predicate, PredicateError};
#[cfg(feature = "substrait")]
pub(crate) use operand::is_list;
use operand::{Source, resolve};
use test::Test;

/// What a comparison with a column of lists means.
///
/// [`Predicate`](crate::Predicate) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// Lists are values, which have no comparison with a literal.
    AreValues,
    /// A list is compared by its one value. The comparison is null if the list is empty or if its value is null, and a list with
    /// several values is an error. `is null` is a question about the list: an empty list is not null.
    HoldOneValue,
}

/// A predicate whose types fit a schema. It evaluates batches of this schema.
///
/// [`Predicate`](crate::Predicate) has an example.
#[derive(Debug, Clone)]
pub struct CompiledPredicate(Step);

#[derive(Debug, Clone)]
enum Step {
    Test(Source, Test),
    IsNull(Source),
    And(Vec<Step>),
    Or(Vec<Step>),
    Not(Box<Step>),
}

/// The rows for which a predicate is true, and those for which it is false. It is null for the others.
struct Truth {
    yes: BooleanBuffer,
    no: BooleanBuffer,
}

impl Predicate {
    /// Checks the types of the columns, and finds the columns of the schema.
    ///
    /// # Errors
    /// A column does not exist, or its type does not have the comparison. An `And` or `Or` has no parts.
    pub fn compile(&self, schema: &Schema, lists: Lists) -> Result<CompiledPredicate, PredicateError> {
        self.check_depth()?;
        self.check_parts()?;
        Step::new(self, schema, lists).map(CompiledPredicate)
    }
}

impl Operand {
    /// Finds the column of a schema: the indices of the column and of the fields of structs in it, and the type of the last one.
    pub fn find<'a>(&self, schema: &'a Schema) -> Option<(Vec<usize>, &'a DataType)> {
        resolve(schema.fields(), self.path())
    }
}

impl CompiledPredicate {
    /// Evaluates the rows of a batch: null where a comparison with null decides.
    ///
    /// # Errors
    /// The batch has another schema, or a list has several values where [`Lists::HoldOneValue`] expects one.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray, PredicateError> {
        let Truth { yes, no } = self.0.evaluate(batch)?;
        let known = NullBuffer::new(&yes | &no);
        Ok(BooleanArray::new(yes, Some(known).filter(|known| known.null_count() > 0)))
    }

    /// Returns the rows for which the predicate is true, as values without nulls.
    ///
    /// # Errors
    /// Same as [`CompiledPredicate::evaluate`].
    pub fn keeps(&self, batch: &RecordBatch) -> Result<BooleanArray, PredicateError> {
        Ok(self.0.evaluate(batch)?.yes.into())
    }
}

impl Step {
    fn new(predicate: &Predicate, schema: &Schema, lists: Lists) -> Result<Self, PredicateError> {
        let all = |parts: &[Predicate]| -> Result<Vec<Self>, _> {
            parts.iter().map(|part| Self::new(part, schema, lists)).collect()
        };
        let source = |operand| Source::new(operand, schema, lists);
        Ok(match predicate.node() {
            Node::Compare(operand, comparison, literal) => {
                let source = source(operand)?;
                let test = Test::compare(source.compared(predicate)?, *comparison, literal)
                    .map_err(|expected| source.fault(expected, literal.described()))?;
                Self::Test(source, test)
            }
            Node::In(operand, literals) => {
                let source = source(operand)?;
                let test = Test::is_in(source.compared(predicate)?, literals)
                    .map_err(|(expected, literal)| source.fault(expected, literal.described()))?;
                Self::Test(source, test)
            }
            Node::StartsWith(operand, prefix) => {
                let source = source(operand)?;
                let test = Test::starts_with(source.compared(predicate)?, prefix)
                    .ok_or_else(|| source.fault("a string", predicate.to_string()))?;
                Self::Test(source, test)
            }
            Node::IsNull(operand) => Self::IsNull(source(operand)?),
            Node::And(parts) => Self::And(all(parts)?),
            Node::Or(parts) => Self::Or(all(parts)?),
            Node::Not(inner) => Self::Not(Box::new(Self::new(inner, schema, lists)?)),
        })
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<Truth, PredicateError> {
        match self {
            Self::Test(source, test) => {
                let (array, nulls) = source.values(batch)?;
                let (values, own_nulls) = test.apply(&array)?.into_parts();
                Ok(match NullBuffer::union(own_nulls.as_ref(), nulls.as_ref()) {
                    None => Truth { no: !&values, yes: values },
                    Some(nulls) => {
                        let known = nulls.inner();
                        Truth { yes: known & &values, no: known & &!&values }
                    }
                })
            }
            Self::IsNull(source) => {
                let yes = source.nulls(batch)?;
                Ok(Truth { no: !&yes, yes })
            }
            Self::And(parts) => Self::fold(parts, batch, |all, part| {
                all.yes &= &part.yes;
                all.no |= &part.no;
            }),
            Self::Or(parts) => Self::fold(parts, batch, |all, part| {
                all.yes |= &part.yes;
                all.no &= &part.no;
            }),
            Self::Not(inner) => {
                let Truth { yes, no } = inner.evaluate(batch)?;
                Ok(Truth { yes: no, no: yes })
            }
        }
    }

    fn fold(
        parts: &[Self],
        batch: &RecordBatch,
        join: impl Fn(&mut Truth, &Truth),
    ) -> Result<Truth, PredicateError> {
        let (first, others) = parts.split_first().expect("compiled parts");
        let mut all = first.evaluate(batch)?;
        for other in others {
            join(&mut all, &other.evaluate(batch)?);
        }
        Ok(all)
    }
}
