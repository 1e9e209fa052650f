"""Avro and Parquet files in pipelines of Apache Beam, as record batches of pyarrow.

    from arrowfeed import beam as avro

    batches = pipeline | avro.ReadAvro("part-*.avro", columns=["id", "user.scores"])

A file is read by many workers, and a range that takes long is split again while it is read. Files may be on
any file system that Beam knows. Importing this module imports apache_beam and pyarrow, and makes
`RecordBatchCoder` the coder of `pyarrow.RecordBatch`.
"""

from arrowfeed.beam._coder import RecordBatchCoder
from arrowfeed.beam._transforms import ReadAllAvro, ReadAllParquet, ReadAvro, ReadParquet

__all__ = ["ReadAllAvro", "ReadAllParquet", "ReadAvro", "ReadParquet", "RecordBatchCoder"]

RecordBatchCoder.register()
