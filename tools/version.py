"""Prints the version of the workspace, or writes a new one: `python tools/version.py 0.2.0`."""

import re
import sys

from repository import ROOT

MANIFEST = ROOT / "Cargo.toml"
PACKAGE = re.compile(r'(?<=^version = ")[^"]+(?="$)', re.MULTILINE)
DEPENDENCY = re.compile(r'(?<=, version = ")[^"]+(?=")')
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


def main() -> None:
    """Prints or writes the version."""
    manifest = MANIFEST.read_text("utf-8")
    match sys.argv[1:]:
        case []:
            print(current(manifest))
        case [version] if VERSION.fullmatch(version):
            MANIFEST.write_text(changed(manifest, version), "utf-8")
            print(f"{current(manifest)} is now {version}; run `cargo metadata` to write it to Cargo.lock")
        case _:
            sys.exit("expected a version such as 0.2.0 or 0.2.0-rc.1")


if __name__ == "__main__":
    main()
