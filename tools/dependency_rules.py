"""Checks the dependencies that users compile against the rules of `deny.toml`: licences, versions, sources.

Needs neither cargo-deny nor a network: it reads the packages of the platform of this machine. `make
deny` also checks other platforms and advisories.
"""

import functools
import json
import re
import subprocess
import sys
from collections import defaultdict
from typing import Any

import tomllib

from repository import ROOT

REGISTRY = "registry+"
"""The start of the source of a package that cargo takes from a registry: the default one."""


@functools.cache
def rules() -> dict[str, Any]:
    """The content of `deny.toml`."""
    return tomllib.loads((ROOT / "deny.toml").read_text("utf-8"))


def cargo(*arguments: str) -> str:
    """What a command of cargo prints, which may not change `Cargo.lock`."""
    command = ["cargo", *arguments, "--locked", "--all-features"]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def compiled(tree: str) -> set[tuple[str, str]]:
    """The names and versions of the packages in lines of `cargo tree`."""
    lines = [line.split() for line in tree.splitlines() if line]
    return {(name, version.removeprefix("v")) for name, version, *_ in lines}


def shipped() -> list[dict[str, Any]]:
    """The packages that users compile on this platform.

    Metadata of cargo has licences and sources. It also has packages that no build needs, such as those
    of features on other platforms, which `cargo tree` leaves out.
    """
    excluded = [word for name in rules()["graph"]["exclude"] for word in ("--exclude", name)]
    tree = [
        "tree",
        "--workspace",
        *excluded,
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]
    built = compiled(cargo(*tree))
    packages = json.loads(cargo("metadata", "--format-version", "1"))["packages"]
    return [package for package in packages if (package["name"], package["version"]) in built]


def is_allowed(licence: str, allowed: set[str]) -> bool:
    """Whether the allowed licences fulfil an SPDX expression. `A/B` is an old form of `A OR B`."""
    tokens = re.findall(r"[()]|[^\s()]+(?: WITH \S+)?", licence.replace("/", " OR "))

    def alternatives(at: int) -> tuple[bool, int]:
        value, at = together(at)
        while at < len(tokens) and tokens[at] == "OR":
            other, at = together(at + 1)
            value = value or other
        return value, at

    def together(at: int) -> tuple[bool, int]:
        value, at = one(at)
        while at < len(tokens) and tokens[at] == "AND":
            other, at = one(at + 1)
            value = value and other
        return value, at

    def one(at: int) -> tuple[bool, int]:
        if at < len(tokens) and tokens[at] == "(":
            value, at = alternatives(at + 1)
            return value, at + 1
        return at < len(tokens) and tokens[at] in allowed, at + 1

    value, end = alternatives(0)
    return value and end == len(tokens)


def faults(packages: list[dict[str, Any]]) -> list[str]:
    """The packages with another licence or source, and those of several versions without a reason."""
    allowed = set(rules()["licenses"]["allow"])
    skipped = {rule["crate"] for rule in rules()["bans"]["skip"]}
    wrong, versions = [], defaultdict[str, set[str]](set)
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if package["source"] is not None:
            versions[package["name"]].add(package["version"])
        if not is_allowed(package["license"] or "", allowed):
            wrong.append(f"{name}: expected an allowed licence, found {package['license']}")
        if not (package["source"] or REGISTRY).startswith(REGISTRY):
            wrong.append(f"{name}: expected a package of a registry, found {package['source']}")
    for name, several in versions.items():
        left = [version for version in several if not is_skipped(name, version, skipped)]
        if len(left) > 1:
            wrong.append(f"{name}: expected one version, found {', '.join(sorted(left))}")
    return sorted(wrong)


def is_skipped(name: str, version: str, skipped: set[str]) -> bool:
    """Whether a rule such as `syn@2` or `digest@0.10` has the version."""
    parts = version.split(".")
    return any(f"{name}@{'.'.join(parts[:count])}" in skipped for count in range(1, len(parts) + 1))


def main() -> None:
    """Prints each fault, and fails if there is one."""
    packages = shipped()
    if wrong := faults(packages):
        sys.exit("\n".join(wrong))
    print(f"dependency rules: {len(packages)} packages of users")


if __name__ == "__main__":
    main()
