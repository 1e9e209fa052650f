"""The Rust documentation has no tables of private modules, and the Rust code of the pages is compiled."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))
import rustdoc_tables  # noqa: E402

sys.path.remove(str(TOOLS))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_table_of_private_modules_is_found_in_public_modules_only(tmp_path):
    source = tmp_path / "crates" / "a" / "src"
    table = "//! Things.\n//!\n//! | file | content |\n//! |---|---|\n//! | [`open`] | for users |\n"
    modules = "mod hidden;\npub mod open;\nmod other;\n"
    write(source / "lib.rs", f"{table}//! | `hidden` `other` | for us |\n\n{modules}")
    write(source / "hidden.rs", f"{table}//! | `inner` | for us |\n\nmod inner;\n")
    modules = "pub(crate) mod deep;\npub mod leaf;\n"
    write(source / "open" / "mod.rs", f"{table}\n// | `deep` | for us |\n\n{modules}")
    write(source / "open" / "leaf.rs", "//! | `part` | for us |\n\npub(super) mod part;\n")
    expected = "expected a table for users, found the private module"
    assert rustdoc_tables.faults(tmp_path) == [
        f"crates/a/src/lib.rs:3: {expected} `hidden`: use // comments",
        f"crates/a/src/open/leaf.rs:1: {expected} `part`: use // comments",
    ]


def test_the_crates_have_no_such_table():
    assert rustdoc_tables.faults(ROOT) == []


def test_the_rust_code_of_each_page_is_compiled():
    libraries = "".join(path.read_text("utf-8") for path in ROOT.glob("crates/*/src/lib.rs"))
    compiled = set(re.findall(r'include_str!\("../../../(\S+)"\)', libraries))
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    with_code = {
        page.relative_to(ROOT).as_posix()
        for page in pages
        if re.search(r"^ *```rust", page.read_text("utf-8"), re.MULTILINE)
    }
    assert "docs/rust.md" in with_code
    assert with_code == compiled
