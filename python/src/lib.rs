//! The extension module `arrowfeed._arrowfeed`.
//!
//! Each function has three steps: convert the arguments, release the interpreter, call the library (`call`). The stubs in
//! `arrowfeed/_stubs` document names and defaults for users.
//!
//! | topic | files |
//! |---|---|
//! | arguments | `argument`, `argument_types`, `limits`, `added_columns`, `row_numbers`, `source`, `file` (Python file objects), `store_arguments`, `stores` (with `store_files`; `no_stores` in a build without stores), `obstore`, `fsspec_object` |
//! | formats | `formats`, `detect` (the format of files) |
//! | reading | `reader`, `record_decoder` (with `message_schemas`), `example_records` (with `example_schema`), `shared` and `guarded` (one reader, many threads), `stream` and `exported` (Arrow's C interface), `consumed` (by one call of a library), `progress`, `skipped` (warnings), `claims` |
//! | Arrow data | `batch` (with `batch_rows`), `array`, `numpy_array`, `arrow_schema`, `pickled` (schemas), `column_types` (the types of some columns), `cast`; `polars` (frames); `predicate` (filters), with `literal` and `numpy_time` (values that are compared); `foreign` (data of other libraries) |
//! | tensors | `tensor` |
//! | files to tensors | `dataset`; `tensorflow` (for the ops of TensorFlow) |
//! | writing | `write` (with `iterated`, the batches of an iterator), `writer`, `records`, `formats/tfrecord` |
//! | Python | `call`, `errors`, `object`, `once`, `libraries`, `main_thread`, `signals`, `ctrl_c`, `shutdown` (calls while the interpreter ends) |
//! | the rest | `schema`, `schema_merge` (merged schemas, and their changes), `split`, `stats`, `html` (tables for notebooks), `generated` (docstrings and signatures, from the stubs) |
#![deny(unsafe_code)]
#![cfg_attr(
    not(all(feature = "stores", feature = "tensorflow")),
    allow(dead_code, unused_imports, reason = "a build without some features does not use all code")
)]

#[macro_use]
mod generated {
    #[macro_use]
    mod docs;
}

#[macro_use]
mod argument_types;
mod added_columns;
mod argument;
mod array;
mod arrow_schema;
mod batch;
mod batch_rows;
mod call;
mod cast;
mod claims;
mod column_types;
mod consumed;
mod ctrl_c;
mod dataset;
mod detect;
mod errors;
mod example_records;
mod example_schema;
mod exported;
mod file;
mod foreign;
mod formats;
#[cfg(feature = "stores")]
mod fsspec_object;
mod guarded;
mod html;
mod iterated;
mod libraries;
mod limits;
mod literal;
mod main_thread;
mod message_schemas;
mod numpy_array;
mod numpy_time;
mod object;
#[cfg(feature = "stores")]
mod obstore;
mod once;
mod pickled;
mod polars;
mod predicate;
mod progress;
mod reader;
mod record_decoder;
mod records;
mod row_numbers;
mod schema;
mod schema_merge;
mod shared;
mod shutdown;
mod signals;
mod skipped;
mod source;
mod split;
mod stats;
mod store_arguments;
mod store_files;
#[cfg_attr(not(feature = "stores"), path = "no_stores.rs")]
mod stores;
mod stream;
mod tensor;
#[cfg(feature = "tensorflow")]
mod tensorflow;
mod write;
mod writer;

#[pyo3::pymodule]
mod _arrowfeed {
    use pyo3::exceptions::PyRuntimeWarning;
    use pyo3::prelude::*;

    #[cfg(feature = "tensorflow")]
    #[pymodule_export]
    use crate::tensorflow::{TensorFlowSource, register_tensorflow_ops};
    #[pymodule_export]
    use crate::{
        array::Array,
        arrow_schema::Schema,
        batch::RecordBatch,
        dataset::{BatchIterator, ByLength, Dataset, RowReader, one_batch},
        detect::detect,
        example_records::{
            ExampleRecordDecoder, SequenceExampleRecordDecoder, encode_examples, encode_sequence_examples,
            encode_tfrecord,
        },
        formats::arrow_ipc::{ArrowDataset, read_arrow_ipc},
        formats::avro::{AvroDataset, read_avro},
        formats::chunks::ChunkDataset,
        formats::csv::{CsvDataset, read_csv},
        formats::iceberg::IcebergDataset,
        formats::json_lines::{JsonLinesDataset, read_json_lines},
        formats::mixed::MixedDataset,
        formats::parquet::{ParquetDataset, read_parquet},
        formats::tfrecord::{
            ExampleDataset, RawRecordDataset, SequenceExampleDataset, read_tfrecord, write_tfrecord,
        },
        limits::Limits,
        pickled::_schema_of_fields,
        polars::{polars_frame, polars_schema},
        predicate::{Column, Predicate, col, predicate_from_substrait},
        reader::RecordBatchReader,
        record_decoder::AvroRecordDecoder,
        records::encode_avro_records,
        schema::{AvroSchema, avro_columns, avro_schema},
        schema_merge::SchemaChange,
        split::Split,
        stats::LoaderStats,
        store_files::{exists, list_files, upload},
        tensor::{
            Dense, DenseTensor, Ragged, RaggedTensor, Representation, Sparse, SparseTensor, Structured,
            StructuredTensor, TensorAdapter, TensorSpec, TensorsToRecordBatch, Transform, VarLenRagged,
            VarLenSparse, bucketized, cast, clipped, crossed, hashed, infer_representations, join_jagged,
            normalised, representations_from_tfmd, vocabulary,
        },
        write::write_avro,
        writer::AvroWriter,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let features = [
            ("hdfs", cfg!(feature = "hdfs")),
            ("stores", cfg!(feature = "stores")),
            ("tensorflow", cfg!(feature = "tensorflow")),
        ];
        let compiled = features.into_iter().filter_map(|(name, is_compiled)| is_compiled.then_some(name));
        module.add("build_features", compiled.collect::<Vec<_>>())?;
        crate::signals::notice_main_thread(module.py())?;
        crate::shutdown::attach_once(module.py());
        crate::shutdown::wait_at_exit(module.py())?;
        if cfg!(unoptimised) {
            let message = c"arrowfeed was compiled without optimisation: do not measure its speed";
            PyErr::warn(module.py(), &module.py().get_type::<PyRuntimeWarning>(), message, 1)?;
        }
        Ok(())
    }
}
