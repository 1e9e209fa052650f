//! Schemas of messages: those passed by the caller, by fingerprint or ID, and those that a function looks up.

use std::collections::HashMap;

use arrowfeed::avro::{AvroSchema, Framing, RecordDecoder, WriterId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{integer, items, wrong_type};
use crate::call::caught;
use crate::errors::to_python;
use crate::schema::parse;

choices! { Framing { "bare" = Bare, "single_object" = SingleObject, "confluent" = Confluent } }

const EXPECTED: &str = "a dict of fingerprints or numbers to schemas, a list of schemas, or a function of a fingerprint or number";

/// The parsed argument `schemas`.
#[derive(Default)]
pub(crate) struct SchemasArgument {
    /// The schemas with their keys, in the order of the argument.
    pub(crate) known: Vec<(u64, AvroSchema)>,
    /// A function that returns the schema for a key.
    pub(crate) lookup: Option<Py<PyAny>>,
}

impl SchemasArgument {
    pub(crate) fn new(framing: Framing, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if framing == Framing::Bare {
            let message = "schemas: expected framing=\"single_object\" or \"confluent\", which identify schemas, found \"bare\"";
            return Err(PyValueError::new_err(message));
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            let schemas = dict
                .iter()
                .map(|(key, schema)| Ok((integer("schemas", 0, &key)?, parse("schemas", &schema)?)));
            return Ok(Self { known: schemas.collect::<PyResult<_>>()?, lookup: None });
        }
        if value.is_callable() {
            return Ok(Self { known: Vec::new(), lookup: Some(value.clone().unbind()) });
        }
        match items(value) {
            Some(schemas) if framing == Framing::SingleObject => {
                let schemas = schemas.iter().map(|schema| {
                    let schema = parse("schemas", schema)?;
                    Ok((schema.fingerprint(), schema))
                });
                Ok(Self { known: schemas.collect::<PyResult<_>>()?, lookup: None })
            }
            _ => Err(wrong_type("schemas", EXPECTED, value)),
        }
    }
}

/// The framing of messages, and the known schemas.
pub(crate) struct MessageSchemas {
    pub(crate) framing: Framing,
    pub(crate) writers: HashMap<u64, WriterId>,
    lookup: Option<Py<PyAny>>,
}

impl MessageSchemas {
    pub(crate) fn new(
        py: Python<'_>,
        framing: Framing,
        given: SchemasArgument,
        records: &mut RecordDecoder,
    ) -> PyResult<Self> {
        let mut writers = HashMap::new();
        for (key, schema) in given.known {
            let id = caught(|| records.add_writer(&schema)).map_err(|error| to_python(py, error))?;
            writers.insert(key, id);
        }
        Ok(Self { framing, writers, lookup: given.lookup })
    }

    /// Looks up the schema of a message, if it is unknown. Faults of the message are reported when it is decoded.
    pub(crate) fn look_up(
        &mut self,
        py: Python<'_>,
        message: &[u8],
        records: &mut RecordDecoder,
    ) -> PyResult<()> {
        let (Some(lookup), Ok((Some(key), _))) = (&self.lookup, self.framing.split(message)) else {
            return Ok(());
        };
        if self.writers.contains_key(&key) {
            return Ok(());
        }
        let found = lookup.bind(py).call1((key,))?;
        if found.is_none() {
            return Ok(());
        }
        let schema = parse("schemas", &found)?;
        let id = caught(|| records.add_writer(&schema)).map_err(|error| to_python(py, error))?;
        self.writers.insert(key, id);
        Ok(())
    }
}
