"""`open_dataset`: files whose format is told by what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from arrowfeed._arrowfeed import (
    AvroDataset,
    ExampleDataset,
    ExampleRecordDecoder,
    ParquetDataset,
    RawRecordDataset,
    read_tfrecord,
)
from arrowfeed._errors import CorruptBlockError, FormatError
from arrowfeed._files import KeptFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset
    from arrowfeed.types import Source


def open_dataset(source: Source, **keywords: Any) -> Dataset:
    """Opens files as a dataset of their format, which the first file says by its content.

    | content | class |
    |---|---|
    | begins with `Obj` and a byte 1 | `AvroDataset` |
    | ends with `PAR1` | `ParquetDataset` |
    | records of TFRecord, also compressed; the first one is a `tf.Example` | `ExampleDataset` |
    | the same; the first one is something else | `RawRecordDataset` |

    Of a directory, the files of the first format are read that has any: `*.avro`, `*.parquet`, `*.tfrecord`.
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
    for found in (_avro, _parquet, _tfrecord):
        try:
            return found(again, keywords)
        except FormatError as error:  # noqa: PERF203 - three times
            reasons.append(str(error))
        except FileNotFoundError as error:
            missing = missing or error
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
    try:
        ExampleRecordDecoder().decode([record])
    except CorruptBlockError:
        return RawRecordDataset
    return ExampleDataset


def rereadable(source: Any) -> Callable[[], Any]:
    """Gives the source any number of times. A file object can be read once: it is read into memory here."""
    if isinstance(source, list | tuple):
        parts = [rereadable(one) for one in cast("list[Any]", source)]
        return lambda: [part() for part in parts]
    if hasattr(source, "read"):
        data, name = source.read(), str(getattr(source, "name", f"<{type(source).__name__}>"))
        return lambda: KeptFile(data, name)
    return lambda: source
