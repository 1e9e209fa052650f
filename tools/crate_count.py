"""Counts the crates that users of `arrowfeed` compile with some of its features.

`python tools/crate_count.py` prints the table of docs/rust.md. `--check` fails if a count on the page
is wrong, or if a build has more crates than `MOST` allows. Nothing is compiled.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from repository import ROOT

PAGE = ROOT / "docs" / "rust.md"

SIMPLE = ("avro", "deflate", "snappy", "zstandard")

BUILDS: list[tuple[str, ...]] = [
    ("avro",),
    SIMPLE,
    ("ipc",),
    ("parquet",),
    ("text",),
    ("tfrecord",),
    ("formats",),
    ("codecs", "formats"),
    ("avro", "substrait"),
    ("avro", "datasets"),
    ("avro", "stores"),
    ("avro", "hdfs"),
    ("default",),
]
"""The features of each row of the table."""

MOST = {SIMPLE: 80}
"""The largest count that a build may have."""

TOLERANCE = 5
"""The largest difference of a count on the page: an update of a dependency may add or remove a few crates."""


def count(features: tuple[str, ...]) -> int:
    """The number of crates of a build, `arrowfeed` included, without those of tests."""
    tree = ["cargo", "tree", "--package", "arrowfeed", "--edges", "normal,build", "--prefix", "none"]
    tree += ["--format", "{p}", "--no-default-features", "--features", ",".join(features)]
    text = subprocess.run(tree, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return len({tuple(line.split()[:2]) for line in text.splitlines() if line})


def row(features: tuple[str, ...], crates: int | str) -> str:
    """The row of the table for a build."""
    return f"| {', '.join(f'`{feature}`' for feature in features)} | {crates} |"


def faults(counts: dict[tuple[str, ...], int]) -> list[str]:
    """The builds with too many crates, and the rows that the page lacks or that are wrong."""
    found = [
        f"{', '.join(features)}: expected at most {most} crates, found {counts[features]}"
        for features, most in MOST.items()
        if counts[features] > most
    ]
    page = PAGE.read_text()
    for features, crates in counts.items():
        pattern = re.escape(row(features, "COUNT")).replace("COUNT", r"(\d+)")
        stated = re.search(f"^{pattern}$", page, re.MULTILINE)
        if stated is None or abs(int(stated[1]) - crates) > TOLERANCE:
            found.append(f"docs/rust.md: expected the row {row(features, crates)}")
    return found


def main() -> None:
    """Prints the table, or fails if a count is wrong."""
    with ThreadPoolExecutor(2) as pool:
        counts = dict(zip(BUILDS, pool.map(count, BUILDS), strict=True))
    if "--check" not in sys.argv[1:]:
        print("\n".join(row(features, crates) for features, crates in counts.items()))
    elif found := faults(counts):
        sys.exit("\n".join(found))
    else:
        print(f"crates: {counts[SIMPLE]} for {', '.join(SIMPLE)}, at most {MOST[SIMPLE]}")


if __name__ == "__main__":
    main()
