"""The lock files in `requirements/locks` fit the files in `requirements`."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements"
LOCKS = sorted(path.stem for path in (REQUIREMENTS / "locks").glob("*.txt"))


def wanted(path: Path) -> list[Requirement]:
    """The requirements of a file, and of those that it includes."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("-r "):
            found += wanted(path.parent / text.removeprefix("-r "))
        elif text:
            found.append(Requirement(text))
    return found


def locked(name: str) -> dict[str, list[Requirement]]:
    """The requirements of a lock file by package; Pythons with other versions have other requirements."""
    found: dict[str, list[Requirement]] = {}
    for requirement in wanted(REQUIREMENTS / "locks" / f"{name}.txt"):
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def test_each_environment_has_a_lock():
    [names] = re.findall(r"^ENVIRONMENTS = (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    # `tfx` is installed in the root of tools/tfx_root.py.
    assert sorted(["dev", "tfx", *names.split()]) == LOCKS


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_the_versions_that_its_file_wants(name):
    versions = locked(name)
    for requirement in wanted(REQUIREMENTS / f"{name}.in"):
        found = versions.get(canonicalize_name(requirement.name), [])
        assert found, f"run `make locks UPGRADE=`: {requirement} is not in locks/{name}.txt"
        for version in found:
            [exact] = version.specifier
            assert exact.operator == "=="
            assert requirement.specifier.contains(exact.version, prereleases=True), (
                f"run `make locks UPGRADE=`: locks/{name}.txt has {version}, expected {requirement}"
            )


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_address_and_no_package_of_cuda(name):
    text = (REQUIREMENTS / "locks" / f"{name}.txt").read_text("utf-8")
    assert not re.findall(r"^-.*|\w+://\S*", text, re.MULTILINE)
    omitted = {requirement.name for requirement in wanted(REQUIREMENTS / "without-cuda.txt")}
    assert not {package for package in locked(name) if package in omitted or package.startswith("nvidia-")}
