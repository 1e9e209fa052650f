"""Figures of a results file."""

import json
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def read(path: Path) -> list[Line]:
    """The lines of a results file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def medians(lines: list[Line], suite: str) -> dict[str, dict[str, float]]:
    """The median seconds of each case and reader. The warm-up does not count."""
    seconds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        if line["suite"] == suite and line["round"] > 0 and "error" not in line:
            seconds[line["case"]][line["reader"]].append(line["seconds"])
    return {
        case: {reader: statistics.median(found) for reader, found in readers.items()}
        for case, readers in seconds.items()
    }


def ratios(lines: list[Line], suite: str, slow: str, fast: str) -> dict[str, float]:
    """The time of reader `slow` divided by that of `fast`, for each case that has both."""
    found = medians(lines, suite).items()
    return {case: of[slow] / of[fast] for case, of in found if slow in of and fast in of}
