"""The transform `ReadFromDataset`, which reads files of any format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from arrowfeed._engines.planner import planner_of
from arrowfeed._engines.sources import absolute
from arrowfeed._engines.splits import SPLIT_BYTES, SplitSource, check_on_error
from arrowfeed._urls import redacted, scheme_of, text_of
from arrowfeed.beam._beam_files import BeamFiles, is_only_of_beam
from arrowfeed.beam._imported import beam
from arrowfeed.beam._read import ReadDatasetRanges

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from arrowfeed._arrowfeed import Split
    from arrowfeed._engines.planner import SplitPlanner
    from arrowfeed.types import OnError

_MOST_GROUPS = 1024
"""Maximum number of groups of files that are planned at the same time."""


class ReadFromDataset(beam.PTransform):
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
        >>> pipeline | ReadFromDataset("rows/*.parquet", columns=["id"]) | beam.Map(lambda b: b.num_rows)
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        columns: Sequence[str] | None = None,
        split_bytes: int = SPLIT_BYTES,
        batch_size: int | None = None,
        on_error: OnError = "raise",
        filesystem: Literal["beam", "arrowfeed"] | None = None,
        **options: Any,
    ) -> None:
        beam.PTransform.__init__(self)
        if type(split_bytes) is not int or split_bytes < 1:
            raise ValueError(f"split_bytes: expected an integer of 1 or more, found {split_bytes!r}")
        check_on_error(on_error)
        files = _beam_files(source, filesystem, options)
        if files is not None:
            # Only names in a store may be relative, and names of Beam are paths and URLs.
            source = absolute(source, None)
            options["store"] = files
        read = SplitSource(source, options, columns=columns)
        self._schema = read.schema
        self._plan = _Plan(planner_of(read), split_bytes)
        reader = read.reader(batch_size=batch_size, on_error=on_error)
        self._read = ReadDatasetRanges(reader, split_bytes, files)

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the batches."""
        return self._schema

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of `pyarrow.RecordBatch`."""
        # Flink drops a Reshuffle after another one, so the groups are distributed by their keys, and only the
        # splits by a Reshuffle.
        keyed = list(enumerate(self._plan.groups()))
        groups = pcoll | "Files" >> beam.Create(keyed, reshuffle=False) | "ShareFiles" >> beam.GroupByKey()
        splits = groups | "Groups" >> beam.FlatMap(_values) | "Plan" >> beam.ParDo(self._plan)
        shared = splits | "ShareSplits" >> beam.Reshuffle()
        return shared | "Read" >> beam.ParDo(self._read).with_output_types(self._read.OUTPUT_TYPE)


def _values(group: tuple[int, Iterable[tuple[int, int]]]) -> Iterable[tuple[int, int]]:
    return group[1]


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
        count = len(self._planner)
        groups = min(count, _MOST_GROUPS)
        borders = [count * number // groups for number in range(groups + 1)]
        return list(zip(borders, borders[1:]))  # noqa: B905, RUF007 - Python 3.10 has no `strict` for pairs

    def process(self, element: tuple[int, int]) -> Iterator[Split]:
        """Returns the splits of a group."""
        yield from self._planner.plan(*element, self._split_bytes)


def _beam_files(source: Any, filesystem: str | None, options: dict[str, Any]) -> BeamFiles | None:
    """Returns Beam's filesystem of the sources. None: arrowfeed opens them.

    Raises:
        ValueError: The sources need different filesystems, or `filesystem` is invalid.
    """
    if filesystem not in (None, "beam", "arrowfeed"):
        raise ValueError(f"filesystem: expected None, 'beam' or 'arrowfeed', found {filesystem!r}")
    several = isinstance(source, list | tuple)
    urls = [text_of(one) for one in (cast("Sequence[Any]", source) if several else [source])]
    given = [name for name in ("store", "storage_options", "cache") if options.get(name) is not None]
    if filesystem == "arrowfeed" or (filesystem is None and given):
        return None
    schemes = {scheme_of(url) if filesystem == "beam" or is_only_of_beam(url) else "" for url in urls}
    if schemes <= {""}:
        return None
    if len(schemes) > 1:
        shown = ", ".join(redacted(url) for url in urls[:3])
        raise ValueError(f"source: expected files of one filesystem of Beam, found {shown}")
    if given:
        raise ValueError(f"{given[0]}: expected files that arrowfeed opens, found filesystem='beam'")
    return BeamFiles(schemes.pop())
