"""No output and no file contains values of `storage_options`, except a pickled dataset."""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import arrowfeed as af
import pytest
from azure.storage.blob import ContainerClient
from corpus import put_all
from rows import file_of, files_of, ids, plan_splits, until_error
from stores import AZURE_ACCOUNT, AZURE_KEY, Store

FAKE = "hush-%s-do-not-tell"
OPTIONS: dict[str, dict[str, str]] = {
    "s3": {
        "aws_access_key_id": FAKE % "id",
        "aws_secret_access_key": FAKE % "secret",
        "aws_session_token": FAKE % "token",
        "user_agent": FAKE % "agent",
    },
    "gcs": {"user_agent": FAKE % "agent"},
    "azure": {"user_agent": FAKE % "agent"},
    "http": {"user_agent": FAKE % "agent"},
}
"""Options that the servers of the tests ignore."""
KINDS = tuple(OPTIONS)


@pytest.fixture(params=KINDS)
def secretive(request: pytest.FixtureRequest, make_store: Callable[[str], Store]) -> Store:
    """The store of the test on each server that accepts options."""
    store = make_store(request.param)
    put_all(store, files_of("avro", (50, 50)))
    return store


def options(store: Store, **more: str) -> dict[str, Any]:
    """Options with secrets."""
    return {"storage_options": {"max_retries": "0", **store.storage_options, **OPTIONS[store.kind], **more}}


def assert_silent(store: Store, texts: Iterator[str] | list[str]) -> None:
    """No text has a secret."""
    secrets = list(OPTIONS[store.kind].values())
    secrets += [store.storage_options.get("azure_storage_account_key", FAKE)]
    secrets += [base64.b64encode(each.encode()).decode() for each in secrets]
    seen = 0
    for text in texts:
        seen += 1
        for secret in (*secrets, "hush"):
            assert secret not in text
    assert seen > 0


def urls(store: Store) -> list[str]:
    """The URLs of the objects."""
    return [store.url_of("part-0.avro"), store.url_of("part-1.avro")]


def test_output_contains_no_secret(secretive: Store, tmp_path: Path) -> None:
    dataset = af.AvroDataset(urls(secretive), **options(secretive))
    batches = dataset.record_batches(batch_size=30)
    reader = af.read_avro(urls(secretive), **options(secretive))
    next(batches)
    index = tmp_path / "index.json"
    dataset.save_index(index)
    shown = [dataset, batches, reader, af.avro_schema(urls(secretive), **options(secretive))]
    texts = [repr(each) for each in shown] + [str(each) for each in shown]
    texts += [dataset.explain(), json.dumps(batches.state_dict()), json.dumps(batches.report())]
    texts += [dataset.fingerprint, json.dumps(reader.report()), index.read_text(encoding="latin-1")]
    assert_silent(secretive, texts)


def test_splits_have_no_secret(secretive: Store) -> None:
    splits = plan_splits(urls(secretive), target_bytes=400, **options(secretive))
    assert len(splits) > 2
    texts = [
        text for each in splits for text in (repr(each), str(each), pickle.dumps(each).decode("latin-1"))
    ]
    assert_silent(secretive, texts)


def test_a_pickled_dataset_has_its_options_and_reads(secretive: Store) -> None:
    data = pickle.dumps(af.AvroDataset(urls(secretive), **options(secretive)))
    for value in OPTIONS[secretive.kind].values():
        assert value.encode() in data
    copy = pickle.loads(data)
    assert ids(copy.record_batches(batch_size=30)) == list(range(100))
    assert_silent(secretive, [repr(copy), copy.explain()])


def errors(store: Store) -> Iterator[BaseException]:
    """Errors of each kind."""
    calls: list[Callable[[], Any]] = [
        lambda: af.read_avro(store.url_of("none.avro"), **options(store)),
        lambda: af.AvroDataset(store.url_of("none.avro"), **options(store)),
        lambda: plan_splits(store.url_of("none.avro"), **options(store)),
        lambda: af.read_avro(store.url_of("a//b.avro"), **options(store)),
        lambda: af.read_avro(urls(store), **options(store, no_such_key=FAKE % "value")),
        lambda: af.read_avro(urls(store), **options(store, max_requests=FAKE % "number")),
        lambda: af.read_avro(urls(store), **options(store, retry_timeout=FAKE % "time")),
        lambda: af.read_avro(urls(store), **options(store, allow_http=FAKE % "flag")),
        lambda: af.read_avro(urls(store), **options(store, proxy_url=FAKE % "proxy")),
        lambda: af.read_avro(urls(store), storage_options={"user_agent": [FAKE % "agent"]}),
        lambda: af.read_avro(urls(store), storage_options=FAKE % "dict"),
        lambda: af.read_avro(urls(store), storage_options={FAKE.encode(): "a"}),
        lambda: af.read_parquet(urls(store), **options(store)),
        lambda: af.read_avro(urls(store), columns=["none"], **options(store)),
    ]
    for call in calls:
        try:
            call()
        except Exception as error:
            yield error
        else:
            # Some stores accept some values.
            continue


def test_errors_have_no_secret(secretive: Store) -> None:
    found = list(errors(secretive))
    assert len(found) >= 10
    texts = [
        text for error in found for text in (str(error), repr(error), repr(error.args), repr(vars(error)))
    ]
    texts += [repr(error.__cause__) + repr(error.__context__) for error in found]
    assert_silent(secretive, texts)


def test_errors_of_requests_have_no_secret(proxied: Store) -> None:
    proxied.put("a.avro", file_of("avro", range(50)))
    for fault in ("status_503", "status_429", "reset", "short_body", "truncated_length"):
        proxied.proxy.plan(**{fault: 1})
        with pytest.raises(OSError, match="expected") as caught:
            ids(af.read_avro(proxied.url_of("a.avro"), **options(proxied)))
        assert_silent(proxied, [str(caught.value), repr(caught.value), repr(caught.value.args)])


def test_a_wrong_key_is_not_shown(make_store: Callable[[str], Store]) -> None:
    store = make_store("azure")
    # The container of the other tests is public in Azurite.
    container = ContainerClient(f"{store.direct}/{AZURE_ACCOUNT}", "secretive", credential=AZURE_KEY)
    container.create_container()
    for key in ("hush no base64 !", base64.b64encode(b"hush another key").decode()):
        wrong = {"storage_options": {**store.storage_options, "azure_storage_account_key": key}}
        with pytest.raises((OSError, ValueError)) as caught:
            af.read_avro("az://secretive/a.avro", **wrong)
        for text in (str(caught.value), repr(caught.value), repr(caught.value.args)):
            assert key not in text
            assert "hush" not in text


def test_reports_of_skipped_parts_contain_no_secret(proxied: Store) -> None:
    files = {"one.avro": file_of("avro", range(50)), "two.avro": file_of("avro", range(50, 90))}
    names = put_all(proxied, files)
    proxied.proxy.plan(status_503=1, path_contains="two")
    reader = af.read_avro(names, on_error="skip_file", **options(proxied))
    assert ids(reader) == list(range(50))
    skipped = reader.report()["skipped"]
    assert len(skipped) == 1
    assert_silent(proxied, [json.dumps(skipped)])


def test_user_names_and_passwords_of_urls_are_not_shown(make_store: Callable[[str], Store]) -> None:
    store = make_store("s3")
    store.put("a.avro", file_of("avro", range(50)))
    url = store.url_of("a.avro").replace("s3://", "s3://me:hush@")
    dataset = af.AvroDataset(url, storage_options=store.storage_options)
    assert ids(dataset.record_batches(batch_size=50)) == list(range(50))
    missing = store.url_of("none.avro").replace("s3://", "s3://me:hush@")
    rows, error = until_error(
        af.AvroDataset([url, missing], storage_options=store.storage_options).record_batches(batch_size=50)
    )
    assert rows == list(range(50))
    assert isinstance(error, FileNotFoundError)
    assert error.filename == store.url_of("none.avro")
    for text in (repr(dataset), dataset.explain(), repr(dataset.plan_splits()), repr(error)):
        assert "hush" not in text
