"""`open_dataset`, which detects the format of files from their content."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from arrowfeed._arrowfeed import ExampleDataset, RawRecordDataset
from arrowfeed._dataset.look import look_at
from arrowfeed._errors import ArrowfeedError, CodecError, CorruptBlockError, FormatError, TruncatedError
from arrowfeed._files import BufferedFile
from arrowfeed._formats import FORMATS, by_suffix
from arrowfeed._probes import Probed
from arrowfeed._urls import GLOB, is_remote

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset
    from arrowfeed._dataset.look import Look
    from arrowfeed._formats import Format
    from arrowfeed.types import Source

_SOURCE_OPTIONS = ("storage_options", "store", "cache", "cache_bytes", "partitioning")
"""Options that determine the files of a source, which all reading functions have."""

PART = "\n  "
"""Line end before each part of an error of several formats."""

_PROBED = tuple(known for known in FORMATS if known.probe is not None)
"""The formats whose probes recognize files, in the order in which they are tried."""


def source_options(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options that determine the files of a source."""
    return {name: options[name] for name in _SOURCE_OPTIONS if name in options}


def open_dataset(source: Source, **keywords: Any) -> Dataset:
    """Opens files as a dataset of their format, which the content of the first file determines.

    | content | class |
    |---|---|
    | begins with `Obj` and a byte 1 | `AvroDataset` |
    | ends with `PAR1` | `ParquetDataset` |
    | begins with `ARROW1`, or with the schema message of an Arrow stream | `ArrowDataset` |
    | TFRecord records, also compressed; the first one is a `tf.Example` | `ExampleDataset` |
    | the same; the first one is a `tf.SequenceExample` with feature lists | `SequenceExampleDataset` |
    | the same; the first one is something else | `RawRecordDataset` |
    | text, also gzip-compressed; the first line that is not empty is a JSON object | `JsonLinesDataset` |
    | other UTF-8 text; the name ends with `.csv`, `.tsv`, `.csv.gz` or `.tsv.gz` | `CsvDataset` |

    Any text is valid CSV, so the name of the first file identifies CSV files. It also identifies the format
    of an empty file. For `.tsv` files, the default delimiter is a tab. For a directory, the files of one
    format are read: the first of `*.avro`, `*.parquet`, `*.arrow`, `*.tfrecord`, `*.jsonl` and `*.csv` that
    exists. For a file in a store, the detection reads the first 256 KiB; a longer first record or line needs
    more requests. The class of the result identifies the format. If you know the format, call the class of
    this format directly.

    Args:
        source: As in `AvroDataset`.
        **keywords: Options of the class, such as `features`, `representations`, `columns` and `limits`. The
            detection also uses `limits`, `partitioning`, `storage_options`, `store`, `cache` and
            `cache_bytes`.

    Raises:
        FormatError: The first file has none of these formats; the message has a line
            for each format.
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
    return dataset_class(reopen, keywords)(reopen(), **keywords)


def dataset_class(
    reopen: Callable[[], Source], keywords: dict[str, Any], look: Look | None = None
) -> Callable[..., Dataset]:
    """Detects the format of files from their content, and returns its dataset class; see `open_dataset`.

    Args:
        reopen: Returns the source; can be called repeatedly.
        keywords: Options of the class.
        look: The result of `look_at` for the first source. None: `look_at` is called here for files in
            stores.

    Raises:
        FormatError: The format of the first file is unknown.
        FileNotFoundError: There is no file.
    """
    stores = source_options(keywords)
    first = _first(reopen())
    if look is None and is_remote(first, keywords.get("store")):
        look = look_at(first, stores)
    if look is not None:
        probed = Probed(reopen, keywords, stores, look.name, look.is_listed)
        return _by_head(look, probed) or _by_probes(probed)
    name = _name(first)
    if name is not None and any(character in name for character in GLOB):
        name = min(glob.iglob(name, recursive=True), default=name)  # noqa: PTH207 - of any path
    return _by_probes(Probed(reopen, keywords, stores, name, name is not None and Path(name).is_dir()))


def _by_head(look: Look, probed: Probed) -> Callable[..., Dataset] | None:
    """Returns the class that follows from the first bytes of a file; None if they do not suffice."""
    head = probed._replace(reopen=lambda: BufferedFile(look.head, look.name), stores={})
    for known in FORMATS:
        if known.starts and look.head.startswith(known.starts):
            try:
                return _probe(known, probed if known.needs_file else head)
            except FormatError:
                return None
    for known in _PROBED:
        if known.starts:
            continue
        if known.is_any_text and not look.is_whole and b"\n" not in look.head:
            # The line may be an incomplete JSON object.
            break
        try:
            return _probe(known, head)
        except TruncatedError:
            if not look.is_whole:
                break
        except (CodecError, CorruptBlockError, FormatError):
            pass
    return None


def _by_probes(probed: Probed) -> Callable[..., Dataset]:
    """Returns the class of the first format that can open the files."""
    reasons: list[str] = []
    missing: list[FileNotFoundError] = []
    damage: ArrowfeedError | None = None
    for known in _PROBED:
        # If no other format finds a file, the name of the source matters only for a directory.
        if known.is_any_text and missing and not probed.is_directory:
            break
        try:
            return _probe(known, probed)
        except FormatError as error:
            reasons.append(f"{known.name}: {error}")
        except (CodecError, CorruptBlockError, TruncatedError) as error:
            # Compressed or very short text also fails as a TFRecord record.
            damage = damage or error
        except FileNotFoundError as error:
            missing.append(error)
    if damage is not None:
        raise damage
    if missing and not reasons:
        # One of the formats may have found files in the directories below.
        raise next((error for error in missing if not str(error.strerror).endswith("found none")), missing[0])
    raise FormatError(PART.join(["expected files of a known format, found none that matches:", *reasons]))


def _probe(known: Format, probed: Probed) -> Callable[..., Dataset]:
    """Returns the class that the probe of a format returns, or that of an empty file."""
    return (known.probe and known.probe(probed, known)) or _of_empty(probed)


def _of_empty(probed: Probed) -> Callable[..., Dataset]:
    """Returns the class of a file without content, which its name determines."""
    known = by_suffix(probed.name or "")
    if known is None or known.dataset is ExampleDataset:
        return ExampleDataset if "schema" in probed.keywords else RawRecordDataset
    return known.class_for(probed.name, probed.keywords)


def _first(source: Any) -> Any:
    """The first of several sources."""
    if isinstance(source, list | tuple):
        first = cast("list[Any]", source)[:1]
        return _first(first[0]) if first else None
    return source


def _name(first: Any) -> str | None:
    """The name of a file, pattern or directory; None if it has no name."""
    if isinstance(first, str | os.PathLike):
        return os.fspath(cast("str", first))
    return str(first.name) if isinstance(first, BufferedFile) else None


def rereadable(source: Any) -> Callable[[], Any]:
    """Returns a function that can return the source repeatedly. A file object is read into memory here."""
    if isinstance(source, list | tuple):
        parts = [rereadable(one) for one in cast("list[Any]", source)]
        return lambda: [part() for part in parts]
    if hasattr(source, "read"):
        data, name = source.read(), str(getattr(source, "name", f"<{type(source).__name__}>"))
        return lambda: BufferedFile(data, name)
    return lambda: source
