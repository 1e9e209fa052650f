"""Checks that the builds of CI compile each dependency once: that its features are the same in all of them.

With another set of features, cargo compiles a package again, and all packages above it.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from typing import Any

from repository import ROOT

PACKAGE = ("rustc", "--package", "arrowfeed-python", "--lib")
CLIPPY = ("check", "--workspace", "--all-targets")
COUNTED = ("build", *("--package", "arrowfeed-python", "--package", "bench-instructions"))
BUILDS = [
    (PACKAGE, ("test", "--workspace")),
    (PACKAGE, (*COUNTED, "--bin", "bench-instructions")),
    (CLIPPY, ("doc", "--workspace", "--no-deps", *sys.argv[1:])),
]
"""Builds that come one after the other. The arguments of this program are those of `cargo doc`."""

TWICE = {
    "apache-avro": "the tests write all codecs",
    "arrow-avro": "only benchmarks are above it",
    "concurrent-queue": "only smol of the examples is above it",
    "datafusion": "the tests use SQL, which rustdoc does not see",
    "datafusion-common": "as `datafusion`",
    "datafusion-expr": "as `datafusion`",
    "event-listener": "only smol of the examples is above it",
    "flate2": "DataFusion has its other backend, which the package must not get",
    "futures-lite": "only smol of the examples is above it",
    "linux-raw-sys": "only rustix is above it",
    "parquet": "DataFusion has features that the package must not get",
    "ppv-lite86": "only generators of the tests are above it",
    "proc-macro2": "only macros that build the tests are above it",
    "quote": "only macros that build the tests are above it",
    "rustix": "only smol and temporary files of the tests are above it",
    "syn": "only macros that build the tests are above it",
}
"""Packages that two builds may compile, with reasons."""


def features(build: tuple[str, ...]) -> dict[tuple[str, ...], set[frozenset[str]]]:
    """The sets of features of each dependency, by its name, version, mode and profile."""
    command = ["cargo", *build, "--locked", "--unit-graph", "-Z", "unstable-options"]
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    text = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE).stdout
    found = defaultdict(set)
    for unit in json.loads(text)["units"]:
        if unit["pkg_id"].startswith("registry+"):
            found[_key(unit)].add(frozenset(unit["features"]))
    return found


def _key(unit: dict[str, Any]) -> tuple[str, ...]:
    """What two builds can share, besides the features. The name of the profile is not part of it."""
    profile = {name: value for name, value in unit["profile"].items() if name != "name"}
    kind = json.dumps([profile, unit["target"]["kind"], unit["platform"]])
    return unit["pkg_id"].rpartition("#")[2], unit["mode"], kind


def main() -> None:
    """Prints each dependency that a build compiles again."""
    faults = set()
    for first, second in BUILDS:
        known = features(first)
        for key, sets in features(second).items():
            name = key[0].partition("@")[0]
            for found in sets - known.get(key, sets):
                expected = " or ".join(str(sorted(each)) for each in known[key])
                if name not in TWICE:
                    builds = f"`cargo {first[0]}`, found {sorted(found)} in `cargo {second[0]}`"
                    faults.add(f"{key[0]}: expected the features {expected} of {builds}")
    if faults:
        sys.exit("\n".join(sorted(faults)))
    print("dependencies: compiled once for the package and the tests, and checked once")


if __name__ == "__main__":
    main()
