"""`open_dataset`: files whose format is told by what is in them."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from arrowfeed._arrowfeed import (
    AvroDataset,
    CsvDataset,
    ExampleDataset,
    ExampleRecordDecoder,
    JsonLinesDataset,
    Limits,
    ParquetDataset,
    RawRecordDataset,
    SequenceExampleDataset,
    SequenceExampleRecordDecoder,
    read_tfrecord,
)
from arrowfeed._dataset.look import look_at
from arrowfeed._errors import (
    ArrowfeedError,
    CodecError,
    CorruptBlockError,
    FormatError,
    LimitError,
    SchemaError,
    TruncatedError,
)
from arrowfeed._files import KeptFile
from arrowfeed._urls import is_remote

SEQUENCE_COLUMN = "##SEQUENCE##"
"""The column of feature lists."""

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset
    from arrowfeed._dataset.look import Look
    from arrowfeed.types import Source


_MOST_LINE = 16 << 20
"""Bytes of a line that is looked at, at most: a file of another format may have no line end."""

_DIALECT = (
    "skip_lines",
    "header",
    "names",
    "delimiter",
    "quote",
    "escape",
    "skip_blank_lines",
    "nulls",
    "raw",
    "limits",
)
"""Options that say how a CSV file is written, and what may be asked of it."""

_STORES = ("storage_options", "store", "cache", "cache_bytes")
"""Options of files in stores, which every function that reads has."""


def open_dataset(source: Source, **keywords: Any) -> Dataset:
    """Opens files as a dataset of their format, which the first file says by its content.

    | content | class |
    |---|---|
    | begins with `Obj` and a byte 1 | `AvroDataset` |
    | ends with `PAR1` | `ParquetDataset` |
    | records of TFRecord, also compressed; the first one is a `tf.Example` | `ExampleDataset` |
    | the same; the first one is a `tf.SequenceExample` with feature lists | `SequenceExampleDataset` |
    | the same; the first one is something else | `RawRecordDataset` |
    | text, also compressed by gzip; the first line that is not empty is a JSON object | `JsonLinesDataset` |
    | other text in UTF-8; the name ends with `.csv`, `.tsv`, `.csv.gz` or `.tsv.gz` | `CsvDataset` |

    Any text is CSV, so its name has to say it. Of `.tsv` files, the delimiter is a tab unless one is given.
    Of a directory, the files of the first format are read that has any: `*.avro`, `*.parquet`, `*.tfrecord`,
    `*.jsonl`, `*.csv`. Of a file in a store, the first 256 KiB are read for that; a longer first record or
    line needs further requests.
    The class of what is returned says the format; where you know it, call that class.

    Args:
        source: As in `AvroDataset`.
        **keywords: Those of the class, such as `features`, `representations`, `columns` and `limits`. With
            `storage_options`, `store`, `cache` and `cache_bytes`, the format is looked for as well.

    Raises:
        FormatError: The first file is of none of these formats; the message has what each of them expected.
        FileNotFoundError: A path does not exist, or nothing matches a glob; a directory has no such files.
            Whatever the class raises.

    Example:
        >>> arrowfeed.open_dataset("rows.tfrecord.gz")
        <arrowfeed.ExampleDataset of 3 tensors>
          f: sparse float32 [?, ?]
          id: sparse int64 [?, ?]
          tags: sparse bytes [?, ?]
    """
    again = rereadable(source)
    return dataset_class(again, keywords)(again(), **keywords)


class _Probed(NamedTuple):
    """What the probes of all formats look at."""

    again: Callable[[], Source]
    """Gives the source, any number of times."""
    keywords: dict[str, Any]
    """Of the caller, for the class."""
    stores: dict[str, Any]
    """Those of them that say how files of stores are reached."""
    name: str | None
    """Of the first file, or of its directory; None where it has none."""
    is_directory: bool
    """Whether the source is a directory, or of a store a directory or a glob."""


def dataset_class(
    again: Callable[[], Source], keywords: dict[str, Any], look: Look | None = None
) -> Callable[..., Dataset]:
    """The class of datasets for the format of files, which their content says: see `open_dataset`.

    Args:
        again: Gives the source, any number of times.
        keywords: Those of the class.
        look: What `look_at` has found at the first source. None: it is called here, of files in stores.

    Raises:
        FormatError: The first file is of no known format. FileNotFoundError: there is no file.
    """
    stores = {name: keywords[name] for name in _STORES if name in keywords}
    first = _first(again())
    if look is None and is_remote(first, keywords.get("store")):
        look = look_at(first, stores)
    if look is not None:
        probed = _Probed(again, keywords, stores, look.name, look.is_listed)
        return _by_head(look, probed) or _by_probes(probed)
    name = _name(first)
    return _by_probes(_Probed(again, keywords, stores, name, name is not None and Path(name).is_dir()))


def _by_head(look: Look, probed: _Probed) -> Callable[..., Dataset] | None:
    """The class that the first bytes of a file say; None where these do not suffice."""
    if look.head.startswith(b"Obj\x01"):
        return AvroDataset
    if look.head.startswith(b"PAR1"):
        try:
            return _parquet(probed)
        except FormatError:
            return None
    kept = probed._replace(again=lambda: KeptFile(look.head, look.name), stores={})
    for found in (_tfrecord, _json_lines, _csv):
        if found is _csv and not look.is_whole and b"\n" not in look.head:
            # The line may be a JSON object that goes on.
            break
        try:
            return found(kept)
        except TruncatedError:
            if not look.is_whole:
                break
        except (CodecError, CorruptBlockError, FormatError):
            pass
    return None


def _by_probes(probed: _Probed) -> Callable[..., Dataset]:
    """The class of the first format that can open the files."""
    reasons: list[str] = []
    missing: FileNotFoundError | None = None
    damage: ArrowfeedError | None = None
    for found in (_avro, _parquet, _tfrecord, _json_lines, _csv):
        # Where no other format finds a file, the name of the source is only of interest if it is a directory.
        if found is _csv and missing is not None and not probed.is_directory:
            break
        try:
            return found(probed)
        except FormatError as error:
            reasons.append(str(error))
        except (CodecError, CorruptBlockError, TruncatedError) as error:
            # Compressed or very short text is no record of TFRecord either.
            damage = damage or error
        except FileNotFoundError as error:
            missing = missing or error
    if damage is not None:
        raise damage
    if missing is not None and not reasons:
        raise missing
    raise FormatError("expected files of a format that is known, found others: " + "; ".join(reasons))


def _avro(probed: _Probed) -> Callable[..., Dataset]:
    AvroDataset(probed.again(), representations={}, **probed.stores)
    return AvroDataset


def _parquet(probed: _Probed) -> Callable[..., Dataset]:
    ParquetDataset(probed.again(), representations={}, **probed.stores)
    return ParquetDataset


def _tfrecord(probed: _Probed) -> Callable[..., Dataset]:
    """Of records of TFRecord, the first one says what they are."""
    reader = read_tfrecord(probed.again(), format="raw", batch_size=1, threads=1, **probed.stores)
    first = next(reader, None)
    if first is None:
        return ExampleDataset if "schema" in probed.keywords else RawRecordDataset
    record: Any = first.to_pyarrow()["record"][0].as_py()
    if SEQUENCE_COLUMN in _columns(SequenceExampleRecordDecoder(), record):
        return SequenceExampleDataset
    try:
        ExampleRecordDecoder().decode([record])
    except CorruptBlockError:
        return RawRecordDataset
    return ExampleDataset


def _columns(decoder: SequenceExampleRecordDecoder, record: bytes) -> list[str]:
    """The columns of a record; none if it is no such message."""
    try:
        return decoder.decode([record]).schema.names
    except CorruptBlockError:
        return []


def _json_lines(probed: _Probed) -> Callable[..., Dataset]:
    """Of text, the first line that is not empty says whether lines are JSON objects."""
    limits = Limits(decoded_block_bytes=_MOST_LINE)
    try:
        JsonLinesDataset(probed.again(), sample=1, representations={}, limits=limits, **probed.stores)
    except SchemaError:
        # The line is an object, from which no types follow.
        return JsonLinesDataset
    except (CodecError, CorruptBlockError, LimitError, TruncatedError) as error:
        raise FormatError(str(error)) from None
    return JsonLinesDataset


def _csv(probed: _Probed) -> Callable[..., Dataset]:
    """Any text is CSV, so the name of the file has to say it."""
    name = probed.name
    ending = "" if name is None else name.lower().removesuffix(".gz")
    if not ending.endswith((".csv", ".tsv")) and not probed.is_directory:
        found = "bytes without a name" if name is None else name
        names = ".csv, .tsv, .csv.gz or .tsv.gz"
        raise FormatError(f"expected the name of a CSV file, which ends with {names}, found {found}")
    kind: Callable[..., Dataset] = CsvDataset
    if ending.endswith(".tsv") and "delimiter" not in probed.keywords:
        kind = functools.partial(CsvDataset, delimiter="\t")
    written = {key: value for key, value in probed.keywords.items() if key in _DIALECT}
    try:
        kind(probed.again(), sample=1, representations={}, **written, **probed.stores)
    except (CodecError, CorruptBlockError, TruncatedError) as error:
        raise FormatError(str(error)) from None
    return kind


def _first(source: Any) -> Any:
    """The first one of several sources."""
    if isinstance(source, list | tuple):
        first = cast("list[Any]", source)[:1]
        return _first(first[0]) if first else None
    return source


def _name(first: Any) -> str | None:
    """The name of a file, pattern or directory; None where it has none."""
    if isinstance(first, str | os.PathLike):
        return os.fspath(cast("str", first))
    return str(first.name) if isinstance(first, KeptFile) else None


def rereadable(source: Any) -> Callable[[], Any]:
    """Gives the source any number of times. A file object can be read once: it is read into memory here."""
    if isinstance(source, list | tuple):
        parts = [rereadable(one) for one in cast("list[Any]", source)]
        return lambda: [part() for part in parts]
    if hasattr(source, "read"):
        data, name = source.read(), str(getattr(source, "name", f"<{type(source).__name__}>"))
        return lambda: KeptFile(data, name)
    return lambda: source
