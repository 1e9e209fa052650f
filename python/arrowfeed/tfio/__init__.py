"""tensorflow-io's readers of Avro on arrowfeed: one import line changes.

    from arrowfeed import tfio            # import tensorflow_io as tfio

    dataset = tfio.experimental.columnar.make_avro_record_dataset(
        "part-*.avro", {"name.first": tf.io.FixedLenFeature([], tf.string)}, 128, reader_schema
    )

Names, arguments and results are those of `tfio.experimental.columnar`, which is here too, and of
`ATDSDataset` with its features. Data and schemas that are wrong are a `tf.errors.InvalidArgumentError`,
arguments a `ValueError`. docs/from-tensorflow-io.md has what differs. Imports TensorFlow.
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
