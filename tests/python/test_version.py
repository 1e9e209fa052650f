"""The version of the package."""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

import arrowfeed as af

MANIFEST = Path(__file__).resolve().parents[2] / "Cargo.toml"


def test_the_version_is_that_of_the_crates():
    [stated] = re.findall(r'^version = "(.*)"$', MANIFEST.read_text("utf-8"), re.MULTILINE)
    assert af.__version__ == stated
    done = subprocess.run(
        [sys.executable, "-m", "arrowfeed", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"arrowfeed {stated}\n"


def test_the_installed_package_has_the_version_of_its_module():
    try:
        installed = importlib.metadata.version("arrowfeed")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is on the path, and not installed")
    # Python writes the version 0.2.0-rc.1 of Cargo as 0.2.0rc1.
    assert installed == re.sub(r"-(a|b|rc)[a-z]*\.", r"\1", af.__version__)
