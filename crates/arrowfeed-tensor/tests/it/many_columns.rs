//! The time for many columns, tensors or features is proportional to their number.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StructArray};
use arrow_schema::SchemaRef;
use arrowfeed_tensor::feature::{self, Feature};
use arrowfeed_tensor::{
    ColumnPath, IndexedSchema, Representation, Structured, TensorAdapter, TensorsToRecordBatch,
    TensorsToRecordBatchOptions, infer_representations, project_tfmd_schema, representations_from_tfmd,
};

/// Few enough for a short test, and so many that comparisons of each name with all others take most of the time.
const FEW: usize = 4_000;

/// Asserts that four times the columns take less than ten times as long: with quadratic work, they would take sixteen times
/// as long. Compares the fastest of three runs. Other work on the machine changes the result, so `make test-alone` runs these tests.
#[track_caller]
fn is_proportional<T>(made: impl Fn(usize) -> T, work: impl Fn(&T)) {
    let inputs = [made(FEW), made(4 * FEW)];
    let mut fastest = [Duration::MAX; 2];
    for _ in 0..3 {
        for (fastest, input) in fastest.iter_mut().zip(&inputs) {
            let started = Instant::now();
            work(input);
            *fastest = started.elapsed().min(*fastest);
        }
    }
    assert!(fastest[1] < 10 * fastest[0], "{:?}, and of four times as many {:?}", fastest[0], fastest[1]);
}

fn names(columns: usize) -> Vec<String> {
    (0..columns).map(|number| format!("column_number_{number}")).collect()
}

fn batch(columns: usize) -> RecordBatch {
    let values: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    RecordBatch::try_from_iter(names(columns).into_iter().map(|name| (name, values.clone()))).unwrap()
}

/// The columns as the fields of one struct.
fn nested(columns: usize) -> RecordBatch {
    let rows: ArrayRef = Arc::new(StructArray::from(batch(columns)));
    RecordBatch::try_from_iter([("s", rows)]).unwrap()
}

fn inferred(schema: &SchemaRef) -> TensorAdapter {
    TensorAdapter::try_new(schema.clone(), infer_representations(schema)).unwrap()
}

fn of_features(schema: &SchemaRef, prefix: &str, columns: usize) -> TensorAdapter {
    let features = names(columns).into_iter().map(|name| {
        let key = format!("{prefix}{name}");
        (name, Feature::Dense(feature::Dense { key, ..feature::Dense::default() }))
    });
    TensorAdapter::from_features(schema.clone(), features).unwrap()
}

/// Converts a batch to all tensors and to those of given names, and projects the adapter to these names.
fn use_adapter(adapter: &TensorAdapter, batch: &RecordBatch) {
    let names: Vec<&str> = adapter.specs().iter().rev().map(|(name, _)| name.as_str()).collect();
    assert_eq!(adapter.convert(batch).unwrap().len(), names.len());
    assert_eq!(adapter.convert_only(batch, &names).unwrap().len(), names.len());
    assert_eq!(adapter.project(&names).unwrap().specs().len(), names.len());
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn inferred_tensors_are_compiled_in_proportional_time() {
    is_proportional(batch, |batch| drop(inferred(&batch.schema())));
    is_proportional(nested, |batch| drop(inferred(&batch.schema())));
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn features_are_compiled_in_proportional_time() {
    is_proportional(batch, |batch| {
        let adapter = of_features(&batch.schema(), "", batch.num_columns());
        assert_eq!(adapter.column_paths().len(), batch.num_columns());
    });
    let made = |columns| (columns, nested(columns).schema());
    is_proportional(made, |(columns, schema)| drop(of_features(schema, "s.", *columns)));
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn batches_are_converted_in_proportional_time() {
    let made = |columns| {
        let batch = batch(columns);
        (inferred(&batch.schema()), batch)
    };
    is_proportional(made, |(adapter, batch)| use_adapter(adapter, batch));
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn features_of_batches_are_selected_in_proportional_time() {
    let made = |columns| {
        let batch = batch(columns);
        (of_features(&batch.schema(), "", columns), batch)
    };
    is_proportional(made, |(adapter, batch)| use_adapter(adapter, batch));
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn paths_are_resolved_in_proportional_time() {
    let made = |columns| (names(columns), nested(columns).schema());
    is_proportional(made, |(names, schema)| {
        let schema = IndexedSchema::new(schema.clone());
        for name in names {
            let path = ColumnPath::from(format!("s.{name}").as_str());
            assert_eq!(path.resolved(&schema).unwrap(), ColumnPath::new(["s", name]));
        }
    });
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn a_structured_tensor_has_its_fields_in_proportional_time() {
    is_proportional(nested, |batch| {
        let columns: Vec<String> = names(batch.column(0).to_data().child_data().len());
        let columns = columns.iter().rev().map(|name| format!("s.{name}")).collect();
        let structured = Representation::Structured(Structured { columns, ..Structured::default() });
        let adapter = TensorAdapter::try_new(batch.schema(), [("t", structured)]).unwrap();
        assert_eq!(adapter.convert(batch).unwrap().len(), 1);
    });
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn tensors_become_columns_in_proportional_time() {
    let made = |columns| {
        let batch = batch(columns);
        let adapter = inferred(&batch.schema());
        (adapter.convert(&batch).unwrap(), adapter)
    };
    is_proportional(made, |(tensors, adapter)| {
        let options = TensorsToRecordBatchOptions::default();
        let converter = TensorsToRecordBatch::try_new(adapter.specs(), &options).unwrap();
        assert_eq!(converter.convert(tensors).unwrap().num_columns(), tensors.len());
    });
}

/// A field of a message of protocol buffers.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap();
    assert!(length < 128, "a length of one byte");
    [&[number << 3 | 2, length], content].concat()
}

/// A schema of TensorFlow Metadata of pairs of features, each used by a sparse feature, and of other features.
fn tfmd(features: usize) -> Vec<u8> {
    let named = |name: &str| field(1, name.as_bytes());
    let names = names(features);
    let declared = names.iter().map(|name| field(1, &named(name)));
    let sparse = names.chunks(4).map(|names| {
        let (index, value) = (field(6, &named(&names[0])), field(9, &named(&names[1])));
        field(6, &[named(&format!("sparse_{}", names[0])), index, value].concat())
    });
    declared.chain(sparse).flatten().collect()
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn tensors_of_a_metadata_schema_are_derived_in_proportional_time() {
    is_proportional(tfmd, |schema| {
        let found = representations_from_tfmd(schema, "").unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        let projected = project_tfmd_schema(schema, &names).unwrap();
        assert_eq!(representations_from_tfmd(&projected, "").unwrap().len(), names.len());
    });
}
