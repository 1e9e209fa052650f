"""Properties of side-by-side measurement."""

import sys
from pathlib import Path
from typing import Any

from harness.rounds import Contender, Failure, Timing, measure, ratio
from harness.worker import Job, Worker

ECHO = """
import json, sys
for at, line in enumerate(sys.stdin):
    answer = {"seconds": [9.0, 3.0, 1.0, 2.0][at], "rows": json.loads(line)["batch_size"]}
    print(json.dumps(answer), flush=True)
"""


def contender(label: str, program: str, rows: int) -> Contender:
    return Contender(label, Worker(label, [sys.executable, "-c", program]), Job("a.avro", batch_size=7), rows)


def run(contenders: list[Contender]) -> tuple[dict[str, Timing | Failure], list[tuple[str, int]]]:
    order: list[tuple[str, int]] = []

    def record(label: str, at: int, _answer: dict[str, Any]) -> None:
        order.append((label, at))

    try:
        return measure(contenders, 3, record), order
    finally:
        for each in contenders:
            each.worker.close()


def test_contenders_take_turns_and_the_warm_up_does_not_count() -> None:
    outcomes, order = run([contender("a", ECHO, 7), contender("b", ECHO, 7)])
    assert order == [(label, at) for at in range(4) for label in ("a", "b")]
    assert outcomes["a"] == Timing(7, [3.0, 1.0, 2.0])
    assert ratio(outcomes["a"], outcomes["b"]) == 1.0


def test_a_wrong_row_count_is_a_failure_and_the_others_go_on() -> None:
    outcomes, order = run([contender("a", ECHO, 8), contender("b", ECHO, 7)])
    assert outcomes["a"] == Failure("a: expected 8 rows, found 7")
    assert isinstance(outcomes["b"], Timing)
    assert order == [("a", 0), ("b", 0), ("b", 1), ("b", 2), ("b", 3)]
    assert ratio(outcomes["a"], outcomes["b"]) is None


def test_a_dead_worker_is_a_failure() -> None:
    outcomes, _ = run([contender("a", "import sys; sys.exit(3)", 7)])
    assert outcomes["a"] == Failure("a ended with status 3")


def test_a_failed_job_is_a_failure() -> None:
    program = """print('{"error": "no such file"}', flush=True); input()"""
    outcomes, _ = run([contender("a", program, 7)])
    assert outcomes["a"] == Failure("a: no such file")


def test_a_worker_that_is_not_built_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "worker"
    outcomes, _ = run([Contender("a", Worker("a", [str(path)]), Job("a.avro"), 7)])
    assert outcomes["a"] == Failure(f"a: expected {path}, which is not built")
