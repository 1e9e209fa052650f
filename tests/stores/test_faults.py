"""Under faults of servers and networks, the rows are correct or an error names the fault.

200 epochs over all stores; `ARROWFEED_STORE_EPOCHS=2000` for the long mode.
"""

from __future__ import annotations

import itertools
import os
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arrowfeed as af
import pytest
from azure.storage.blob import ContainerClient
from corpus import ProxyOf, put_all
from faults import KINDS
from limits import all_within, within
from rows import DATASETS, FORMATS, SCHEMAS, expected, file_of, files_of, ids, rows_of
from stores import AZURE_ACCOUNT, AZURE_KEY, Store
from ways import WAYS, Files, Rows

EPOCHS = int(os.environ.get("ARROWFEED_STORE_EPOCHS", "200"))
SHARES = {"http": 4, "s3": 2, "gcs": 2, "azure": 2}
"""Tenths of the epochs."""
AT_ONCE = 8
EACH = 5
"""Epochs that run at the same time, and epochs of each thread for which a plan stays."""
ROUND_SECONDS = 60
PASSING = tuple(kind for kind in KINDS if kind != "wrong_etag")
LIMITS = {"request_bytes": "300", "request_timeout": "0.3", "retry_timeout": "20"}

PLANS: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "they pass": (
        {"max_retries": "12"},
        {
            **{"reset": 0.03, "status_503": 0.03, "status_429": 0.015, "status_500": 0.01},
            **{"short_body": 0.025, "truncated_length": 0.02, "truncate_close": 0.015, "stall": 0.005},
        },
    ),
    "they last": (
        {"max_retries": "1"},
        {"reset": 0.04, "status_503": 0.04, "short_body": 0.03, "stall": 0.002},
    ),
    "another object": ({"max_retries": "12"}, {"wrong_etag": 0.03, "reset": 0.02}),
}
"""Options of the store, and the plan of the proxy."""


STORES_AND_FORMATS = [*((kind, "avro") for kind in SHARES), *(("http", each) for each in FORMATS[1:])]


class Epochs:
    """Epochs over copies of the same files, some at a time, and their outcomes."""

    def __init__(self, store: Store, tmp_path: Path) -> None:
        self.store = store
        self.sources: dict[tuple[str, int], tuple[list[str], Path]] = {}
        self.expected: dict[tuple[str, str], Rows] = {}
        self.outcomes: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.retries = 0
        for format in FORMATS:
            files = files_of(format, (40, 30, 30), pad=1)
            index = tmp_path / f"{format}.index.json"
            for name, body in files.items():
                (tmp_path / name).write_bytes(body)
            local = Files(format, [str(tmp_path / name) for name in files], index=index)
            local.dataset().save_index(index)
            for way, run in WAYS.items():
                self.expected[format, way] = run(local)
                assert {row["id"] for row in self.expected[format, way]} == set(range(100))
            for copy in range(AT_ONCE):
                copied = store.at(f"{store.prefix}/{copy}")
                index = tmp_path / f"{format}.{copy}.index.json"
                self.sources[format, copy] = (put_all(copied, files), index)
                options = {"storage_options": store.storage_options}
                Files(format, self.sources[format, copy][0], options).dataset().save_index(index)

    def run(self, plan: str, first: int, count: int) -> None:
        """Run epochs with the faults of a plan."""
        for start in range(first, first + count, AT_ONCE * EACH):
            self.store.proxy.plan(seed=start, stall_seconds=1, **PLANS[plan][1])
            numbers = range(start, min(start + AT_ONCE * EACH, first + count))
            calls = [
                lambda copy=copy, numbers=numbers: self.epochs(plan, copy, numbers[copy::AT_ONCE])
                for copy in range(AT_ONCE)
            ]
            for outcomes in all_within(ROUND_SECONDS, calls):
                self.outcomes.update(outcomes)
            self.faults.update(self.store.proxy.stats()["faults"])

    def epochs(self, plan: str, copy: int, numbers: range) -> list[str]:
        """Runs epochs one after the other over a copy of the files, and returns their outcomes."""
        return [self.epoch(plan, copy, number) for number in numbers]

    def epoch(self, plan: str, copy: int, number: int) -> str:
        """Runs one epoch, and returns its outcome."""
        way = list(WAYS)[number % len(WAYS)]
        format = FORMATS[number // len(WAYS) % len(FORMATS)]
        sources, index = self.sources[format, copy]
        options = {**self.store.storage_options, **LIMITS, **PLANS[plan][0]}
        files = Files(format, sources, {"storage_options": options}, index)
        place = f"epoch {number} of {self.store.kind}: {format}, {way}"
        try:
            found = WAYS[way](files)
        except (OSError, af.ChangedError) as error:
            return became(plan, error, place)
        finally:
            self.retries += files.retries
        assert found == self.expected[format, way], place
        return "right"


def became(plan: str, error: Exception, place: str) -> str:
    """The outcome of an error. An error that the plan cannot cause fails the test."""
    wanted = {
        "they last": (OSError, r"found .* after 2 attempts in"),
        "another object": (af.ChangedError, "expected the object to be unchanged since it was opened"),
    }
    kind, text = wanted.get(plan, (KeyError, ""))
    assert isinstance(error, kind), f"{place}: {error!r}"
    assert re.search(text, str(error)), f"{place}: {error!r}"
    return "error" if kind is OSError else "changed"


@pytest.mark.parametrize("kind", SHARES)
def test_rows_are_correct_or_an_error_is_raised(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, tmp_path: Path, kind: str
) -> None:
    store = make_store(kind)
    epochs = Epochs(store.through(proxy_of(store)), tmp_path)
    count = EPOCHS * SHARES[kind] // 10
    parts = {"they pass": count * 6 // 10, "they last": count * 2 // 10, "another object": count * 2 // 10}
    outcomes, first = {}, 0
    for plan, part in parts.items():
        epochs.outcomes.clear()
        epochs.run(plan, first, part)
        outcomes[plan], first = dict(epochs.outcomes), first + part
    print(kind, outcomes, dict(epochs.faults), "retries:", epochs.retries)
    assert outcomes["they pass"] == {"right": parts["they pass"]}
    assert {plan: sum(found.values()) for plan, found in outcomes.items()} == parts
    assert set(outcomes["they last"]) <= {"right", "error"}
    assert set(outcomes["another object"]) <= {"right", "changed"}
    assert sum(epochs.faults[fault] for fault in PASSING) > count
    assert epochs.retries > count / 2
    # Few epochs can have the same outcome: the faults are drawn, and a busy machine adds timeouts. The tests
    # below and `test_changes.py` cause each outcome.
    if count >= 100:
        assert set(outcomes["they last"]) == {"right", "error"}
        assert set(outcomes["another object"]) == {"right", "changed"}
        assert set(epochs.faults) == set(KINDS)


@pytest.mark.parametrize("fault", [*PASSING, "reset:0", "short_body:0.99", "truncated_length:0.01"])
def test_one_fault_is_one_retry(proxied: Store, fault: str) -> None:
    proxied.put("a.avro", file_of("avro", range(50)))
    options = {**proxied.storage_options, "request_timeout": "0.3"}
    reader = af.read_avro(proxied.url_of("a.avro"), storage_options=options, threads=1)
    opening = proxied.proxy.stats()["requests"]
    proxied.proxy.plan(script=[fault], stall_seconds=2)
    assert within(60, lambda: rows_of(reader)) == expected(range(50))
    requests = reader.report()["requests"]
    stats = proxied.proxy.stats()
    assert stats["faults"] == {fault.partition(":")[0]: 1}
    assert (requests["requests"], requests["retries"]) == (opening + stats["requests"], 1)


def test_a_retry_of_a_constructor_is_reported_by_the_first_reading(proxied: Store) -> None:
    proxied.put("a.avro", file_of("avro", range(50)))
    options = {**proxied.storage_options, "request_timeout": "0.3"}
    proxied.proxy.plan(script=["status_503"])
    dataset = af.AvroDataset(proxied.url_of("a.avro"), storage_options=options)
    opening = proxied.proxy.stats()["requests"]
    assert opening == 2
    # The scan of the blocks sends requests of its own.
    assert dataset.num_rows == 50
    for retries in (1, 0):
        proxied.proxy.plan()
        proxied.proxy.reset()
        batches = dataset.record_batches(batch_size=9)
        assert len(ids(batches)) == 50
        requests = batches.report()["requests"]
        expected_requests = proxied.proxy.stats()["requests"] + opening
        assert (requests["requests"], requests["retries"]) == (expected_requests, retries)
        opening = 0


@pytest.mark.parametrize("fault", PASSING)
@pytest.mark.parametrize(("kind", "format"), STORES_AND_FORMATS)
def test_a_fault_of_each_request_of_a_constructor_passes(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, kind: str, format: str, fault: str
) -> None:
    store = make_store(kind)
    store = store.through(proxy_of(store))
    urls = put_all(store, files_of(format, (30, 20), pad=1))
    options = {"storage_options": {**store.storage_options, "request_timeout": "0.3"}}
    store.proxy.plan(**{fault: 1, "most_per_request": 1}, stall_seconds=2)
    dataset = within(60, lambda: DATASETS[format](urls, **SCHEMAS[format], **options))
    assert within(60, lambda: dataset.num_rows) == 50
    assert store.proxy.stats()["faults"][fault] >= 2
    store.proxy.plan()
    assert rows_of(dataset.record_batches(batch_size=50)) == expected(range(50))


def failure(store: Store, plan: dict[str, Any], **options: str) -> tuple[OSError, float]:
    """The error of a reader that meets faults after its constructor, and how long it took."""
    store.put("a.avro", file_of("avro", range(50)))
    reader = af.read_avro(
        store.url_of("a.avro"), storage_options={**store.storage_options, **options}, threads=1
    )
    store.proxy.plan(**plan)
    begin = time.monotonic()
    with pytest.raises(OSError, match="expected bytes 0 to ") as caught:
        within(100, lambda: ids(reader))
    assert store.url_of("a.avro") in str(caught.value)
    return caught.value, time.monotonic() - begin


MESSAGE = r"a\.avro: expected bytes 0 to [\d,]+ of the object, found {found}"


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("status_503", "status 503 Service Unavailable"),
        ("status_429", "status 429 Too Many Requests"),
        ("status_500", "status 500 Internal Server Error"),
        ("short_body", "[a-z ]+"),
        ("reset", "[a-z ]+"),
        ("truncated_length", "a range other than the requested one"),
    ],
)
def test_an_error_names_object_range_status_and_attempts(proxied: Store, fault: str, found: str) -> None:
    error, _ = failure(proxied, {fault: 1}, max_retries="2")
    pattern = MESSAGE.format(found=found) + r" after 3 attempts in [\d.]+ s$"
    assert re.search(pattern, str(error)), str(error)
    assert proxied.proxy.stats()["requests"] == 3


def test_no_retries_are_one_attempt(proxied: Store) -> None:
    error, _ = failure(proxied, {"status_503": 1}, max_retries="0")
    assert re.search(MESSAGE.format(found="status 503 Service Unavailable$"), str(error)), str(error)
    assert proxied.proxy.stats()["requests"] == 1


def test_a_missing_object_is_reported_at_once(proxied: Store) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        af.read_avro(proxied.url_of("none.avro"), storage_options=proxied.storage_options)
    assert "attempts" not in str(caught.value)
    assert [each["status"] for each in proxied.proxy.stats()["log"]] == [404]


def test_a_refusal_is_reported_at_once(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> None:
    store = make_store("azure")
    store = store.through(proxy_of(store))
    # The container of the tests is public in Azurite.
    container = ContainerClient(f"{store.direct}/{AZURE_ACCOUNT}", "refusing", credential=AZURE_KEY)
    container.create_container()
    container.upload_blob("a.avro", file_of("avro", range(5)))
    options = {**store.storage_options, "azure_storage_account_key": "aHVzaCBodXNoIGh1c2g="}
    with pytest.raises(PermissionError, match="status 403 "):
        af.read_avro("az://refusing/a.avro", storage_options=options)
    assert [each["status"] for each in store.proxy.stats()["log"]] == [403]


def test_a_server_that_stalls_is_a_timeout(proxied: Store) -> None:
    error, seconds = failure(
        proxied, {"stall": 1, "stall_seconds": 20}, request_timeout="0.3", max_retries="1"
    )
    assert re.search(MESSAGE.format(found=r"no byte within 0\.3 s after 2 attempts in "), str(error))
    assert 0.6 <= seconds < 20


def test_no_attempt_begins_after_the_retry_timeout(proxied: Store) -> None:
    error, seconds = failure(proxied, {"status_503": 1}, retry_timeout="1", max_retries="1000000")
    assert re.search(r"after \d+ attempts in [\d.]+ s$", str(error)), str(error)
    assert seconds < 60
    assert 2 <= proxied.proxy.stats()["requests"] < 40


def test_pauses_between_attempts_grow(proxied: Store) -> None:
    _, seconds = failure(proxied, {"status_503": 1}, max_retries="6")
    # The bounds of the pauses are 0.1, 0.2, 0.4 s and so on; half of their sum is 3.15 s.
    assert proxied.proxy.stats()["requests"] == 7
    assert 0.3 < seconds < 60


def test_listings_are_tried_again(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> None:
    for kind, fault in itertools.product(("s3", "gcs", "azure"), ("status_503", "reset", "short_body")):
        store = make_store(kind)
        put_all(store, files_of("avro", (10, 20)))
        store = store.through(proxy_of(store, script=[fault]))
        options = {"storage_options": store.storage_options}
        assert ids(af.read_avro(store.url_of("*.avro"), **options)) == list(range(30)), (kind, fault)
        assert store.proxy.stats()["faults"] == {fault: 1}
