"""Publishes the crates that the registry lacks in this version. `--dry-run` builds all, and uploads none.

Only the workflow `release` and the steps before the first release run it; see docs/releasing.md.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable

from repository import ROOT


def publishable() -> dict[str, str]:
    """The names and versions of the packages of the workspace that may be published."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    text = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return {
        package["name"]: package["version"]
        for package in json.loads(text)["packages"]
        if package["publish"] is None
    }


def is_published(name: str, version: str) -> bool:
    """Asks the registry, from a folder outside of the workspace, where cargo does not find the local crate.

    A failed request counts as unpublished: cargo then refuses to upload the version a second time.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = ["cargo", "info", "--quiet", "--registry", "crates-io", f"{name}@{version}"]
        return subprocess.run(command, cwd=folder, check=False, capture_output=True).returncode == 0


def command(crates: dict[str, str], published: Callable[[str, str], bool], options: list[str]) -> list[str]:
    """The command that publishes the missing crates, which cargo orders itself; empty if none is missing."""
    missing = [name for name, version in sorted(crates.items()) if not published(name, version)]
    packages = [word for name in missing for word in ("--package", name)]
    return ["cargo", "publish", "--locked", *options, *packages] if missing else []


def main() -> None:
    """Publishes the crates."""
    options = sys.argv[1:]
    if options not in ([], ["--dry-run"]):
        sys.exit(f"expected --dry-run or nothing, found {' '.join(options)}")
    to_run = command(publishable(), (lambda *_: False) if options else is_published, options)
    if not to_run:
        print("all crates are published already")
        return
    print(" ".join(to_run))
    sys.exit(subprocess.run(to_run, cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
