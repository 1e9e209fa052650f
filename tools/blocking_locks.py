"""Fails unless the Rust files that use blocking locks are exactly those listed in CONTRIBUTING.md."""

import re

from listed_files import compare
from repository import ROOT, files

CODE = re.compile(
    r"\b(?:Mutex|RwLock|Condvar|Barrier|OnceLock|LazyLock|OnceCell|LazyCell|mpsc|get_or_try_init|get_or_init)\b"
)
COMMENT = re.compile(r"//.*")
TESTS = re.compile(r"#\[cfg\(test\)\].*", re.DOTALL)


def used() -> set[str]:
    """The source files of the library that use a blocking lock outside their tests."""
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


if __name__ == "__main__":
    compare("files with locks", used(), "locks", "a lock that blocks")
