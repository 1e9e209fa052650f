"""`open_dataset`, which detects the format of files from their content."""

from __future__ import annotations

import contextlib
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from arrowfeed._arrowfeed import (
    ArrowDataset,
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
    check_avro,
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
from arrowfeed._files import BufferedFile
from arrowfeed._urls import is_remote

SEQUENCE_COLUMN = "##SEQUENCE##"
"""The column that contains the feature lists."""

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset
    from arrowfeed._dataset.look import Look
    from arrowfeed.types import Source


_MOST_LINE = 16 << 20
"""Maximum size of a probed line, because a file of another format may have no line end."""

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
"""Options for the dialect of a CSV file, and its limits."""

EXTENSIONS: dict[type, str] = {
    ArrowDataset: "arrow",
    AvroDataset: "avro",
    CsvDataset: "csv",
    ExampleDataset: "tfrecord",
    JsonLinesDataset: "jsonl",
    ParquetDataset: "parquet",
    RawRecordDataset: "tfrecord",
    SequenceExampleDataset: "tfrecord",
}
"""The extension of the files that a dataset class reads in a directory."""

_STORE_OPTIONS = ("storage_options", "store", "cache", "cache_bytes")
"""Options for files in stores, which all reading functions have."""


def store_options(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options for files in stores."""
    return {name: options[name] for name in _STORE_OPTIONS if name in options}


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

    Any text is valid CSV, so the file name identifies CSV files. It also identifies the format of an empty
    file. For `.tsv` files, the default delimiter is a tab. For a directory, the files of one format are read:
    the first of `*.avro`, `*.parquet`, `*.arrow`, `*.tfrecord`, `*.jsonl` and `*.csv` that exists. For a file
    in a store, the detection reads the first 256 KiB; a longer first record or line needs more requests. The
    class of the result identifies the format. If you know the format, call the class of this format directly.

    Args:
        source: As in `AvroDataset`.
        **keywords: Options of the class, such as `features`, `representations`, `columns` and `limits`. The
            detection also uses `limits`, `storage_options`, `store`, `cache` and `cache_bytes`.

    Raises:
        FormatError: The first file has none of these formats; the message states what each format expected.
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


class _Probed(NamedTuple):
    """The input of the probes of all formats."""

    reopen: Callable[[], Source]
    """Returns the source; can be called repeatedly."""
    keywords: dict[str, Any]
    """Keywords of the caller, for the class."""
    stores: dict[str, Any]
    """The keywords that configure access to files in stores."""
    name: str | None
    """Name of the first file or its directory; None if it has no name."""
    is_directory: bool
    """Whether the source is a directory or, in a store, a directory or a glob."""


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
    stores = store_options(keywords)
    first = _first(reopen())
    if look is None and is_remote(first, keywords.get("store")):
        look = look_at(first, stores)
    if look is not None:
        probed = _Probed(reopen, keywords, stores, look.name, look.is_listed)
        return _by_head(look, probed) or _by_probes(probed)
    name = _name(first)
    return _by_probes(_Probed(reopen, keywords, stores, name, name is not None and Path(name).is_dir()))


def _by_head(look: Look, probed: _Probed) -> Callable[..., Dataset] | None:
    """Returns the class that follows from the first bytes of a file; None if they do not suffice."""
    if look.head.startswith(b"Obj\x01"):
        return AvroDataset
    for start, found in ((b"PAR1", _parquet), (b"ARROW1", _arrow), (b"\xff\xff\xff\xff", _arrow)):
        if look.head.startswith(start):
            try:
                return found(probed)
            except FormatError:
                return None
    kept = probed._replace(reopen=lambda: BufferedFile(look.head, look.name), stores={})
    for found in (_tfrecord, _json_lines, _csv):
        if found is _csv and not look.is_whole and b"\n" not in look.head:
            # The line may be an incomplete JSON object.
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
    """Returns the class of the first format that can open the files."""
    reasons: list[str] = []
    missing: FileNotFoundError | None = None
    damage: ArrowfeedError | None = None
    for found in (_avro, _parquet, _arrow, _tfrecord, _json_lines, _csv):
        # If no other format finds a file, the name of the source matters only for a directory.
        if found is _csv and missing is not None and not probed.is_directory:
            break
        try:
            return found(probed)
        except FormatError as error:
            reasons.append(str(error))
        except (CodecError, CorruptBlockError, TruncatedError) as error:
            # Compressed or very short text also fails as a TFRecord record.
            damage = damage or error
        except FileNotFoundError as error:
            missing = missing or error
    if damage is not None:
        raise damage
    if missing is not None and not reasons:
        raise missing
    raise FormatError("expected files of a known format, found none that matches: " + "; ".join(reasons))


def _avro(probed: _Probed) -> Callable[..., Dataset]:
    """Detects Avro files from their first bytes. The class reads the header, with all options."""
    check_avro(probed.reopen(), **probed.stores)
    return AvroDataset


def _parquet(probed: _Probed) -> Callable[..., Dataset]:
    # A footer over a limit, or with a column that cannot be read, is that of a Parquet file. The class opens
    # such a file if the options of the caller allow it.
    with contextlib.suppress(LimitError, SchemaError):
        ParquetDataset(probed.reopen(), representations={}, **probed.stores)
    return ParquetDataset


def _arrow(probed: _Probed) -> Callable[..., Dataset]:
    # As for Parquet.
    with contextlib.suppress(LimitError, SchemaError):
        ArrowDataset(probed.reopen(), representations={}, **probed.stores)
    return ArrowDataset


def _tfrecord(probed: _Probed) -> Callable[..., Dataset]:
    """Detects the format of TFRecord records from the first record."""
    limits = probed.keywords.get("limits")
    reader = read_tfrecord(
        probed.reopen(), format="raw", batch_size=1, threads=1, limits=limits, **probed.stores
    )
    first = next(reader, None)
    if first is None:
        return _of_empty(probed)
    record: Any = first.to_pyarrow()["record"][0].as_py()
    if SEQUENCE_COLUMN in _columns(SequenceExampleRecordDecoder(), record):
        return SequenceExampleDataset
    try:
        ExampleRecordDecoder().decode([record])
    except CorruptBlockError:
        return RawRecordDataset
    return ExampleDataset


def _of_empty(probed: _Probed) -> Callable[..., Dataset]:
    """Returns the class of a file without content, which its name determines."""
    if _has_csv_name(probed.name):
        return _csv_class(probed)
    name = _plain_name(probed.name)
    for kind in (AvroDataset, ParquetDataset, JsonLinesDataset):
        if name.endswith(f".{EXTENSIONS[kind]}"):
            return kind
    return ExampleDataset if "schema" in probed.keywords else RawRecordDataset


def _columns(decoder: SequenceExampleRecordDecoder, record: bytes) -> list[str]:
    """The columns of a record; empty if it is not such a message."""
    try:
        return decoder.decode([record]).schema.names
    except CorruptBlockError:
        return []


def _json_lines(probed: _Probed) -> Callable[..., Dataset]:
    """Checks whether the first line that is not empty is a JSON object."""
    limits = Limits(decoded_block_bytes=_MOST_LINE)
    try:
        JsonLinesDataset(probed.reopen(), sample=1, representations={}, limits=limits, **probed.stores)
    except SchemaError:
        # The line is an object, but no types can be inferred from it.
        return JsonLinesDataset
    except (CodecError, CorruptBlockError, LimitError, TruncatedError) as error:
        raise FormatError(str(error)) from None
    return JsonLinesDataset


def _csv(probed: _Probed) -> Callable[..., Dataset]:
    """Accepts text files by their names, because any text is valid CSV."""
    if not _has_csv_name(probed.name) and not probed.is_directory:
        found = "bytes without a name" if probed.name is None else probed.name
        names = ".csv, .tsv, .csv.gz or .tsv.gz"
        raise FormatError(f"expected the name of a CSV file, which ends with {names}, found {found}")
    kind = _csv_class(probed)
    written = {key: value for key, value in probed.keywords.items() if key in _DIALECT}
    try:
        kind(probed.reopen(), sample=1, representations={}, **written, **probed.stores)
    except (CodecError, CorruptBlockError, TruncatedError) as error:
        raise FormatError(str(error)) from None
    return kind


def _plain_name(name: str | None) -> str:
    """Returns a file name in lower case, without the suffix of gzip; empty if there is no name."""
    return "" if name is None else name.lower().removesuffix(".gz")


def _has_csv_name(name: str | None) -> bool:
    return _plain_name(name).endswith((".csv", ".tsv"))


def _csv_class(probed: _Probed) -> Callable[..., Dataset]:
    """Returns the class of CSV files, with a tab as the default delimiter of `.tsv` files."""
    if _plain_name(probed.name).endswith(".tsv") and "delimiter" not in probed.keywords:
        return functools.partial(CsvDataset, delimiter="\t")
    return CsvDataset


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
