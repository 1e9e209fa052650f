"""The tools that check the dependencies of the Rust crates find faults."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))
import cargo_packages  # noqa: E402
import crate_count  # noqa: E402
import dependency_rules  # noqa: E402
import minimal_versions  # noqa: E402

sys.path.remove(str(TOOLS))


@pytest.mark.parametrize(
    ("licence", "is_allowed"),
    [
        ("MIT", True),
        ("GPL-3.0", False),
        ("GPL-3.0 OR MIT", True),
        ("GPL-3.0/MIT", True),
        ("GPL-3.0 AND MIT", False),
        ("MIT AND (GPL-3.0 OR Apache-2.0)", True),
        ("(MIT OR Apache-2.0) AND GPL-3.0", False),
        ("Apache-2.0 WITH LLVM-exception", False),
        ("MIT OR Apache-2.0 WITH LLVM-exception", True),
        ("MIT MIT", False),
        ("", False),
    ],
)
def test_a_licence_can_be_fulfilled_with_the_allowed_ones(licence, is_allowed):
    assert dependency_rules.is_allowed(licence, {"MIT", "Apache-2.0"}) is is_allowed


def package(name, version="1.0.0", licence="MIT", source=dependency_rules.REGISTRY):
    return {"name": name, "version": version, "license": licence, "source": source}


def test_the_faults_of_the_packages_that_users_compile_are_found():
    packages = [
        package("arrowfeed", source=None),
        package("good"),
        package("other", licence="GPL-3.0"),
        package("forked", source="git+https://a.b/forked"),
        package("twice", "1.2.3"),
        package("twice", "2.0.0"),
        package("syn", "2.5.0"),
        package("syn", "3.0.0"),
    ]
    assert dependency_rules.faults(packages) == [
        "forked 1.0.0: expected a package of a registry, found git+https://a.b/forked",
        "other 1.0.0: expected an allowed licence, found GPL-3.0",
        "twice: expected one version, found 1.2.3, 2.0.0",
    ]


def test_the_packages_of_a_build_are_read_from_its_tree():
    tree = (
        "arrowfeed v0.1.0 (/a/b c)\nserde v1.0.1\nserde v1.0.1 (*)\n\nforked v0.2.0-rc.1 (https://a.b/c#1)\n"
    )
    tree += "paste v1.2.3 (proc-macro)\n"
    assert dependency_rules.compiled(tree) == {
        ("arrowfeed", "0.1.0"),
        ("serde", "1.0.1"),
        ("forked", "0.2.0-rc.1"),
        ("paste", "1.2.3"),
    }


def test_too_many_crates_and_wrong_counts_of_the_page_are_found():
    simple = crate_count.SIMPLE
    assert crate_count.faults({simple: 90, ("avro",): 300}) == [
        "avro, deflate, snappy, zstandard: expected at most 80 crates, found 90",
        "docs/rust.md: expected the row | `avro`, `deflate`, `snappy`, `zstandard` | 90 |",
        "docs/rust.md: expected the row | `avro` | 300 |",
    ]


def test_manifests_are_compiled_without_their_tests():
    manifest = '[package]\nname = "a"\n\n[dependencies]\nb = "1"\n\n[dev-dependencies]\nc = "1"\n\n'
    manifest += '[[test]]\nname = "d"\n\n[lints]\nworkspace = true\n'
    expected = '[package]\nname = "a"\n\n[dependencies]\nb = "1"\n\n[lints]\nworkspace = true\n'
    assert minimal_versions.without_tests(manifest) == expected


def test_the_page_of_a_published_crate_shows_features():
    crates = cargo_packages.published()
    assert "arrowfeed" in crates
    for crate in crates:
        found = cargo_packages.packages()[crate]
        docs = {"all-features": True, "rustdoc-args": ["--cfg", "docsrs"]}
        assert found["metadata"]["docs"]["rs"] == docs, crate
        library = Path(found["manifest_path"]).parent / "src" / "lib.rs"
        assert "#![cfg_attr(docsrs, feature(doc_cfg))]" in library.read_text("utf-8"), crate
