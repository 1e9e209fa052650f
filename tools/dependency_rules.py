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
from collections.abc import Iterator
from typing import Any

import tomllib

from repository import ROOT

REGISTRY = "registry+"
"""The start of the source of a package that cargo takes from a registry: the default one."""


@functools.cache
def rules() -> dict[str, Any]:
    """The content of `deny.toml`."""
    return tomllib.loads((ROOT / "deny.toml").read_text("utf-8"))


def metadata() -> dict[str, Any]:
    """All packages of the workspace and their dependencies, on this platform."""
    version = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    host = re.search("^host: (.*)$", version, re.MULTILINE)
    assert host is not None
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host[1]]
    command += ["--all-features"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def shipped(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The packages of the workspace, except the excluded ones, and their dependencies."""
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    excluded = rules()["graph"]["exclude"]
    waiting = [member for member in found["workspace_members"] if packages[member]["name"] not in excluded]
    known = set(waiting)
    while waiting:
        identifier = waiting.pop()
        yield packages[identifier]
        for dependency in nodes[identifier]["deps"]:
            is_built = any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
            if is_built and dependency["pkg"] not in known:
                known.add(dependency["pkg"])
                waiting.append(dependency["pkg"])


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


def faults(found: dict[str, Any]) -> list[str]:
    """The packages with another licence or source, and those of several versions without a reason."""
    allowed = set(rules()["licenses"]["allow"])
    skipped = {rule["crate"] for rule in rules()["bans"]["skip"]}
    wrong, versions = [], defaultdict[str, set[str]](set)
    for package in shipped(found):
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
    found = metadata()
    if wrong := faults(found):
        sys.exit("\n".join(wrong))
    print(f"dependency rules: {sum(1 for _ in shipped(found))} packages of users")


if __name__ == "__main__":
    main()
