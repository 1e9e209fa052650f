//! Comparison with arrow-avro's writer, for the types that it writes correctly.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_avro::schema::SCHEMA_METADATA_KEY;
use arrow_avro::writer::WriterBuilder;
use arrow_avro::writer::format::AvroBinaryFormat;
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_avro::{AvroSchema, encode_records};

use super::arrays;
use crate::random_run;
use crate::support::value::Seed;

#[test]
fn arrow_avro_encodes_the_same_bytes() {
    let json = r#"{"type": "record", "name": "R", "fields": [
        {"name": "a", "type": "long"}, {"name": "b", "type": ["null", "string"]}, {"name": "c", "type": "double"},
        {"name": "d", "type": ["null", "int"]}, {"name": "e", "type": {"type": "array", "items": "long"}},
        {"name": "f", "type": "bytes"}]}"#;
    let items = Arc::new(Field::new("item", DataType::Int64, false));
    let fields = vec![
        Field::new("a", DataType::Int64, false),
        Field::new("b", DataType::Utf8, true),
        Field::new("c", DataType::Float64, false),
        Field::new("d", DataType::Int32, true),
        Field::new("e", DataType::List(items), false),
        Field::new("f", DataType::Binary, false),
    ];
    let metadata = [(SCHEMA_METADATA_KEY.to_owned(), json.to_owned())];
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata.into()));
    let avro = AvroSchema::parse(json).unwrap();
    for seed in random_run::seeds(100) {
        let mut seed = Seed(seed);
        let columns: Vec<ArrayRef> =
            schema.fields().iter().map(|field| arrays::array(&mut seed, field, 30)).collect();
        let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
        let mut encoder =
            WriterBuilder::new(schema.as_ref().clone()).build_encoder::<AvroBinaryFormat>().unwrap();
        encoder.encode(&batch).unwrap();
        let expected: Vec<Vec<u8>> = encoder.flush().iter().map(|record| record.to_vec()).collect();
        assert_eq!(encode_records(&batch, Some(&avro)).unwrap(), expected);
    }
}
