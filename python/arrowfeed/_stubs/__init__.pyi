"""Stubs of the compiled module `arrowfeed._arrowfeed`, by topic. Not importable at run time.

| stub | content |
|---|---|
| `read` | readers, splits of files, limits |
| `record_decoder` | records without a file |
| `schema` | Avro schemas |
| `arrow` | Arrow schemas, arrays and record batches |
| `write` | writing Avro files |
| `store_files` | files of stores, for the Python part of the package |
| `dataset` `batch_iterator` | files as a source of batches, and the iteration over it |
| `adapter` | record batches to tensors, and back |
| `representation` | the columns that a tensor is made of |
| `tensor` | the tensors |
| `tensorflow_op` | what `arrowfeed._tensorflow` needs of the compiled module |

`_arrowfeed.pyi` lists the names of the module. `tools/native_docs.py` copies the docstrings to Rust.
"""
