"""Tables of the suites that compare arrowfeed with itself, with workers whose times are known."""

import io
import json
import sys
from pathlib import Path

import pytest

from datasets.columns import COUNTS, VALUES
from harness.session import Session
from harness.worker import Worker
from suites import batches, columns, threads

ANSWER = """
import json, sys
for line in sys.stdin:
    job = json.loads(line)
    print(json.dumps({"seconds": %s, "rows": %s}), flush=True)
"""


def session(seconds: str, rows: str) -> Session:
    """A run of one round. Both arguments are Python expressions of `job`, a dictionary."""
    run = Session(Path("data"), 1, 1, ["nested"], ["null"], io.StringIO())
    run._workers["rust"] = Worker("rust", [sys.executable, "-c", ANSWER % (seconds, rows)])
    return run


def jobs(run: Session) -> list[dict[str, object]]:
    run.close()
    assert isinstance(run.log, io.StringIO)
    return [json.loads(line) for line in run.log.getvalue().splitlines()]


def cells(text: str, first: str) -> list[str]:
    """The cells of the row that begins with `first`."""
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines() if line]
    return next(row for row in rows if row[0] == first)


def test_the_time_of_a_value_is_compared_with_the_least(capsys: pytest.CaptureFixture[str]) -> None:
    number = "int(job['file'].split('columns_')[1].split('.')[0])"
    run = session(f"1.0 if {number} < 1000 else 4.0", f"{VALUES} // {number}")
    columns.run(run)
    found = jobs(run)
    assert len(found) == 2 * len(COUNTS)
    assert not run.failures
    text = capsys.readouterr().out
    each = f"{1 / VALUES * 1e9:.1f}"
    assert cells(text, "10")[2:] == [each, "1.00", "1.3", "yes"]
    assert cells(text, "4096")[3:] == ["4.00", "1.3", "**no**"]


def test_sizes_of_batches_are_compared_with_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    run = session("2.0 if job['batch_size'] == 64 else 1.0", "310000")
    batches.run(run)
    jobs(run)
    assert not run.failures
    row = cells(capsys.readouterr().out, "nested")
    assert [cell.split()[0] for cell in row[1:3]] == ["2000", "1000"]
    assert row[-1] == "2.00"


def test_threads_are_compared_at_the_default_size_of_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    run = session("0.1 if job['threads'] == 2 else 0.19", "310000 if 'batch_size' not in job else 0")
    threads.run(run)
    jobs(run)
    assert not run.failures
    assert cells(capsys.readouterr().out, "nested")[4:] == ["1.90", "1.75", "yes"]


def test_a_worker_that_fails_has_no_figure(capsys: pytest.CaptureFixture[str]) -> None:
    run = session("1.0", "0")
    batches.run(run)
    jobs(run)
    assert list(run.failures.values()) == [["batches nested"] * len(batches.SIZES)]
    assert cells(capsys.readouterr().out, "nested")[-1] == "-"
