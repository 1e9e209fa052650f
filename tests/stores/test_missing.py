"""Missing, empty and unreadable objects raise the errors of local files, which name the URL."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arrowfeed as af
import pytest
from azure.storage.blob import ContainerClient
from conftest import KINDS
from rows import DATASETS, FORMATS, READERS, file_of, ids, plan_splits, read_split
from stores import AZURE_ACCOUNT, AZURE_KEY, BUCKET, Store

STORES_AND_FORMATS = [*((kind, "avro") for kind in KINDS), *(("http", each) for each in FORMATS[1:])]


def outcome(call: Any) -> tuple[type, str]:
    """The rows of a reader, or the class and text of the error."""
    try:
        return list, str(ids(call()))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(("kind", "format"), STORES_AND_FORMATS)
def test_a_missing_object_is_an_error_that_names_its_url(
    make_store: Callable[[str], Store], kind: str, format: str
) -> None:
    store = make_store(kind)
    url, options = store.url_of(f"none.{format}"), {"storage_options": store.storage_options}
    calls = {
        "read": lambda: READERS[format](url, **options),
        "dataset": lambda: DATASETS[format](url, **options),
        "open": lambda: af.open_dataset(url, **options),
    }
    if format == "avro":
        calls["schema"] = lambda: af.avro_schema(url, **options)
        calls["splits"] = lambda: plan_splits(url, **options)
        calls["split"] = lambda: list(read_split(af.Split(url, 0, 10), **options))
    for name, call in calls.items():
        with pytest.raises(FileNotFoundError) as caught:
            call()
        assert caught.value.filename == url, name
        assert url in str(caught.value)
        assert "no such object" in str(caught.value) or "status 404" in str(caught.value)
        assert "attempts" not in str(caught.value)


def test_a_later_missing_object_is_an_error_after_the_rows_before_it(store: Store) -> None:
    store.put("a.avro", file_of("avro", range(5)))
    urls = [store.url_of("a.avro"), store.url_of("none.avro")]
    for threads in (1, 2):
        reader = af.read_avro(urls, storage_options=store.storage_options, threads=threads)
        assert ids([next(reader)]) == list(range(5))
        with pytest.raises(FileNotFoundError) as caught:
            next(reader)
        assert caught.value.filename == urls[1]
        with pytest.raises(StopIteration):
            next(reader)


def test_skip_file_reports_a_missing_object(store: Store) -> None:
    store.put("a.avro", file_of("avro", range(5)))
    urls = [store.url_of("a.avro"), store.url_of("none.avro"), store.url_of("a.avro")]
    options = {"storage_options": store.storage_options}
    for threads in (1, 2):
        reader = af.read_avro(urls, on_error="skip_file", threads=threads, **options)
        assert ids(reader) == [*range(5), *range(5)]
        skipped = reader.report()["skipped"]
        assert [each["path"] for each in skipped] == [urls[1]]
        reader = af.read_avro(urls, on_error="skip_block", threads=threads, **options)
        with pytest.raises(FileNotFoundError):
            list(reader)


@pytest.mark.parametrize("kind", ["s3", "gcs", "azure", "http"])
def test_a_missing_bucket_is_an_error_that_names_the_url(
    make_store: Callable[[str], Store], kind: str
) -> None:
    store = make_store(kind)
    bucket = "plain" if kind == "http" else BUCKET
    # fake-gcs-server answers 500 to such a listing.
    for name in ("a.avro", *(["*.avro", ""] if kind in ("s3", "azure") else [])):
        url = store.url_of(name).replace(f"/{bucket}", "/there-is-none")
        with pytest.raises(FileNotFoundError) as caught:
            af.read_avro(url, storage_options=store.storage_options)
        assert caught.value.filename == url


def test_wrong_credentials_are_a_permission_error(make_store: Callable[[str], Store]) -> None:
    store = make_store("azure")
    # The container of the other tests is public in Azurite.
    container = ContainerClient(f"{store.direct}/{AZURE_ACCOUNT}", "private", credential=AZURE_KEY)
    container.create_container()
    container.upload_blob("a.avro", file_of("avro", range(5)))
    right = {"storage_options": store.storage_options}
    assert ids(af.read_avro("az://private/*.avro", **right)) == list(range(5))
    key = base64.b64encode(b"another key of the account" * 3).decode()
    wrong = {"storage_options": {**store.storage_options, "azure_storage_account_key": key}}
    for url in ("az://private/a.avro", "az://private/*.avro"):
        with pytest.raises(PermissionError, match="status 403 ") as caught:
            af.read_avro(url, **wrong)
        assert url in str(caught.value)
        assert "attempts" not in str(caught.value)
        assert key not in str(caught.value)


@pytest.mark.parametrize(("kind", "format"), STORES_AND_FORMATS)
@pytest.mark.parametrize("size", [0, 1])
def test_an_object_of_no_bytes_or_one_is_read_like_such_a_file(
    make_store: Callable[[str], Store], kind: str, format: str, size: int, tmp_path: Path
) -> None:
    store = make_store(kind)
    name, body = f"a.{format}", b"7"[:size]
    store.put(name, body)
    (tmp_path / name).write_bytes(body)
    url, path = store.url_of(name), str(tmp_path / name)
    options = {"storage_options": store.storage_options}
    for make in (READERS[format], af.open_dataset, DATASETS[format]):

        def rows(source: str, make: Any = make, **options: Any) -> Any:
            made = make(source, **options)
            return made.record_batches(batch_size=5) if isinstance(made, af.Dataset) else made

        kind, text = outcome(lambda: rows(url, **options))
        assert (kind, text.replace(url, path)) == outcome(lambda: rows(path))


@pytest.mark.parametrize("size", [0, 1])
def test_small_objects_among_others_change_nothing(store: Store, size: int) -> None:
    store.put("a.csv", file_of("csv", range(5), pad=1))
    store.put("b.csv", file_of("csv", range(0), pad=1) + b"\n"[:size])
    urls = [store.url_of(name) for name in ("a.csv", "b.csv", "a.csv")]
    reader = af.read_csv(urls, storage_options=store.storage_options, threads=2)
    assert ids(reader) == [*range(5), *range(5)]
    dataset = af.CsvDataset(urls, storage_options=store.storage_options)
    assert dataset.num_rows == 10
    assert sorted(ids(dataset.record_batches(batch_size=3, shuffle_buffer_size=5, seed=1))) == sorted(
        [*range(5), *range(5)]
    )


def test_a_refused_connection_is_an_error_that_names_the_url(make_store: Callable[[str], Store]) -> None:
    store = make_store("http")
    options = {**store.storage_options, "max_retries": "1"}
    url = store.url_of("a.avro").replace(f":{store.server.port}/", ":1/")
    with pytest.raises(OSError, match="refused") as caught:
        af.read_avro(url, storage_options=options)
    assert url in str(caught.value)
    assert "found connection refused after 2 attempts" in str(caught.value)


@pytest.mark.parametrize("kind", ["s3", "gcs", "azure", "http"])
def test_an_unknown_option_is_an_error_that_names_its_key(
    make_store: Callable[[str], Store], kind: str
) -> None:
    store = make_store(kind)
    options = {**store.storage_options, "no_such_key": "hush-hush"}
    with pytest.raises((ValueError, TypeError), match=r"storage_options: .*no_such_key") as caught:
        af.read_avro(store.url_of("a.avro"), storage_options=options)
    assert "hush" not in str(caught.value)
