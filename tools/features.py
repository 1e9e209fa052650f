"""Checks the Cargo features of the crates: the packages that each one adds, and that each one compiles alone.

`python tools/features.py` runs everything; `--packages` only compares packages, which compiles nothing.
"""

import subprocess
import sys
from typing import NamedTuple

import cargo_packages
from repository import ROOT

PACKAGES = {
    "brotli": "brotli",
    "bzip2": "bzip2",
    "deflate": "libdeflater",
    "gzip": "flate2",
    "lz4": "lz4_flex",
    "snappy": "snap",
    "xz": "liblzma",
    "zstandard": "zstd",
}
"""The package that each codec adds. Checksums are not compared: other code needs them too."""

ALSO = {("arrowfeed-tfrecord", "gzip"): {"libdeflater"}}
"""Further packages of the codec of a format: libdeflate compresses records that are in memory."""

FORMATS = cargo_packages.formats()
"""The packages of the formats, by the features of `arrowfeed`."""

CODECS = {
    crate: {
        codec: {PACKAGES[codec]} | ALSO.get((crate, codec), set())
        for codec in cargo_packages.packages()[crate]["features"]
        if codec in PACKAGES
    }
    for crate in FORMATS.values()
}
"""The packages that each codec of a format adds."""

STORES = "arrowfeed-store"
"""The package of stores, of the feature `stores` of `arrowfeed`."""

TENSORS = "arrowfeed-tensor"
"""The package of tensors, of the feature `datasets` of `arrowfeed`."""

OPTIONAL = {STORES, TENSORS, *CODECS}.union(
    *(added for codecs in CODECS.values() for added in codecs.values())
)
"""All packages that a feature adds."""


class Build(NamedTuple):
    """A crate with some of its features."""

    crate: str
    features: tuple[str, ...] | None
    """None: the default features."""

    def arguments(self) -> list[str]:
        """The arguments of cargo that select the build."""
        if self.features is None:
            return ["--package", self.crate]
        return ["--package", self.crate, "--no-default-features", "--features", ",".join(self.features)]

    def __str__(self) -> str:
        features = "default features" if self.features is None else ", ".join(self.features) or "no features"
        return f"{self.crate}: {features}"


def expected_packages() -> dict[Build, set[str]]:
    """The packages of formats, stores and codecs that builds have, besides their own crate."""
    expected: dict[Build, set[str]] = {
        Build("arrowfeed", ()): set(),
        Build("arrowfeed", ("codecs",)): set(),
        Build("arrowfeed", ("datasets",)): {TENSORS},
        Build("arrowfeed", ("stores",)): {STORES},
        Build("arrowfeed", None): OPTIONAL,
    }
    for feature, crate in FORMATS.items():
        expected[Build(crate, ())] = set()
        expected[Build("arrowfeed", (feature,))] = {crate}
        for codec, added in CODECS[crate].items():
            expected[Build(crate, (codec,))] = added
            expected[Build("arrowfeed", (feature, codec))] = {crate} | added
    return expected


ALONE = [crate for crate in cargo_packages.published() if crate != cargo_packages.DATAFUSION]
"""The packages that are compiled with each feature alone."""


def alone(crate: str) -> list[Build]:
    """A crate without features, and with each of its features alone."""
    features = cargo_packages.packages()[crate]["features"].keys() - {"default"}
    return [Build(crate, ()), *(Build(crate, (feature,)) for feature in sorted(features))]


CHECKED = [
    *(build for crate in ALONE for build in alone(crate)),
    Build("arrowfeed", ("avro", "snappy")),
    Build("arrowfeed-c", ("avro", "snappy")),
    *(Build("arrowfeed", ("datasets", feature)) for feature in (*FORMATS, "stores")),
    *(Build("arrowfeed-python", some) for some in ((), ("stores",), ("tensorflow",))),
    Build("arrowfeed", None),
]
"""The builds that are compiled."""

TESTED = [
    Build("arrowfeed-avro", ("deflate",)),
    Build("arrowfeed-avro", ()),
    *(Build(crate, ()) for crate in CODECS if crate != "arrowfeed-avro"),
]
"""The builds in which the tests of codecs run."""


def packages(build: Build) -> set[str]:
    """The optional packages that a build has, besides its own crate."""
    tree = ["cargo", "tree", *build.arguments(), "--edges", "normal", "--prefix", "none", "--format", "{p}"]
    text = subprocess.run(tree, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[0] for line in text.splitlines() if line} & OPTIONAL - {build.crate}


def package_faults() -> list[str]:
    """The differences between the packages of builds and those expected."""
    faults = []
    expected = expected_packages()
    for build, wanted in expected.items():
        found = packages(build)
        if wanted != found:
            faults.append(f"{build}: expected the packages {sorted(wanted)}, found {sorted(found)}")
    print(f"packages: {len(expected)} builds")
    return faults


def compile_faults() -> list[str]:
    """The builds that do not compile without warnings, or whose tests of codecs fail."""
    commands = {}
    for build in CHECKED:
        commands[f"lints of {build}"] = ["clippy", *build.arguments(), "--", "-D", "warnings"]
    for build in TESTED:
        commands[f"tests of {build}"] = ["test", *build.arguments(), "--test", "compiled_codecs"]
    faults = []
    for name, arguments in commands.items():
        print(name, flush=True)
        if subprocess.run(["cargo", *arguments], cwd=ROOT, check=False).returncode:
            faults.append(f"{name}: failed")
    return faults


def main() -> None:
    """Prints each fault, and fails if there is one."""
    faults = package_faults()
    if "--packages" not in sys.argv[1:]:
        faults += compile_faults()
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
