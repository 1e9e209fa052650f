"""`open_dataset`: files whose format is told by what is in them."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

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

SEQUENCE_COLUMN = "##SEQUENCE##"
"""The column of feature lists."""

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset
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
    `*.jsonl`, `*.csv`.
    The class of what is returned says the format; where you know it, call that class.

    Args:
        source: As in `AvroDataset`.
        **keywords: Those of the class, such as `features`, `representations`, `columns` and `limits`.

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


def dataset_class(again: Callable[[], Source], keywords: dict[str, Any]) -> Callable[..., Dataset]:
    """The class of datasets for the format of files, which their content says: see `open_dataset`.

    Args:
        again: Gives the source, any number of times.
        keywords: Those of the class.

    Raises:
        FormatError: The first file is of no known format. FileNotFoundError: there is no file.
    """
    reasons: list[str] = []
    missing: FileNotFoundError | None = None
    damage: ArrowfeedError | None = None
    for found in (_avro, _parquet, _tfrecord, _json_lines, _csv):
        # Where no other format finds a file, the name of the source is only of interest if it is a directory.
        if found is _csv and missing is not None and not _is_directory(_name(again())):
            break
        try:
            return found(again, keywords)
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


def _avro(again: Callable[[], Source], _: dict[str, Any]) -> Callable[..., Dataset]:
    AvroDataset(again(), representations={})
    return AvroDataset


def _parquet(again: Callable[[], Source], _: dict[str, Any]) -> Callable[..., Dataset]:
    ParquetDataset(again(), representations={})
    return ParquetDataset


def _tfrecord(again: Callable[[], Source], keywords: dict[str, Any]) -> Callable[..., Dataset]:
    """Of records of TFRecord, the first one says what they are."""
    first = next(read_tfrecord(again(), format="raw", batch_size=1, threads=1), None)
    if first is None:
        return ExampleDataset if "schema" in keywords else RawRecordDataset
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


def _json_lines(again: Callable[[], Source], _: dict[str, Any]) -> Callable[..., Dataset]:
    """Of text, the first line that is not empty says whether lines are JSON objects."""
    limits = Limits(decoded_block_bytes=_MOST_LINE)
    try:
        JsonLinesDataset(again(), sample=1, representations={}, limits=limits)
    except SchemaError:
        # The line is an object, from which no types follow.
        return JsonLinesDataset
    except (CodecError, CorruptBlockError, LimitError, TruncatedError) as error:
        raise FormatError(str(error)) from None
    return JsonLinesDataset


def _csv(again: Callable[[], Source], keywords: dict[str, Any]) -> Callable[..., Dataset]:
    """Any text is CSV, so the name of the file has to say it."""
    name = _name(again())
    ending = "" if name is None else name.lower().removesuffix(".gz")
    if not ending.endswith((".csv", ".tsv")) and not _is_directory(name):
        found = "bytes without a name" if name is None else name
        names = ".csv, .tsv, .csv.gz or .tsv.gz"
        raise FormatError(f"expected the name of a CSV file, which ends with {names}, found {found}")
    kind: Callable[..., Dataset] = CsvDataset
    if ending.endswith(".tsv") and "delimiter" not in keywords:
        kind = functools.partial(CsvDataset, delimiter="\t")
    written = {key: value for key, value in keywords.items() if key in _DIALECT}
    try:
        kind(again(), sample=1, representations={}, **written)
    except (CodecError, CorruptBlockError, TruncatedError) as error:
        raise FormatError(str(error)) from None
    return kind


def _is_directory(name: str | None) -> bool:
    return name is not None and Path(name).is_dir()


def _name(source: Any) -> str | None:
    """The name of the first file, pattern or directory; None where it has none."""
    if isinstance(source, list | tuple):
        first = cast("list[Any]", source)[:1]
        return _name(first[0]) if first else None
    if isinstance(source, str | os.PathLike):
        return os.fspath(cast("str", source))
    return str(source.name) if isinstance(source, KeptFile) else None


def rereadable(source: Any) -> Callable[[], Any]:
    """Gives the source any number of times. A file object can be read once: it is read into memory here."""
    if isinstance(source, list | tuple):
        parts = [rereadable(one) for one in cast("list[Any]", source)]
        return lambda: [part() for part in parts]
    if hasattr(source, "read"):
        data, name = source.read(), str(getattr(source, "name", f"<{type(source).__name__}>"))
        return lambda: KeptFile(data, name)
    return lambda: source
