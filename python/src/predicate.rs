//! Predicates: `arrowfeed.col`, `arrowfeed.Column` and `arrowfeed.Predicate`.

use arrow_schema::SchemaRef;
use arrowfeed::predicate::{Literal, NullInList, Operand, Predicate as Tree, col as operand};
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    IntoPyDict, PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyFloat, PyInt, PyString, PyTime,
};

use crate::argument::{each, wrong_type};
use crate::argument_types::Argument;
use crate::arrow_schema::Schema;
use crate::errors::io_error;
use crate::object::Object;
use crate::shutdown::try_attach;

#[doc = docs!(Predicate)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct Predicate(pub(crate) Tree);

#[doc = docs!(Column)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct Column(Operand);

#[doc = signed!(col)]
#[pyfunction]
#[pyo3(text_signature = None)]
pub(crate) fn col(path: &Bound<'_, PyAny>) -> PyResult<Column> {
    let text = path.cast::<PyString>().map_err(|_| wrong_type("path", "a field path (str)", path))?;
    Ok(Column(operand(text.to_cow()?.into_owned())))
}

#[pymethods]
impl Predicate {
    #[new]
    #[pyo3(signature = (text, *, schema=None), text_signature = None)]
    fn new(text: &Bound<'_, PyAny>, schema: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let schema = schema.map(|schema| SchemaRef::parse("schema", schema)).transpose()?;
        match (RowFilter::parse("text", text)?, schema) {
            (RowFilter::Predicate(tree), _) => Ok(Self(tree)),
            (RowFilter::Expression(expression), Some(schema)) => {
                of_expression(expression.bind(text.py()), schema).map(Self)
            }
            (RowFilter::Expression(_), None) => {
                let message =
                    "schema: expected the Arrow schema of the rows, found an expression without one";
                Err(PyTypeError::new_err(message))
            }
        }
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.clone() & joined("&", other)?))
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(joined("&", other)? & self.0.clone()))
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.clone() | joined("|", other)?))
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(joined("|", other)? | self.0.clone()))
    }

    fn __invert__(&self) -> Self {
        Self(!self.0.clone())
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(without_value())
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let is_same = other.cast::<Self>().map(|other| other.get().0 == self.0);
        match (op, is_same) {
            (CompareOp::Eq, Ok(is_same)) => Ok(PyBool::new(py, is_same).to_owned().into_any().unbind()),
            (CompareOp::Ne, Ok(is_same)) => Ok(PyBool::new(py, !is_same).to_owned().into_any().unbind()),
            _ => Ok(py.NotImplemented()),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.0.to_string()).hash()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("arrowfeed.Predicate({})", PyString::new(py, &self.0.to_string()).repr()?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().0.to_string(),))
    }
}

#[pymethods]
impl Column {
    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Predicate> {
        let column = self.0.clone();
        let value = literal("value", other)?;
        Ok(Predicate(match op {
            CompareOp::Eq => column.eq(value),
            CompareOp::Ne => column.ne(value),
            CompareOp::Lt => column.lt(value),
            CompareOp::Le => column.le(value),
            CompareOp::Gt => column.gt(value),
            CompareOp::Ge => column.ge(value),
        }))
    }

    /// Python removes the inherited method from classes with `__eq__`, and a column is no key.
    #[classattr]
    const __hash__: Option<Py<PyAny>> = None;

    #[doc = docs!(Column.is_null)]
    fn is_null(&self) -> Predicate {
        Predicate(self.0.clone().is_null())
    }

    #[doc = docs!(Column.is_not_null)]
    fn is_not_null(&self) -> Predicate {
        Predicate(self.0.clone().is_not_null())
    }

    #[doc = docs!(Column.is_in)]
    fn is_in(&self, values: &Bound<'_, PyAny>) -> PyResult<Predicate> {
        let values = each("values", "an iterable of values", values)?;
        let values = values.iter().map(|value| literal("values", value)).collect::<PyResult<Vec<_>>>()?;
        Ok(Predicate(self.0.clone().is_in(values)))
    }

    #[doc = docs!(Column.starts_with)]
    fn starts_with(&self, prefix: &Bound<'_, PyAny>) -> PyResult<Predicate> {
        let text = prefix.cast::<PyString>().map_err(|_| wrong_type("prefix", "a str", prefix))?;
        Ok(Predicate(self.0.clone().starts_with(text.to_cow()?.into_owned())))
    }

    #[doc = docs!(Column.list_length)]
    fn list_length(&self) -> Self {
        Self(self.0.clone().list_length())
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Predicate> {
        Ok(Predicate(self.is_true() & joined("&", other)?))
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<Predicate> {
        Ok(Predicate(joined("&", other)? & self.is_true()))
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Predicate> {
        Ok(Predicate(self.is_true() | joined("|", other)?))
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<Predicate> {
        Ok(Predicate(joined("|", other)? | self.is_true()))
    }

    fn __invert__(&self) -> Predicate {
        Predicate(!self.is_true())
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(without_value())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        // The text of `list_length` is that of the grammar.
        Ok(format!("arrowfeed.col({})", PyString::new(py, &self.0.to_string()).repr()?))
    }
}

impl Column {
    /// The predicate that a column of booleans is.
    fn is_true(&self) -> Tree {
        self.0.clone().eq(true)
    }
}

#[cold]
fn without_value() -> PyErr {
    PyTypeError::new_err(
        "expected a predicate as a whole, found one whose truth is asked: join predicates with &, | and ~ instead of and, or, \
         not and in, and put comparisons into parentheses",
    )
}

/// The other side of `&` or `|`.
fn joined(operator: &str, other: &Bound<'_, PyAny>) -> PyResult<Tree> {
    if let Ok(predicate) = other.cast::<Predicate>() {
        return Ok(predicate.get().0.clone());
    }
    if let Ok(column) = other.cast::<Column>() {
        return Ok(column.get().is_true());
    }
    let found = other.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "{operator}: expected a predicate, found {found}: put comparisons into parentheses"
    )))
}

/// A value that is compared with a column.
fn literal(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Literal> {
    let expected = "a bool, number, str, bytes, date, time, datetime, timedelta or Decimal";
    if value.is_none() {
        let message = format!("{name}: expected {expected}, found None: use is_null() or is_not_null()");
        return Err(PyTypeError::new_err(message));
    }
    literal_of(value)?.ok_or_else(|| wrong_type(name, expected, value))
}

fn literal_of(value: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Some(flag.is_true().into()));
    }
    if value.is_instance_of::<PyInt>() {
        let number: i128 = value.extract()?;
        return Ok(Some(number.into()));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Some(value.extract::<f64>()?.into()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(text.to_cow()?.into_owned().into()));
    }
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
        return Ok(Some(value.extract::<Vec<u8>>()?.into()));
    }
    if let Some(literal) = temporal(value)? {
        return Ok(Some(literal));
    }
    let decimal = value.py().import("decimal")?.getattr("Decimal")?;
    if value.is_instance(&decimal)? {
        let text: String = value.call_method1("__format__", ("f",))?.extract()?;
        return Literal::decimal(&text).map(Some).map_err(|error| PyValueError::new_err(error.to_string()));
    }
    // Scalars of NumPy, pandas and pyarrow have one of these methods.
    for method in ["item", "to_pydatetime", "as_py"] {
        if let Ok(scalar) = value.call_method0(method)
            && !scalar.is(value)
            && !scalar.get_type().is(value.get_type())
        {
            return literal_of(&scalar);
        }
    }
    Ok(None)
}

/// A date, a time, a datetime or a timedelta, also those of pandas, which have nanoseconds.
fn temporal(value: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    let py = value.py();
    let number = |name: &str| value.getattr(name)?.extract::<i64>();
    if value.is_instance_of::<PyDateTime>() {
        let datetime = py.import("datetime")?;
        let zone = value.getattr("tzinfo")?;
        let utc = if zone.is_none() { None } else { Some(datetime.getattr("timezone")?.getattr("utc")?) };
        let epoch = PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, None)?.into_any();
        let epoch = match &utc {
            Some(utc) => epoch.call_method("replace", (), Some(&[("tzinfo", utc)].into_py_dict(py)?))?,
            None => epoch,
        };
        let since = nanoseconds(&value.sub(epoch)?)?;
        return Ok(Some(if utc.is_some() { Literal::Instant(since) } else { Literal::Timestamp(since) }));
    }
    if value.is_instance_of::<PyDate>() {
        let days: i64 = value.call_method0("toordinal")?.extract()?;
        return Ok(Some(Literal::Date(days - EPOCH)));
    }
    if value.is_instance_of::<PyTime>() {
        if !value.getattr("tzinfo")?.is_none() {
            return Ok(None);
        }
        let seconds = (number("hour")? * 60 + number("minute")?) * 60 + number("second")?;
        return Ok(Some(Literal::Time(seconds * 1_000_000_000 + number("microsecond")? * 1000)));
    }
    if value.is_instance_of::<PyDelta>() {
        return nanoseconds(value).map(|nanos| Some(Literal::Duration(nanos)));
    }
    Ok(None)
}

/// The number of 1970-01-01 in Python's `date.toordinal`.
const EPOCH: i64 = 719_163;

/// The nanoseconds of a timedelta. Those of pandas have an attribute for the part below a microsecond.
fn nanoseconds(delta: &Bound<'_, PyAny>) -> PyResult<i128> {
    let number = |name: &str| delta.getattr(name)?.extract::<i128>();
    let below = match delta.getattr_opt("nanoseconds")? {
        Some(nanos) => nanos.extract()?,
        None => 0,
    };
    let seconds = number("days")? * 86_400 + number("seconds")?;
    Ok(seconds * 1_000_000_000 + number("microseconds")? * 1000 + below)
}

/// The filter of an argument.
pub(crate) enum RowFilter {
    Predicate(Tree),
    /// An expression of another library, which becomes a predicate over the columns of a schema.
    Expression(Py<PyAny>),
}

impl RowFilter {
    /// The predicate over the columns of `schema`, for a thread without the interpreter.
    pub(crate) fn over<E: From<FeedError>>(
        self,
        schema: impl FnOnce() -> Result<SchemaRef, E>,
    ) -> Result<Tree, E> {
        let expression = match self {
            Self::Predicate(tree) => return Ok(tree),
            Self::Expression(expression) => Object::new(expression),
        };
        let schema = schema()?;
        let tree = try_attach(|py| {
            let tree = of_expression(expression.bind(py), schema);
            tree.map_err(|error| FeedError::io(io_error(py, error)))
        });
        let ended = || FeedError::new(FeedErrorKind::Internal, "expected a running Python interpreter");
        Ok(tree.ok_or_else(ended)??)
    }
}

impl Argument for RowFilter {
    /// A predicate, a column of booleans, a text of the grammar, or an expression of another library.
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(predicate) = value.cast::<Predicate>() {
            return Ok(Self::Predicate(predicate.get().0.clone()));
        }
        if let Ok(column) = value.cast::<Column>() {
            return Ok(Self::Predicate(column.get().is_true()));
        }
        if let Ok(text) = value.cast::<PyString>() {
            let tree = Tree::parse(&text.to_cow()?);
            let tree = tree.map_err(|error| PyValueError::new_err(format!("{name}: {error}")));
            return tree.map(Self::Predicate);
        }
        if value.hasattr("to_substrait")? || value.get_type().module()?.to_cow()?.starts_with("polars.") {
            return Ok(Self::Expression(value.clone().unbind()));
        }
        Err(wrong_type(name, "a predicate such as arrowfeed.col(\"age\") >= 18, or its text", value))
    }
}

fn of_expression(expression: &Bound<'_, PyAny>, schema: SchemaRef) -> PyResult<Tree> {
    let module = expression.py().import("arrowfeed._expressions")?;
    let predicate = module.call_method1("predicate_of", (expression, Schema(schema)))?;
    Ok(predicate.cast::<Predicate>()?.get().0.clone())
}

#[doc = docs!(predicate_from_substrait)]
#[pyfunction]
pub(crate) fn predicate_from_substrait(
    message: &[u8],
    schema: &Bound<'_, PyAny>,
    in_of_sql: bool,
) -> PyResult<Predicate> {
    let null_in_list = if in_of_sql { NullInList::IsNull } else { NullInList::IsCompared };
    let tree = Tree::from_substrait(message, &*SchemaRef::parse("schema", schema)?, null_in_list);
    tree.map(Predicate).map_err(|error| PyValueError::new_err(error.to_string()))
}
