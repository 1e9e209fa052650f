"""Files that several tests read. All are written by fastavro, which shares no code with arrowfeed."""

from __future__ import annotations

import bz2
import functools
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import fastavro
import pytest

from dataset_files import people_files
from session_seed import SEED, VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell lets commands in the background ignore Ctrl-C, and their children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The tests start hundreds of interpreters. In each, numpy would start threads for linear algebra.
# That takes 0.1 s of CPU time on two cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_report_header() -> str:
    """Prints the seed, with which the run can be repeated."""
    return f"random cases: {VARIABLE}={SEED}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the seed to the report of a test that fails."""
    report = yield
    if report.failed:
        report.sections.append(("random cases", f"{VARIABLE}={SEED}"))
    return report


SCHEMA = {
    "type": "record",
    "name": "User",
    "namespace": "tests",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "name", "type": ["null", "string"]},
        {"name": "scores", "type": {"type": "array", "items": "float"}},
        {
            "name": "home",
            "type": {
                "type": "record",
                "name": "Home",
                "fields": [{"name": "city", "type": "string"}, {"name": "zip", "type": "int"}],
            },
        },
    ],
}


def users(count: int, first: int = 0) -> list[dict]:
    """Records of `SCHEMA`, numbered from `first` on."""
    return [
        {
            "id": number,
            "name": None if number % 5 == 0 else f"user {number}",
            "scores": [(number + place) % 100 / 4 for place in range(number % 4)],
            "home": {"city": f"city {number % 10}", "zip": number % 1000},
        }
        for number in range(first, first + count)
    ]


def write(path: Path, records: list, schema: object = SCHEMA, codec: str = "null", **options: object) -> Path:
    """Writes an Avro file."""
    with path.open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(schema), records, codec=codec, **options)
    return path


@pytest.fixture
def users_file(tmp_path: Path) -> Path:
    """100 users in one file."""
    return write(tmp_path / "users.avro", users(100))


@pytest.fixture
def arrowfeed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The command line, in the test's own folder: names in messages are short."""
    from command_line import Commands  # noqa: PLC0415 - for the tests of it only

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARROWFEED_DEBUG", raising=False)
    return Commands(capsys)


BIG_ROWS = 60_000


@pytest.fixture(scope="session")
def big_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that is worth several threads: several MiB in many blocks."""
    path = tmp_path_factory.mktemp("big") / "big.avro"
    return write(path, users(BIG_ROWS), sync_interval=16_000)


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four files with 300 numbered people in total. One file is empty."""
    return people_files(tmp_path_factory.mktemp("people"), [110, 0, 77, 113])


@pytest.fixture(scope="session")
def real_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], list[Path]]:
    """The files of a shape of `real_rows` in a format. All tests share them."""
    from real_rows import SHAPES, write  # noqa: PLC0415 - for the tests of real sizes only

    @functools.cache
    def files(shape: str, form: str) -> list[Path]:
        return write(SHAPES[shape], form, tmp_path_factory.mktemp("real"))

    return files


@pytest.fixture(scope="session")
def endless_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose batches take long: each block has a row whose bytes are decompressed but not read."""
    path = tmp_path_factory.mktemp("endless") / "endless.avro"
    row = b"\x02" + zigzag(1 << 18) + bytes(1 << 18)
    # The slowest codec: more than a millisecond for 54 bytes of the file.
    data = bz2.compress(row)
    sync = b"0123456789abcdef"
    schema = (
        b'{"type": "record", "name": "R", "fields":'
        b' [{"name": "id", "type": "long"}, {"name": "pad", "type": "bytes"}]}'
    )
    pairs = b"".join(zigzag(len(text)) + text for text in (b"avro.schema", schema, b"avro.codec", b"bzip2"))
    block = zigzag(1) + zigzag(len(data)) + data + sync
    path.write_bytes(b"Obj\x01" + zigzag(2) + pairs + b"\x00" + sync + block * 20_000)
    return path


def zigzag(number: int) -> bytes:
    """A count of the Avro specification."""
    number *= 2
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def run_script(script: str, *arguments: object, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Runs a script in a separate process. If it hangs, it is killed and the test fails."""
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


class Took(NamedTuple):
    """Seconds of the clock, and seconds in which the threads of a process used a core."""

    clock: float
    cores: float


measures = pytest.mark.parametrize("measure", ["cores", pytest.param("clock", marks=pytest.mark.night)])
"""The measures of `is_answered`."""


def is_answered(measure: str, seconds: float, took: Callable[[], Took]) -> None:
    """Asserts that a call ends soon. `took` asserts that it ends, and how.

    On a machine that does nothing else, it takes less than this time. Beside other work, it uses the cores
    for less than ten times as long: a call that does not look at signals uses them until its end.
    """
    if measure == "clock":
        readings = [took().clock for _ in range(3)]
        assert min(readings) < seconds, readings
    else:
        assert took().cores < 10 * seconds


def cores_used(process: int) -> float:
    """Seconds in which the threads of a process used a core. Infinite where the system has no such file, so
    that differences are negative.
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return math.inf
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Runs `work(number)` in threads and gives the results; an exception in one is raised here."""
    results, failures = [None] * count, []

    def run(number):
        try:
            results[number] = work(number)
        except BaseException as error:  # noqa: BLE001 - raised below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive(), "a thread hangs"
    if failures:
        raise failures[0]
    return results


def wait_for_work(seconds: float = 0.05) -> None:
    """Waits until threads of this process have used this much CPU time, so that a call has begun."""
    begun = time.process_time()
    while time.process_time() < begun + seconds:
        time.sleep(0.002)


def tasks() -> set[str]:
    """The threads of this process, as the system numbers them."""
    return {task.name for task in Path("/proc/self/task").iterdir()}
