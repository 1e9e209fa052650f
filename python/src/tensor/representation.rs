//! The classes of representations: `arrowfeed.Representation`, and a class for each kind, such as `arrowfeed.representations.Dense`.
//!
//! The class of a kind stores its own struct. The base class also stores it as a `tensor::Representation`, for common methods.

use arrowfeed::tensor;
use arrowfeed::tensor::{DefaultValue, PadTo, Partition, Representations};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};

use super::transform::transform_tuple;
use crate::argument::wrong_type;
use crate::errors::representation_error;
use crate::file::{copied, is_buffer};

#[doc = docs!(Representation)]
#[pyclass(module = "arrowfeed", frozen, subclass)]
#[derive(Debug)]
pub(crate) struct Representation(pub(crate) tensor::Representation);

#[pymethods]
impl Representation {
    #[doc = docs!(Representation.from_proto)]
    #[staticmethod]
    fn from_proto(data: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = data.py();
        let expected = "bytes, or a message with SerializeToString";
        wrapped(py, parsed(py, &bytes("data", expected, data)?)?)
    }

    #[doc = docs!(Representation.to_proto)]
    fn to_proto<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_proto())
    }

    // Compares messages instead of values: a default of NaN equals itself, and 0 differs from 0.0.
    fn __eq__(&self, other: &Self) -> bool {
        self.0.to_explicit_proto() == other.0.to_explicit_proto()
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyBytes::new(py, &self.0.to_explicit_proto()).hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (positional, keywords) = arguments(py, &self.0)?;
        let mut shown = Vec::new();
        for value in positional {
            shown.push(value.repr()?.to_string());
        }
        for (name, value) in keywords {
            shown.push(format!("{name}={}", value.repr()?));
        }
        Ok(format!("{}({})", class(&self.0), shown.join(", ")))
    }

    // The arguments of the constructor do not say which fields of a message are set.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_proto")?, (self.to_proto(py),)))
    }
}

/// Defines the class of one kind of representation, which contains the library struct of the same name.
macro_rules! kind {
    ($name:ident) => {
        #[doc = signed!($name)]
        #[pyclass(module = "arrowfeed.representations", frozen, extends = Representation)]
        #[derive(Debug)]
        pub(crate) struct $name(pub(super) tensor::$name);

        impl $name {
            fn initializer(kind: tensor::$name) -> PyClassInitializer<Self> {
                let base = Representation(tensor::Representation::$name(kind.clone()));
                PyClassInitializer::from(base).add_subclass(Self(kind))
            }

            /// Checks the rules that need no schema by parsing the serialized message. Transforms are checked already.
            pub(super) fn checked(py: Python<'_>, kind: tensor::$name) -> PyResult<PyClassInitializer<Self>> {
                let representation = tensor::Representation::$name(kind.clone()).with_transforms(Vec::new());
                parsed(py, &representation.to_proto())?;
                Ok(Self::initializer(kind))
            }
        }
    };
}

kind!(Dense);
kind!(VarLenSparse);
kind!(Sparse);
kind!(Ragged);
kind!(VarLenRagged);
kind!(Structured);

/// Wraps a representation in an object of its Python class.
pub(crate) fn wrapped(py: Python<'_>, representation: tensor::Representation) -> PyResult<Py<PyAny>> {
    Ok(match representation {
        tensor::Representation::Dense(kind) => Py::new(py, Dense::initializer(kind))?.into_any(),
        tensor::Representation::VarLenSparse(kind) => {
            Py::new(py, VarLenSparse::initializer(kind))?.into_any()
        }
        tensor::Representation::Sparse(kind) => Py::new(py, Sparse::initializer(kind))?.into_any(),
        tensor::Representation::Ragged(kind) => Py::new(py, Ragged::initializer(kind))?.into_any(),
        tensor::Representation::VarLenRagged(kind) => {
            Py::new(py, VarLenRagged::initializer(kind))?.into_any()
        }
        tensor::Representation::Structured(kind) => Py::new(py, Structured::initializer(kind))?.into_any(),
    })
}

/// Converts representations to a dict, in their order.
pub(super) fn by_name(py: Python<'_>, representations: Representations) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, representation) in representations {
        dict.set_item(name, wrapped(py, representation)?)?;
    }
    Ok(dict)
}

/// Parses the bytes of a message.
fn parsed(py: Python<'_>, bytes: &[u8]) -> PyResult<tensor::Representation> {
    tensor::Representation::from_proto(bytes).map_err(|error| representation_error(py, &error))
}

/// Returns the bytes of an argument, which is bytes, a buffer, or a serializable message.
pub(crate) fn bytes(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if is_buffer(value) {
        return Ok(copied(value)?.as_bytes().to_vec());
    }
    if !value.is_instance_of::<PyType>() && value.hasattr("SerializeToString")? {
        let bytes = value.call_method0("SerializeToString")?;
        return Ok(bytes
            .cast::<PyBytes>()
            .map_err(|_| wrong_type(name, expected, &bytes))?
            .as_bytes()
            .to_vec());
    }
    Err(wrong_type(name, expected, value))
}

fn class(representation: &tensor::Representation) -> &'static str {
    match representation {
        tensor::Representation::Dense(_) => "Dense",
        tensor::Representation::VarLenSparse(_) => "VarLenSparse",
        tensor::Representation::Sparse(_) => "Sparse",
        tensor::Representation::Ragged(_) => "Ragged",
        tensor::Representation::VarLenRagged(_) => "VarLenRagged",
        tensor::Representation::Structured(_) => "Structured",
    }
}

type Arguments<'py> = (Bound<'py, PyTuple>, Bound<'py, PyDict>);

/// The constructor arguments that create an equal representation, without defaults, for its `repr`.
fn arguments<'py>(py: Python<'py>, representation: &tensor::Representation) -> PyResult<Arguments<'py>> {
    let keywords = PyDict::new(py);
    let splits = |dtype: tensor::SplitsDType| {
        let given = dtype != tensor::SplitsDType::default();
        if given { keywords.set_item("row_splits_dtype", dtype.name()) } else { Ok(()) }
    };
    let positional = match representation {
        tensor::Representation::Dense(dense) => {
            if let Some(value) = &dense.default {
                keywords.set_item("default", default(py, value)?)?;
            }
            if dense.pad {
                keywords.set_item("pad", true)?;
            }
            match dense.shape.as_slice() {
                [] => PyTuple::new(py, [&dense.column])?,
                shape => (&dense.column, PyTuple::new(py, shape)?).into_pyobject(py)?,
            }
        }
        tensor::Representation::VarLenSparse(varlen) => PyTuple::new(py, [&varlen.column])?,
        tensor::Representation::Sparse(sparse) => {
            if sparse.already_sorted {
                keywords.set_item("already_sorted", true)?;
            }
            let shape = PyTuple::new(py, sizes(&sparse.dense_shape))?;
            (PyTuple::new(py, &sparse.index_columns)?, &sparse.value_column, shape).into_pyobject(py)?
        }
        tensor::Representation::Ragged(ragged) => {
            splits(ragged.row_splits_dtype)?;
            if !ragged.partitions.is_empty() {
                keywords.set_item("partitions", partitions(py, &ragged.partitions)?)?;
            }
            (path(py, &ragged.path)?,).into_pyobject(py)?
        }
        tensor::Representation::VarLenRagged(varlen) => {
            splits(varlen.row_splits_dtype)?;
            if let Some(padding) = &varlen.padding {
                keywords.set_item("pad_to", pad_to(py, padding.to)?)?;
                if let Some(value) = &padding.value {
                    keywords.set_item("pad_value", default(py, value)?)?;
                }
                if let Some(pack) = padding.pack {
                    keywords.set_item("pack", pack.name())?;
                }
                for (name, is_set) in [("truncate", padding.truncate), ("mask", padding.mask)] {
                    if is_set {
                        keywords.set_item(name, true)?;
                    }
                }
            }
            PyTuple::new(py, [&varlen.column])?
        }
        tensor::Representation::Structured(structured) => {
            splits(structured.row_splits_dtype)?;
            (PyTuple::new(py, &structured.columns)?,).into_pyobject(py)?
        }
    };
    if !representation.transforms().is_empty() {
        keywords.set_item("transform", transform_tuple(py, representation.transforms())?)?;
    }
    Ok((positional, keywords))
}

/// Converts a default value to a Python object.
pub(super) fn default<'py>(py: Python<'py>, value: &DefaultValue) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        DefaultValue::Float(value) => value.into_pyobject(py)?.into_any(),
        DefaultValue::Int(value) => value.into_pyobject(py)?.into_any(),
        DefaultValue::UInt(value) => value.into_pyobject(py)?.into_any(),
        DefaultValue::Bytes(value) => PyBytes::new(py, value).into_any(),
    })
}

/// Converts a length to pad to to the form of its argument.
pub(super) fn pad_to(py: Python<'_>, to: PadTo) -> PyResult<Bound<'_, PyAny>> {
    Ok(match to {
        PadTo::Length(length) => length.into_pyobject(py)?.into_any(),
        PadTo::Longest | PadTo::MultipleOf(_) => to.to_string().into_pyobject(py)?.into_any(),
    })
}

/// Converts sizes to the form of TensorFlow Metadata, where -1 means unknown.
pub(super) fn sizes(shape: &[Option<usize>]) -> Vec<i64> {
    shape.iter().map(|size| size.map_or(-1, |size| size as i64)).collect()
}

/// Converts a path of one step to its name, and a longer path to a tuple.
pub(super) fn path<'py>(py: Python<'py>, path: &tensor::ColumnPath) -> PyResult<Bound<'py, PyAny>> {
    match path.steps() {
        [name] => Ok(name.into_pyobject(py)?.into_any()),
        steps => Ok(PyTuple::new(py, steps)?.into_any()),
    }
}

/// Converts uniform partitions to numbers, and other partitions to names.
pub(super) fn partitions<'py>(py: Python<'py>, partitions: &[Partition]) -> PyResult<Bound<'py, PyTuple>> {
    let items = partitions.iter().map(|partition| match partition {
        Partition::Uniform(length) => Ok(length.into_pyobject(py)?.into_any()),
        Partition::RowLength(name) => Ok(name.into_pyobject(py)?.into_any()),
    });
    PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)
}
