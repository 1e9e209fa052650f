"""The command line prints the same for a URL as for a path, and writes complete objects only."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import arrowfeed as af
import pytest
from arrowfeed._dataset.detected import detected
from arrowfeed.cli import main
from arrowfeed.cli._input import opened
from corpus import ProxyOf, put_all
from limits import wait_until
from rows import DATASETS, FORMATS, SYNC, file_of, files_of, plan_splits
from stores import Store

ROWS = 120
COMMANDS = (
    ("schema", "--json"),
    ("head", "-n", "2"),
    ("cat", "--columns", "id"),
    ("count", "--json"),
    ("stats", "--json"),
    ("explain",),
    ("splits", "--json"),
)
WRITABLE = ("s3", "azure", "hdfs")
"""The kinds whose servers accept objects from object_store. fake-gcs-server has no XML API for uploads."""
OUTPUTS = ("b.avro", "b.parquet", "b.tfrecord.gz", "b.jsonl")
STORES_AND_FORMATS = [
    *((kind, "avro") for kind in (*WRITABLE, "gcs", "http")),
    *(("http", each) for each in FORMATS[1:]),
]
"""One format for each store."""
SECRET = "hush-do-not-tell"
WRONG = {
    "s3": {"aws_access_key_id": SECRET, "aws_secret_access_key": SECRET, "aws_session_token": SECRET},
    "gcs": {"user_agent": SECRET},
    "azure": {"azure_storage_account_key": "aHVzaC1kby1ub3QtdGVsbA=="},
    "http": {"user_agent": SECRET},
    "hdfs": {},
}
"""Options with secrets. Azurite rejects the wrong key. The other servers ignore theirs."""


class Ran(NamedTuple):
    """The exit code and the outputs of a command."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def run_process(*arguments: str, directory: str | Path = ".") -> Ran:
    """Runs a command in a separate process."""
    command = [sys.executable, "-m", "arrowfeed", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, text=True, cwd=directory)
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process, because a separate one takes a second to start.

    The outputs are those of the process: threads of Rust would write there too.
    """

    def in_this_process(*arguments: str, directory: str | Path = ".") -> Ran:
        capfd.readouterr()
        with contextlib.chdir(directory):
            try:
                code = main(arguments)
            except SystemExit as end:
                code = end.code
        return Ran(code, *capfd.readouterr())

    return in_this_process


def given(store: Store, **more: str) -> list[str]:
    """The options of a store as those of a command."""
    pairs = {**store.storage_options, **more}
    return [part for key, value in pairs.items() for part in ("--storage-option", f"{key}={value}")]


@functools.cache
def local(*arguments: str) -> Ran:
    """The output of a command, in a separate process, for a local file with the name of its last argument."""
    *options, name = arguments
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, name).write_bytes(file_of(name.rpartition(".")[2], range(ROWS)))
        return run_process(*options, name, directory=directory)


@pytest.mark.parametrize(("store", "format"), STORES_AND_FORMATS, indirect=["store"])
def test_commands_print_the_same_for_an_object_and_a_path(store: Store, format: str, run: Run) -> None:
    name = f"rows.{format}"
    store.put(name, file_of(format, range(ROWS)))
    url = store.url_of(name)
    for command in COMMANDS:
        there = (run_process if command[0] == "count" else run)(*command, *given(store), url)
        here = local(*command, name)
        assert (here.code, here.err) == (0, "")
        assert (there.code, there.err) == (0, ""), command
        if command[0] == "splits":
            found = [[json.loads(line) for line in ran.out.splitlines()] for ran in (there, here)]
            ranges = [[(each["start"], each["end"]) for each in splits] for splits in found]
            assert ranges[0] == ranges[1]
            assert {each["path"] for each in found[0]} == {url}
            continue
        # Files on disk need no requests for an index.
        lines = [line for line in there.out.replace(url, name).split("\n") if not line.startswith("index: ")]
        assert "\n".join(lines) == here.out, command


@pytest.mark.parametrize("format", ["csv"])
def test_globs_and_directories(store: Store, format: str, run: Run) -> None:
    if store.kind == "http":
        pytest.skip("servers of HTTP list nothing")
    put_all(store, files_of(format, (30, 40)))
    lines = "".join(
        f'{{"path": "{store.url_of(f"part-{part}.{format}")}", "rows": {rows}}}\n'
        for part, rows in enumerate((30, 40))
    )
    for url in (store.url_of(f"*.{format}"), store.url_of("part-[01].*"), store.url, f"{store.url}/"):
        assert run("count", "--json", *given(store), url) == (0, lines, "")
    ran = run("cat", "--columns", "id", *given(store), store.url)
    assert ran == (0, "".join(f'{{"id": {number}}}\n' for number in range(70)), "")


@pytest.fixture(params=WRITABLE)
def writable(request: pytest.FixtureRequest, make_store: Callable[[str], Store]) -> Store:
    """The store of the test on each server that accepts objects."""
    return make_store(request.param)


def test_writing_to_an_http_server_is_refused(
    make_store: Callable[[str], Store], tmp_path: Path, run: Run
) -> None:
    store = make_store("http")
    (tmp_path / "a.avro").write_bytes(file_of("avro", range(ROWS)))
    for name in OUTPUTS:
        url = store.url_of(name)
        ran = run("convert", "a.avro", *given(store), "--force", "-o", url, directory=tmp_path)
        message = f"arrowfeed: {url}: expected a path or an object of a store, found an HTTP URL\n"
        assert (ran, store.names()) == ((2, "", message), [])


@pytest.mark.parametrize(
    ("writable", "name"),
    [*((kind, OUTPUTS[0]) for kind in WRITABLE), *((WRITABLE[0], name) for name in OUTPUTS[1:])],
    indirect=["writable"],
)
def test_convert_writes_whole_objects(writable: Store, tmp_path: Path, name: str, run: Run) -> None:
    store = writable
    (tmp_path / "a.avro").write_bytes(file_of("avro", range(ROWS)))
    url = store.url_of(f"new/{name}")
    convert = ("convert", "a.avro", *given(store), "--columns", "id,text", "-o")
    ran = run_process(*convert, url, directory=tmp_path)
    assert ran == (0, f"{url}: {ROWS} rows\n", "")
    assert store.names() == [f"new/{name}"]
    written = store.get(f"new/{name}")
    assert run(*convert, name, directory=tmp_path).code == 0
    here, there = run("cat", name, directory=tmp_path), run("cat", *given(store), url)
    assert here == there
    message = f"arrowfeed: {url}: expected no object of this name, found one: --force replaces it\n"
    assert run(*convert, url, directory=tmp_path) == (2, "", message)
    # A file that ends early replaces nothing.
    (tmp_path / "a.avro").write_bytes(file_of("avro", range(ROWS))[:-1])
    ran = run(*convert, url, "--force", directory=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("arrowfeed: a.avro: block ")
    assert (store.names(), store.get(f"new/{name}")) == ([f"new/{name}"], written)
    (tmp_path / "a.avro").write_bytes(file_of("avro", range(ROWS // 2)))
    ran = run(*convert, url, "--force", directory=tmp_path)
    assert ran == (0, f"{url}: {ROWS // 2} rows\n", "")
    assert run("count", "--json", *given(store), url).out == f'{{"path": "{url}", "rows": {ROWS // 2}}}\n'


def test_an_object_is_converted_to_another(writable: Store, run: Run) -> None:
    store = writable
    put_all(store, files_of("csv", (30, 40)))
    url = store.url_of("all.parquet")
    ran = run("convert", *given(store), store.url_of("*.csv"), "-o", url, "--exclude", "pad")
    assert ran == (0, f"{url}: 70 rows\n", "")
    ran = run("cat", *given(store), url, "--columns", "id")
    assert ran == (0, "".join(f'{{"id": {number}}}\n' for number in range(70)), "")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["b.avro", "b.parquet"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_object(
    make_store: Callable[[str], Store], tmp_path: Path, name: str, number: int, code: int
) -> None:
    store = make_store("s3")
    command = [sys.executable, "-m", "arrowfeed", "convert", "-", *given(store), "-o", store.url_of(name)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdin=-1, stdout=-1, stderr=-1) as running:
        assert running.stdin is not None
        running.stdin.write(file_of("avro", range(1000)))
        running.stdin.flush()
        # It has started an object, or its local file, and waits for more rows.
        if name != "b.avro":
            wait_until(lambda: any(tmp_path.iterdir()))
        time.sleep(2)
        running.send_signal(number)
        assert running.wait(60) == code
        assert running.stdout.read() == running.stderr.read() == b""
    assert store.names() == []
    assert list(tmp_path.iterdir()) == []


def test_values_of_storage_options_are_in_no_output(store: Store, tmp_path: Path, run: Run) -> None:
    store.put("rows.avro", file_of("avro", range(ROWS)))
    (tmp_path / "a.avro").write_bytes(file_of("avro", range(ROWS)))
    secrets = [*WRONG[store.kind].values(), SECRET]
    options = given(store, **WRONG[store.kind])
    calls = [(command, store.url_of(name)) for command in COMMANDS for name in ("rows.avro", "none.avro")]
    calls += [(("head", "--debug"), store.url_of(name)) for name in ("rows.avro", "none.avro", "*.none")]
    for command, url in calls:
        ran = (run_process if "--debug" in command else run)(*command, *options, url)
        assert ran.code == 1 or (store.kind, "none" in url) != ("azure", True), (command, url)
        for secret in secrets:
            assert secret not in ran.out + ran.err, (command, url)
    for name in OUTPUTS:
        ran = run("convert", "a.avro", *options, "-o", store.url_of(f"new/{name}"), directory=tmp_path)
        for secret in secrets:
            assert secret not in ran.out + ran.err, name
    ran = run("head", *options, "--storage-option", f"no_such_key={SECRET}", store.url_of("rows.avro"))
    if store.kind != "hdfs":
        assert ran.code == 1
        assert "no_such_key" in ran.err
    assert SECRET not in ran.out + ran.err


def test_a_presigned_url_is_shown_without_its_query(make_store: Callable[[str], Store], run: Run) -> None:
    store = make_store("s3")
    store.put("rows.csv", file_of("csv", range(ROWS)))
    url = store.http_url("rows.csv")
    path = url.partition("?")[0]
    assert "?" in url
    allowed = ("--storage-option", "allow_http=true")
    assert run("count", "--json", *allowed, url) == (0, f'{{"path": "{path}", "rows": {ROWS}}}\n', "")
    assert run("schema", "--detect", *allowed, url).out.startswith("format csv: ")
    for command in COMMANDS:
        ran = run(*command, *allowed, url)
        assert (ran.code, ran.err) == (0, "")
        assert "ignature" not in ran.out


LIBRARY: dict[tuple[str, ...], Callable[..., Any]] = {
    ("schema", "--detect"): lambda url, **options: None,
    ("schema",): lambda url, **options: None,
    ("explain",): af.AvroDataset,
    ("splits",): plan_splits,
    ("head", "--threads", "1"): lambda url, **options: list(af.read_avro(url, threads=1, **options)),
    ("cat", "--threads", "1"): lambda url, **options: list(af.read_avro(url, threads=1, **options)),
    ("stats", "--threads", "1"): lambda url, **options: list(af.read_avro(url, threads=1, **options)),
}
"""The library calls of a command, besides the one that reads the start of the file."""


def requests_of(store: Store, work: Callable[[], Any]) -> int:
    """The number of requests that something sends."""
    store.proxy.reset()
    work()
    return store.proxy.stats()["requests"]


@pytest.mark.parametrize("command", LIBRARY)
def test_commands_look_once_for_the_format(proxied: Store, command: tuple[str, ...], run: Run) -> None:
    proxied.put("rows.avro", file_of("avro", range(ROWS)))
    url, options = proxied.url_of("rows.avro"), {"storage_options": proxied.storage_options}
    look = requests_of(proxied, lambda: detected(url, options))
    assert look <= 2
    asked = requests_of(proxied, lambda: LIBRARY[command](url, **options))
    found = requests_of(proxied, lambda: run(*command, *given(proxied), url))
    assert found == look + asked


def test_head_fetches_little_of_a_large_file(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, run: Run
) -> None:
    store = make_store("http")
    body = file_of("avro", range(ROWS))
    header, block = body[: body.index(SYNC) + 16], body[body.index(SYNC) + 16 :]
    store.put("large.avro", header + block * (40_000_000 // len(block)))
    store = store.through(proxy_of(store))
    ran = run("head", "-n", "3", "--columns", "id", *given(store), store.url_of("large.avro"))
    assert ran == (0, '{"id": 0}\n{"id": 1}\n{"id": 2}\n', "")
    assert store.proxy.stats()["body_bytes"] < 8 << 20


@pytest.mark.parametrize("format", FORMATS)
def test_a_dataset_looks_once_for_the_format(proxied: Store, format: str) -> None:
    name = f"rows.{format}"
    proxied.put(name, file_of(format, range(ROWS)))
    url, options = proxied.url_of(name), {"storage_options": proxied.storage_options}
    look = requests_of(proxied, lambda: detected(url, options))
    alone = requests_of(proxied, lambda: DATASETS[format](url, **options))
    found = requests_of(proxied, lambda: af.open_dataset(url, **options))
    assert found == look + alone


def test_the_bar_sends_no_request(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> None:
    store = make_store("s3")
    files = files_of("avro", (40, 40, 40))
    put_all(store, files)
    store = store.through(proxy_of(store))
    stores = {"storage_options": store.storage_options}
    for source in (store.url_of("*.avro"), store.url):
        look = requests_of(store, lambda source=source: detected(source, stores))
        assert requests_of(store, lambda source=source: opened([source], None, stores)) == look
        assert opened([source], None, stores).known_bytes == sum(map(len, files.values()))
    assert opened([store.url_of("part-0.avro")], None, stores).known_bytes == len(files["part-0.avro"])
    three = [store.url_of(name) for name in files]
    assert opened(three, None, stores).known_bytes is None
    one = requests_of(store, lambda: opened([three[0]], None, stores))
    assert requests_of(store, lambda: opened(three, None, stores).known_bytes) == one
