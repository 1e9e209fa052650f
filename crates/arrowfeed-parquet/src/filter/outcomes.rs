//! What a predicate may be for rows of which only bounds are known: true, false, or both. It may be null in any case.

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_predicate::{
    Comparison, CompiledPredicate, Lists, Literal, Node, Operand, Predicate, PredicateError, col,
};

use super::bounds::Bounds;

/// The largest number of literals of an `in` that are compared with bounds.
const MOST_LITERALS: usize = 1000;

/// The name of the column of bounds.
const BOUND: &str = "bound";

/// A predicate whose comparisons are those of bounds.
#[derive(Debug)]
pub(super) struct Outcomes {
    step: Step,
    columns: Vec<Column>,
}

/// A column of the predicate.
#[derive(Debug)]
pub(super) struct Column {
    /// The indices of the column in the schema, and of the fields of structs in it.
    pub(super) fields: Vec<usize>,
    pub(super) data_type: DataType,
}

#[derive(Debug)]
enum Step {
    Test(Test),
    IsNull(usize),
    And(Vec<Step>),
    Or(Vec<Step>),
    Not(Box<Step>),
    /// Bounds say nothing.
    Unknown,
}

/// A test of the values of a column.
#[derive(Debug)]
struct Test {
    column: usize,
    /// If the test is true for a value, these are true for the bounds.
    necessary: Vec<(Bound, CompiledPredicate)>,
    /// If these are true for the bounds, the test is true for all values, but for NaN.
    sufficient: Vec<(Bound, CompiledPredicate)>,
    has_nan: bool,
    /// The value, if the test is true for one only.
    equal: Option<Literal>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    Min,
    Max,
}

/// Whether the predicate may be true, and whether it may be false, for some groups of rows.
struct May {
    yes: BooleanBuffer,
    no: BooleanBuffer,
}

impl Outcomes {
    pub(super) fn new(predicate: &Predicate, schema: &Schema) -> Self {
        let mut columns = Vec::new();
        let step = step(predicate, schema, &mut columns);
        Self { step, columns }
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Whether the predicate may be true for a row of each of `count` groups of rows. `bounds` are those of each column; `None`:
    /// unknown. `is_absent`: whether no row has this value in this column.
    pub(super) fn may_pass(
        &self,
        bounds: &[Option<Bounds>],
        count: usize,
        is_absent: &dyn Fn(usize, &Literal) -> bool,
    ) -> BooleanBuffer {
        self.step.may(bounds, count, is_absent).yes
    }

    /// The columns, some values of which the predicate compares for equality.
    pub(super) fn compared_for_equality(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.step.each_equal(&mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The number of the column of an operand, which is added if it is new.
fn column(operand: &Operand, schema: &Schema, columns: &mut Vec<Column>) -> Option<usize> {
    if matches!(operand, Operand::ListLength(_)) {
        return None;
    }
    let (fields, data_type) = operand.find(schema)?;
    Some(columns.iter().position(|column| column.fields == fields).unwrap_or_else(|| {
        columns.push(Column { fields, data_type: data_type.clone() });
        columns.len() - 1
    }))
}

fn step(predicate: &Predicate, schema: &Schema, columns: &mut Vec<Column>) -> Step {
    let mut all = |parts: &[Predicate]| parts.iter().map(|part| step(part, schema, columns)).collect();
    match predicate.node() {
        Node::And(parts) => return Step::And(all(parts)),
        Node::Or(parts) => return Step::Or(all(parts)),
        Node::Not(inner) => return Step::Not(Box::new(step(inner, schema, columns))),
        Node::IsNull(operand) => {
            return column(operand, schema, columns).map_or(Step::Unknown, Step::IsNull);
        }
        _ => {}
    }
    let (Node::Compare(operand, ..) | Node::In(operand, _) | Node::StartsWith(operand, _)) = predicate.node()
    else {
        return Step::Unknown;
    };
    let Some(column) = column(operand, schema, columns) else { return Step::Unknown };
    let data_type = columns[column].data_type.clone();
    let made = match predicate.node() {
        Node::Compare(_, comparison, literal) => compared(column, &data_type, *comparison, literal),
        Node::In(_, literals) if literals.len() <= MOST_LITERALS => {
            let equal = |literal| compared(column, &data_type, Comparison::Eq, literal);
            literals.iter().map(equal).collect::<Result<_, _>>().map(Step::Or)
        }
        Node::StartsWith(_, prefix) => starts_with(column, &data_type, prefix),
        _ => Ok(Step::Unknown),
    };
    made.unwrap_or(Step::Unknown)
}

/// A comparison with a literal.
fn compared(
    column: usize,
    data_type: &DataType,
    comparison: Comparison,
    literal: &Literal,
) -> Result<Step, PredicateError> {
    use Bound::{Max, Min};
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    let on = |bound, comparison| {
        Ok::<_, PredicateError>((
            bound,
            of_bound(data_type, col(BOUND).compare(comparison, literal.clone()))?,
        ))
    };
    let (necessary, sufficient) = match comparison {
        Lt | Le => (vec![on(Min, comparison)?], vec![on(Max, comparison)?]),
        Gt | Ge => (vec![on(Max, comparison)?], vec![on(Min, comparison)?]),
        Eq => (vec![on(Min, Le)?, on(Max, Ge)?], vec![on(Min, Eq)?, on(Max, Eq)?]),
        Ne => return Ok(Step::Not(Box::new(compared(column, data_type, Eq, literal)?))),
    };
    let has_nan = data_type.is_floating();
    let equal = (comparison == Eq).then(|| literal.clone());
    Ok(Step::Test(Test { column, necessary, sufficient, has_nan, equal }))
}

fn starts_with(column: usize, data_type: &DataType, prefix: &str) -> Result<Step, PredicateError> {
    let starts = of_bound(data_type, col(BOUND).starts_with(prefix))?;
    let before = of_bound(data_type, col(BOUND).le(prefix) | col(BOUND).starts_with(prefix))?;
    let after = of_bound(data_type, col(BOUND).ge(prefix))?;
    Ok(Step::Test(Test {
        column,
        necessary: vec![(Bound::Min, before), (Bound::Max, after)],
        sufficient: vec![(Bound::Min, starts.clone()), (Bound::Max, starts)],
        has_nan: false,
        equal: None,
    }))
}

fn of_bound(data_type: &DataType, predicate: Predicate) -> Result<CompiledPredicate, PredicateError> {
    predicate.compile(&Schema::new(vec![Field::new(BOUND, data_type.clone(), true)]), Lists::AreValues)
}

impl Step {
    fn may(
        &self,
        bounds: &[Option<Bounds>],
        count: usize,
        is_absent: &dyn Fn(usize, &Literal) -> bool,
    ) -> May {
        let constant =
            |value| if value { BooleanBuffer::new_set(count) } else { BooleanBuffer::new_unset(count) };
        let all = |parts: &[Self], start: bool, join: fn(&mut May, &May)| {
            let mut joined = May { yes: constant(start), no: constant(!start) };
            parts.iter().for_each(|part| join(&mut joined, &part.may(bounds, count, is_absent)));
            joined
        };
        match self {
            Self::Test(test) => match &bounds[test.column] {
                Some(bounds) => test.may(bounds, count, is_absent),
                None => May { yes: constant(true), no: constant(true) },
            },
            Self::IsNull(column) => match &bounds[*column] {
                Some(bounds) => May { yes: bounds.has_null.clone(), no: bounds.has_value.clone() },
                None => May { yes: constant(true), no: constant(true) },
            },
            Self::And(parts) => all(parts, true, |all, part| {
                all.yes &= &part.yes;
                all.no |= &part.no;
            }),
            Self::Or(parts) => all(parts, false, |all, part| {
                all.yes |= &part.yes;
                all.no &= &part.no;
            }),
            Self::Not(inner) => {
                let May { yes, no } = inner.may(bounds, count, is_absent);
                May { yes: no, no: yes }
            }
            Self::Unknown => May { yes: constant(true), no: constant(true) },
        }
    }

    fn each_equal(&self, found: &mut Vec<usize>) {
        match self {
            Self::Test(Test { column, equal: Some(_), .. }) => found.push(*column),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.each_equal(found)),
            Self::Not(inner) => inner.each_equal(found),
            Self::Test(_) | Self::IsNull(_) | Self::Unknown => {}
        }
    }
}

impl Test {
    fn may(&self, bounds: &Bounds, count: usize, is_absent: &dyn Fn(usize, &Literal) -> bool) -> May {
        let of = |(bound, predicate): &(Bound, CompiledPredicate)| {
            let bound = if *bound == Bound::Min { &bounds.min } else { &bounds.max };
            evaluated(predicate, bound)
        };
        let (mut yes, mut all) = (bounds.has_value.clone(), BooleanBuffer::new_set(count));
        for test in &self.necessary {
            let found = of(test);
            yes &= &match found.nulls() {
                Some(known) => found.values() | &!known.inner(),
                None => found.values().clone(),
            };
        }
        for test in &self.sufficient {
            let found = of(test);
            all &= &match found.nulls() {
                Some(known) => found.values() & known.inner(),
                None => found.values().clone(),
            };
        }
        if self.equal.as_ref().is_some_and(|literal| is_absent(self.column, literal)) {
            yes = BooleanBuffer::new_unset(count);
        }
        // Bounds of floats do not cover NaN.
        let no = if self.has_nan { bounds.has_value.clone() } else { &bounds.has_value & &!&all };
        May { yes, no }
    }
}

/// The test of each bound: null if it is unknown.
fn evaluated(predicate: &CompiledPredicate, bound: &ArrayRef) -> BooleanArray {
    let batch = RecordBatch::try_from_iter([(BOUND, bound.clone())]);
    let found = batch.ok().and_then(|batch| predicate.evaluate(&batch).ok());
    found.unwrap_or_else(|| BooleanArray::new_null(bound.len()))
}
