"""The messages of the Rust crates have no Python syntax, because users of Rust, C and SQL see them too."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))
import rust_messages  # noqa: E402

sys.path.remove(str(TOOLS))

SOURCE = r"""/// Like `columns=` of Python, or "exclude=".
const FIRST: &str = "leave it out with `exclude=`";
const SECOND: &str = "pass schema=\"merge\", or \
    none";
const QUOTE: char = '"';
const THIRD: &[&str] = &[r#"expected "False" "#, "epochs={epochs} allows it", "(lossy=True converts)"];
const FOURTH: &str = "global_batch_size: expected 1 or more";
const RIGHT: &[&str] = &["a=b/part-0", "dt=2026-01-01/x.avro", "x == 1", "s3://b/?key=word", "`exclude`"];
fn life<'a>(text: &'a str) -> &'a str { text } // "None"

#[cfg(test)]
mod tests {
    const OF_TESTS: &str = "`columns=`";
}
"""


def test_python_syntax_is_found_in_texts_only(tmp_path):
    path = tmp_path / "crates" / "a" / "src" / "lib.rs"
    path.parent.mkdir(parents=True)
    path.write_text(SOURCE)
    (path.parent / "tests.rs").write_text('const OF_TESTS: &str = "`columns=`";\n')
    found = [
        (2, "exclude="),
        (3, "schema="),
        (6, "False"),
        (6, "epochs="),
        (6, "lossy="),
        (7, "global_batch_size"),
    ]
    assert rust_messages.faults(tmp_path) == [
        f"crates/a/src/lib.rs:{line}: expected words for users of every language, found {text}"
        for line, text in found
    ]


def test_a_file_that_is_exempt_without_need_is_found(tmp_path, monkeypatch):
    (tmp_path / "crates" / "a" / "src").mkdir(parents=True)
    (tmp_path / "crates" / "a" / "src" / "lib.rs").write_text('const TEXT: &str = "a";\n')
    monkeypatch.setattr(rust_messages, "WITHOUT_ADVICE", {"a/src/lib.rs": "a reason", "b/src/lib.rs": "none"})
    assert rust_messages.faults(tmp_path) == ["a/src/lib.rs: is in WITHOUT_ADVICE, and has no Python syntax"]


def test_the_crates_have_no_python_syntax():
    assert rust_messages.faults(ROOT) == []
