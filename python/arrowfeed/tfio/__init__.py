"""The Avro readers of tensorflow-io, implemented with arrowfeed. Only the import line changes.

    from arrowfeed import tfio            # import tensorflow_io as tfio

    dataset = tfio.experimental.columnar.make_avro_record_dataset(
        "part-*.avro", {"name.first": tf.io.FixedLenFeature([], tf.string)}, 128, reader_schema
    )

Names, arguments and results are those of `tfio.experimental.columnar`, which also exists here, and of
`ATDSDataset` with its features. Invalid data and schemas raise `tf.errors.InvalidArgumentError`; invalid
arguments raise `ValueError`. The page "From tensorflow-io" lists the differences. Importing this package
imports TensorFlow.
"""

from arrowfeed.tfio import experimental
from arrowfeed.tfio._atds import ATDSDataset
from arrowfeed.tfio._atds_features import DenseFeature, SparseFeature, VarlenFeature
from arrowfeed.tfio._make import make_avro_record_dataset
from arrowfeed.tfio._parse import parse_avro
from arrowfeed.tfio._records import AvroRecordDataset
from arrowfeed.tfio._varlen import VarLenFeatureWithRank

__all__ = [
    "ATDSDataset",
    "AvroRecordDataset",
    "DenseFeature",
    "SparseFeature",
    "VarLenFeatureWithRank",
    "VarlenFeature",
    "experimental",
    "make_avro_record_dataset",
    "parse_avro",
]
