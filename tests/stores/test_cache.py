"""The local cache saves requests and is shared by processes. Its content never changes the rows."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arrowfeed as af
import pytest
from corpus import ProxyOf, put_all
from limits import all_within, wait_until
from rows import DATASETS, FORMATS, READERS, SCHEMAS, file_of, files_of, ids, large_of
from scripts import run_script
from stores import Store

SECONDS = 60
SIZES = (60, 0, 40)
CHUNK = 1 << 20


@pytest.fixture
def cached(proxied: Store) -> Store:
    """The test's store, with some Avro files."""
    put_all(proxied, files_of("avro", SIZES))
    return proxied


def urls(store: Store, format: str = "avro") -> list[str]:
    """The URLs of the files."""
    return [store.url_of(f"part-{part}.{format}") for part in range(len(SIZES))]


def options(store: Store, cache: Path, **more: Any) -> dict[str, Any]:
    """Options of the store and of the cache."""
    return {"storage_options": store.storage_options, "cache": cache, **more}


def chunks(cache: Path) -> list[Path]:
    """The files of a cache."""
    return sorted(path for path in cache.rglob("*") if path.is_file())


def settle(cache: Path) -> None:
    """Waits until no chunk is being written, because chunks are written in the background."""
    before: dict[Path, int] = {}

    def same() -> bool:
        nonlocal before
        time.sleep(0.05)
        seen, before = before, sizes(cache)
        return seen == before

    wait_until(same)


def size(cache: Path) -> int:
    """The bytes of a cache."""
    return sum(sizes(cache).values())


def sizes(cache: Path) -> dict[Path, int]:
    """The files of a cache and their bytes. A file may be removed meanwhile."""
    found = {}
    for path in chunks(cache):
        with contextlib.suppress(FileNotFoundError):
            found[path] = path.stat().st_size
    return found


@pytest.mark.parametrize("order", [{}, {"shuffle_buffer_size": 50, "seed": 1}], ids=["order", "shuffle"])
def test_the_second_epoch_sends_no_request(cached: Store, tmp_path: Path, order: dict[str, Any]) -> None:
    dataset = af.AvroDataset(urls(cached), **options(cached, tmp_path / "cache"))
    first = dataset.record_batches(batch_size=30, threads=2, **order)
    found = ids(first)
    assert sorted(found) == list(range(100))
    assert cached.proxy.stats()["requests"] > 0
    settle(tmp_path / "cache")
    cached.proxy.reset()
    second = dataset.record_batches(batch_size=30, threads=2, **order)
    assert ids(second) == found
    assert cached.proxy.stats()["requests"] == 0
    report = second.report()["requests"]
    assert (report["requests"], report["bytes"]) == (0, 0)
    assert report["cached_bytes"] > 0
    assert ids(dataset.record_batches(batch_size=30, epochs=3)) == list(range(100)) * 3
    assert cached.proxy.stats()["requests"] == 0


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_reads_from_the_cache(proxied: Store, format: str, tmp_path: Path) -> None:
    put_all(proxied, files_of(format, SIZES))
    more = {**options(proxied, tmp_path / "cache"), **SCHEMAS[format]}
    dataset = DATASETS[format](urls(proxied, format), **more)
    expected = ids(dataset.record_batches(batch_size=30))
    assert expected == list(range(100))
    settle(tmp_path / "cache")
    proxied.proxy.reset()
    assert ids(dataset.record_batches(batch_size=30)) == expected
    assert proxied.proxy.stats()["requests"] == 0
    # A new reader may request the version of each file once.
    assert ids(READERS[format](urls(proxied, format), **more)) == expected
    log = proxied.proxy.stats()["log"]
    assert len(log) <= len(SIZES)
    assert sum(each["sent"] for each in log) == 0


ANOTHER = """
    dataset = af.AvroDataset(given["urls"], storage_options=given["options"], cache=given["cache"])
    found = [batch.column("id").to_pyarrow().to_pylist() for batch in dataset.record_batches(batch_size=30)]
    print(json.dumps(sum(found, [])), flush=True)
    # Chunks are written in the background.
    time.sleep(0.2)
"""


def arguments(store: Store, cache: Path, names: list[str] | None = None) -> dict[str, Any]:
    """The arguments of a script."""
    return {"urls": names or urls(store), "options": store.storage_options, "cache": str(cache)}


def test_another_process_sends_at_most_one_request_a_file(cached: Store, tmp_path: Path) -> None:
    given = arguments(cached, tmp_path / "cache")
    assert run_script(ANOTHER, given) == list(range(100))
    settle(tmp_path / "cache")
    cached.proxy.reset()
    assert run_script(ANOTHER, given) == list(range(100))
    log = cached.proxy.stats()["log"]
    assert len(log) <= len(SIZES)
    assert sum(each["sent"] for each in log) == 0


def test_two_processes_at_a_time_share_a_cache(cached: Store, tmp_path: Path) -> None:
    given = arguments(cached, tmp_path / "cache")
    calls = [lambda: run_script(ANOTHER, given)] * 3
    assert all_within(SECONDS, calls) == [list(range(100))] * 3
    assert all_within(SECONDS, calls) == [list(range(100))] * 3


def test_another_version_of_an_object_is_not_read_from_the_cache(cached: Store, tmp_path: Path) -> None:
    more = options(cached, tmp_path / "cache")
    assert ids(af.read_avro(urls(cached)[0], **more)) == list(range(60))
    cached.put("part-0.avro", file_of("avro", range(500, 570)))
    assert ids(af.read_avro(urls(cached)[0], **more)) == list(range(500, 570))
    assert ids(af.AvroDataset(urls(cached)[0], **more).record_batches(batch_size=50)) == list(range(500, 570))


def test_objects_of_one_name_in_two_places_are_two(cached: Store, tmp_path: Path) -> None:
    elsewhere = cached.at(f"{cached.prefix}/elsewhere")
    elsewhere.put("part-0.avro", file_of("avro", range(700, 760)))
    more = options(cached, tmp_path / "cache")
    assert ids(af.read_avro(urls(cached)[0], **more)) == list(range(60))
    assert ids(af.read_avro(elsewhere.url_of("part-0.avro"), **more)) == list(range(700, 760))


def damage(path: Path, how: str) -> None:
    """Damage a file of the cache."""
    body = path.read_bytes()
    middle = len(body) // 2
    damaged = {
        "flipped": body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :],
        "truncated": body[:middle],
        "empty": b"",
        "longer": body + b"x",
        "zeros": bytes(len(body)),
        "start": bytes([body[0] ^ 1]) + body[1:],
        "end": body[:-1] + bytes([body[-1] ^ 1]),
    }
    path.write_bytes(damaged[how])


@pytest.mark.parametrize("how", ["flipped", "truncated", "empty", "longer", "zeros", "start", "end"])
def test_a_damaged_chunk_is_fetched_again(cached: Store, tmp_path: Path, how: str) -> None:
    more = options(cached, tmp_path / "cache")
    assert ids(af.read_avro(urls(cached), **more)) == list(range(100))
    settle(tmp_path / "cache")
    files = chunks(tmp_path / "cache")
    assert len(files) >= 2
    for path in files:
        damage(path, how)
    settle(tmp_path / "cache")
    cached.proxy.reset()
    assert ids(af.read_avro(urls(cached), **more)) == list(range(100))
    assert cached.proxy.stats()["body_bytes"] > 0
    # The new chunks are valid.
    settle(tmp_path / "cache")
    cached.proxy.reset()
    assert ids(af.read_avro(urls(cached), **more)) == list(range(100))
    assert cached.proxy.stats()["body_bytes"] == 0


def test_exchanged_chunks_are_rejected(cached: Store, tmp_path: Path) -> None:
    more = options(cached, tmp_path / "cache")
    assert ids(af.read_avro(urls(cached), **more)) == list(range(100))
    settle(tmp_path / "cache")
    files = chunks(tmp_path / "cache")
    bodies = [path.read_bytes() for path in files]
    for path, body in zip(files, bodies[1:] + bodies[:1], strict=True):
        path.write_bytes(body)
    assert ids(af.read_avro(urls(cached), **more)) == list(range(100))


def test_a_cache_keeps_within_its_bytes(make_store: Callable[[str], Store], tmp_path: Path) -> None:
    store = make_store("http")
    files = {
        f"part-{part}.avro": large_of("avro", range(2000 * part, 2000 * part + 2000)) for part in range(8)
    }
    names, cache = put_all(store, files), tmp_path / "cache"
    total = sum(map(len, files.values()))
    most = 5 * CHUNK
    assert total > 2 * most
    more = options(store, cache, cache_bytes=most)
    for _ in range(3):
        for name in names:
            assert len(ids(af.read_avro(name, **more))) == 2000
            # Chunks are removed in the background.
            wait_until(lambda: size(cache) <= most)
    assert size(cache) > most // 4


def test_the_chunks_that_were_used_last_are_kept(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, tmp_path: Path
) -> None:
    store = make_store("http")
    files = {f"part-{part}.avro": large_of("avro", range(1000)) for part in range(6)}
    names, cache = put_all(store, files), tmp_path / "cache"
    store = store.through(proxy_of(store))
    names = [store.url_of(name) for name in files]
    more = options(store, cache, cache_bytes=5 * CHUNK)
    for name in names:
        assert len(ids(af.read_avro(name, **more))) == 1000
        # The first one is used again and again.
        assert len(ids(af.read_avro(names[0], **more))) == 1000
        wait_until(lambda: size(cache) <= 5 * CHUNK)
    settle(cache)
    store.proxy.reset()
    assert len(ids(af.read_avro(names[0], **more))) == 1000
    assert store.proxy.stats()["body_bytes"] == 0


def test_a_cache_that_cannot_be_written_does_not_fail_a_read(cached: Store, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    # Files stand where the directories of chunks would be made. Root may write to any directory.
    for number in range(256):
        (cache / f"{number:02x}").write_bytes(b"")
    more = options(cached, cache)
    assert ids(af.read_avro(urls(cached), **more)) == list(range(100))
    assert ids(af.AvroDataset(urls(cached), **more).record_batches(batch_size=30)) == list(range(100))
    settle(cache)
    assert [path.stat().st_size for path in chunks(cache)] == [0] * 256


READ_ONLY = """
    os.setgid(65534)
    os.setuid(65534)
    try:
        open(os.path.join(given["cache"], "x"), "w")
        print(json.dumps("the directory can be written"))
        os._exit(0)
    except PermissionError:
        pass
"""


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="another user is needed, who cannot write"
)
def test_a_directory_that_cannot_be_written_does_not_fail_a_read(cached: Store, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o755)
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == os.geteuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    given = arguments(cached, cache)
    code = READ_ONLY + ANOTHER
    if not readable_by_all():
        pytest.skip("SKIPPED: another user cannot read the package and the interpreter here")
    assert run_script(code, given) == list(range(100))
    assert chunks(cache) == []
    # The existing chunks are read.
    assert run_script(ANOTHER, given) == list(range(100))
    settle(tmp_path / "cache")
    cached.proxy.reset()
    assert run_script(code, given) == list(range(100))
    assert cached.proxy.stats()["body_bytes"] == 0


def readable_by_all() -> bool:
    """Whether another user can import the package."""
    code = "import os; os.setgid(65534); os.setuid(65534); import arrowfeed, numpy, pyarrow, json"
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_a_cache_that_is_a_file_is_an_error(cached: Store, tmp_path: Path) -> None:
    path = tmp_path / "cache"
    path.write_bytes(b"")
    with pytest.raises(OSError, match="cache"):
        af.read_avro(urls(cached), **options(cached, path))


def test_wrong_options_of_a_cache_are_errors(cached: Store, tmp_path: Path) -> None:
    storage = {"storage_options": cached.storage_options}
    with pytest.raises(TypeError, match="cache_bytes: expected cache= as well, found none"):
        af.read_avro(urls(cached), cache_bytes=5, **storage)
    with pytest.raises(ValueError, match="cache_bytes"):
        af.read_avro(urls(cached), cache=tmp_path, cache_bytes=0, **storage)
    with pytest.raises(TypeError, match="cache"):
        af.read_avro(urls(cached), cache=5, **storage)


def test_local_files_are_not_cached(tmp_path: Path) -> None:
    path = tmp_path / "a.avro"
    path.write_bytes(file_of("avro", range(50)))
    assert ids(af.read_avro(path, cache=tmp_path / "cache")) == list(range(50))
    assert chunks(tmp_path / "cache") == []


def test_a_pickled_dataset_has_its_cache(cached: Store, tmp_path: Path) -> None:
    dataset = af.AvroDataset(urls(cached), **options(cached, tmp_path / "cache"))
    assert ids(dataset.record_batches(batch_size=50)) == list(range(100))
    copy = pickle.loads(pickle.dumps(dataset))
    settle(tmp_path / "cache")
    cached.proxy.reset()
    assert ids(copy.record_batches(batch_size=50)) == list(range(100))
    assert cached.proxy.stats()["body_bytes"] == 0
