//! Predicates from expressions of Substrait.

mod messages;

use std::collections::HashMap;

use arrow_buffer::i256;
use arrow_schema::{DataType, Fields, Schema};
use prost::Message;

use crate::compiled::is_list;
use crate::{Comparison, Decimal, Literal, MAX_DEPTH, Operand, Predicate, PredicateError, col, text};
use messages::{
    Expression, ExtendedExpression, FieldReference, Function, FunctionOption, IfThen, In, Kind, UserDefined,
    Value,
};

/// The result of a list of options for a null, which [`Predicate::from_substrait`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullInList {
    /// False, or true if null is an option: Arrow's `is_in`.
    IsCompared,
    /// Null: the `in` of SQL.
    IsNull,
}

impl Predicate {
    /// Reads an expression of Substrait: the bytes of an `ExtendedExpression` whose first expression is a condition over the
    /// rows of `schema`.
    ///
    /// It may have fields of structs, literals, comparisons of a field with a literal, `and`, `or`, `not`, `is_null`,
    /// `is_not_null`, `is_nan`, `starts_with`, a list of options, the `in` of SQL, and `list_value_length` of Arrow. In a list
    /// of options, NaN is equal to itself.
    ///
    /// # Errors
    /// The bytes are not such a message, or the expression has other parts.
    pub fn from_substrait(
        message: &[u8],
        schema: &Schema,
        null_in_list: NullInList,
    ) -> Result<Self, PredicateError> {
        let ExtendedExpression { extensions, expressions } = decoded(message)?;
        let (mut functions, mut types) = (HashMap::new(), HashMap::new());
        for extension in extensions {
            functions.extend(extension.of_function.map(|of| (of.anchor, of.name)));
            types.extend(extension.of_type.map(|of| (of.anchor, of.name)));
        }
        let first = expressions.into_iter().next().and_then(|first| first.expression);
        let reader = Reader { schema, functions, types, null_in_list };
        reader.predicate(&first.ok_or_else(|| fault("an expression", "none"))?, MAX_DEPTH)
    }
}

/// The names to which an expression refers by numbers.
struct Reader<'a> {
    schema: &'a Schema,
    functions: HashMap<u32, String>,
    types: HashMap<u32, String>,
    null_in_list: NullInList,
}

/// An argument of a function.
enum Term<'a> {
    Field(Operand, &'a DataType),
    /// `None`: null.
    Literal(Option<Literal>),
}

impl<'a> Reader<'a> {
    fn predicate(&self, expression: &[u8], levels: usize) -> Result<Predicate, PredicateError> {
        let Some(levels) = levels.checked_sub(1) else {
            return Err(fault(format!("at most {MAX_DEPTH} levels"), "more"));
        };
        match kind(expression)? {
            Some(Kind::Function(function)) => self.function(&function, levels),
            Some(Kind::In(list)) => self.is_in(&list),
            Some(Kind::IfThen(choice)) => self.in_of_sql(&choice, levels),
            _ => match self.term(expression)? {
                Term::Field(operand, DataType::Boolean) => Ok(operand.eq(true)),
                Term::Field(operand, other) => {
                    Err(fault("a condition", format!("the column {} of type {other}", operand.path())))
                }
                Term::Literal(_) => Err(fault("a condition over columns", "a literal")),
            },
        }
    }

    fn function(&self, function: &Function, levels: usize) -> Result<Predicate, PredicateError> {
        let name = self.name(function);
        let arguments = values(function)?;
        let comparison = match (name, &*arguments) {
            ("and" | "or", [first, others @ ..]) => {
                let mut all = self.predicate(first, levels)?;
                for other in others {
                    let other = self.predicate(other, levels)?;
                    all = if name == "and" { all & other } else { all | other };
                }
                return Ok(all);
            }
            ("not", [inner]) => return Ok(!self.predicate(inner, levels)?),
            ("is_null", [value]) => return Ok(self.operand(value)?.is_null()),
            ("is_not_null", [value]) => return Ok(self.operand(value)?.is_not_null()),
            ("is_nan", [value]) => return Ok(is_nan(self.operand(value)?)),
            ("starts_with", [value, prefix]) => return self.starts_with(value, prefix, &function.options),
            ("equal", [_, _]) => Comparison::Eq,
            ("not_equal", [_, _]) => Comparison::Ne,
            ("lt", [_, _]) => Comparison::Lt,
            ("lte", [_, _]) => Comparison::Le,
            ("gt", [_, _]) => Comparison::Gt,
            ("gte", [_, _]) => Comparison::Ge,
            _ => {
                let known = "a comparison, and, or, not, is_null, is_not_null, is_nan, is_in, starts_with or list_value_length";
                return Err(fault(known, format!("the function {name:?}")));
            }
        };
        let (operand, comparison, literal) = match (self.term(arguments[0])?, self.term(arguments[1])?) {
            (Term::Field(operand, _), Term::Literal(literal)) => (operand, comparison, literal),
            (Term::Literal(literal), Term::Field(operand, _)) => (operand, mirrored(comparison), literal),
            (Term::Field(..), Term::Field(..)) => {
                return Err(fault("a column and a literal", format!("{name:?} of two columns")));
            }
            (Term::Literal(_), Term::Literal(_)) => {
                return Err(fault("a column and a literal", format!("{name:?} of two literals")));
            }
        };
        let literal = literal.ok_or_else(|| fault("is_null or is_valid", format!("{name:?} of a null")))?;
        Ok(operand.compare(comparison, literal))
    }

    fn starts_with(
        &self,
        value: &[u8],
        prefix: &[u8],
        options: &[FunctionOption],
    ) -> Result<Predicate, PredicateError> {
        let is_exact = |option: &FunctionOption| {
            option.name == "case_sensitivity"
                && option.preferences.first().is_some_and(|first| first == "CASE_SENSITIVE")
        };
        match self.term(prefix)? {
            _ if !options.iter().all(is_exact) => {
                Err(fault("starts_with of the same case", "another option"))
            }
            Term::Literal(Some(Literal::String(prefix))) => Ok(self.operand(value)?.starts_with(prefix)),
            _ => Err(fault("starts_with of a string", "another argument")),
        }
    }

    fn is_in(&self, list: &In) -> Result<Predicate, PredicateError> {
        let (column, any, has_null) = self.any_of(list)?;
        match (self.null_in_list, has_null) {
            (NullInList::IsCompared, true) => Ok(any | !has_value(column)),
            (NullInList::IsCompared, false) => Ok(any & has_value(column)),
            (NullInList::IsNull, false) => Ok(any),
            (NullInList::IsNull, true) => Err(fault("a list without null", "a null")),
        }
    }

    /// The `in` of SQL, as DuckDB writes it: if the value is not null, whether it is in the list, else null.
    fn in_of_sql(&self, choice: &IfThen, levels: usize) -> Result<Predicate, PredicateError> {
        if let [clause] = &*choice.clauses
            && let Some(Kind::In(list)) = kind(&clause.result)?
            && let ((operand, _), any, false) = self.any_of(&list)?
            && self.predicate(&clause.condition, levels)? == operand.is_not_null()
            && let Term::Literal(None) = self.term(&choice.otherwise)?
        {
            return Ok(any);
        }
        Err(fault("if_else of is_valid, is_in and null", "another if_else"))
    }

    /// The column that is one of the literals, whether it is, and whether null is one of them.
    fn any_of(&self, list: &In) -> Result<((Operand, &'a DataType), Predicate, bool), PredicateError> {
        let value = list.value.as_deref().ok_or_else(|| fault("a column", "none"))?;
        let Term::Field(operand, data_type) = self.term(value)? else {
            return Err(fault("a column", "a literal"));
        };
        let (mut literals, mut has_null, mut has_nan) = (Vec::new(), false, false);
        for option in &list.options {
            match self.term(option)? {
                Term::Literal(Some(Literal::NaN)) => has_nan = true,
                Term::Literal(Some(literal)) => literals.push(literal),
                Term::Literal(None) => has_null = true,
                Term::Field(..) => return Err(fault("literals in a list", "a column")),
            }
        }
        if *data_type == DataType::Float32 {
            literals = literals.into_iter().map(Literal::rounded_to_f32).collect();
        }
        let mut any = operand.clone().is_in(literals);
        if has_nan {
            any = any | is_nan(operand.clone());
        }
        Ok(((operand, data_type), any, has_null))
    }

    fn operand(&self, expression: &[u8]) -> Result<Operand, PredicateError> {
        match self.term(expression)? {
            Term::Field(operand, _) => Ok(operand),
            Term::Literal(_) => Err(fault("a column", "a literal")),
        }
    }

    fn term(&self, expression: &[u8]) -> Result<Term<'a>, PredicateError> {
        match kind(expression)? {
            Some(Kind::Field(field)) => self.field(&field),
            Some(Kind::Literal(literal)) => match literal.value {
                Some(value) => self.literal(value).map(Term::Literal),
                None => Err(fault("a literal of a type that columns have", "another type")),
            },
            Some(Kind::Function(function)) => match (self.name(&function), &*values(&function)?) {
                ("list_value_length", [list]) => {
                    Ok(Term::Field(self.operand(list)?.list_length(), &DataType::Int64))
                }
                (name, _) => Err(fault("a column or a literal", format!("the function {name:?}"))),
            },
            Some(Kind::Cast(_)) => Err(fault("a column or a literal", "a cast")),
            Some(Kind::In(_) | Kind::IfThen(_)) => Err(fault("a column or a literal", "a condition")),
            None => Err(fault("a column, a literal or a function", "another expression")),
        }
    }

    fn field(&self, reference: &FieldReference) -> Result<Term<'a>, PredicateError> {
        if reference.of_expression.is_some() {
            return Err(fault("a field of a column", "a field of an expression"));
        }
        let (mut path, mut fields) = (String::new(), Some(self.schema.fields()));
        let mut found = None;
        let mut segment = reference.segment.as_ref();
        while let Some(step) = segment {
            let step = step.field.as_deref().ok_or_else(|| fault("a field", "an item of a list or map"))?;
            let field = usize::try_from(step.number).ok().and_then(|number| fields?.get(number));
            let field =
                field.ok_or_else(|| fault("a field of the schema", format!("number {}", step.number)))?;
            text::push_step(&mut path, field.name());
            (found, fields) = (Some(field.data_type()), children(field.data_type()));
            segment = step.child.as_deref();
        }
        let data_type = found.ok_or_else(|| fault("a field", "a whole row"))?;
        Ok(Term::Field(col(path), data_type))
    }

    fn literal(&self, value: Value) -> Result<Option<Literal>, PredicateError> {
        Ok(Some(match value {
            Value::Boolean(value) => value.into(),
            Value::I8(value) | Value::I16(value) | Value::I32(value) => value.into(),
            Value::I64(value) => value.into(),
            Value::Fp32(value) => value.into(),
            Value::Fp64(value) => value.into(),
            Value::String(value) => value.into(),
            Value::Binary(value) | Value::FixedBinary(value) => value.into(),
            Value::Timestamp(micros) => Literal::Timestamp(i128::from(micros) * 1000),
            Value::Instant(micros) => Literal::Instant(i128::from(micros) * 1000),
            Value::Date(days) => Literal::Date(days.into()),
            Value::Time(micros) => Literal::Time(micros * 1000),
            Value::Decimal(decimal) => {
                let bytes =
                    decimal.value.try_into().map_err(|_| fault("a decimal of 16 bytes", "another"))?;
                Decimal::new(i256::from_i128(i128::from_le_bytes(bytes)), -decimal.scale).into()
            }
            Value::Null(_) => return Ok(None),
            Value::UserDefined(value) => return self.user_defined(value).map(Some),
        }))
    }

    /// A literal of a type that Arrow adds to Substrait.
    fn user_defined(&self, literal: UserDefined) -> Result<Literal, PredicateError> {
        let name = self.types.get(&literal.type_reference).map_or("", String::as_str);
        let value = literal.value.unwrap_or_default().value;
        Ok(match name {
            "u8" | "u16" | "u32" => decoded::<u32>(&value)?.into(),
            "u64" => decoded::<u64>(&value)?.into(),
            "large_string" => decoded::<String>(&value)?.into(),
            "large_binary" => decoded::<Vec<u8>>(&value)?.into(),
            _ => return Err(fault("a literal of a type that columns have", format!("the type {name:?}"))),
        })
    }

    fn name(&self, function: &Function) -> &str {
        // A signature may follow the name: "gt:any_any".
        let name = self.functions.get(&function.reference).map_or("", String::as_str);
        name.split_once(':').map_or(name, |(name, _)| name)
    }
}

impl Literal {
    /// The literal among the values of 32-bit floats.
    fn rounded_to_f32(self) -> Self {
        match &self {
            Self::Number(number) => (number.nearest_float() as f32).into(),
            _ => self,
        }
    }
}

/// Whether a comparison sees a value: a list that is compared by its one value may have none.
fn has_value((operand, data_type): (Operand, &DataType)) -> Predicate {
    let is_valid = operand.clone().is_not_null();
    if is_list(data_type) { is_valid & operand.list_length().ge(1) } else { is_valid }
}

/// NaN is the value that is not at most infinity.
fn is_nan(operand: Operand) -> Predicate {
    !operand.le(Literal::Infinity)
}

/// The comparison of the exchanged sides.
fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Eq | Comparison::Ne => comparison,
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
    }
}

fn children(data_type: &DataType) -> Option<&Fields> {
    if let DataType::Struct(fields) = data_type { Some(fields) } else { None }
}

/// The arguments of a function, without those that are not values.
fn values(function: &Function) -> Result<Vec<&[u8]>, PredicateError> {
    let value = |argument: &messages::Argument| argument.value.is_some();
    match function.arguments.iter().all(value) {
        true => Ok(function.arguments.iter().filter_map(|argument| argument.value.as_deref()).collect()),
        false => Err(fault("arguments that are values", "a type or an option")),
    }
}

fn kind(expression: &[u8]) -> Result<Option<Kind>, PredicateError> {
    Ok(decoded::<Expression>(expression)?.kind)
}

fn decoded<M: Message + Default>(bytes: &[u8]) -> Result<M, PredicateError> {
    M::decode(bytes).map_err(|error| fault("a message of Substrait", error.to_string()))
}

fn fault(expected: impl Into<String>, found: impl Into<String>) -> PredicateError {
    PredicateError::Substrait { expected: expected.into(), found: found.into() }
}
