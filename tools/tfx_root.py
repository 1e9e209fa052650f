"""Makes a root folder of Debian 13 with TFX, TFDV and TFMA, runs commands in it, and removes it.

    tools/tfx_root.py check | make | run [--remove] -- COMMAND... | remove

The wheels of TFDV need glibc 2.39, which many systems lack. A command runs under `chroot`, in namespaces of
its own: no mount and no process remains after it, so that removing the root cannot reach other files. It sees
this repository as the read-only folder `/repository`. Needs root, on Linux x86-64, and Python 3.11 or newer.
"""

import argparse
import contextlib
import os
import platform
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from repository import ROOT

FOLDER = ROOT / "target" / "tfx"
MADE = FOLDER / "root"
UNFINISHED = FOLDER / "unfinished"
"""The root while it is made. It is renamed when it is complete."""

LOCK = ROOT / "requirements" / "locks" / "tfx.txt"
UV = ROOT / ".venv-uv" / "bin" / "uv"
RELEASE = "trixie"
PACKAGES = ("g++", "python3-dev")
"""pyfarmhash, which TFDV needs, has no wheel: it is compiled."""

ENVIRONMENT = "opt/tfx"
INSTALLED = "opt/tfx.txt"
"""The virtual environment in the root, and a copy of the lock file that it was installed from."""

MOUNTS = Path("/proc/self/mountinfo")
INSIDE = "/repository"
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"

FIRST_PROCESS = """
trap 'exit 143' TERM
"$@" &
wait $!
"""
"""Runs a command as the first process of its namespace: when this script ends, the kernel ends all others."""

ENTER = """
set -eu
root=$1 repository=$2
shift 2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$repository" "$root/repository"
mount -o remount,bind,ro "$root/repository"
exec chroot "$root" "$@"
"""


def isolated(*command: str | Path, environment: dict[str, str] | None = None) -> int:
    """Runs a command in namespaces of mounts and of processes. Returns its exit status."""
    namespaces = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
    # If this program is killed, so are `unshare` and its child.
    prefix = ("setpriv", "--pdeathsig", "KILL", *namespaces, "sh", "-c", FIRST_PROCESS, "sh")
    with subprocess.Popen([*prefix, *command], env=environment, process_group=0) as process:
        try:
            return process.wait()
        except BaseException:
            # `unshare` ignores the signal, and the first process in the namespace ends all others.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            raise


def inside(root: Path, *command: str) -> int:
    """Runs a command in a root, in the folder of this repository."""
    enter = ("sh", "-c", ENTER, "sh", root, ROOT, "env", f"--chdir={INSIDE}")
    return isolated(*enter, *command, environment=variables())


def variables() -> dict[str, str]:
    """The environment of commands in the root: settings of proxies, of uv, of pytest and of tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.lower().endswith("_proxy") or name.startswith(("UV_", "PYTEST_", "ARROWFEED_"))
    }
    # Folders of this machine do not exist in the root.
    kept = {name: value for name, value in kept.items() if not value.startswith("/")}
    return kept | {
        "DEBIAN_FRONTEND": "noninteractive",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "PATH": f"/{ENVIRONMENT}/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PYTHONPATH": f"{INSIDE}/python",
        # Otherwise Python would write files beside those of the repository.
        "PYTHONPYCACHEPREFIX": "/var/cache/python",
        "SSL_CERT_FILE": f"/{CERTIFICATES}",
        "UV_LINK_MODE": "hardlink",
        "UV_PYTHON_DOWNLOADS": "never",
    }


def missing() -> str | None:
    """What this machine lacks, or None. Installs debootstrap if it can."""
    if reason := missing_for_namespaces():
        return reason
    if shutil.which("debootstrap") is None and not debootstrap_is_installed():
        return "debootstrap on the PATH"
    return None


def missing_for_namespaces() -> str | None:
    """What this machine lacks for running a command in namespaces, or None."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"Linux on x86-64, found {sys.platform} on {platform.machine()}"
    if os.geteuid() != 0:
        return f"root, found user {os.geteuid()}"
    for program in ("setpriv", "unshare"):
        if shutil.which(program) is None:
            return f"{program} on the PATH"
    if isolated("mount", "-t", "proc", "proc", "/proc") != 0:
        return "that unshare and mount are allowed"
    return None


def folder(path: Path) -> Path:
    """Makes a folder, and returns it."""
    path.mkdir(parents=True, exist_ok=True)
    return path


def debootstrap_is_installed() -> bool:
    """Installs debootstrap where apt-get can."""
    if shutil.which("apt-get") is None:
        return False
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    packages = ("debootstrap", "debian-archive-keyring", "gpgv")
    for arguments in (("update",), ("install", "--yes", "--no-install-recommends", *packages)):
        command = ("apt-get", "-qq", *arguments)
        print(*command, flush=True)
        if subprocess.run(command, env=environment, check=False).returncode != 0:
            return False
    return shutil.which("debootstrap") is not None


def is_current() -> bool:
    """Whether there is a root with the packages of the lock file."""
    installed = MADE / INSTALLED
    return installed.is_file() and installed.read_bytes() == LOCK.read_bytes()


def make() -> None:
    """Makes the root, unless there is one with the packages of the lock file."""
    if is_current():
        return
    remove(MADE)
    remove(UNFINISHED)
    try:
        begin(UNFINISHED)
        install(UNFINISHED)
        UNFINISHED.rename(MADE)
    finally:
        remove(UNFINISHED)


def begin(root: Path) -> None:
    """Makes a root with Debian's base system, uv, and the settings of this machine for downloads."""
    log = folder(FOLDER) / "debootstrap.log"
    debootstrap = ("debootstrap", "--variant=minbase", "--force-check-gpg", "--include=ca-certificates")
    logged = ("sh", "-c", 'log=$1; shift; exec "$@" > "$log" 2>&1', "sh", log)
    if (status := isolated(*logged, *debootstrap, RELEASE, root)) != 0:
        sys.exit(f"{log.read_text(errors='replace')}debootstrap: expected the exit status 0, found {status}")
    for path, copy in settings().items():
        if path.is_file():
            folder((root / copy).parent)
            shutil.copy(path, root / copy)
    folder(root / INSIDE[1:])


def settings() -> dict[Path, str]:
    """Files of this machine, and those that they become in a root."""
    return {
        UV: "usr/local/bin/uv",
        Path("/etc/resolv.conf"): "etc/resolv.conf",
        Path(os.environ.get("SSL_CERT_FILE", f"/{CERTIFICATES}")): CERTIFICATES,
        Path("/etc/uv/uv.toml"): "etc/uv/uv.toml",
        Path.home() / ".config" / "uv" / "uv.toml": "root/.config/uv/uv.toml",
    }


def install(root: Path) -> None:
    """Installs the packages of the lock file, and what Debian has for them."""
    environment = f"/{ENVIRONMENT}"
    # debootstrap can install Debian's packages too, but takes twice as long for each as apt-get.
    debian = ("apt-get", "-qq", "install", "--yes", "--no-install-recommends", *PACKAGES)
    for command in (
        ("apt-get", "-qq", "update"),
        ("sh", "-c", '"$@" > /var/log/packages.log', "sh", *debian),
        ("uv", "venv", "--quiet", "--python", "/usr/bin/python3", environment),
        ("uv", "pip", "sync", "--quiet", "--python", environment, str(LOCK.relative_to(ROOT))),
        ("uv", "cache", "clean", "--quiet"),
        ("apt-get", "clean"),
    ):
        if (status := inside(root, *command)) != 0:
            sys.exit(f"{' '.join(command)}: expected the exit status 0, found {status}")
    shutil.copy(LOCK, root / INSTALLED)


def remove(root: Path) -> None:
    """Removes a root, unless something is mounted in it."""
    if not root.exists():
        return
    mounts = [line.split()[4] for line in MOUNTS.read_text().splitlines()]
    if below := [mount for mount in mounts if mount.startswith(f"{root}/")]:
        sys.exit(f"expected no mounts in {root}, found {', '.join(below)}")
    shutil.rmtree(root)


def run(command: list[str], is_removed: bool) -> int:
    """Runs a command in the root, which is removed afterwards if `is_removed`."""
    if not is_current():
        sys.exit("expected a root with the packages of the lock file: tools/tfx_root.py make")
    try:
        return inside(MADE, *command)
    finally:
        if is_removed:
            remove(MADE)


def stop(number: int, frame: FrameType | None) -> NoReturn:
    """Ends the program, with what `finally` does."""
    sys.exit(128 + number)


def main() -> None:
    """Runs the command line."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    commands = parser.add_subparsers(dest="action", required=True)
    commands.add_parser(
        "check",
        help="install debootstrap if apt-get can; print SKIPPED and exit with 1 if the root cannot be made",
    )
    commands.add_parser("make", help="make the root; none if it has the packages of the lock file")
    running = commands.add_parser("run", help="run a command in the root")
    running.add_argument("--remove", action="store_true", help="remove the root afterwards")
    running.add_argument("command", nargs="+", metavar="COMMAND")
    commands.add_parser("remove", help="remove the root")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    if options.action == "check":
        if reason := missing():
            print(f"SKIPPED make test-tfx: expected {reason}")
            sys.exit(1)
    elif options.action == "make":
        make()
    elif options.action == "run":
        sys.exit(run(options.command, options.remove))
    else:
        remove(MADE)


if __name__ == "__main__":
    main()
