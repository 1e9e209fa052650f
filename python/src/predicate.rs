//! Predicates: `arrowfeed.col`, `arrowfeed.Column` and `arrowfeed.Predicate`.

use arrow_schema::SchemaRef;
use arrowfeed::predicate::{NullInList, Operand, Predicate as Tree, col as operand};
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::argument::{each, wrong_type};
use crate::argument_types::Argument;
use crate::arrow_schema::Schema;
use crate::errors::io_error;
use crate::literal::literal;
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

/// The filter of an argument.
pub(crate) enum RowFilter {
    Predicate(Tree),
    /// An expression of another library, which becomes a predicate over the columns of a schema.
    Expression(Py<PyAny>),
}

impl RowFilter {
    /// The predicate, if it needs no schema.
    pub(crate) fn predicate(&self) -> Option<&Tree> {
        match self {
            Self::Predicate(tree) => Some(tree),
            Self::Expression(_) => None,
        }
    }

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
