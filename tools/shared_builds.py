"""Checks that the builds of CI compile each crate once: that its features are the same in all of them.

With another set of features, cargo compiles a package again, and all packages above it.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from typing import Any

from cargo_packages import WITHOUT_DATAFUSION
from repository import ROOT

FEATURES = ("--features", "arrowfeed-python/rust-examples")
WITH_PACKAGE = ("--package", "arrowfeed-python", *FEATURES)
PACKAGE = ("rustc", *WITH_PACKAGE, "--lib")
TEST = ("test", *WITHOUT_DATAFUSION)
CLIPPY = ("check", *WITHOUT_DATAFUSION, "--all-targets", "--features", "arrowfeed-fuzz/programs")
COUNTED = ("build", *WITH_PACKAGE, "--package", "bench-instructions", "--bin", "bench-instructions")
BUILDS = [
    ([PACKAGE], TEST),
    ([PACKAGE], COUNTED),
    ([PACKAGE, TEST], ("test", "--package", "arrowfeed-datafusion", *WITH_PACKAGE)),
    ([CLIPPY], ("doc", *WITHOUT_DATAFUSION, *FEATURES, "--no-deps", *sys.argv[1:])),
]
"""Builds, and those that come before. The arguments of this program are those of `cargo doc`."""

TWICE = {
    "bigdecimal": "only sqlparser of DataFusion is above it",
    "concurrent-queue": "only smol of the examples is above it",
    "event-listener": "only smol of the examples is above it",
    "futures-lite": "only smol of the examples is above it",
    "itertools": "only DataFusion is above it",
    "linux-raw-sys": "only rustix is above it",
    "petgraph": "only DataFusion is above it",
    "ppv-lite86": "only generators of the tests are above it",
    "proc-macro2": "only macros that build the tests are above it",
    "quote": "only macros that build the tests are above it",
    "rustix": "only smol and temporary files of the tests are above it",
    "syn": "only macros that build the tests are above it",
}
"""Packages that two builds may compile, with reasons."""


def features(build: tuple[str, ...]) -> dict[tuple[str, ...], set[frozenset[str]]]:
    """The sets of features of each library, by its name, version, mode and profile."""
    command = ["cargo", *build, "--locked", "--unit-graph", "-Z", "unstable-options"]
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    text = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE).stdout
    found = defaultdict(set)
    for unit in json.loads(text)["units"]:
        if unit["mode"] != "test":
            found[_key(unit)].add(frozenset(unit["features"]))
    return found


def _key(unit: dict[str, Any]) -> tuple[str, ...]:
    """What two builds can share, besides the features. The name of the profile is not part of it."""
    profile = {name: value for name, value in unit["profile"].items() if name != "name"}
    kind = json.dumps([profile, unit["target"]["kind"], unit["platform"]])
    # The name of a package of this workspace is its folder.
    name = unit["pkg_id"].rpartition("/")[2].removeprefix("crates.io-index#").replace("#", "@")
    return name, unit["mode"], kind


def main() -> None:
    """Prints each crate that a build compiles again."""
    faults, used = set(), set()
    for earlier, second in BUILDS:
        known = defaultdict(set)
        for build in earlier:
            for key, sets in features(build).items():
                known[key] |= sets
        for key, sets in features(second).items():
            name = key[0].partition("@")[0]
            for found in sets - (known[key] or sets):
                expected = " or ".join(str(sorted(each)) for each in known[key])
                used.add(name)
                if name not in TWICE:
                    names = " or ".join(f"`cargo {build[0]}`" for build in earlier)
                    builds = f"{names}, found {sorted(found)} in `cargo {second[0]}`"
                    faults.add(f"{key[0]}: expected the features {expected} of {builds}")
    faults |= {f"{name}: expected two builds, found one: remove it from TWICE" for name in set(TWICE) - used}
    if faults:
        sys.exit("\n".join(sorted(faults)))
    print("crates: compiled once for the package and the tests, and checked once")


if __name__ == "__main__":
    main()
