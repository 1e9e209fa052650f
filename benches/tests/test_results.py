"""Properties of the figures of a results file, and of samples of memory."""

import sys
import time
from pathlib import Path

import pytest

from harness.results import medians, ratios, read
from harness.worker import Job, MemorySamples, Worker

ANSWER = "import sys, time\nfor _ in sys.stdin:\n time.sleep(0.3)\n print('{\"rows\": 1}', flush=True)"


def line(suite: str, reader: str, at: int, seconds: float) -> str:
    return f'{{"suite": "{suite}", "case": "a", "reader": "{reader}", "round": {at}, "seconds": {seconds}}}'


def test_the_warm_up_and_other_suites_do_not_count(tmp_path: Path) -> None:
    lines = [line("decode", "one", at, seconds) for at, seconds in enumerate((90, 4, 1, 3))]
    lines += [line("decode", "two", at, 2) for at in range(2)]
    lines += [line("threads", "one", 1, 50)]
    lines += ['{"suite": "decode", "case": "b", "reader": "one", "round": 1, "error": "no"}']
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(lines))
    found = read(path)
    assert medians(found, "decode") == {"a": {"one": 3, "two": 2}}
    assert ratios(found, "decode", "one", "two") == {"a": 1.5}
    assert ratios(found, "threads", "one", "two") == {}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_the_memory_of_a_worker_is_sampled_while_it_works() -> None:
    worker = Worker("sleeper", [sys.executable, "-c", ANSWER])
    try:
        with MemorySamples(worker) as samples:
            worker.ask(Job("a.avro"))
        count = len(samples.found)
        time.sleep(3 * MemorySamples.INTERVAL)
    finally:
        worker.close()
    assert len(samples.found) == count >= 3
    assert all(size > 1 << 20 for _, size in samples.found)
    assert [at for at, _ in samples.found] == sorted(at for at, _ in samples.found)
