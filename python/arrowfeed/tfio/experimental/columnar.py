"""The names of `tfio.experimental.columnar` in tensorflow-io."""

from arrowfeed.tfio._make import make_avro_record_dataset
from arrowfeed.tfio._parse import parse_avro
from arrowfeed.tfio._records import AvroRecordDataset
from arrowfeed.tfio._varlen import VarLenFeatureWithRank

__all__ = ["AvroRecordDataset", "VarLenFeatureWithRank", "make_avro_record_dataset", "parse_avro"]
