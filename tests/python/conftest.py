"""Files that several tests read. All are written by fastavro, which shares no code with arrowfeed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import fastavro
import pytest

if TYPE_CHECKING:
    from pathlib import Path

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
    """A file large enough that threads are worth their start: several MiB in many blocks."""
    path = tmp_path_factory.mktemp("big") / "big.avro"
    return write(path, users(BIG_ROWS), sync_interval=16_000)


def run_script(script: str, *arguments: object, timeout: float = 30) -> subprocess.CompletedProcess[str]:
    """Runs Python in a process of its own. One that hangs is killed, and the test fails."""
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
