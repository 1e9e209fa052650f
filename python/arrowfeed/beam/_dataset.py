"""The transform `ReadFromDataset`, which reads files of any format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from arrowfeed._dataset.opening import dataset_class, rereadable
from arrowfeed._engines.planner import planner_of
from arrowfeed._engines.sources import absolute
from arrowfeed._engines.splits import SPLIT_BYTES, SplitSource, check_on_error
from arrowfeed.beam._beam_files import beam_files_of
from arrowfeed.beam._imported import beam
from arrowfeed.beam._planned import ReadPlanned, file_groups
from arrowfeed.beam._read import ReadDatasetRanges

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Dataset, Split
    from arrowfeed._engines.planner import SplitPlanner
    from arrowfeed.beam._beam_files import BeamFiles
    from arrowfeed.types import OnError, PredicateLike


class ReadFromDataset(ReadPlanned):
    """Reads files of any format that `open_dataset` detects, as pyarrow record batches.

    The first file determines the format, and the files determine the columns when the pipeline is built.
    Workers plan the splits of the files and read them. A runner may split a range again at any time while it
    is read, between two chunks: Avro blocks, Parquet row groups, or groups of records or lines. The order of
    the batches is undefined.

    The scheme of a source determines how its files are opened:

    | source | opened by |
    |---|---|
    | a path, `file://` | arrowfeed |
    | S3, Google Cloud Storage, Azure, HTTP, HDFS | arrowfeed's stores, with `storage_options` |
    | another scheme that a filesystem of Beam has | Beam |
    | another scheme | fsspec, with `storage_options` |

    Args:
        source: A path, a glob, a directory, a URL, or a list of these.
        columns: Columns or field paths to read, as in the dataset class of the format. None: all columns.
        where: The predicate of the rows, as in `Dataset.filter`. None: all rows.
        split_bytes: Initial size of a range in bytes, at least 1. Default: 64 MiB.
        batch_size: As in `Dataset.read_split`.
        on_error: `"raise"` or `"skip_block"`, as in `Dataset.read_split`.
        filesystem: `"beam"`: Beam opens all files. `"arrowfeed"`: arrowfeed opens all files. None: the table
            above.
        **options: Options of the dataset class of the format, such as `schema`, `limits` and
            `storage_options`. The pipeline contains them, also secrets in `storage_options`.

    Raises:
        FormatError: The format of the first file is unknown.
        FileNotFoundError: There is no file.
        ValueError: An option has an invalid value, or the sources need different filesystems.
        TypeError: An option has the wrong type.
        ArrowfeedError, OSError: As in `open_dataset`, and in the worker that reads a file.

    Example:
        >>> batches = pipeline | ReadFromDataset("rows/*.parquet", columns=["id"])
        >>> counts = batches | beam.Map(lambda batch: batch.num_rows)
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        columns: Sequence[str] | None = None,
        where: PredicateLike | None = None,
        split_bytes: int = SPLIT_BYTES,
        batch_size: int | None = None,
        on_error: OnError = "raise",
        filesystem: Literal["beam", "arrowfeed"] | None = None,
        **options: Any,
    ) -> None:
        if type(split_bytes) is not int or split_bytes < 1:
            raise ValueError(f"split_bytes: expected an integer of 1 or more, found {split_bytes!r}")
        check_on_error(on_error)
        source, files = _opened_by(source, filesystem, options)
        read = SplitSource(source, options, columns=columns, where=where)
        self._schema = read.schema
        plan = _Plan(planner_of(read), split_bytes)
        reader = read.reader(batch_size=batch_size, on_error=on_error)
        super().__init__(plan, ReadDatasetRanges(reader, files))

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the batches."""
        return self._schema

    def _groups(self, pcoll: Any) -> Any:
        """Returns a PCollection of the numbers of files."""
        groups: list[tuple[int, int]] = self._plan.groups()
        return pcoll | "Files" >> beam.Create(list(enumerate(groups)), reshuffle=False)


def detected(source: Any, options: dict[str, Any]) -> Callable[..., Dataset]:
    """Returns the dataset class of the files that `ReadFromDataset` reads with these options.

    Args:
        source: As in `ReadFromDataset`.
        options: Options of `ReadFromDataset`.

    Raises:
        Exception: As in `ReadFromDataset`.
    """
    options = dict(options)
    source, _ = _opened_by(source, options.pop("filesystem", None), options)
    return dataset_class(rereadable(absolute(source, options.get("store")))(), options)


def _opened_by(source: Any, filesystem: str | None, options: dict[str, Any]) -> tuple[Any, BeamFiles | None]:
    """Returns the source for the filesystem that opens it, and Beam's filesystem, which also is an option.

    Raises:
        ValueError: The sources need different filesystems, or `filesystem` is invalid.
    """
    files = beam_files_of(source, filesystem, options)
    if files is not None:
        # Only names in a store may be relative, and names of Beam are paths and URLs.
        source = absolute(source, None)
        options["store"] = files
    return source, files


class _Plan(beam.DoFn):
    """Plans the splits of groups of files. An element has the numbers of the first and the last file.

    Args:
        planner: The planner of all files.
        split_bytes: Target size of a split in bytes.
    """

    def __init__(self, planner: SplitPlanner, split_bytes: int) -> None:
        self._planner, self._split_bytes = planner, split_bytes

    def groups(self) -> list[tuple[int, int]]:
        """Returns the elements: all files, in groups of about equal size."""
        return file_groups(len(self._planner))

    def process(self, element: tuple[int, int]) -> Iterator[Split]:
        """Returns the splits of a group."""
        yield from self._planner.plan(*element, self._split_bytes)
