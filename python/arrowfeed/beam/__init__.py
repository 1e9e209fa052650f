"""Apache Beam transforms that read files as pyarrow record batches, and write these as Avro files.

    from arrowfeed.beam import ReadFromDataset

    batches = pipeline | ReadFromDataset("part-*.avro", columns=["id", "user.scores"])

Several workers can read one file, and a runner can split a slow range again while it is read. The files may
be on any file system that Beam supports. Importing this module imports apache_beam and pyarrow, and registers
`RecordBatchCoder` as the coder of `pyarrow.RecordBatch`.
"""

from arrowfeed.beam._coder import RecordBatchCoder
from arrowfeed.beam._dataset import ReadFromDataset
from arrowfeed.beam._read_all import ReadAll
from arrowfeed.beam._write import WriteToAvro

__all__ = [
    "ReadAll",
    "ReadFromDataset",
    "RecordBatchCoder",
    "WriteToAvro",
]

RecordBatchCoder.register()
