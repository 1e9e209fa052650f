//! `arrowfeed.encode_avro_records`.

use arrowfeed::avro::{Framing, encode_records};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::argument::{integer, wrong_value};
use crate::argument_types::given;
use crate::call::call;
use crate::schema::parse;
use crate::write;

#[doc = signed!(encode_avro_records)]
#[pyfunction]
#[pyo3(signature = (batches, schema, *, framing=None, schema_id=None), text_signature = None)]
pub(crate) fn encode_avro_records<'py>(
    batches: &Bound<'py, PyAny>,
    schema: &Bound<'py, PyAny>,
    framing: Option<&Bound<'py, PyAny>>,
    schema_id: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = batches.py();
    let schema = parse("schema", schema)?;
    let key = match (given("framing", framing)?, schema_id) {
        (Framing::Confluent, Some(id)) => (Framing::Confluent, integer("schema_id", 0, id)?),
        (Framing::Confluent, None) => {
            return Err(wrong_value("schema_id", "the ID of the schema", py.None().bind(py)));
        }
        (framing, None) => (framing, schema.fingerprint()),
        (_, Some(id)) => return Err(wrong_value("schema_id", "None without framing=\"confluent\"", id)),
    };
    let head = call(py, || key.0.head(key.1))?;
    let messages = PyList::empty(py);
    for batch in write::source_of_rows("batches", batches, write::columns_of(&schema).as_ref())? {
        let batch = batch.map_err(|error| write::failure(py, write::source_error(error)))?;
        for record in call(py, || encode_records(&batch, Some(&schema)))? {
            messages.append(PyBytes::new_with(py, head.len() + record.len(), |message| {
                message[..head.len()].copy_from_slice(&head);
                message[head.len()..].copy_from_slice(&record);
                Ok(())
            })?)?;
        }
    }
    Ok(messages)
}
