//! Parses any text as a schema. Expects a schema or an error, and a canonical form that is its own canonical form.

use arrowfeed_avro::{AvroSchema, FeedErrorKind};

use crate::hostile::schemas::KINDS;
use crate::input::decoded;

pub(crate) fn run(bytes: &[u8]) {
    let Some(json) = decoded::<&str>(bytes) else { return };
    let schema = match AvroSchema::parse(json) {
        Ok(schema) => schema,
        Err(error) => return assert_ne!(error.kind(), FeedErrorKind::Internal, "{error}"),
    };
    assert_eq!(AvroSchema::parse(json).expect("the same text"), schema);
    assert_eq!(AvroSchema::parse(schema.json()).expect("its own text"), schema);
    // The canonical form does not escape names, and cannot express a type without a namespace inside a type that has one.
    if !json.contains('\\') && !json.contains("namespace") && !json.contains('.') {
        let canonical = schema.canonical();
        let again = AvroSchema::parse(&canonical).expect("a canonical form is a schema");
        assert_eq!(again.canonical(), canonical);
        assert_eq!(again.fingerprint(), schema.fingerprint());
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    KINDS.iter().map(|kind| kind.schema.into()).collect()
}
