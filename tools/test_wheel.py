"""Installs a wheel in a new virtual environment without Rust, imports it, and runs the Python tests on it.

python tools/test_wheel.py target/wheels/arrowfeed-*.whl [--import-only] [-- arguments of pytest]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from repository import ROOT

ONLY_DECLARED = """
import importlib.metadata, pathlib, sys
import arrowfeed as af
package = pathlib.Path(af.__file__)
assert pathlib.Path(sys.prefix) in package.parents, f"expected the installed wheel, found {package}"
assert af.__version__ == importlib.metadata.version("arrowfeed"), af.__version__
rows = sum(batch.num_rows for batch in af.read_avro(sys.argv[1]))
assert rows > 0, "expected rows, found none"
names = sorted(d.name.lower() for d in importlib.metadata.distributions())
print(f"arrowfeed {af.__version__} reads {rows} rows with {', '.join(names)}")
"""
"""Reads a file with nothing installed but the wheel and its dependencies."""

RUST = ["cargo", "rustc", "rustup", "maturin"]
CASES = [
    "ARROWFEED_CASES",
    "ARROWFEED_KILLS",
    "ARROWFEED_MUTANTS",
    "ARROWFEED_WRITE_KILLS",
    "ARROWFEED_STORE_EPOCHS",
    "ARROWFEED_STORE_KILLS",
    "ARROWFEED_SEED",
]

TESTS = ["-n", "auto", "--dist", "worksteal", "tests/python"]
"""The arguments of pytest for the Python tests, as in `make test-python`."""


def environment(scripts: Path) -> dict[str, str]:
    """The variables of a process that finds no Rust, no other Python package, and few random cases."""
    folders = [str(scripts)]
    for folder in os.environ["PATH"].split(os.pathsep):
        if not any(shutil.which(program, path=folder) for program in RUST):
            folders.append(folder)
    removed = {"PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CARGO_HOME", "RUSTUP_HOME", *CASES}
    kept = {name: value for name, value in os.environ.items() if name not in removed}
    return {**kept, "PATH": os.pathsep.join(folders)}


def main() -> None:
    """Tests one wheel; the first failing command ends the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--import-only", action="store_true", help="do not run the Python tests")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest, instead of those for tests/python")
    arguments = parser.parse_args()
    wheel = arguments.wheel.resolve(strict=True)

    with tempfile.TemporaryDirectory(prefix="arrowfeed-wheel-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        scripts = Path(folder, "Scripts" if os.name == "nt" else "bin")
        variables = environment(scripts)
        if found := [program for program in RUST if shutil.which(program, path=variables["PATH"])]:
            sys.exit(f"expected a PATH without Rust, found {', '.join(found)}")

        def run(*command: str, where: Path = ROOT) -> None:
            done = subprocess.run([str(scripts / "python"), *command], cwd=where, env=variables, check=False)
            if done.returncode != 0:
                sys.exit(done.returncode)

        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run(*pip, "--only-binary=:all:", str(wheel))
        run("-c", ONLY_DECLARED, str(ROOT / "tests" / "data" / "example.avro"), where=Path(folder))
        if not arguments.import_only:
            run(*pip, "-r", str(ROOT / "requirements" / "test.in"))
            (scripts / ("maturin.exe" if os.name == "nt" else "maturin")).unlink(missing_ok=True)
            run("-m", "pytest", "-rs", *(arguments.pytest or TESTS))


if __name__ == "__main__":
    main()
