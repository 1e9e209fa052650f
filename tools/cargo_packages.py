"""The packages of the workspace, and those that are formats, as Cargo states them."""

import functools
import json
import subprocess
from typing import Any

from repository import ROOT


@functools.cache
def packages() -> dict[str, dict[str, Any]]:
    """The packages of the workspace by name, with their `dependencies` and `features`."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    text = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return {package["name"]: package for package in json.loads(text)["packages"]}


def published() -> list[str]:
    """The packages that a release publishes, by name."""
    return sorted(name for name, package in packages().items() if package["publish"] is None)


DATAFUSION = "arrowfeed-datafusion"
"""A published package that is built apart, because DataFusion takes minutes to compile."""

WITHOUT_DATAFUSION = ("--workspace", "--exclude", DATAFUSION, "--exclude", "bench-datafusion")
"""The arguments of cargo for all other packages."""


def formats() -> dict[str, str]:
    """The packages of formats by the features of `arrowfeed`, in which the feature `formats` lists them."""
    features = packages()["arrowfeed"]["features"]
    return {feature: features[feature][0].removeprefix("dep:") for feature in features["formats"]}
