//! `arrowfeed.Limits`.

use arrowfeed::source;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::argument::{integer, wrong_type, wrong_value};
use crate::argument_types::Argument;

#[doc = signed!(Limits)]
#[pyclass(module = "arrowfeed", frozen, eq)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limits(pub(crate) source::Limits);

/// Generates all code that depends on the list of fields.
macro_rules! limits {
    ($($field:ident)*) => {
        impl Limits {
            fn fields(&self) -> PyResult<Vec<(&'static str, u64)>> {
                Ok(vec![$((stringify!($field), self.$field()?)),*])
            }
        }

        #[pymethods]
        impl Limits {
            $(
                #[getter]
                fn $field(&self) -> PyResult<u64> {
                    Ok(u64::try_from(self.0.$field)?)
                }
            )*

            #[new]
            #[pyo3(signature = (*, $($field=None),*), text_signature = None)]
            #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
            fn new(py: Python<'_>, $($field: Option<&Bound<'_, PyAny>>),*) -> PyResult<Self> {
                let mut limits = source::Limits::default();
                $(
                    if let Some(value) = $field {
                        limits.$field = integer(stringify!($field), 0, value)?;
                    }
                )*
                checked(py, limits).map(Self)
            }

            fn __repr__(&self) -> PyResult<String> {
                let fields = self.fields()?;
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
                Ok(format!("Limits({})", fields.join(", ")))
            }

            fn __getnewargs_ex__<'py>(
                &self,
                py: Python<'py>,
            ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
                let keywords = PyDict::new(py);
                for (name, value) in self.fields()? {
                    keywords.set_item(name, value)?;
                }
                Ok((PyTuple::empty(py), keywords))
            }
        }
    };
}

limits! {
    header_bytes schema_bytes schema_depth expanded_fields decoded_block_bytes skipped_depth
    zero_byte_elements zero_byte_rows batch_bytes zstd_window_bytes xz_memory_bytes
}

fn checked(py: Python<'_>, limits: source::Limits) -> PyResult<source::Limits> {
    let (depth, most) = (limits.schema_depth, source::Limits::MAX_SCHEMA_DEPTH);
    if depth > most {
        return Err(wrong_value(
            "schema_depth",
            &format!("at most {most}"),
            &depth.into_pyobject(py)?.into_any(),
        ));
    }
    Ok(limits)
}

impl Argument for source::Limits {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let limits = value.cast::<Limits>().map_err(|_| wrong_type(name, "a Limits", value))?;
        Ok(limits.get().0.clone())
    }
}
