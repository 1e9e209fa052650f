"""Writes a manifest of Apache Iceberg with pyiceberg."""

from pathlib import Path

from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    write_manifest,
)
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField, StringType


def write(path: Path, entries: int, columns: int) -> None:
    """Writes a manifest with pyiceberg, as of a table that is partitioned by a country."""
    numbers = range(1, columns + 1)
    fields = [NestedField(number, f"c{number}", LongType(), required=False) for number in numbers]
    country = NestedField(columns + 1, "country", StringType(), required=False)
    partition = PartitionField(columns + 1, 1000, IdentityTransform(), "country")
    schema, spec = Schema(*fields, country), PartitionSpec(partition, spec_id=0)
    out = PyArrowFileIO().new_output(str(path))
    with write_manifest(2, spec, schema, out, 1, "deflate") as manifest:
        for entry in range(entries):
            bounds = {number: (entry + number).to_bytes(8, "little") for number in numbers}
            file = DataFile.from_args(
                content=DataFileContent.DATA,
                file_path=f"s3://bucket/lake/t/data/country=de/{entry:05d}.parquet",
                file_format=FileFormat.PARQUET,
                partition=Record("de"),
                record_count=1000 + entry,
                file_size_in_bytes=100_000 + entry,
                column_sizes=dict.fromkeys(numbers, 1000 + entry),
                value_counts=dict.fromkeys(numbers, 1000),
                null_value_counts=dict.fromkeys(numbers, 0),
                nan_value_counts={},
                lower_bounds=bounds,
                upper_bounds=bounds,
                split_offsets=[4],
                sort_order_id=0,
                equality_ids=None,
                key_metadata=None,
            )
            manifest.add_entry(
                ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED,
                    snapshot_id=1,
                    sequence_number=None,
                    file_sequence_number=None,
                    data_file=file,
                )
            )
