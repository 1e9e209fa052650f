"""The servers behave as the tests need, for independent clients and obstore, with and without the proxy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore.store
import psutil
import pytest
import requests
from hdfs_native import Client
from obstore.exceptions import PreconditionError
from servers import SESSION, HttpServer, Proxy
from stores import BUCKET, Store, checked

BODY = bytes(range(256)) * 1024
NAMES = ["a.bin", "b/c.bin", "b/d e+%41=ü.bin"]
RETRY = {"max_retries": 0}


def rust_store(store: Store, retry: Any = RETRY) -> Any:
    """The bucket by obstore, which is the Rust crate object_store."""
    options: Any = store.storage_options
    if store.kind == "s3":
        return obstore.store.S3Store(BUCKET, config=options, retry_config=retry)
    if store.kind == "gcs":
        return obstore.store.GCSStore(BUCKET, config=options, retry_config=retry)
    if store.kind == "azure":
        return obstore.store.AzureStore(BUCKET, config=options, retry_config=retry)
    return obstore.store.HTTPStore(store.address, client_options={"allow_http": True}, retry_config=retry)


def path_of(store: Store, *names: str) -> str:
    """The path of an object, or of the prefix, in `rust_store`. Paths of an HTTP list start at the host."""
    return "/".join((*(["plain"] if store.kind == "http" else []), store.prefix, *names))


def read(store: Store, name: str, **options: Any) -> bytes:
    """An object by obstore."""
    return bytes(rust_store(store).get(path_of(store, name), options=options).bytes())


@pytest.fixture(params=["direct", "proxy"])
def reached(request: pytest.FixtureRequest, http_based: Store, proxy_of: Callable[..., Proxy]) -> Store:
    """A store on each server, directly and through a proxy without faults."""
    return http_based if request.param == "direct" else http_based.through(proxy_of(http_based))


def test_plain_clients_write_list_read_and_delete(store: Store) -> None:
    assert store.names() == []
    for name in NAMES:
        store.put(name, BODY + name.encode())
    assert store.names() == sorted(NAMES)
    assert [store.get(name) for name in NAMES] == [BODY + name.encode() for name in NAMES]
    store.put("a.bin", b"")
    assert store.get("a.bin") == b""
    store.delete("a.bin")
    assert store.names() == sorted(NAMES[1:])


def test_rust_client_lists(reached: Store) -> None:
    for name in NAMES:
        reached.put(name, b"x" * len(name))
    listed = rust_store(reached).list(path_of(reached)).collect()
    sizes = {each["path"].rpartition(f"{reached.prefix}/")[2]: each["size"] for each in listed}
    assert sizes == {name: len(name) for name in NAMES}
    below = rust_store(reached).list_with_delimiter(path_of(reached))
    assert [each.rpartition("/")[2] for each in below["common_prefixes"]] == ["b"]
    assert len(below["objects"]) == 1


def test_rust_client_reads_ranges(reached: Store) -> None:
    name = NAMES[2]
    reached.put(name, BODY)
    assert read(reached, name) == BODY
    assert read(reached, name, range=(1000, 70_000)) == BODY[1000:70_000]
    assert read(reached, name, range={"offset": 262_000}) == BODY[262_000:]
    if reached.kind != "azure":
        assert read(reached, name, range={"suffix": 10}) == BODY[-10:]
    ranges = rust_store(reached).get_ranges(path_of(reached, name), starts=[0, 200_000], lengths=[10, 20])
    assert [bytes(each) for each in ranges] == [BODY[:10], BODY[200_000:200_020]]
    with pytest.raises(Exception, match="416"):
        read(reached, name, range=(300_000, 300_010))


def test_rust_client_sees_size_and_etag(reached: Store) -> None:
    reached.put("a.bin", BODY)
    meta = rust_store(reached).head(path_of(reached, "a.bin"))
    assert meta["size"] == len(BODY)
    assert meta["e_tag"].startswith('"')
    reached.put("a.bin", BODY[1:])
    assert rust_store(reached).head(path_of(reached, "a.bin"))["e_tag"] != meta["e_tag"]


def test_rust_client_preconditions(reached: Store) -> None:
    reached.put("a.bin", BODY)
    etag = rust_store(reached).head(path_of(reached, "a.bin"))["e_tag"]
    assert read(reached, "a.bin", range=(5, 9), if_match=etag) == BODY[5:9]
    if not reached.checks_etag and reached.proxy is None:
        assert read(reached, "a.bin", range=(5, 9), if_match='"other"') == BODY[5:9]
        return
    with pytest.raises(PreconditionError):
        read(reached, "a.bin", range=(5, 9), if_match='"other"')


def test_rust_client_tries_again(proxied: Store) -> None:
    proxied.put("a.bin", BODY)
    proxied.proxy.plan(seed=7, status_503=0.3, reset=0.1, short_body=0.1, most_per_request=2)
    backoff = {
        "init_backoff": timedelta(milliseconds=5),
        "max_backoff": timedelta(milliseconds=20),
        "base": 2,
    }
    client = rust_store(
        proxied, {"max_retries": 5, "retry_timeout": timedelta(seconds=20), "backoff": backoff}
    )
    for at in range(0, 20_000, 1000):
        assert (
            bytes(client.get_range(path_of(proxied, "a.bin"), start=at, length=1000)) == BODY[at : at + 1000]
        )
    stats = proxied.proxy.stats()
    assert stats["requests"] > 20
    assert sum(stats["faults"].values()) == stats["requests"] - 20


def test_missing_object(reached: Store) -> None:
    with pytest.raises(FileNotFoundError):
        rust_store(reached).head(path_of(reached, "none"))
    with pytest.raises(FileNotFoundError):
        read(reached, "none", range=(0, 5))


def test_objects_have_addresses(reached: Store) -> None:
    reached.put("b/d e.bin", BODY)
    response = SESSION.get(reached.http_url("b/d e.bin"), headers={"Range": "bytes=2-5"}, timeout=60)
    assert (response.status_code, response.content) == (206, BODY[2:6])


def test_hdfs_client_reads(make_store: Callable[[str], Store]) -> None:
    store = make_store("hdfs")
    store.put("a/b.bin", BODY * 12)
    client = Client(f"hdfs://127.0.0.1:{store.server.port}")
    with client.read(f"/{store.key('a/b.bin')}") as file:
        assert file.read() == BODY * 12
    listed = [each.path for each in client.list_status(f"/{store.prefix}", recursive=True) if not each.isdir]
    assert listed == [f"/{store.key('a/b.bin')}"]
    assert SESSION.get(store.http_url("a/b.bin") + "&offset=3&length=4", timeout=60).content == BODY[3:7]


def test_http_variants(make_store: Callable[[str], Store]) -> None:
    answers = {}
    for kind in ("http", "http-no-ranges", "http-no-validators", "http-chunked"):
        store = make_store(kind)
        store.put("a.bin", BODY)
        url = store.http_url("a.bin")
        ranged = SESSION.get(url, headers={"Range": "bytes=10-19"}, timeout=60)
        assert ranged.content == (BODY[10:20] if ranged.status_code == 206 else BODY)
        head = SESSION.head(url, timeout=60).headers
        fields = ("Content-Length", "Accept-Ranges", "ETag", "Last-Modified", "Transfer-Encoding")
        answers[kind] = (ranged.status_code, *(field in head for field in fields))
    assert answers == {
        "http": (206, True, True, True, True, False),
        "http-no-ranges": (200, True, False, True, True, False),
        "http-no-validators": (206, True, True, False, False, False),
        "http-chunked": (200, False, False, True, True, True),
    }


def test_http_conditions(make_store: Callable[[str], Store]) -> None:
    store = make_store("http")
    store.put("a.bin", BODY)
    url = store.http_url("a.bin")
    first = checked(SESSION.head(url, timeout=60)).headers
    past = "Thu, 01 Jan 2015 00:00:00 GMT"
    statuses = [
        SESSION.get(url, headers=headers, timeout=60).status_code
        for headers in (
            {"If-Match": first["ETag"]},
            {"If-Match": '"x"'},
            {"If-None-Match": first["ETag"]},
            {"If-Unmodified-Since": first["Last-Modified"]},
            {"If-Unmodified-Since": past},
            {"If-Modified-Since": first["Last-Modified"]},
            {"Range": "bytes=0-3", "If-Range": first["ETag"]},
            {"Range": "bytes=0-3", "If-Range": '"x"'},
            {"Range": f"bytes={len(BODY)}-"},
        )
    ]
    assert statuses == [200, 412, 304, 200, 412, 304, 206, 200, 416]


def test_http_serves_a_directory(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.bin").write_bytes(BODY)
    with HttpServer(tmp_path) as server:
        base = f"http://127.0.0.1:{server.port}/plain"
        response = SESSION.get(f"{base}/sub/a.bin", headers={"Range": "bytes=-7"}, timeout=60)
        assert (response.status_code, response.content) == (206, BODY[-7:])
        assert SESSION.get(f"{base}/sub/../../{tmp_path.name}/x", timeout=60).status_code == 404


def test_http_server_keeps_connections(make_store: Callable[[str], Store]) -> None:
    store = make_store("http")
    store.put("a.bin", BODY)
    with requests.Session() as session:
        session.trust_env = False
        ports = set()
        for _ in range(3):
            with session.get(store.http_url("a.bin"), stream=True, timeout=60) as response:
                ports.add(response.raw.connection.sock.getsockname()[1])
                assert response.content == BODY
        assert len(ports) == 1


def test_servers_end_with_a_killed_test_run(tmp_path: Path) -> None:
    code = "from servers import *\nwith HttpServer() as a, Proxy(a.port) as b:\n"
    code += "    print(a.process.pid, b.process.pid, flush=True); os.kill(os.getpid(), 9)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=os.path.dirname(__file__),
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    pids = [int(pid) for pid in run.stdout.split()]
    assert len(pids) == 2
    left = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    assert psutil.wait_procs(left, timeout=10)[1] == []
