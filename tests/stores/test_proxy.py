"""The proxy injects each fault on the wire, follows its plan, and counts requests."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from faults import KINDS, Faults, Plan
from limits import wait_until
from servers import Proxy
from stores import Store

BODY = bytes(range(256)) * 4096

ProxyOf = Callable[..., Proxy]


@pytest.fixture
def target(make_store: Callable[[str], Store]) -> Store:
    """A store on the HTTP server with the object `a.bin`."""
    store = make_store("http")
    store.put("a.bin", BODY)
    return store


def get(
    store: Store, name: str = "a.bin", method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes, Any]:
    """The status, header fields and body of an answer, and the error in the middle of it."""
    connection = http.client.HTTPConnection("127.0.0.1", store.proxy.port, timeout=60)
    try:
        connection.request(method, store.path(name), headers=headers)
        response = connection.getresponse()
    except (http.client.HTTPException, ConnectionError) as error:
        return 0, {}, b"", type(error)
    body, failure = b"", None
    try:
        while piece := response.read1(1 << 16):
            body += piece
        if response.length:
            failure = http.client.IncompleteRead
    except (http.client.HTTPException, ConnectionError) as error:
        failure = type(error)
    connection.close()
    return response.status, dict(response.getheaders()), body, failure


def faulty(store: Store, proxy_of: ProxyOf, *script: str | None, **plan: Any) -> Store:
    """The store through a proxy with the faults of a script."""
    return store.through(proxy_of(store, script=list(script), **plan))


def test_no_faults(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of)
    status, headers, body, failure = get(store, Range="bytes=10-99")
    assert (status, body, failure) == (206, BODY[10:100], None)
    assert headers["Content-Range"] == f"bytes 10-99/{len(BODY)}"
    stats = store.proxy.stats()
    assert (stats["requests"], stats["body_bytes"], stats["faults"], stats["most_concurrent"]) == (
        1,
        90,
        {},
        1,
    )
    assert stats["log"][0] == {
        **{"method": "GET", "path": store.path("a.bin"), "range": "bytes=10-99"},
        **{"status": 206, "fault": None, "sent": 90},
    }


def test_chunked_passes(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> None:
    store = make_store("http-chunked")
    store.put("a.bin", BODY)
    store = faulty(store, proxy_of, None, "short_body")
    status, headers, body, failure = get(store)
    assert (status, headers["Transfer-Encoding"], body == BODY, failure) == (200, "chunked", True, None)
    status, headers, body, failure = get(store)
    assert (headers["Content-Length"], len(body)) == (str(len(BODY)), len(BODY) // 2)


def test_reset(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of, "reset:0", "reset:0.5")
    assert get(store)[3] is ConnectionResetError
    status, _, body, failure = get(store)
    assert failure is ConnectionResetError
    assert status in (0, 200)
    assert len(body) < len(BODY)
    assert store.proxy.stats()["faults"] == {"reset": 2}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_status(target: Store, proxy_of: ProxyOf, status: int) -> None:
    store = faulty(target, proxy_of, f"status_{status}", retry_after=3)
    found, headers, _, failure = get(store)
    assert (found, failure) == (status, None)
    assert headers.get("Retry-After") == (None if status == 500 else "3")
    assert get(store)[2] == BODY


def test_short_body(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of, "short_body")
    status, headers, body, failure = get(store)
    assert (status, failure) == (200, http.client.IncompleteRead)
    assert (headers["Content-Length"], body) == (str(len(BODY)), BODY[: len(BODY) // 2])


def test_truncated_length(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of, "truncated_length", "truncated_length")
    status, headers, body, failure = get(store, Range="bytes=100-1099")
    assert (status, body, failure) == (206, BODY[100:600], None)
    assert (headers["Content-Length"], headers["Content-Range"]) == ("500", f"bytes 100-599/{len(BODY)}")
    status, headers, body, failure = get(store)
    assert (status, len(body), failure) == (200, len(BODY) // 2, None)
    assert get(store)[2] == BODY


def test_truncate_close(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of, "truncate_close")
    status, headers, body, failure = get(store, Range="bytes=100-1099")
    assert (status, body, failure) == (206, BODY[100:600], None)
    assert "Content-Length" not in headers
    assert headers["Content-Range"] == f"bytes 100-1099/{len(BODY)}"


def seconds_of_get(store: Store) -> float:
    """The time of a right answer."""
    begin = time.monotonic()
    assert get(store)[2] == BODY
    return time.monotonic() - begin


def test_stall_and_latency(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of, "stall", stall_seconds=0.5, latency_ms=100)
    assert seconds_of_get(store) > 0.55
    assert seconds_of_get(store) > 0.09
    assert store.proxy.stats()["faults"] == {"stall": 1}


def test_wrong_etag(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of, "wrong_etag", "wrong_etag")
    etags = [get(store, method=method)[1]["ETag"] for method in ("GET", "HEAD", "GET")]
    assert etags[:2] == ['"another-one"'] * 2
    assert etags[2] != '"another-one"'


def test_bytes_per_second(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of, bytes_per_second=4 << 20)
    assert seconds_of_get(store) > 0.2


def test_if_match_is_the_proxys_work_where_the_server_ignores_it(
    make_store: Callable[[str], Store], proxy_of: ProxyOf
) -> None:
    store = make_store("gcs")
    store.put("a.bin", BODY)
    store = store.through(proxy_of(store))
    connection = http.client.HTTPConnection("127.0.0.1", store.proxy.port, timeout=60)
    path = "/" + store.http_url("a.bin").split("/", 3)[3]
    statuses = []
    for headers in ({"If-Match": '"x"'}, {}):
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)
    assert statuses == [412, 200]


def test_concurrent_requests_are_counted(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of, stall=1, stall_seconds=600)
    connections = [http.client.HTTPConnection("127.0.0.1", store.proxy.port, timeout=60) for _ in range(16)]
    for count, connection in enumerate(connections, 1):
        connection.request("GET", store.path("a.bin"))
        wait_until(lambda count=count: store.proxy.stats()["running"] == count)
    stats = store.proxy.stats()
    assert (stats["requests"], stats["most_concurrent"]) == (16, 16)
    for connection in connections:
        connection.close()
    wait_until(lambda: store.proxy.stats()["running"] == 0)
    assert store.proxy.stats()["most_concurrent"] == 16


def test_the_bytes_of_all_requests_are_counted(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of)
    for _ in range(3):
        get(store)
    stats = store.proxy.stats()
    assert (stats["requests"], stats["body_bytes"]) == (3, 3 * len(BODY))


def faults_of_a_run(store: Store) -> list[str | None]:
    """The faults of 40 requests of different ranges, by their range."""
    for at in range(40):
        get(store, Range=f"bytes={at}-{at + 99}")
    log = sorted(store.proxy.stats()["log"], key=lambda entry: int(entry["range"][6:].split("-")[0]))
    return [entry["fault"] for entry in log]


def test_plan_is_deterministic(target: Store, proxy_of: ProxyOf) -> None:
    probabilities = {
        "reset": 0.1,
        "status_503": 0.1,
        "status_429": 0.05,
        "short_body": 0.1,
        "truncated_length": 0.1,
    }
    store = faulty(target, proxy_of, seed=7, **probabilities)
    first = faults_of_a_run(store)
    store.proxy.reset()
    assert faults_of_a_run(store) == first
    assert len(set(first)) > 3
    store.proxy.plan(seed=8, **probabilities)
    assert faults_of_a_run(store) != first


def test_probabilities_hold() -> None:
    plan = Plan(seed=1, **dict.fromkeys(KINDS, 0.05))
    faults = Faults(plan)
    drawn = [faults.draw("GET", f"/{at}", "") for at in range(10_000)]
    for kind in KINDS:
        assert 400 < sum(fault is not None and fault.kind == kind for fault in drawn) < 600


def test_most_per_request_and_filters() -> None:
    faults = Faults(Plan(status_503=1, most_per_request=2, methods=["GET"], path_contains="/data/"))
    assert [faults.draw("GET", "/data/x", "") is None for _ in range(4)] == [False, False, True, True]
    assert faults.draw("PUT", "/data/x", "") is None
    assert faults.draw("GET", "/other/x", "") is None


def test_wrong_plans(target: Store, proxy_of: ProxyOf) -> None:
    proxy = proxy_of(target)
    for plan in ({"resets": 1}, {"reset": 0.6, "stall": 0.6}, {"script": ["explode"]}):
        with pytest.raises(ValueError, match=r"unknown|at most 1"):
            proxy.plan(**plan)


def test_client_that_leaves_does_not_hold_the_proxy(target: Store, proxy_of: ProxyOf) -> None:
    store = faulty(target, proxy_of, "stall", stall_seconds=600)
    with socket.create_connection(("127.0.0.1", store.proxy.port), timeout=10) as sock:
        sock.sendall(f"GET {store.path('a.bin')} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert sock.recv(100)
    until = time.monotonic() + 60
    while store.proxy.stats()["running"]:
        assert time.monotonic() < until
        time.sleep(0.02)
