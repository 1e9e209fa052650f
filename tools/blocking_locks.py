"""Fails unless locks that block stand in exactly the Rust files that CONTRIBUTING.md lists."""

import re
import sys

from repository import ROOT, files

LIST = re.compile(r"<!-- files with locks -->\n(.*?)<!-- end -->", re.DOTALL)
CODE = re.compile(
    r"\b(?:Mutex|RwLock|Condvar|Barrier|OnceLock|LazyLock|OnceCell|LazyCell|mpsc|get_or_try_init|get_or_init)\b"
)
COMMENT = re.compile(r"//.*")
TESTS = re.compile(r"#\[cfg\(test\)\].*", re.DOTALL)


def listed() -> set[str]:
    """The files between the two marks of CONTRIBUTING.md."""
    found = LIST.search((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    if found is None:
        sys.exit("expected the list of files with locks in CONTRIBUTING.md, found no marks")
    return set(re.findall(r"`([^`\s]+\.rs)`", found[1]))


def used() -> set[str]:
    """The source files of the library that have a lock outside their tests."""
    names = {path.relative_to(ROOT).as_posix(): path for path in files(".rs")}
    sources = {
        name: path
        for name, path in names.items()
        if re.match(r"(crates/[^/]+|python)/src/", name) and not name.endswith("/tests.rs")
    }
    return {
        name
        for name, path in sources.items()
        if CODE.search(TESTS.sub("", COMMENT.sub("", path.read_text("utf-8"))))
    }


def main() -> None:
    """Names each file that is only on one side."""
    expected, found = listed(), used()
    if expected == found:
        print(f"locks: {len(found)} files, as listed")
        return
    for name in sorted(found - expected):
        print(f"{name}: has a lock that blocks, and is not listed in CONTRIBUTING.md", file=sys.stderr)
    for name in sorted(expected - found):
        print(f"{name}: is listed in CONTRIBUTING.md, and has no lock that blocks", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
