"""The Rust documentation has no tables of private modules. The Rust code of the pages is compiled.

The types that the pages name exist, and the page of C has all keys of options.
"""

import re
import sys
from pathlib import Path

import pytest

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


def test_code_that_is_no_doc_test_is_part_of_an_example():
    programs = [path.read_text("utf-8") for path in ROOT.glob("examples/*/src/main.rs")]
    blocks = [
        (page.name, block)
        for page in ROOT.glob("docs/**/*.md")
        for block in re.findall(
            r"^```rust,ignore\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
        )
    ]
    assert [page for page, _ in blocks] == ["from-apache-avro.md"]
    for _, block in blocks:
        assert any(block in program for program in programs)


OF_OTHERS = {
    "add-a-format.md": set[str](),
    "architecture.md": set[str](),
    "datafusion.md": {"ListingTable"},
    "development.md": set[str](),
    "from-apache-avro.md": {
        "BigDecimal",
        "GenericDatumReader",
        "GenericSingleObjectReader",
        "SchemaCompatibility",
    },
    "from-arrow-avro.md": {
        *("AsyncAvroFileReader", "AvroError", "CompressionCodec", "SchemaStore", "Tz"),
        *("WriterBuilder",),
    },
    "iceberg.md": set[str](),
    "rust.md": set[str](),
}
"""Pages for users of Rust, with the types that they name of other libraries."""

DEFINITIONS = re.compile(
    r"\b(?:struct|enum|trait|type|fn|mod|as)\s+(\w+)|^\s+(?:pub )?(\w+)\s*[,({:]", re.MULTILINE
)


@pytest.fixture(scope="module")
def defined():
    """The names of items, fields, variants and aliases in the code of the crates and of the bindings."""
    paths = [*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("python/src/**/*.rs")]
    code = [re.sub(r"//[^\n]*", "", path.read_text("utf-8")) for path in paths]
    return {name for text in code for names in DEFINITIONS.findall(text) for name in names if name}


@pytest.mark.parametrize("page", OF_OTHERS)
def test_the_types_that_a_page_names_exist(page, defined):
    text = re.sub(
        r"^```.*?^```", "", (ROOT / "docs" / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    code = re.findall(r"`([^`]+)`", text)
    named = {name for part in code for name in re.findall(r"\b[A-Z][a-z]\w*(?:[A-Z]\w*|(?=::))", part)}
    assert named - defined == OF_OTHERS[page]
    if page.startswith("from-"):
        return
    members = {name for part in code for name in re.findall(r"\b[A-Z]\w*::(\w+)", part)}
    assert members - defined == set()


STRUCT = re.compile(r"Deserialize\)[^{;]*?struct \w+(?:<[^>]*>)? \{(.*?)^ *\}", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^ +(?:pub(?:\(crate\))? )?([a-z]\w*):", re.MULTILINE)
SKIPPED = re.compile(r"serde\(skip\)\)?\]\n +pub \w+:")
RENAMED = {"data_type": "type"}


def test_the_page_of_c_has_every_key_of_options():
    page = re.sub(
        r"^```.*?^```", "", (ROOT / "docs" / "c.md").read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    named = {name for code in re.findall(r"`([^`]+)`", page) for name in re.findall(r"\w+", code)}
    formats = [
        f"crates/arrowfeed-{name}/src/**/*.rs" for name in ("avro", "ipc", "parquet", "text", "tfrecord")
    ]
    sources = [*formats, "crates/arrowfeed/src/dataset/options.rs", "crates/arrowfeed-c/src/options/*.rs"]
    texts = [SKIPPED.sub("", path.read_text("utf-8")) for source in sources for path in ROOT.glob(source)]
    keys = {key for text in texts for body in STRUCT.findall(text) for key in FIELD.findall(body)}
    assert {"takes_turns", "skip_blank_lines", "pack_to"} <= keys
    assert sorted({RENAMED.get(key, key) for key in keys} - named) == []
