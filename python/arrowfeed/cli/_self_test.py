"""The self-test of `arrowfeed doctor`: writes a few rows in each format and codec, and reads tensors."""

from __future__ import annotations

import csv
import functools
import gzip
import io
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import arrowfeed
from arrowfeed import features
from arrowfeed._libraries import wanted
from arrowfeed.cli._installed import AVRO_CODECS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arrowfeed.features import Feature

ROWS: list[dict[str, Any]] = [
    {"id": 1, "value": 0.5, "name": "Ada"},
    {"id": 2, "value": -1.5, "name": "größe"},
    {"id": 3, "value": 1e10, "name": "a b"},
]

_DEFAULTS = {"id": 0, "value": 0.0, "name": b""}


class _Missing(Exception):  # noqa: N818 - not an error
    """A check is skipped, because a library is not installed."""


class Check(NamedTuple):
    """The result of a check."""

    name: str
    """The format and the codec."""
    result: str
    """`ok`, `failed` or `skipped`."""
    message: str
    """The reason, unless it is `ok`."""


def self_test() -> Iterator[Check]:
    """Runs the checks in a temporary directory, one after the other."""
    with tempfile.TemporaryDirectory(prefix="arrowfeed-") as folder:
        for name, (codecs, write) in _WRITERS.items():
            for codec in codecs:
                suffix = ".gz" if write is _text and codec == "gzip" else ""
                path = Path(folder, f"{codec}.{name}{suffix}")
                yield _check(f"{name} {codec}", functools.partial(write, path, codec), path)


def _check(name: str, write: Callable[[], None], path: Path) -> Check:
    try:
        write()
        found = _read(path)
    except _Missing as missing:
        return Check(name, "skipped", str(missing))
    except Exception as error:  # noqa: BLE001 - whatever it is, the other checks run too
        return Check(name, "failed", f"{type(error).__name__}: {error}")
    if found != ROWS:
        return Check(name, "failed", f"expected the rows {ROWS}, found {found}")
    return Check(name, "ok", "")


def _read(path: Path) -> list[dict[str, Any]]:
    """Returns the rows of a file by their ids. They come from tensors of a shuffled iteration."""
    # The columns of TFRecord are lists of one value.
    step = "[0]" if ".tfrecord" in path.suffixes else ""
    tensors_of: dict[str, Feature] = {
        name: features.Dense([], default=default, key=f"{name}{step}") for name, default in _DEFAULTS.items()
    }
    dataset = arrowfeed.open_dataset(path, features=tensors_of)
    rows: list[dict[str, Any]] = []
    for tensors in dataset.tensors(batch_size=2, shuffle_buffer_size=3, seed=0, threads=2):
        columns: dict[str, list[Any]] = {name: tensors[name].values.tolist() for name in _DEFAULTS}
        columns["name"] = [name.decode() for name in columns["name"]]
        rows += [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return sorted(rows, key=lambda row: row["id"])


def _avro(path: Path, codec: Any) -> None:
    arrowfeed.write_avro(_batches(), path, codec=codec)


def _tfrecord(path: Path, codec: Any) -> None:
    arrowfeed.write_tfrecord(_batches(), path, compression=codec)


def _parquet(path: Path, codec: str) -> None:
    parquet = _pyarrow("pyarrow.parquet")
    parquet.write_table(_table(), path, compression=codec)


def _arrow(path: Path, codec: str) -> None:
    pa = _pyarrow("pyarrow")
    table = _table()
    options = _pyarrow("pyarrow.ipc").IpcWriteOptions(compression=None if codec == "none" else codec)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)


def _text(path: Path, codec: str) -> None:
    text = _csv() if ".csv" in path.suffixes else _json_lines()
    data = text.encode()
    path.write_bytes(gzip.compress(data) if codec == "gzip" else data)


def _csv() -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(ROWS[0]))
    writer.writeheader()
    writer.writerows(ROWS)
    return out.getvalue()


def _json_lines() -> str:
    return "".join(f"{json.dumps(row)}\n" for row in ROWS)


def _batches() -> arrowfeed.RecordBatchReader:
    """The rows in Arrow, without another library."""
    return arrowfeed.read_json_lines(_json_lines().encode())


def _table() -> Any:
    """The rows as a `pyarrow.Table`. `pyarrow.table` would import pandas."""
    return _pyarrow("pyarrow").RecordBatchReader.from_stream(_batches()).read_all()


def _pyarrow(module: str) -> Any:
    found = wanted(module)
    if found is None:
        raise _Missing("pyarrow, which writes the file, is not installed")
    return found


_WRITERS: dict[str, tuple[tuple[str, ...], Callable[[Path, Any], None]]] = {
    "avro": (AVRO_CODECS, _avro),
    "tfrecord": (("none", "gzip", "zlib"), _tfrecord),
    "parquet": (("none", "snappy", "gzip", "brotli", "lz4", "zstd"), _parquet),
    "arrow": (("none", "lz4", "zstd"), _arrow),
    "jsonl": (("none", "gzip"), _text),
    "csv": (("none", "gzip"), _text),
}
"""The codecs of each format, and the function that writes a file."""
