//! Structs of Arrow's C data interface with changed fields and buffers: imported, converted to tensors and written.

#![no_main]

#[path = "../../crates/arrowfeed-ffi/tests/structs/mod.rs"]
mod structs;

use arbitrary::Unstructured;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrowfeed_avro::{AvroErrorKind, WriteOptions, write_avro};
use arrowfeed_tensor::feature::{Feature, FeatureAdapter, Ragged, VarLen};
use arrowfeed_tensor::{
    Dense, Representation, SplitsDType, Structured, TensorAdapter, VarLenRagged, VarLenSparse,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Too few bytes are no case.
    let _ = structs::case(&mut Unstructured::new(bytes), |batch| {
        tensors(&batch);
        write(batch);
    });
});

/// Each column by each kind of tensor that takes it.
fn tensors(batch: &RecordBatch) {
    for field in batch.schema_ref().fields() {
        let (column, key) = (field.name().clone(), field.name().clone());
        let row_splits_dtype = SplitsDType::default();
        let representations = [
            Representation::Dense(Dense { column: column.clone(), ..Dense::default() }),
            Representation::Dense(Dense { column: column.clone(), shape: vec![2], ..Dense::default() }),
            Representation::VarLenSparse(VarLenSparse { column: column.clone() }),
            Representation::VarLenRagged(VarLenRagged { column: column.clone(), row_splits_dtype }),
            Representation::Structured(Structured { columns: vec![column], row_splits_dtype }),
        ];
        for representation in representations {
            if let Ok(adapter) = TensorAdapter::try_new(batch.schema(), [("t", representation)]) {
                let _ = adapter.convert(batch);
            }
        }
        for key in [key.clone(), format!("{key}[*]"), format!("{key}[*].a")] {
            let features = [
                Feature::VarLen(VarLen { key: key.clone(), ..VarLen::default() }),
                Feature::Ragged(Ragged { key, ..Ragged::default() }),
            ];
            for feature in features {
                if let Ok(adapter) = FeatureAdapter::try_new(batch.schema(), [("t", feature)]) {
                    let _ = adapter.convert(batch);
                }
            }
        }
    }
}

fn write(batch: RecordBatch) {
    let path = std::env::temp_dir().join(format!("arrow_c_data-{}.avro", std::process::id()));
    let (schema, rows) = (batch.schema(), batch.num_rows() as u64);
    match write_avro(RecordBatchIterator::new([Ok(batch)], schema), &path, &WriteOptions::default()) {
        Ok(written) => assert_eq!(written, rows),
        Err(error) => assert_ne!(error.kind(), AvroErrorKind::Internal, "{error}"),
    }
}
