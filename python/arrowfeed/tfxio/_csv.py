"""CSV sources with the names of tfx_bsl."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import CsvDataset, infer_representations
from arrowfeed.tfxio._beam_records import BeamRecords
from arrowfeed.tfxio._columns import Columns
from arrowfeed.tfxio._csv_cells import (
    Cells,
    csv_batches,
    inferred_kinds,
    inferred_schema,
    lists_of_texts,
    lists_without_values,
    promised_columns,
)
from arrowfeed.tfxio._files import FileRecords, Reading, patterns_of
from arrowfeed.tfxio._raw_records import raw_records
from arrowfeed.tfxio._records import Records

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Limits
    from arrowfeed.types import ProtoLike

_SEARCHED = 1000
"""Number of rows that are searched for a value at the same time."""


class CsvRecords(Records):
    """A `TFXIO` over CSV records. The arguments are those of `BeamRecordCsvTFXIO`.

    Raises:
        ValueError: The schema has a feature that is not a column.
    """

    _logical_format = "csv"
    # tfx_bsl counts these options under the name of a transform.
    _batching = ("CSVToRecordBatch",)

    def __init__(  # noqa: PLR0917 - tfx_bsl's signature
        self,
        physical_format: str,
        column_names: list[str],
        delimiter: str | None = ",",
        skip_blank_lines: bool = True,  # noqa: FBT001, FBT002 - tfx_bsl's signature
        multivalent_columns: Sequence[str] | None = None,
        secondary_delimiter: str | None = None,
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
        telemetry_descriptors: list[str] | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors)
        self.physical_format = physical_format
        self._limits: Limits | None = None
        several = [multivalent_columns] if isinstance(multivalent_columns, str) else multivalent_columns
        names, multivalent = list(column_names), list(several or [])
        self._cells = Cells(names, delimiter or ",", skip_blank_lines, multivalent, secondary_delimiter)
        if self._features is not None:
            promised_columns(self._features, names)

    def _found_columns(self) -> Columns:
        if self._features is None:
            raise ValueError("TFMD schema not provided. Unable to derive an Arrow schema")
        return promised_columns(self._features, self._cells.names)

    def _projected_columns(self, tensor_names: list[str]) -> Columns:
        # As in tfx_bsl, a projection keeps all columns.
        return self.columns._replace(representations=self.columns.representations_of(tensor_names))

    def RawRecordToRecordBatch(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform from the results of `RawRecordBeamSource` to pyarrow record batches.

        Args:
            batch_size: Number of rows of a batch. None: Beam decides, up to 1,000.

        Raises:
            ValueError: `raw_record_column_name` is the name of another column.
        """
        self._check_raw_column()
        return super().RawRecordToRecordBatch(batch_size)

    def _check_raw_column(self) -> None:
        """Raises if another column has the name of the column of records, with the text of tfx_bsl."""
        if self._raw_column in self._cells.names:
            raise ValueError(
                f"raw_record_column_name: {self._raw_column} is already an existing column name. "
                "Please choose a different name."
            )

    def _decoder(self) -> Callable[[list[bytes]], Iterator[Any]]:
        self.ArrowSchema()
        decode = functools.partial(csv_batches, self._cells, self._raw_column)
        return functools.partial(decode, schema=self.columns.schema, limits=self._limits)


class CsvTFXIO(CsvRecords, FileRecords):
    """A `TFXIO` over CSV files, for batches inside and outside pipelines, and for tensors.

    Columns have the type large_list of int64, float32 or large_binary: a cell becomes a list of one value,
    and an empty cell becomes a null. A quoted cell may contain line ends, also in pipelines, where tfx_bsl
    splits the record at each line end. `RecordBatches` and `TensorFlowDataset` work; in tfx_bsl they raise an
    error.

    In a pipeline, several workers can read one file. It is divided into at most 8 ranges at the start,
    because the search for the start of a range scans the file up to it.

    Args:
        file_pattern: A path, a glob, a directory (its `*.csv`), a URL, or a list of these. Files may be
            compressed with gzip, whatever their names; one worker of a pipeline reads a whole compressed
            file.
        column_names: Names of all columns, in the order of the files.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        validate: Whether `BeamSource` checks that files exist when the pipeline is built.
        delimiter: The ASCII character between cells. None: a comma.
        skip_blank_lines: Whether to skip empty lines. False: they become rows of nulls.
        multivalent_columns: Names of columns whose cells have several values. None: no such columns.
        secondary_delimiter: The ASCII character between the values of a cell in `multivalent_columns`.
            Required with `multivalent_columns`.
        schema: A `Schema` of TensorFlow Metadata, or its bytes, which defines the columns that are read and
            their types. None: all columns, with types that are inferred from all cells; all files are read on
            first use.
        raw_record_column_name: Name of an additional last column with the original records. None: no such
            column.
        skip_header_lines: Number of lines to skip at the start of each file.
        limits: Upper bounds on the resources that one file may use. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: There is no file pattern; the schema has a feature that is not a column;
            `skip_header_lines` is below 0.

    Example:
        >>> source = CsvTFXIO("part-*.csv", ["age", "label"], schema=schema, skip_header_lines=1)
        >>> batches = pipeline | source.BeamSource()
    """

    # The search for the first record of a range scans the file from its start.
    _most_ranges = 8

    def __init__(  # noqa: PLR0917 - tfx_bsl's signature
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        column_names: list[str],
        telemetry_descriptors: list[str] | None = None,
        validate: bool = True,  # noqa: FBT001, FBT002 - tfx_bsl's signature
        delimiter: str | None = ",",
        skip_blank_lines: bool = True,  # noqa: FBT001, FBT002
        multivalent_columns: Sequence[str] | None = None,
        secondary_delimiter: str | None = None,
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
        skip_header_lines: int = 0,
        *,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(
            "text",
            column_names,
            delimiter,
            skip_blank_lines,
            multivalent_columns,
            secondary_delimiter,
            schema,
            raw_record_column_name,
            telemetry_descriptors,
        )
        if skip_header_lines < 0:
            raise ValueError(f"skip_header_lines: expected 0 or more, found {skip_header_lines}")
        self._patterns = patterns_of(file_pattern)
        self._validate = validate
        self._head = {"header": False, "skip_lines": skip_header_lines}
        self._limits = limits

    def RawRecordBeamSource(self) -> Any:  # noqa: N802
        """Returns a Beam transform that reads the records of the files in ranges, without line ends.

        Several workers can read one file. One worker reads a whole compressed file.

        Raises:
            FileNotFoundError: No file matches a pattern, unless `validate` is false.
        """
        return self._read_records(CsvDataset, self._raw_options(), raw_records)

    def _raw_options(self) -> dict[str, Any]:
        """Options of `CsvDataset` for original records."""
        cells = self._cells
        return {
            "raw": True,
            **self._head,
            "delimiter": cells.delimiter,
            "skip_blank_lines": cells.skip_blank_lines,
            "limits": self._limits,
        }

    def _options(self) -> dict[str, Any]:
        """Options of `CsvDataset` for columns."""
        return {**self._head, "limits": self._limits, **self._cells.options()}

    def _found_columns(self) -> Columns:
        if self._features is not None:
            return super()._found_columns()
        found = CsvDataset(self._patterns, representations={}, columns=self._cells.names, **self._options())
        types = found.arrow_schema.to_pyarrow()
        texts = lists_of_texts(types)
        empty = lists_without_values(texts, found.record_batches(batch_size=_SEARCHED)) if texts else ()
        schema = inferred_schema(self._cells.names, inferred_kinds(types, empty))
        return Columns(schema.names, schema, infer_representations(schema))

    def _reading(self) -> Reading:
        whole = self.columns.schema
        schema = self._cells.readable(whole)
        options = {"schema": schema, "columns": schema.names, **self._options()}
        return Reading(CsvDataset, options, self.columns.representations, None if schema == whole else whole)

    def _with_raw_records(self, iteration: dict[str, Any]) -> Iterator[Any]:
        decode = self._decoder()
        for batch in CsvDataset(self._patterns, **self._raw_options()).record_batches(**iteration):
            yield from decode(raw_records(batch))


class BeamRecordCsvTFXIO(BeamRecords, CsvRecords):
    """A `TFXIO` over CSV records in a PCollection of bytes. It reads no files.

    Args:
        physical_format: Origin of the records, for the names of metrics. Without `[`, `]` and `-`.
        column_names: Names of all columns, in the order of the records.
        delimiter: The ASCII character between cells. None: a comma.
        skip_blank_lines: Whether to skip empty records. False: they become rows of nulls.
        multivalent_columns: Names of columns whose cells have several values. None: no such columns.
        secondary_delimiter: The ASCII character between the values of a cell in `multivalent_columns`.
            Required with `multivalent_columns`.
        schema: A `Schema` of TensorFlow Metadata, or its bytes, which defines the columns that are read and
            their types. None: all columns, with types that are inferred from all cells of the PCollection,
            which is then read twice.
        raw_record_column_name: Name of an additional last column with the original records.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.

    Raises:
        ValueError: The schema has a feature that is not a column.

    Example:
        >>> source = BeamRecordCsvTFXIO("text", ["age", "label"], schema=schema)
        >>> batches = records | source.BeamSource(batch_size=256)
    """

    def RawRecordToRecordBatch(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform from records to pyarrow record batches.

        Args:
            batch_size: Number of rows of a batch. None: Beam decides, up to 1,000.

        Raises:
            ValueError: `raw_record_column_name` is the name of another column.
        """
        if self._features is not None:
            return super().RawRecordToRecordBatch(batch_size)
        self._check_raw_column()
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        return _beam.InferredCsvBatches(self._cells, self._raw_column, batch_size, self._telemetry)
