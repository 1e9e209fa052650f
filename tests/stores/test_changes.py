"""An object that changes during the read is an error, as is another object for a split, index or state."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arrowfeed as af
import pytest
from corpus import ProxyOf
from limits import within
from rows import DATASETS, FORMATS, READERS, SCHEMAS, SYNC, file_of, ids, large_of, read_split, until_error
from stores import HttpStore, Store

SMALL = {"request_bytes": "100000", "read_ahead_bytes": "200000", "max_requests": "2"}
"""Options that keep requests close to the yielded rows."""
ROWS = 4000
SECONDS = 60
OPENED = "expected the object to be unchanged since it was opened"


class HttpNoEtagStore(HttpStore):
    """The server sends no ETag, but Last-Modified, in seconds."""

    kind = "http-no-etag"
    variant = "no-etag"
    checks_etag = False


def body_of(format: str) -> bytes:
    """The object before its change, of some 4 MB: a unit of work is 1 MiB."""
    return large_of(format, range(ROWS))


CHANGES: dict[str, Callable[[str, bytes], bytes]] = {
    "longer": lambda format, _: large_of(format, range(ROWS + 500)),
    "shorter": lambda format, _: large_of(format, range(ROWS - 500)),
    "same-length": lambda _, body: body[:-9000] + bytes([body[-9000] ^ 1]) + body[-8999:],
    "empty": lambda _, __: b"",
}


def changed(store: Store, format: str, change: str, **options: Any) -> tuple[list[int], Exception | None]:
    """The rows of an object that changes after the first batch, and the error."""
    name = f"a.{format}"
    store.put(name, body_of(format))
    storage = {"storage_options": {**store.storage_options, **SMALL}}
    reader = READERS[format](store.url_of(name), batch_size=20, **SCHEMAS[format], **storage, **options)
    first = ids([next(reader)])
    store.put(name, CHANGES[change](format, body_of(format)))
    rest, error = within(SECONDS, lambda: until_error(reader))
    return first + rest, error


def check_changed(store: Store, found: list[int], error: Exception | None, format: str = "avro") -> None:
    """The rows are those of the original object, and the error says that the object has changed."""
    assert isinstance(error, af.ChangedError), repr(error)
    assert OPENED in str(error)
    assert error.path == store.url_of(f"a.{format}")
    assert found == list(range(len(found)))
    assert 20 <= len(found) < ROWS


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_object_is_an_error(store: Store, change: str, threads: int) -> None:
    check_changed(store, *changed(store, "avro", change, threads=threads))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_object_is_an_error_in_every_format(
    make_store: Callable[[str], Store], format: str, change: str
) -> None:
    store = make_store("http")
    check_changed(store, *changed(store, format, change, threads=1), format)


@pytest.mark.parametrize("format", FORMATS)
def test_skip_block_does_not_pass_over_a_change(make_store: Callable[[str], Store], format: str) -> None:
    store = make_store("http")
    found, error = changed(store, format, "same-length", threads=1, on_error="skip_block")
    check_changed(store, found, error, format)


@pytest.mark.parametrize("change", ["longer", "shorter", "empty"])
def test_without_validators_the_length_shows_a_change(
    make_store: Callable[[str], Store], change: str
) -> None:
    store = make_store("http-no-validators")
    check_changed(store, *changed(store, "avro", change, threads=1))


def test_without_an_etag_the_modification_time_shows_a_change(make_store: Callable[[str], Store]) -> None:
    plain = make_store("http")
    store = HttpNoEtagStore(plain.server, plain.prefix)
    store.put("a.avro", body_of("avro"))
    options = {**store.storage_options, **SMALL}
    reader = af.read_avro(store.url_of("a.avro"), batch_size=20, threads=1, storage_options=options)
    first = ids([next(reader)])
    # The time has a resolution of seconds.
    time.sleep(1.1)
    store.put("a.avro", CHANGES["same-length"]("avro", body_of("avro")))
    rest, error = within(SECONDS, lambda: until_error(reader))
    assert isinstance(error, af.ChangedError), repr(error)
    assert first + rest == list(range(len(first + rest)))


def test_a_server_that_ignores_if_match_is_found_out(
    make_store: Callable[[str], Store], proxy_of: ProxyOf
) -> None:
    """fake-gcs-server ignores `If-Match`, so the ETag of the response is compared."""
    found, error = changed(make_store("gcs"), "avro", "same-length", threads=1)
    assert isinstance(error, af.ChangedError), repr(error)
    assert "ETag" in str(error)
    assert len(found) < ROWS


def test_a_removed_object_is_an_error(store: Store) -> None:
    store.put("a.avro", body_of("avro"))
    options = {**store.storage_options, **SMALL}
    reader = af.read_avro(store.url_of("a.avro"), batch_size=20, threads=1, storage_options=options)
    first = ids([next(reader)])
    store.delete("a.avro")
    rest, error = within(SECONDS, lambda: until_error(reader))
    assert isinstance(error, (FileNotFoundError, af.ChangedError)), repr(error)
    assert first + rest == list(range(len(first + rest)))
    assert len(first + rest) < ROWS


@pytest.mark.parametrize("change", ["longer", "shorter"])
def test_an_object_that_changes_between_epochs_is_an_error(store: Store, change: str) -> None:
    store.put("a.avro", body_of("avro"))
    dataset = af.AvroDataset(store.url_of("a.avro"), storage_options=store.storage_options)
    for options in ({}, {"shuffle_buffer_size": 100, "seed": 1}):
        store.put("a.avro", body_of("avro"))
        batches = dataset.record_batches(batch_size=ROWS, epochs=2, threads=1, **options)
        assert sorted(ids([next(batches)])) == list(range(ROWS))
        store.put("a.avro", CHANGES[change]("avro", body_of("avro")))
        found, error = within(SECONDS, lambda batches=batches: until_error(batches))
        assert isinstance(error, af.ChangedError), repr(error)
        assert found == []


def other(format: str, kind: str) -> bytes:
    """Another file: of another length, or of the same length with another fingerprint."""
    body = file_of(format, range(200))
    if kind == "length":
        return file_of(format, range(210))
    if format == "avro":
        return body.replace(SYNC, bytes(reversed(SYNC)))
    at = body.rindex(b"parquet-cpp-arrow")
    return body[:at] + b"parquet-rs--arrow" + body[at + 17 :]


IDENTIFIED = ("avro", "parquet")


@pytest.mark.parametrize("format", IDENTIFIED)
@pytest.mark.parametrize("kind", ["length", "fingerprint"])
def test_a_split_is_of_the_object_that_it_was_planned_for(store: Store, format: str, kind: str) -> None:
    name = f"a.{format}"
    store.put(name, file_of(format, range(200)))
    dataset = DATASETS[format](store.url_of(name), storage_options=store.storage_options)
    splits = dataset.plan_splits(target_bytes=1000)
    assert len(splits) > 1
    store.put(name, file_of(format, range(200)))
    # A copy is the same file.
    assert ids(itertools.chain(*map(dataset.read_split, splits))) == list(range(200))
    store.put(name, other(format, kind))
    for split in splits:
        for rows in (
            lambda split=split: ids(dataset.read_split(split)),
            lambda split=split: ids(
                read_split(split, DATASETS[format], storage_options=store.storage_options)
            ),
        ):
            with pytest.raises(af.ChangedError) as caught:
                within(SECONDS, rows)
            assert caught.value.path == store.url_of(name)


@pytest.mark.parametrize("format", IDENTIFIED)
@pytest.mark.parametrize("kind", ["length", "fingerprint"])
def test_an_index_is_of_the_objects_that_it_was_saved_for(
    store: Store, format: str, kind: str, tmp_path: Path
) -> None:
    name, index = f"a.{format}", tmp_path / "index.json"
    store.put(name, file_of(format, range(200)))
    options = {"storage_options": store.storage_options}
    DATASETS[format](store.url_of(name), **options).save_index(index)
    store.put(name, file_of(format, range(200)))
    dataset = DATASETS[format](store.url_of(name), index=index, **options)
    assert ids(dataset.record_batches(batch_size=50)) == list(range(200))
    store.put(name, other(format, kind))

    def rows() -> list[int]:
        dataset = DATASETS[format](store.url_of(name), index=index, **options)
        return ids(dataset.record_batches(batch_size=50, shuffle_buffer_size=100, seed=1))

    with pytest.raises(af.ChangedError):
        within(SECONDS, rows)


@pytest.mark.parametrize("format", IDENTIFIED)
@pytest.mark.parametrize("kind", ["length", "fingerprint"])
def test_a_state_is_of_the_objects_that_it_was_saved_for(store: Store, format: str, kind: str) -> None:
    name = f"a.{format}"
    store.put(name, file_of(format, range(200)))

    def iterate() -> Any:
        dataset = DATASETS[format](store.url_of(name), storage_options=store.storage_options)
        return dataset.record_batches(batch_size=50, threads=1)

    batches = iterate()
    next(batches)
    state = batches.state_dict()
    again = iterate()
    again.load_state_dict(state)
    assert ids(again) == list(range(50, 200))
    store.put(name, other(format, kind))

    def rest() -> list[int]:
        again = iterate()
        again.load_state_dict(state)
        return ids(again)

    with pytest.raises(af.ChangedError):
        within(SECONDS, rest)
