"""`store=` accepts stores of obstore and filesystems of fsspec, and fsspec reads URLs of its own schemes."""

from __future__ import annotations

import json
import pickle
import re
import threading
import time
import uuid
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, ClassVar

import arrowfeed as af
import fsspec
import obstore.store
import pyarrow as pa
import pytest
from arrowfeed import _obstore
from corpus import put_all
from fsspec.implementations.local import LocalFileSystem
from limits import is_soon, measures, thread_names, wait_for_threads, wait_until, within
from rows import (
    DATASETS,
    FORMATS,
    READERS,
    SCHEMAS,
    expected,
    file_of,
    files_of,
    ids,
    plan_splits,
    read_split,
    rows_of,
    until_error,
)
from stores import BUCKET, Store

SECONDS = 60
SIZES = (40, 0, 30)
TOTAL = sum(SIZES)
OBSTORES = ("s3", "azure", "gcs")


def obstore_of(store: Store, **options: Any) -> Any:
    """The bucket as a store of obstore."""
    # obstore panics when it is asked for a pickle of a store that has these among the keys of its bucket.
    own = ("allow_http", "aws_allow_http")
    config: Any = {key: value for key, value in store.storage_options.items() if key not in own}
    kinds = {"s3": obstore.store.S3Store, "azure": obstore.store.AzureStore, "gcs": obstore.store.GCSStore}
    return kinds[store.kind](BUCKET, config=config, client_options={"allow_http": True}, **options)


@pytest.fixture(params=OBSTORES)
def given(request: pytest.FixtureRequest, make_store: Callable[[str], Store]) -> tuple[Any, str, Store]:
    """A store of obstore, the prefix of the test in it, and the test's store."""
    store = make_store(request.param)
    return obstore_of(store), store.prefix, store


@pytest.fixture
def memory() -> Iterator[tuple[Any, str]]:
    """fsspec's filesystem in memory, and a directory in it."""
    filesystem, name = fsspec.filesystem("memory"), f"/arrowfeed-{uuid.uuid4().hex}"
    yield filesystem, name
    filesystem.rm(name, recursive=True)


@pytest.fixture
def local(tmp_path: Path) -> tuple[Any, str]:
    """fsspec's local filesystem, and a directory in it."""
    return LocalFileSystem(), str(tmp_path)


@pytest.fixture(params=["memory", "local"])
def filesystem(request: pytest.FixtureRequest) -> tuple[Any, str]:
    """A filesystem of fsspec, and a directory in it."""
    return request.getfixturevalue(request.param)


def put_in(filesystem: Any, directory: str, files: dict[str, bytes]) -> list[str]:
    """Put files into a filesystem of fsspec. Returns their paths."""
    for name, body in files.items():
        filesystem.pipe_file(f"{directory}/{name}", body)
    return [f"{directory}/{name}" for name in files]


@pytest.mark.parametrize("format", FORMATS)
def test_a_store_of_obstore_gives_the_rows(given: tuple[Any, str, Store], format: str) -> None:
    bucket, prefix, store = given
    put_all(store, files_of(format, SIZES))
    names = [f"{prefix}/part-{part}.{format}" for part in range(len(SIZES))]
    for threads in (1, 2):
        reader = READERS[format](names, store=bucket, threads=threads, **SCHEMAS[format])
        assert rows_of(reader) == expected(range(TOTAL))
    for source in (names, f"{prefix}/part-*.{format}", prefix, f"{prefix}/"):
        dataset = DATASETS[format](source, store=bucket, **SCHEMAS[format])
        assert dataset.num_rows == TOTAL
        found = ids(dataset.record_batches(batch_size=9, shuffle_buffer_size=30, seed=1, threads=2))
        assert sorted(found) == list(range(TOTAL))
    dataset = af.open_dataset(names, store=bucket)
    assert type(dataset) is DATASETS[format]
    assert ids(dataset.record_batches(batch_size=9)) == list(range(TOTAL))


def test_a_store_of_obstore_is_known_by_its_names(given: tuple[Any, str, Store]) -> None:
    bucket, prefix, store = given
    put_all(store, files_of("avro", SIZES))
    name = f"{prefix}/part-0.avro"
    splits = plan_splits(name, target_bytes=300, store=bucket)
    assert {split.path for split in splits} == {name}
    assert ids(batch for split in splits for batch in read_split(split, store=bucket)) == list(range(40))
    assert af.avro_schema(name, store=bucket).codec == "deflate"
    with pytest.raises(FileNotFoundError) as caught:
        af.read_avro(f"{prefix}/none.avro", store=bucket)
    assert caught.value.filename == f"{prefix}/none.avro"
    with pytest.raises(FileNotFoundError):
        af.read_avro(f"{prefix}/none-*.avro", store=bucket)


def test_a_store_of_obstore_takes_new_objects(given: tuple[Any, str, Store]) -> None:
    bucket, prefix, store = given
    if store.kind == "gcs":
        pytest.skip("SKIPPED gcs: expected a server with the XML API for uploads, found fake-gcs-server")
    table = pa.Table.from_pylist(expected(range(50)))
    assert af.write_avro(table, f"{prefix}/a.avro", store=bucket) == 50
    assert rows_of(af.read_avro(store.get("a.avro"))) == expected(range(50))


def test_a_dataset_of_a_store_of_obstore_is_pickled_with_it(given: tuple[Any, str, Store]) -> None:
    bucket, prefix, store = given
    put_all(store, files_of("avro", SIZES))
    copy = pickle.loads(pickle.dumps(af.AvroDataset(f"{prefix}/*.avro", store=bucket)))
    assert ids(copy.record_batches(batch_size=9)) == list(range(TOTAL))


def test_a_store_with_a_prefix_has_names_below_it(make_store: Callable[[str], Store]) -> None:
    store = make_store("s3")
    put_all(store, files_of("avro", SIZES))
    bucket = obstore_of(store, prefix=store.prefix)
    assert ids(af.read_avro("part-0.avro", store=bucket)) == list(range(40))
    assert ids(af.read_avro("*.avro", store=bucket)) == list(range(TOTAL))


@pytest.mark.parametrize("format", FORMATS)
def test_a_filesystem_of_fsspec_gives_the_rows(filesystem: tuple[Any, str], format: str) -> None:
    files, directory = filesystem
    paths = put_in(files, directory, files_of(format, SIZES))
    for threads in (1, 2):
        reader = READERS[format](paths, store=files, threads=threads, **SCHEMAS[format])
        assert rows_of(reader) == expected(range(TOTAL))
    for source in (paths, f"{directory}/part-*.{format}", directory):
        dataset = DATASETS[format](source, store=files, **SCHEMAS[format])
        found = ids(dataset.record_batches(batch_size=9, shuffle_buffer_size=30, seed=1, threads=2))
        assert sorted(found) == list(range(TOTAL))
    dataset = af.open_dataset(paths, store=files)
    batches = dataset.record_batches(batch_size=9, threads=2)
    first = ids([next(batches)])
    state = json.loads(json.dumps(batches.state_dict()))
    again = dataset.record_batches(batch_size=9, threads=1)
    again.load_state_dict(state)
    assert first + ids(again) == list(range(TOTAL))
    splits = dataset.plan_splits(target_bytes=1000)
    assert ids(batch for split in splits for batch in dataset.read_split(split)) == list(range(TOTAL))


def test_a_url_that_only_fsspec_knows_is_read(tmp_path: Path, memory: tuple[Any, str]) -> None:
    files, directory = memory
    put_in(files, directory, files_of("avro", SIZES))
    put_in(LocalFileSystem(), str(tmp_path), files_of("avro", SIZES))
    # fsspec also uses the scheme `local` for files.
    for url in (f"local://{tmp_path}", f"memory:/{directory}"):
        assert ids(af.read_avro(f"{url}/part-0.avro")) == list(range(40))
        assert ids(af.read_avro(f"{url}/*.avro", threads=2)) == list(range(TOTAL))
        dataset = af.AvroDataset([f"{url}/part-0.avro", f"{url}/part-2.avro"])
        copy = pickle.loads(pickle.dumps(dataset))
        assert ids(copy.record_batches(batch_size=9)) == list(range(TOTAL))
        with pytest.raises(FileNotFoundError):
            af.read_avro(f"{url}/none.avro")


def test_an_unknown_url_is_an_error() -> None:
    with pytest.raises((ValueError, ImportError), match="nosuchscheme"):
        af.read_avro("nosuchscheme://host/a.avro")


def test_a_chain_of_urls_of_fsspec_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.avro", file_of("avro", range(50)))
    assert ids(af.read_avro(f"zip://a.avro::{tmp_path}/a.zip")) == list(range(50))
    files = fsspec.filesystem("zip", fo=str(tmp_path / "a.zip"))
    assert ids(af.read_avro("a.avro", store=files)) == list(range(50))


class Failing(LocalFileSystem):
    """A filesystem whose reads fail or are slow."""

    protocol = "failing"
    cachable = False

    def __init__(self, error: Exception | None = None, wait: threading.Event | None = None) -> None:
        super().__init__()
        self.error, self.wait = error, wait
        self.armed = False
        self.asked = 0

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> bytes:
        self.asked += 1
        if self.armed and self.error is not None:
            raise self.error
        if self.armed and self.wait is not None:
            self.wait.wait(600)
        return super().cat_file(path, start=start, end=end, **options)


@pytest.mark.parametrize("error", [PermissionError(13, "hush"), KeyError("a reason"), TimeoutError("late")])
def test_an_error_of_a_filesystem_is_raised(tmp_path: Path, error: Exception) -> None:
    files = Failing(error)
    paths = put_in(files, str(tmp_path), files_of("avro", SIZES))
    for threads in (1, 2):
        files.armed = False
        reader = af.read_avro(paths, store=files, threads=threads)
        files.armed = True
        rows, raised = within(SECONDS, lambda reader=reader: until_error(reader))
        assert type(raised) is type(error)
        assert rows == list(range(len(rows)))


@measures
def test_a_filesystem_that_waits_does_not_hold_close(tmp_path: Path, measure: str) -> None:
    def of_close() -> float:
        release = threading.Event()
        files = Failing(wait=release)
        paths = put_in(files, str(tmp_path), files_of("avro", SIZES))
        before = thread_names()
        reader = af.read_avro(paths, store=files, threads=2)
        files.armed = True
        waiting = threading.Thread(target=until_error, args=(reader,), daemon=True)
        asked = files.asked
        waiting.start()
        wait_until(lambda: files.asked > asked)
        begin = time.monotonic()
        within(60, reader.close)
        seconds = time.monotonic() - begin
        waiting.join(60)
        assert not waiting.is_alive()
        release.set()
        wait_for_threads(before)
        return seconds

    is_soon(measure, 0.5, of_close)


def test_a_file_of_fsspec_that_changes_is_an_error(memory: tuple[Any, str]) -> None:
    files, directory = memory
    [path] = put_in(files, directory, {"a.avro": file_of("avro", range(100))})
    dataset = af.AvroDataset(path, store=files)
    batches = dataset.record_batches(batch_size=100, epochs=2, threads=1)
    assert ids([next(batches)]) == list(range(100))
    put_in(files, directory, {"a.avro": file_of("avro", range(150))})
    rows, error = within(SECONDS, lambda: until_error(batches))
    assert (rows, type(error)) == ([], af.ChangedError)


def test_a_filesystem_of_fsspec_is_not_written_to(filesystem: tuple[Any, str]) -> None:
    files, directory = filesystem
    message = (
        "store: expected an obstore store to write to, found an fsspec filesystem, which arrowfeed only reads"
    )
    put_in(files, directory, {"other.avro": b""})
    table = pa.table({"id": [1]})
    for write, name in [(af.write_avro, "a.avro"), (af.write_tfrecord, "a.tfrecord")]:
        with pytest.raises(ValueError, match=f"{re.escape(message)}$"):
            write(table, f"{directory}/{name}", store=files)
        assert not files.exists(f"{directory}/{name}")


S3_KEYS = ("aws_access_key_id", "aws_secret_access_key")


@pytest.mark.parametrize("kind", ["function", "coroutine function", "callable"])
def test_a_credential_provider_is_called_once_until_its_credential_expires(
    make_store: Callable[[str], Store], kind: str
) -> None:
    store = make_store("s3")
    put_all(store, files_of("avro", SIZES))
    calls: list[int] = []
    lifetime = timedelta(hours=1)

    def credential() -> dict[str, Any]:
        calls.append(1)
        key, secret = (store.storage_options[name] for name in S3_KEYS)
        expires = datetime.now(timezone.utc) + lifetime
        return {"access_key_id": key, "secret_access_key": secret, "token": None, "expires_at": expires}

    async def later() -> dict[str, Any]:
        return credential()

    class Provider:
        refresh_threshold = timedelta(minutes=1)

        def __call__(self) -> dict[str, Any]:
            return credential()

    provider = {"function": credential, "coroutine function": later, "callable": Provider()}[kind]
    config = {
        key: value
        for key, value in store.storage_options.items()
        if "allow_http" not in key and key not in S3_KEYS
    }
    options: Any = {"config": config, "client_options": {"allow_http": True}, "credential_provider": provider}
    bucket = obstore.store.S3Store(BUCKET, **options)
    assert ids(af.read_avro(f"{store.prefix}/*.avro", store=bucket)) == list(range(TOTAL))
    assert len(calls) == 1
    # Each request is made with a new credential, because the last one is about to expire.
    lifetime = timedelta(seconds=0)
    calls.clear()
    assert ids(
        af.read_avro(f"{store.prefix}/*.avro", store=obstore.store.S3Store(BUCKET, **options))
    ) == list(range(TOTAL))
    assert len(calls) > 1


def test_an_error_of_a_credential_provider_is_an_error_without_its_text(
    make_store: Callable[[str], Store],
) -> None:
    store = make_store("s3")
    put_all(store, files_of("avro", SIZES))

    def fails() -> Any:
        raise RuntimeError("secret")

    config: Any = {"endpoint": store.storage_options["aws_endpoint"], "region": "us-east-1"}
    client: Any = {"allow_http": True}
    bucket = obstore.store.S3Store(BUCKET, config=config, client_options=client, credential_provider=fails)
    with pytest.raises(PermissionError) as caught:
        af.read_avro(f"{store.prefix}/part-0.avro", store=bucket)
    assert "secret" not in str(caught.value)


def test_options_of_clients_and_retries_are_accepted(make_store: Callable[[str], Store]) -> None:
    store = make_store("s3")
    put_all(store, files_of("avro", SIZES))
    config: Any = {key: value for key, value in store.storage_options.items() if "allow_http" not in key}
    client: Any = {
        "allow_http": True,
        "timeout": timedelta(seconds=20),
        "connect_timeout": "5s",
        "default_headers": {"x-one": "1", "x-two": b"2"},
    }
    backoff: Any = {
        "init_backoff": timedelta(milliseconds=10),
        "max_backoff": timedelta(seconds=1),
        "base": 2,
    }
    retry: Any = {"max_retries": 2, "retry_timeout": timedelta(seconds=9), "backoff": backoff}
    bucket = obstore.store.S3Store(BUCKET, config=config, client_options=client, retry_config=retry)
    assert ids(af.read_avro(f"{store.prefix}/*.avro", store=bucket)) == list(range(TOTAL))


def test_the_configuration_of_a_store_is_read_as_plain_values() -> None:
    class Provider:
        config: ClassVar = {"region": "a", "bucket": "other"}
        refresh_threshold = timedelta(seconds=30)

        def __call__(self) -> Any:
            return {"token": "t", "expires_at": None}

    provider = Provider()
    retry: Any = {"max_retries": 3, "backoff": {"init_backoff": timedelta(milliseconds=5)}}
    client: Any = {"timeout": timedelta(milliseconds=1500), "default_headers": {"x": "1"}, "http2_only": True}
    store = obstore.store.S3Store(
        "b", prefix="p/q", client_options=client, retry_config=retry, credential_provider=provider
    )
    found = _obstore.configuration_of(store)
    assert found is not None
    assert (found.kind, found.root, found.prefix, found.provider) == ("S3Store", None, "p/q", provider)
    assert dict(found.config) == {"bucket": "b", "region": "a"}
    assert dict(found.client) == {"timeout": found_timeout(found.client), "http2_only": "true"}
    assert [(name, bytes(value)) for name, value in found.headers] == [("x", b"1")]
    assert (found.retry["max_retries"], found.retry["init_backoff"], found.refresh) == (3.0, 0.005, 30.0)
    assert _obstore.credential_of(provider) == ({"token": "t"}, None)
    token, left = _obstore.credential_of(
        lambda: {"sas_token": "?a=1%3D&b=2", "expires_at": datetime.now(timezone.utc) + timedelta(seconds=50)}
    )
    assert token == {"sas_token": [("a", "1="), ("b", "2")]}
    assert left is not None
    assert 40 < left <= 50


def found_timeout(client: list[tuple[str, str]]) -> str:
    """The timeout, which obstore returns as a text of its own form."""
    [timeout] = [value for key, value in client if key == "timeout"]
    assert "500ms" in timeout or "1500" in timeout
    return timeout


def test_local_and_http_stores_of_obstore_are_read(
    tmp_path: Path, make_store: Callable[[str], Store]
) -> None:
    (tmp_path / "a.avro").write_bytes(file_of("avro", range(50)))
    for prefix, name in ((tmp_path, "a.avro"), (None, str(tmp_path / "a.avro").lstrip("/"))):
        assert ids(af.read_avro(name, store=obstore.store.LocalStore(prefix))) == list(range(50))
    store = make_store("http")
    put_all(store, files_of("avro", SIZES))
    server, name = store.url.rstrip("/").rsplit("/", 1)
    client: Any = {"allow_http": True}
    served = obstore.store.HTTPStore(server, client_options=client)
    assert ids(af.read_avro(f"{name}/part-0.avro", store=served)) == list(range(40))


@pytest.mark.parametrize("wrong", [5, "s3://bucket", object(), {"a": 1}, Path(), fsspec, LocalFileSystem])
def test_another_value_is_no_store(wrong: Any) -> None:
    message = r"^store: expected an obstore store \(not MemoryStore\) or an fsspec filesystem, found "
    for call in (af.read_avro, af.AvroDataset, plan_splits, af.avro_schema):
        with pytest.raises(TypeError, match=message):
            call("a.avro", store=wrong)


def test_a_memory_store_of_obstore_is_refused() -> None:
    message = (
        r"^store: expected an obstore store \(not MemoryStore\) or an fsspec filesystem, found MemoryStore "
    )
    with pytest.raises(TypeError, match=message):
        af.read_avro("a.avro", store=obstore.store.MemoryStore())
