"""Compiles the published crates with the oldest versions of their dependencies that `Cargo.toml` allows.

Works on a copy in `target/minimal-versions`, without tests and their dependencies. Cargo's option is
unstable, so it runs as a nightly cargo would (`RUSTC_BOOTSTRAP`). `--resolve` only looks for versions
that fit, and compiles nothing. `arrowfeed-datafusion` is left out: DataFusion decides about the versions
of its dependencies.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from cargo_packages import DATAFUSION, packages, published
from repository import ROOT

COPY = ROOT / "target" / "minimal-versions" / "tree"

LEFT_OUT = re.compile(r"\[dev-dependencies\]|\[\[(test|example|bench)\]\]")
"""The sections of a manifest for tests, examples and benchmarks."""

ENVIRONMENT = os.environ | {
    "CARGO_TARGET_DIR": str(COPY.parent / "target"),
    "RUSTC_BOOTSTRAP": "1",
}


def copy(crates: list[str]) -> None:
    """Writes a workspace of these crates, without the dependencies of their tests."""
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    members = []
    for crate in crates:
        folder = Path(packages()[crate]["manifest_path"]).parent
        to = COPY / folder.relative_to(ROOT)
        shutil.copytree(folder / "src", to / "src")
        (to / "Cargo.toml").write_text(without_tests((folder / "Cargo.toml").read_text("utf-8")), "utf-8")
        members.append(to.relative_to(COPY).as_posix())
    text = (ROOT / "Cargo.toml").read_text("utf-8")
    for key in ("members", "default-members", "exclude"):
        text = re.sub(rf"^{key} = \[[^]]*\]\n", "", text, count=1, flags=re.MULTILINE)
    text = text.replace("[workspace]\n", f"[workspace]\nmembers = {members}\n", 1)
    (COPY / "Cargo.toml").write_text(text, "utf-8")
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, COPY)


def without_tests(manifest: str) -> str:
    """A manifest without the targets of tests, examples and benchmarks, and without their dependencies."""
    sections = re.split(r"^(?=\[)", manifest, flags=re.MULTILINE)
    return "".join(part for part in sections if not LEFT_OUT.match(part))


def cargo(*arguments: str) -> None:
    """Runs cargo in the copy, and fails if it fails."""
    print("cargo", *arguments, flush=True)
    if subprocess.run(["cargo", *arguments], cwd=COPY, env=ENVIRONMENT, check=False).returncode:
        sys.exit("expected crates that compile with the oldest versions of their dependencies")


def main() -> None:
    """Finds the versions, and compiles the crates with them."""
    copy([crate for crate in published() if crate != DATAFUSION])
    cargo("update", "-Z", "direct-minimal-versions")
    if "--resolve" not in sys.argv[1:]:
        cargo("check", "--workspace", "--all-features")


if __name__ == "__main__":
    main()
