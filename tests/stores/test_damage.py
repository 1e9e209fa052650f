"""`on_error` skips the same parts of damaged objects as of local files, with the same report."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arrowfeed as af
import pyarrow.parquet as pq
import pytest
from conftest import KINDS
from corpus import Corpus, make_corpus, put_all
from rows import FORMATS, file_of, frames, ids, until_error
from stores import Store


def damaged(format: str) -> bytes:
    """A file of 100 rows, damaged in its middle."""
    body = bytearray(file_of(format, range(100)))
    middle = len(body) // 2
    if format == "parquet":
        groups = pq.ParquetFile(io.BytesIO(body)).metadata
        start = groups.row_group(2).column(1).data_page_offset
        body[start : start + 12] = bytes(12)
    elif format in ("csv", "jsonl"):
        start = body.rindex(b"\n", 0, middle) + 1
        body[start : start + 4] = b'"x"{'
    else:
        body[middle : middle + 12] = bytes(12)
    return bytes(body)


@pytest.fixture(
    params=[*((kind, "avro") for kind in KINDS), *(("http", each) for each in FORMATS[1:])], ids="-".join
)
def corpus(request: pytest.FixtureRequest, make_store: Callable[[str], Store], tmp_path: Path) -> Corpus:
    """A damaged object between two good ones."""
    kind, format = request.param
    files = {
        f"a.{format}": file_of(format, range(200, 240)),
        f"b.{format}": damaged(format),
        f"c.{format}": file_of(format, range(300, 340)),
    }
    return make_corpus(format, make_store(kind), tmp_path, files)


def told(batches: Any) -> tuple[list[Any], list[dict[str, Any]]]:
    """The batches, and the skipped parts."""
    found = frames(batches)
    return found, batches.report()["skipped"]


def failure(batches: Any) -> tuple[list[int], type, str]:
    """The rows before an error, its class and its message."""
    found, error = until_error(batches)
    assert error is not None
    return found, type(error), str(error)


@pytest.mark.parametrize("threads", [1, 2])
def test_damage_is_the_error_that_it_is_in_a_local_file(corpus: Corpus, threads: int) -> None:
    local = failure(corpus.local_reader(threads=threads, batch_size=10))
    found, kind, text = failure(corpus.remote_reader(threads=threads, batch_size=10))
    assert (found, kind, corpus.as_local(text)) == local
    assert found[:40] == list(range(200, 240))


@pytest.mark.parametrize("on_error", ["skip_block", "skip_file"])
def test_readers_skip_the_same_parts_as_of_local_files(corpus: Corpus, on_error: str) -> None:
    for threads in (1, 2):
        local, skipped_local = told(corpus.local_reader(threads=threads, on_error=on_error))
        remote, skipped = told(corpus.remote_reader(threads=threads, on_error=on_error))
        assert remote == local
        assert corpus.as_local(skipped) == skipped_local
        assert len(skipped) >= 1
        assert {each["path"] for each in skipped} == {corpus.urls[1]}
        found = ids(remote)
        assert set(found) >= {*range(200, 240), *range(300, 340)}
        assert len(found) < 180


@pytest.mark.parametrize("on_error", ["skip_block", "skip_file"])
@pytest.mark.parametrize(
    "order",
    [{}, {"shuffle_buffer_size": 50, "seed": 3}, {"shard": (1, 3)}],
    ids=["order", "shuffle", "shard"],
)
def test_datasets_skip_the_same_parts_as_of_local_files(
    corpus: Corpus, on_error: str, order: dict[str, Any]
) -> None:
    options = {"batch_size": 13, "on_error": on_error, "epochs": 2, **order}
    local, skipped_local = told(corpus.local().record_batches(threads=1, **options))
    for threads in (1, 2):
        remote, skipped = told(corpus.remote().record_batches(threads=threads, **options))
        assert remote == local
        assert corpus.as_local(skipped) == skipped_local
        assert len(skipped) >= 1


def test_a_failing_store_is_no_damage(proxied: Store) -> None:
    """A request that fails is an error with `skip_block`, too, and a file with `skip_file`."""
    urls = put_all(
        proxied, {"one.avro": file_of("avro", range(50)), "two.avro": file_of("avro", range(50, 90))}
    )
    options = {"storage_options": {**proxied.storage_options, "max_retries": "1"}}
    for threads in (1, 2):
        proxied.proxy.plan(status_503=1, path_contains="two")
        reader = af.read_avro(urls, on_error="skip_block", threads=threads, **options)
        found, error = until_error(reader)
        assert found == list(range(50))
        assert isinstance(error, OSError)
        assert urls[1] in str(error)
        assert "status 503 Service Unavailable after 2 attempts" in str(error)
        reader = af.read_avro(urls, on_error="skip_file", threads=threads, **options)
        assert ids(reader) == list(range(50))
        [skipped] = reader.report()["skipped"]
        assert skipped["path"] == urls[1]
        assert "status 503" in skipped["error"]
