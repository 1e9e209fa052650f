//! `arrowfeed.Limits`.

use arrowfeed::source;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::argument::{integer, unexpected_keyword, wrong_value};

#[doc = signed!(Limits)]
#[pyclass(module = "arrowfeed", frozen, eq)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limits(pub(crate) source::Limits);

/// Generates all code that depends on the list of fields.
macro_rules! limits {
    ($($field:ident)*) => {
        fn set(limits: &mut source::Limits, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
            match name {
                $(stringify!($field) => limits.$field = integer(name, 0, value)?,)*
                _ => return Err(unexpected_keyword("Limits", name)),
            }
            Ok(())
        }

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
            #[pyo3(signature = (**limits), text_signature = None)]
            fn new(limits: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
                made(limits).map(Self)
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

fn made(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<source::Limits> {
    let mut limits = source::Limits::default();
    for (name, value) in keywords.into_iter().flatten() {
        set(&mut limits, &name.extract::<String>()?, &value)?;
        if limits.schema_depth > source::Limits::MAX_SCHEMA_DEPTH {
            let expected = format!("at most {}", source::Limits::MAX_SCHEMA_DEPTH);
            return Err(wrong_value("schema_depth", &expected, &value));
        }
    }
    Ok(limits)
}
