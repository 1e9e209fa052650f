"""Prints the version of the workspace, or writes a new one: `python tools/version.py 0.2.0`."""

import re
import sys

from repository import ROOT

MANIFEST = ROOT / "Cargo.toml"
PACKAGE = re.compile(r'(?<=^version = ")[^"]+(?="$)', re.MULTILINE)
DEPENDENCY = re.compile(r'(?<=, version = ")[^"]+(?=")')
IN_PAGES = {
    "README.md": re.compile(r"(?<=\bVersion )\S+(?= is not on PyPI)"),
    "docs/rust.md": re.compile(r'(?<=^arrowfeed = \{ version = ")[^"]+(?=")', re.MULTILINE),
}
"""The places of the version in pages. The page on Rust has the version that a dependency requires."""

VERSION = re.compile(r"\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?")


def current(manifest: str) -> str:
    """The version of all packages of the workspace."""
    found = PACKAGE.findall(manifest)
    if len(found) != 1:
        raise ValueError(f"expected one version in Cargo.toml, found {len(found)}")
    return found[0]


def changed(manifest: str, version: str) -> str:
    """The manifest with another version of the packages, and of the crates that depend on each other."""
    lines = []
    for line in PACKAGE.sub(version, manifest).splitlines(keepends=True):
        lines.append(DEPENDENCY.sub(version, line) if '{ path = "crates/' in line else line)
    return "".join(lines)


def page_version(page: str, version: str) -> str:
    """The version as a page states it. A Rust dependency needs no patch version, except for a pre-release."""
    return version.rpartition(".")[0] if page == "docs/rust.md" and "-" not in version else version


def changed_page(page: str, text: str, version: str) -> str:
    """A page with another version."""
    return IN_PAGES[page].sub(page_version(page, version), text)


def main() -> None:
    """Prints or writes the version."""
    manifest = MANIFEST.read_text("utf-8")
    match sys.argv[1:]:
        case []:
            print(current(manifest))
        case [version] if VERSION.fullmatch(version):
            MANIFEST.write_text(changed(manifest, version), "utf-8")
            for page in IN_PAGES:
                path = ROOT / page
                path.write_text(changed_page(page, path.read_text("utf-8"), version), "utf-8")
            print(f"{current(manifest)} is now {version}; run `cargo metadata` to write it to Cargo.lock")
        case _:
            sys.exit("expected a version such as 0.2.0 or 0.2.0-rc.1")


if __name__ == "__main__":
    main()
