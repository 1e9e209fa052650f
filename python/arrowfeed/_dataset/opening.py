"""`open_dataset`, which detects the format of files from their content."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, cast

from arrowfeed._arrowfeed import ExampleDataset, RawRecordDataset
from arrowfeed._dataset.detected import detected
from arrowfeed._files import BufferedFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset
    from arrowfeed.types import Source


def open_dataset(source: Source, **keywords: Any) -> Dataset:
    """Opens files as a dataset of their format, which the content of the first file that has some determines.

    | content | class |
    |---|---|
    | begins with `Obj` and a byte 1 | `AvroDataset` |
    | begins with `PAR1` | `ParquetDataset` |
    | begins with `ARROW1`, or with the schema message of an Arrow stream | `ArrowDataset` |
    | TFRecord records, also compressed; the first one is a `tf.Example` | `ExampleDataset` |
    | the same; the first one is a `tf.SequenceExample` with feature lists | `SequenceExampleDataset` |
    | the same; the first one is something else | `RawRecordDataset` |
    | text, also gzip-compressed; the first line that is not empty is a JSON object | `JsonLinesDataset` |
    | other UTF-8 text; the name ends with `.csv`, `.tsv`, `.csv.gz` or `.tsv.gz` | `CsvDataset` |

    Any text is valid CSV, so the name of the first file identifies CSV files. It also identifies the format
    of an empty or a damaged file. For `.tsv` files, the default delimiter is a tab. For a directory, the
    files of one format are read: the first of `*.avro`, `*.parquet`, `*.arrow`, `*.tfrecord`, `*.jsonl` and
    `*.csv` that exists. For a file in a store, the detection reads the first 256 KiB; a longer first record
    or line needs more requests. The class of the result identifies the format. If you know the format, call
    the class of this format directly.

    Args:
        source: As in `AvroDataset`.
        **keywords: Options of the class, such as `features`, `representations`, `columns` and `limits`. The
            detection also uses `limits`, `partitioning`, `storage_options`, `store`, `cache` and
            `cache_bytes`.

    Raises:
        FormatError: The first file has none of these formats.
        FileNotFoundError: A path does not exist, no file matches a glob, or a directory has no such files.
        Exception: Errors of the class are passed on.

    Example:
        >>> arrowfeed.open_dataset("rows.tfrecord.gz")
        <arrowfeed.ExampleDataset of 3 tensors>
          f: sparse float32 [?, ?]
          id: sparse int64 [?, ?]
          tags: sparse bytes [?, ?]
    """
    reopen = rereadable(source)
    return dataset_class(reopen(), keywords)(reopen(), **keywords)


def dataset_class(source: Any, keywords: dict[str, Any]) -> Callable[..., Dataset]:
    """Detects the format of files, and returns its dataset class; see `open_dataset`.

    Args:
        source: A source that can be read again, from `rereadable`.
        keywords: Options of the class.

    Raises:
        FormatError: The format of the first file is unknown.
        FileNotFoundError: There is no file.
    """
    found = detected(source, keywords)
    kind = found.format.dataset
    if kind is RawRecordDataset and found.is_empty and "schema" in keywords:
        kind = ExampleDataset
    arguments = {name: value for name, value in found.arguments.items() if name not in keywords}
    return functools.partial(kind, **arguments) if arguments else kind


def rereadable(source: Any) -> Callable[[], Any]:
    """Returns a function that can return the source repeatedly. A file object is read into memory here."""
    if isinstance(source, list | tuple):
        parts = [rereadable(one) for one in cast("list[Any]", source)]
        return lambda: [part() for part in parts]
    if hasattr(source, "read"):
        data, name = source.read(), str(getattr(source, "name", f"<{type(source).__name__}>"))
        return lambda: BufferedFile(data, name)
    return lambda: source
