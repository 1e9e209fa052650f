"""The name of a test says what is special in its file, so no two files define the same name."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_two_files_define_a_test_of_the_same_name() -> None:
    files = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE):
            files[name].add(path.relative_to(TESTS).as_posix())
    assert len(files) > 2000
    assert {name: sorted(found) for name, found in files.items() if len(found) > 1} == {}
