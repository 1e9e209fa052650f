"""Fails if a package of the workspace depends on a package that MAY_USE does not allow."""

import sys

from cargo_packages import formats, packages

FORMATS = set(formats().values())
"""The packages of formats, which have one rule."""

MAY_USE: dict[str, set[str]] = {
    "arrowfeed-select": set(),
    "arrowfeed-values": set(),
    "arrowfeed-predicate": {"arrowfeed-select", "arrowfeed-values"},
    "arrowfeed-source": {"arrowfeed-predicate", "arrowfeed-select"},
    **{name: {"arrowfeed-predicate", "arrowfeed-select", "arrowfeed-source"} for name in FORMATS},
    "arrowfeed-text": {"arrowfeed-predicate", "arrowfeed-select", "arrowfeed-source", "arrowfeed-values"},
    "arrowfeed-store": {"arrowfeed-source"},
    "arrowfeed-ffi": set(),
    "arrowfeed-tensor": {"arrowfeed-select"},
    "arrowfeed-tensorflow": {"arrowfeed-tensor"},
    "arrowfeed": {
        "arrowfeed-predicate",
        "arrowfeed-select",
        "arrowfeed-source",
        "arrowfeed-store",
        "arrowfeed-tensor",
        "arrowfeed-values",
        *FORMATS,
    },
    "arrowfeed-c": {"arrowfeed", "arrowfeed-ffi"},
    "arrowfeed-datafusion": {"arrowfeed", "arrowfeed-predicate", "arrowfeed-source"},
    # The formats only for the features of the Rust tests, see `rust-examples` in its manifest.
    "arrowfeed-python": {"arrowfeed", "arrowfeed-ffi", "arrowfeed-select", "arrowfeed-tensorflow", *FORMATS},
    "arrowfeed-examples": {"arrowfeed", "arrowfeed-avro", "arrowfeed-tensor"},
    "arrowfeed-fuzz": {
        "arrowfeed-c",
        "arrowfeed-ffi",
        "arrowfeed-predicate",
        "arrowfeed-select",
        "arrowfeed-source",
        "arrowfeed-tensor",
        *FORMATS,
    },
    "bench-instructions": {"arrowfeed"},
    "bench-micro": {"arrowfeed-avro", "arrowfeed-tensor"},
    "bench-ours": {"arrowfeed-avro", "arrowfeed-predicate", "bench-protocol"},
    "bench-peers": {"bench-protocol"},
    "bench-protocol": set(),
    "bench-store-server": set(),
    "bench-datafusion": {"arrowfeed", "arrowfeed-datafusion"},
    "bench-streams": {"arrowfeed"},
}
"""Allowed dependencies within the workspace. Data flows one way: formats do not depend on consumers."""

TESTS_MAY_USE = {name: {"arrowfeed-ffi"} for name in FORMATS}
"""Further packages that tests may use: the tests of `arrowfeed-ffi` make random batches."""


def faults(name: str) -> list[str]:
    """The forbidden dependencies of a package."""
    if name not in MAY_USE:
        return [f"{name}: has no line in MAY_USE"]
    found = []
    for dependency in packages()[name]["dependencies"]:
        of_tests = TESTS_MAY_USE.get(name, set()) if dependency["kind"] == "dev" else set()
        if dependency["name"] in packages().keys() - MAY_USE[name] - of_tests:
            found.append(f"{name}: must not depend on {dependency['name']}")
    return found


def main() -> None:
    """Prints each forbidden dependency, and each package without a rule."""
    found = [
        f"{name}: has a line in MAY_USE and is no package" for name in MAY_USE.keys() - packages().keys()
    ]
    for name in packages():
        found += faults(name)
    if found:
        sys.exit("\n".join(sorted(found)))
    print(f"dependencies: {len(packages())} packages, one way")


if __name__ == "__main__":
    main()
