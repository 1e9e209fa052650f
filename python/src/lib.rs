//! The extension module `arrowfeed._arrowfeed`.
//!
//! Each function has three steps: convert the arguments, release the interpreter, call the library (`call`). The stubs in
//! `arrowfeed/_stubs` document names and defaults for users.
//!
//! | topic | files |
//! |---|---|
//! | arguments | `argument`, `options`, `limits`, `source`, `file` (Python file objects), `store_arguments`, `stores` (with `store_files`; `no_stores` in a build without stores), `obstore`, `fsspec_object` |
//! | reading | `reader`, `tfrecord`, `arrow_ipc`, `parquet`, `text`, `record_decoder` (with `message_schemas`), `example_records`, `shared` and `guarded` (one reader, many threads), `stream` and `exported` (Arrow's C interface), `consumed` (by one call of a library), `progress`, `skipped` (warnings), `claims` |
//! | Arrow data | `batch`, `array`, `numpy_array`, `arrow_schema`, `pickled` (schemas), `cast`; `polars` (frames); `foreign` (data of other libraries) |
//! | tensors | `tensor` |
//! | files to tensors | `dataset`; `tensorflow` (for the ops of TensorFlow) |
//! | writing | `write`, `writer`, `records`, `tfrecord` |
//! | Python | `call`, `errors`, `object`, `once`, `libraries`, `main_thread`, `signals`, `ctrl_c`, `shutdown` (calls while the interpreter ends) |
//! | the rest | `schema`, `split`, `html` (tables for notebooks), `generated` (docstrings and signatures, from the stubs) |
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

mod argument;
mod array;
mod arrow_ipc;
mod arrow_schema;
mod batch;
mod call;
mod cast;
mod claims;
mod consumed;
mod ctrl_c;
mod dataset;
mod errors;
mod example_records;
mod exported;
mod file;
mod foreign;
#[cfg(feature = "stores")]
mod fsspec_object;
mod guarded;
mod html;
mod libraries;
mod limits;
mod main_thread;
mod message_schemas;
mod numpy_array;
mod object;
#[cfg(feature = "stores")]
mod obstore;
mod once;
mod options;
mod parquet;
mod pickled;
mod polars;
mod progress;
mod reader;
mod record_decoder;
mod records;
mod schema;
mod shared;
mod shutdown;
mod signals;
mod skipped;
mod source;
mod split;
mod store_arguments;
mod store_files;
#[cfg_attr(not(feature = "stores"), path = "no_stores.rs")]
mod stores;
mod stream;
mod tensor;
#[cfg(feature = "tensorflow")]
mod tensorflow;
mod text;
mod tfrecord;
mod write;
mod writer;

#[pyo3::pymodule]
mod _arrowfeed {
    use pyo3::exceptions::PyRuntimeWarning;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::array::Array;
    #[pymodule_export]
    use crate::arrow_ipc::read_arrow_ipc;
    #[pymodule_export]
    use crate::arrow_schema::Schema;
    #[pymodule_export]
    use crate::batch::RecordBatch;
    #[pymodule_export]
    use crate::dataset::{
        ArrowDataset, AvroDataset, BatchIterator, ChunkDataset, CsvDataset, Dataset, ExampleDataset,
        JsonLinesDataset, MixedDataset, ParquetDataset, RawRecordDataset, SequenceExampleDataset,
    };
    #[pymodule_export]
    use crate::example_records::{
        ExampleRecordDecoder, SequenceExampleRecordDecoder, encode_examples, encode_sequence_examples,
    };
    #[pymodule_export]
    use crate::limits::Limits;
    #[pymodule_export]
    use crate::parquet::read_parquet;
    #[pymodule_export]
    use crate::pickled::_schema_of_fields;
    #[pymodule_export]
    use crate::polars::{polars_frame, polars_schema};
    #[pymodule_export]
    use crate::reader::{RecordBatchReader, read_avro};
    #[pymodule_export]
    use crate::record_decoder::AvroRecordDecoder;
    #[pymodule_export]
    use crate::records::encode_records;
    #[pymodule_export]
    use crate::schema::{AvroSchema, avro_columns, avro_schema, check_avro};
    #[pymodule_export]
    use crate::split::Split;
    #[pymodule_export]
    use crate::store_files::{exists, peek, upload};
    #[pymodule_export]
    use crate::tensor::{
        Dense, DenseTensor, Ragged, RaggedTensor, Representation, Sparse, SparseTensor, Structured,
        StructuredTensor, TensorAdapter, TensorSpec, TensorsToRecordBatch, VarLenRagged, VarLenSparse,
        infer_representations, representations_from_tfmd,
    };
    #[cfg(feature = "tensorflow")]
    #[pymodule_export]
    use crate::tensorflow::{TensorFlowSource, register_tensorflow_ops};
    #[pymodule_export]
    use crate::text::{read_csv, read_json_lines};
    #[pymodule_export]
    use crate::tfrecord::{read_tfrecord, write_tfrecord};
    #[pymodule_export]
    use crate::write::write_avro;
    #[pymodule_export]
    use crate::writer::AvroWriter;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        crate::signals::notice_main_thread(module.py())?;
        crate::shutdown::attach_once(module.py());
        crate::shutdown::wait_at_exit(module.py())?;
        if cfg!(debug_assertions) {
            let message = c"arrowfeed was compiled without optimisation: do not measure its speed";
            PyErr::warn(module.py(), &module.py().get_type::<PyRuntimeWarning>(), message, 1)?;
        }
        Ok(())
    }
}
