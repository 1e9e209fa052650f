"""Facts on which the figures of a run depend: the machine, its load, and the versions."""

import os
import platform
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

PACKAGES = ("arrowfeed", "numpy", "fastavro", "polars", "pyiceberg")


def describe(benches: Path) -> dict[str, str]:
    """Returns the facts in the order in which they are printed."""
    facts = {
        "machine": f"{platform.system()} {platform.release()}, {_processor()}",
        "cores": str(_cores()),
        "load average": ", ".join(f"{load:.2f}" for load in os.getloadavg()),
        "Python": platform.python_version(),
        "rustc": _rustc(),
        "arrow-avro": _locked(benches / "peers" / "Cargo.lock", "arrow-avro"),
    }
    return facts | {package: _installed(package) for package in PACKAGES}


def _cores() -> int:
    """Number of cores that this process may use. In a container, the machine may have more."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _rustc() -> str:
    try:
        output = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "not found"
    return output.split()[1]


def _locked(lock: Path, name: str) -> str:
    """The version of a package in a Cargo.lock."""
    packages = tomllib.loads(lock.read_text())["package"] if lock.exists() else []
    return next((package["version"] for package in packages if package["name"] == name), "not built")


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
