"""Fails if a package of the workspace depends on a package that MAY_USE does not allow."""

import json
import subprocess
import sys

from repository import ROOT

MAY_USE: dict[str, set[str]] = {
    "arrowfeed-select": set(),
    "arrowfeed-source": set(),
    "arrowfeed-avro": {"arrowfeed-select", "arrowfeed-source"},
    # Its tests read the random batches of the tests of `arrowfeed-ffi`.
    "arrowfeed-ipc": {"arrowfeed-ffi", "arrowfeed-select", "arrowfeed-source"},
    "arrowfeed-parquet": {"arrowfeed-source"},
    "arrowfeed-store": {"arrowfeed-source"},
    "arrowfeed-tfrecord": {"arrowfeed-select", "arrowfeed-source"},
    "arrowfeed-text": {"arrowfeed-select", "arrowfeed-source"},
    "arrowfeed-ffi": set(),
    "arrowfeed-tensor": {"arrowfeed-select"},
    "arrowfeed-tensorflow": {"arrowfeed-tensor"},
    "arrowfeed": {
        "arrowfeed-avro",
        "arrowfeed-ipc",
        "arrowfeed-parquet",
        "arrowfeed-select",
        "arrowfeed-source",
        "arrowfeed-store",
        "arrowfeed-tensor",
        "arrowfeed-text",
        "arrowfeed-tfrecord",
    },
    "arrowfeed-python": {"arrowfeed", "arrowfeed-ffi", "arrowfeed-select", "arrowfeed-tensorflow"},
    "arrowfeed-examples": {"arrowfeed", "arrowfeed-avro", "arrowfeed-tensor"},
    "arrowfeed-fuzz": {
        "arrowfeed-avro",
        "arrowfeed-ffi",
        "arrowfeed-ipc",
        "arrowfeed-select",
        "arrowfeed-source",
        "arrowfeed-tensor",
        "arrowfeed-text",
        "arrowfeed-tfrecord",
    },
    "bench-instructions": {"arrowfeed"},
    "bench-micro": {"arrowfeed-avro", "arrowfeed-tensor"},
    "bench-ours": {"arrowfeed-avro", "bench-protocol"},
    "bench-peers": {"bench-protocol"},
    "bench-protocol": set(),
    "bench-store-server": set(),
}
"""Allowed dependencies within the workspace. Data flows one way: formats do not depend on consumers."""


def packages() -> dict[str, set[str]]:
    """The dependencies of each package of the workspace, including those of its tests."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    text = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return {
        package["name"]: {dependency["name"] for dependency in package["dependencies"]}
        for package in json.loads(text)["packages"]
    }


def main() -> None:
    """Prints each forbidden dependency, and each package without a rule."""
    found = packages()
    faults = [f"{name}: has no line in MAY_USE" for name in found.keys() - MAY_USE.keys()]
    faults += [f"{name}: has a line in MAY_USE and is no package" for name in MAY_USE.keys() - found.keys()]
    for name, dependencies in found.items():
        wrong = (dependencies & found.keys()) - MAY_USE.get(name, set())
        faults += [f"{name}: must not depend on {other}" for other in wrong]
    if faults:
        sys.exit("\n".join(sorted(faults)))
    print(f"dependencies: {len(found)} packages, one way")


if __name__ == "__main__":
    main()
