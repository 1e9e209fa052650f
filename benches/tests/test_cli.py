"""Properties of the measurement of the command line."""

import io
import json
from pathlib import Path

import pytest

from cli_worker import answer
from datasets.wide_flat import WIDE_FLAT
from generate import file_name, make
from harness.session import Session
from harness.worker import Job
from manifest import Manifest
from suites import cli

SCALE = 0.002
ROWS = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `wide_flat` at a small scale."""
    path = tmp_path_factory.mktemp("data")
    make(WIDE_FLAT, WIDE_FLAT.scaled_rows(SCALE), ("null",), Manifest(path))
    return path


def job(folder: Path, way: str, rows: int, column: str = "long_2") -> dict[str, object]:
    path = str(folder / file_name("wide_flat", "null"))
    return json.loads(Job(path, way=way, columns=[column], limit=rows).line())


@pytest.mark.parametrize("way", cli.COMMANDS)
@pytest.mark.parametrize("rows", [ROWS, 1, 1000])
def test_the_rows_of_a_command_are_counted(folder: Path, way: str, rows: int) -> None:
    found = answer(job(folder, way, rows))
    assert (found["rows"], found["seconds"] > 0) == (rows, True)


def test_missing_rows_are_noticed(folder: Path) -> None:
    assert [answer(job(folder, way, 1001))["rows"] for way in cli.COMMANDS] == [1000] * 3


def test_the_error_of_a_command_is_the_answer(folder: Path) -> None:
    found = answer(job(folder, "head", 1, "no"))
    assert "expected a field of record" in found["error"]


def test_the_suite_has_a_line_for_each_command_with_its_bar(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = io.StringIO()
    session = Session(folder, SCALE, 1, ["wide_flat"], ["null"], log)
    try:
        cli.run(session)
    finally:
        session.close()
    assert session.failures == {}
    lines = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines() if " | " in line]
    assert lines[0] == ["command", "rows", "ms", "bar ms", "met?"]
    shown = [(command, rows, bar) for command, rows, _, bar, _ in lines[2:]]
    assert shown == [("head", "400", "1500"), ("cat", "400", "1500"), ("head --table", "400", "3000")]
    rounds = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [(entry["reader"], entry["round"], entry["rows"]) for entry in rounds] == [
        (command, at, ROWS) for command in cli.COMMANDS for at in (0, 1)
    ]
