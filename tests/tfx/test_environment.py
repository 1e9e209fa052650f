"""The tests run on the versions of the lock file, with the package of this repository."""

from importlib import metadata
from pathlib import Path

import pytest

import arrowfeed

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "tensorflow-data-validation",
    "tensorflow-model-analysis",
    "tensorflow-transform",
    "tfx",
    "tfx-bsl",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_the_version_of_the_lock_file(package):
    lines = (ROOT / "requirements" / "locks" / "tfx.txt").read_text("utf-8").splitlines()
    assert f"{package}=={metadata.version(package)}" in [line.partition(" ")[0] for line in lines]


def test_the_package_is_that_of_this_repository():
    assert Path(arrowfeed.__file__).is_relative_to(ROOT)
