"""`ParquetTFXIO`, a source of Parquet files with the names of tfx_bsl."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import ExampleRecordDecoder, ParquetDataset, infer_representations
from arrowfeed._engines.splits import first_name
from arrowfeed._frameworks import framework
from arrowfeed.tfxio._columns import Columns, source_columns
from arrowfeed.tfxio._config import message, proto
from arrowfeed.tfxio._example_columns import columns_of_messages
from arrowfeed.tfxio._files import FileBatches, Reading, patterns_of
from arrowfeed.tfxio._parquet_rows import batches_of_rows, converted_rows, pickled_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from arrowfeed._arrowfeed import Limits
    from arrowfeed.tfxio._config import TensorRepresentations
    from arrowfeed.types import ProtoLike


class ParquetTFXIO(FileBatches):
    """A `TFXIO` over Parquet files, for batches inside and outside pipelines, and for tensors.

    With a TensorFlow Metadata schema, batches have the types that it declares, whatever types the files have:
    `large_list` of int64, float32 or large_binary. Single values become lists of one value, and doubles are
    rounded to floats. Other values are converted if the conversion is lossless; the page "Parquet" has the
    table of types.

    Args:
        file_pattern: A path, a glob, a directory (its `*.parquet`), a URL, or a list of these.
        column_names: Names of the columns to read, in the order of the batches. With a `schema`, names that
            are not in it are ignored. None: all columns of the schema, or of the files.
        min_bundle_size: Minimum size in bytes of a range of a file in a pipeline. A value below 64 MiB has no
            effect.
        schema: A `Schema` of TensorFlow Metadata, or its bytes. A feature that a file does not have is null.
            None: the types of the first file, which all files must have.
        validate: Whether `BeamSource` checks that files exist when the pipeline is built.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        limits: Upper bounds on the resources that one file may use. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: There is no file pattern.

    Example:
        >>> source = ParquetTFXIO("part-*.parquet", schema=schema)
        >>> batches = pipeline | source.BeamSource()
        >>> dataset = (batches, source.TensorAdapterConfig())
        >>> transformed, transform_fn = dataset | tft_beam.AnalyzeAndTransformDataset(preprocessing_fn)
    """

    physical_format = "parquet"
    _logical_format = "parquet"
    _of_records = False

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        column_names: list[str] | None = None,
        min_bundle_size: int = 0,
        schema: ProtoLike | None = None,
        validate: bool = True,
        telemetry_descriptors: list[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._patterns = patterns_of(file_pattern)
        self._column_names = column_names
        self._min_bundle_size = min_bundle_size
        # Bytes, because message classes can differ between processes.
        self._features = None if schema is None else proto(schema)
        self._validate = validate
        self._telemetry_descriptors = telemetry_descriptors
        self._limits = limits
        self._columns: Columns | None = None

    @property
    def raw_record_column_name(self) -> None:
        """Always None, because Parquet rows are not records of bytes."""
        return

    def SupportAttachingRawRecords(self) -> bool:  # noqa: N802
        """Returns False: batches have no column with original records."""
        return False

    @property
    def columns(self) -> Columns:
        """The columns that are read, and their tensors."""
        if self._columns is None:
            self._columns = self._found_columns()
        return self._columns

    def RawRecordBeamSource(self) -> Any:  # noqa: N802
        """Returns a Beam transform that reads the rows of the files in ranges.

        A row is the pickle of a dict, as in tfx_bsl: the names of the columns, and the values of the file,
        without a conversion to the `schema`.

        Raises:
            FileNotFoundError: No file matches a pattern.
        """
        names = self._column_names
        if names is None:
            names = ParquetDataset(self._patterns, limits=self._limits).arrow_schema.names
        options = {"columns": names, "limits": self._limits}
        return self._read_records(ParquetDataset, options, pickled_rows)

    def RawRecordToRecordBatch(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform from the results of `RawRecordBeamSource` to pyarrow record batches.

        The transform unpickles its input, which can run any code: never pass it records of others.

        Args:
            batch_size: Number of rows of a batch. None: Beam decides, up to 1,000.
        """
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        if self._features is None:
            decoder: Any = functools.partial(batches_of_rows, self.ArrowSchema())
        else:
            decoder = functools.partial(converted_rows, self.ArrowSchema(), self._limits)
        return _beam.RecordBatches(decoder, batch_size, self._telemetry)

    def ArrowSchema(self) -> Any:  # noqa: N802
        """Returns the `pyarrow.Schema` of the record batches. Without a `schema`, it opens a file.

        Raises:
            ValueError: A feature has no type, or is a struct.
            FileNotFoundError: No file matches.
            ArrowfeedError: The first file is not a Parquet file.
        """
        return self.columns.schema

    def TensorRepresentations(self) -> TensorRepresentations:  # noqa: N802
        """Returns the representations that follow from the TensorFlow Metadata schema or, without a schema,
        from the types.
        """
        return {name: message(one) for name, one in self.columns.representations.items()}

    def _reading(self) -> Reading:
        # Columns that no tensor needs are also read.
        options: dict[str, Any] = {"columns": self.columns.names, "limits": self._limits}
        if self._features is not None:
            options |= {"schema": self.columns.schema, "double_as_float": True}
        return Reading(ParquetDataset, options, self.columns.representations)

    def _found_columns(self) -> Columns:
        if self._features is None:
            found = ParquetDataset(self._patterns, columns=self._column_names, limits=self._limits)
            schema: Any = found.arrow_schema.to_pyarrow()
            return Columns(self._paths(schema), schema, infer_representations(schema))
        columns = columns_of_messages(ExampleRecordDecoder, self._features)
        if self._column_names is None:
            return columns
        known = set(columns.names)
        names = [name for name in self._column_names if name in known]
        kept = set(names)
        representations = {
            name: one
            for name, one in columns.representations.items()
            if all(path[0] in kept for path in source_columns(one))
        }
        return _selected(columns, names, representations)

    def _paths(self, schema: Any) -> list[str]:
        return list(schema.names) if self._column_names is None else list(self._column_names)

    def _ProjectImpl(self, tensor_names: list[str]) -> ParquetTFXIO:  # noqa: N802
        representations = self.columns.representations_of(tensor_names)
        needed = {path[0] for one in representations.values() for path in source_columns(one)}
        names = [name for name in self.columns.schema.names if name in needed]
        columns = _selected(self.columns, names, representations)
        # A column may be read only in part.
        paths = [path for path in self.columns.names if path in needed or first_name(path) in needed]
        made = copy.copy(self)
        made._columns = columns._replace(names=paths)  # noqa: SLF001 - of the same class
        return made


def _selected(columns: Columns, names: list[str], representations: dict[str, Any]) -> Columns:
    """Returns some of the columns, in this order."""
    schema = framework("pyarrow").schema([columns.schema.field(name) for name in names])
    return Columns(names, schema, representations)
