//! Imports Arrow C data interface structs with altered fields and buffers, converts them to tensors, and writes them.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use arbitrary::Unstructured;
use arrow_array::RecordBatch;
use arrowfeed_avro::{
    AvroFormat, AvroOptions, AvroWriter, FeedErrorKind, FileSource, ReadOptions, WriteOptions,
};
use arrowfeed_tensor::feature::{Feature, Ragged, VarLen};
use arrowfeed_tensor::{
    Dense, Representation, SplitsDType, Structured, TensorAdapter, VarLenRagged, VarLenSparse,
};

use crate::structs;

pub(crate) fn run(bytes: &[u8]) {
    // Too few bytes do not make a case.
    let _ = structs::case(&mut Unstructured::new(bytes), |batch| {
        tensors(&batch);
        write(&batch);
    });
}

/// Converts each column with each kind of tensor that accepts it.
fn tensors(batch: &RecordBatch) {
    for field in batch.schema_ref().fields() {
        let (column, key) = (field.name().clone(), field.name().clone());
        let row_splits_dtype = SplitsDType::default();
        let representations = [
            Representation::Dense(Dense { column: column.clone(), ..Dense::default() }),
            Representation::Dense(Dense { column: column.clone(), shape: vec![2], ..Dense::default() }),
            Representation::VarLenSparse(VarLenSparse { column: column.clone(), ..Default::default() }),
            Representation::VarLenRagged(VarLenRagged {
                column: column.clone(),
                row_splits_dtype,
                ..VarLenRagged::default()
            }),
            Representation::Structured(Structured {
                columns: vec![column],
                row_splits_dtype,
                ..Structured::default()
            }),
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
                if let Ok(adapter) = TensorAdapter::from_features(batch.schema(), [("t", feature)]) {
                    let _ = adapter.convert(batch);
                }
            }
        }
    }
}

/// Checks that a written batch reads back with the same number of rows.
fn write(batch: &RecordBatch) {
    let (file, rows) = (Shared::default(), batch.num_rows());
    let written = AvroWriter::to_sink(file.clone(), batch.schema(), WriteOptions::default())
        .and_then(|mut writer| writer.write(batch).map(|()| writer))
        .and_then(AvroWriter::finish);
    match written {
        Ok(written) => {
            let file = std::mem::take(&mut *file.0.lock().unwrap());
            let source = FileSource::bytes(file);
            let reader = AvroFormat::read([source], AvroOptions::default(), ReadOptions::default()).unwrap();
            let read: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
            assert_eq!((written.rows, read), (rows as u64, rows));
        }
        Err(error) => assert_ne!(error.kind(), FeedErrorKind::Internal, "{error}"),
    }
}

/// A file in memory.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
