//! The argument `schema` of messages: features by name, or a schema of TensorFlow Metadata.

use arrowfeed::tensor::{ValueType, sequence_value_types_from_tfmd, value_types_from_tfmd};
use arrowfeed::tfrecord::RecordKind;
use arrowfeed::tfrecord::example::{Feature, FeatureKind};
use arrowfeed::tfrecord::sequence_example::{SEQUENCE_COLUMN, SequenceFeatures};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::argument::wrong_type;
use crate::argument_types::Argument;
use crate::errors::representation_error;
use crate::tensor::message_bytes;

const EXPECTED: &str = "a dict of names to kinds of values, or a Schema of TensorFlow Metadata or its bytes";

/// A schema of messages.
pub(crate) struct MessageSchema<F> {
    pub(crate) features: F,
    /// The schema of TensorFlow Metadata. `None`: a dict was passed.
    pub(crate) tfmd: Option<Vec<u8>>,
}

/// The features of a schema of messages.
pub(crate) trait MessageFeatures: Sized {
    /// `column`: the column of the feature lists.
    fn of_dict(schema: &Bound<'_, PyDict>, column: &str) -> PyResult<Self>;

    fn of_tfmd(py: Python<'_>, schema: &[u8], column: &str) -> PyResult<Self>;

    /// The kind of records with these features. `None`: they are inferred from the first `sample` records, or from all.
    fn kind(features: Option<Self>, sample: Option<u64>) -> RecordKind;
}

impl<F: MessageFeatures> MessageSchema<F> {
    /// Converts the value of the argument. `column`: the column of the feature lists.
    pub(crate) fn new(schema: &Bound<'_, PyAny>, column: &str) -> PyResult<Self> {
        if let Ok(dict) = schema.cast::<PyDict>() {
            return Ok(Self { features: F::of_dict(dict, column)?, tfmd: None });
        }
        let bytes = message_bytes("schema", EXPECTED, schema)?;
        Ok(Self { features: F::of_tfmd(schema.py(), &bytes, column)?, tfmd: Some(bytes) })
    }
}

impl<F: MessageFeatures> Argument for MessageSchema<F> {
    fn parse(_: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::new(value, SEQUENCE_COLUMN)
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match &self.tfmd {
            Some(bytes) => Ok(PyBytes::new(given.py(), bytes).into_any()),
            None => given.py().import("copy")?.call_method1("deepcopy", (given,)),
        }
    }
}

impl MessageFeatures for Vec<Feature> {
    fn of_dict(schema: &Bound<'_, PyDict>, _: &str) -> PyResult<Self> {
        features_of(schema.iter())
    }

    fn of_tfmd(py: Python<'_>, schema: &[u8], _: &str) -> PyResult<Self> {
        Ok(typed(value_types_from_tfmd(schema).map_err(|error| representation_error(py, &error))?))
    }

    fn kind(features: Option<Self>, sample: Option<u64>) -> RecordKind {
        RecordKind::Example { features, sample }
    }
}

impl MessageFeatures for SequenceFeatures {
    fn of_dict(schema: &Bound<'_, PyDict>, column: &str) -> PyResult<Self> {
        let sequence = match schema.get_item(column)? {
            Some(steps) => match steps.cast::<PyDict>() {
                Ok(steps) => features_of(steps.iter())?,
                Err(_) => {
                    let name = format!("schema[{column:?}]");
                    return Err(wrong_type(&name, "a dict of names to kinds of values", &steps));
                }
            },
            None => Vec::new(),
        };
        let is_context = |(name, _): &(Bound<'_, PyAny>, _)| name.eq(column).is_ok_and(|is_it| !is_it);
        let context = features_of(schema.iter().filter(is_context))?;
        Ok(Self { context, sequence, sequence_column: column.to_owned() })
    }

    fn of_tfmd(py: Python<'_>, schema: &[u8], column: &str) -> PyResult<Self> {
        let types = sequence_value_types_from_tfmd(schema, column);
        let (context, sequence) = types.map_err(|error| representation_error(py, &error))?;
        Ok(Self { context: typed(context), sequence: typed(sequence), sequence_column: column.to_owned() })
    }

    fn kind(features: Option<Self>, sample: Option<u64>) -> RecordKind {
        RecordKind::SequenceExample { features, sample }
    }
}

fn features_of<'py>(
    items: impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)>,
) -> PyResult<Vec<Feature>> {
    let feature = |(name, kind): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
        let name =
            name.cast::<PyString>().map_err(|_| wrong_type("schema", "names of features (str)", &name))?;
        let name = name.to_str()?.to_owned();
        let kind = FeatureKind::parse(&format!("schema[{name:?}]"), &kind)?;
        Ok(Feature { name, kind })
    };
    items.map(feature).collect()
}

fn typed(types: Vec<(String, ValueType)>) -> Vec<Feature> {
    types.into_iter().map(|(name, value_type)| Feature { name, kind: kind(value_type) }).collect()
}

fn kind(value_type: ValueType) -> FeatureKind {
    match value_type {
        ValueType::Bytes => FeatureKind::Bytes,
        ValueType::Float => FeatureKind::Float,
        ValueType::Int => FeatureKind::Int64,
    }
}
