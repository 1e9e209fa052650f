"""Fixtures: the servers, which start once and on demand, and stores on them with a prefix for each test.

A server whose program is missing skips its tests; `-rs` shows why.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
from collections.abc import Callable, Iterator

import pytest
from servers import AzureServer, GcsServer, HdfsServer, HttpServer, Proxy, S3Server, Server, Unavailable
from stores import STORES, Store

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell lets commands in the background ignore Ctrl-C, and their children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A proxy of the environment must not see requests to 127.0.0.1.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

SERVERS: dict[str, Callable[[], Server]] = {
    "s3": S3Server,
    "gcs": GcsServer,
    "azure": AzureServer,
    "http": HttpServer,
    "hdfs": HdfsServer,
}
KINDS = ("s3", "gcs", "azure", "http", "hdfs")
HTTP_KINDS = ("s3", "gcs", "azure", "http")
"""The kinds of stores that work behind a proxy."""


def serve(kind: str) -> Iterator[Server]:
    """Start a server, make its bucket, and end it."""
    try:
        with SERVERS[kind]() as server:
            STORES[kind](server, "").create()
            yield server
    except Unavailable as missing:
        pytest.skip(f"SKIPPED {kind}: {missing}")


@pytest.fixture(scope="session")
def s3_server() -> Iterator[Server]:
    """moto."""
    yield from serve("s3")


@pytest.fixture(scope="session")
def gcs_server() -> Iterator[Server]:
    """fake-gcs-server."""
    yield from serve("gcs")


@pytest.fixture(scope="session")
def azure_server() -> Iterator[Server]:
    """Azurite."""
    yield from serve("azure")


@pytest.fixture(scope="session")
def http_server() -> Iterator[Server]:
    """`http_server.py`, with all its variants."""
    yield from serve("http")


@pytest.fixture(scope="session")
def hdfs_server() -> Iterator[Server]:
    """Hadoop's mini cluster."""
    yield from serve("hdfs")


@pytest.fixture
def prefix(request: pytest.FixtureRequest) -> str:
    """A prefix for the test. It is the same in each run: the faults of a plan depend on paths."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:60]
    return f"{name}-{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:6]}"


@pytest.fixture
def make_store(request: pytest.FixtureRequest, prefix: str) -> Callable[[str], Store]:
    """A function from a kind to the test's store of that kind; it starts the server if need be."""

    def make(kind: str) -> Store:
        server = request.getfixturevalue(f"{kind.partition('-')[0]}_server")
        return STORES[kind](server, prefix)

    return make


@pytest.fixture(scope="session")
def proxies() -> Iterator[dict[int, Proxy]]:
    """The proxies that run, by the port of their server."""
    running: dict[int, Proxy] = {}
    yield running
    for proxy in running.values():
        proxy.stop()


@pytest.fixture
def proxy_of(proxies: dict[int, Proxy]) -> Callable[..., Proxy]:
    """A function from a store, and the values of a plan, to the proxy of the store's server.

    Its counts are empty. Stores of the same server share the proxy.
    """

    def make(store: Store, **plan: object) -> Proxy:
        port = store.server.port
        if port not in proxies:
            proxies[port] = Proxy(port).__enter__()
        proxies[port].plan(**plan)
        return proxies[port]

    return make


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, make_store: Callable[[str], Store]) -> Store:
    """The test's store on each server."""
    return make_store(request.param)


@pytest.fixture(params=HTTP_KINDS)
def http_based(request: pytest.FixtureRequest, make_store: Callable[[str], Store]) -> Store:
    """The test's store on each server that a proxy can stand before."""
    return make_store(request.param)


@pytest.fixture
def proxied(http_based: Store, proxy_of: Callable[..., Proxy]) -> Store:
    """The test's store on each server, through a proxy without faults. `proxied.proxy.plan` sets faults."""
    return http_based.through(proxy_of(http_based))


@pytest.fixture(params=("http", "http-no-ranges", "http-no-validators", "http-chunked"))
def http_store(request: pytest.FixtureRequest, make_store: Callable[[str], Store]) -> Store:
    """The test's store on each variant of the HTTP server."""
    return make_store(request.param)
