"""Stubs of the compiled module `arrowfeed._arrowfeed`, by topic. Not importable at run time.

| stub | content |
|---|---|
| `read` | readers, splits of files, limits |
| `record_decoder` | records without a file |
| `schema` | Avro schemas |
| `arrow` | Arrow schemas, arrays and record batches |
| `write` | writing Avro files |
| `store_files` | files in stores, for the Python part of the package |
| `predicate` | filters of rows |
| `dataset` `batch_iterator` | the base class of datasets, and the iteration over their batches |
| `loader_stats` | figures of an iteration |
| one for each format, such as `avro` | its datasets and functions |
| `adapter` | record batches to tensors, and back |
| `representation` | the mapping of columns to a tensor |
| `transform` | conversions of the values of a tensor |
| `tensor` | the tensors |
| `tensorflow_op` | the ops and sources of `arrowfeed._tensorflow` |

`_arrowfeed.pyi` lists the names of the module. `tools/native_docs.py` copies the docstrings to Rust.
"""
