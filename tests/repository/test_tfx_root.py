"""`tools/tfx_root.py` makes, uses and removes a root folder of Debian."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="SKIPPED tools/tfx_root.py: expected Python 3.11 or newer"
)

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(load_tool: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, with folders of its own."""
    module = load_tool("tfx_root")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(module, "MADE", tmp_path / "root")
    monkeypatch.setattr(module, "UNFINISHED", tmp_path / "unfinished")
    return module


def checked(tool: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """The output of `check`, which must fail."""
    monkeypatch.setattr(sys, "argv", ["tfx_root.py", "check"])
    monkeypatch.setattr(tool.signal, "signal", lambda *arguments: None)
    with pytest.raises(SystemExit) as exit_:
        tool.main()
    assert exit_.value.code == 1
    return capsys.readouterr().out


def test_what_a_machine_lacks_is_a_loud_skip(tool: Any, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(tool.platform, "machine", lambda: "arm64")
    skip = "SKIPPED make test-tfx: expected Linux on x86-64, found darwin on arm64\n"
    assert checked(tool, monkeypatch, capsys) == skip

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(tool.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(tool.os, "geteuid", lambda: 1000)
    skip = "SKIPPED make test-tfx: expected root, found user 1000\n"
    assert checked(tool, monkeypatch, capsys) == skip

    monkeypatch.setattr(tool.os, "geteuid", lambda: 0)
    monkeypatch.setattr(tool.shutil, "which", lambda name: None)
    skip = "SKIPPED make test-tfx: expected setpriv on the PATH\n"
    assert checked(tool, monkeypatch, capsys) == skip

    programs = ["setpriv", "unshare"]
    monkeypatch.setattr(tool.shutil, "which", lambda name: name if name in programs else None)
    monkeypatch.setattr(tool, "isolated", lambda *command: 1)
    skip = "SKIPPED make test-tfx: expected that unshare and mount are allowed\n"
    assert checked(tool, monkeypatch, capsys) == skip

    monkeypatch.setattr(tool, "isolated", lambda *command: 0)
    skip = "SKIPPED make test-tfx: expected debootstrap on the PATH\n"
    assert checked(tool, monkeypatch, capsys) == skip


def test_settings_of_downloads_and_of_tests_are_passed_on(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        tool.os,
        "environ",
        {
            "https_proxy": "proxy.example:1",
            "UV_DEFAULT_INDEX": "https://index.example",
            "UV_CACHE_DIR": "/home/me/cache",
            "ARROWFEED_SEED": "7",
            "HOME": "/home/me",
            "VIRTUAL_ENV": "/home/me/.venv",
        },
    )
    found = tool.variables()
    assert {
        name: found.get(name) for name in ("https_proxy", "UV_DEFAULT_INDEX", "ARROWFEED_SEED", "HOME")
    } == {
        "https_proxy": "proxy.example:1",
        "UV_DEFAULT_INDEX": "https://index.example",
        "ARROWFEED_SEED": "7",
        "HOME": "/root",
    }
    assert not {"UV_CACHE_DIR", "VIRTUAL_ENV"} & found.keys()


def test_a_root_that_was_not_completed_is_removed(tool: Any, monkeypatch: Any, tmp_path: Path) -> None:
    for name in ("root", "unfinished"):
        (tmp_path / name / "usr").mkdir(parents=True)

    def fails(*command: object, **options: object) -> int:
        assert not list(tmp_path.glob("*/usr"))
        (tmp_path / "unfinished" / "usr").mkdir(parents=True)
        (tmp_path / "debootstrap.log").write_text("E: no mirror\n")
        return 1

    monkeypatch.setattr(tool, "isolated", fails)
    with pytest.raises(SystemExit) as exit_:
        tool.make()
    assert exit_.value.code == "E: no mirror\ndebootstrap: expected the exit status 0, found 1"
    assert [path.name for path in tmp_path.iterdir()] == ["debootstrap.log"]


def test_a_root_with_the_packages_of_the_lock_is_not_made_again(tool: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(tool, "isolated", None)
    installed = tool.MADE / tool.INSTALLED
    installed.parent.mkdir(parents=True)
    installed.write_bytes(tool.LOCK.read_bytes())
    tool.make()
    installed.write_text("others")
    with pytest.raises(SystemExit) as exit_:
        tool.run(["true"], is_removed=False)
    assert exit_.value.code == "expected a root with the packages of the lock file: tools/tfx_root.py make"


def test_a_root_with_a_mount_is_not_removed(tool: Any, monkeypatch: Any, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    monkeypatch.setattr(tool, "MOUNTS", mounts)
    tool.MADE.mkdir()
    mounts.write_text(f"22 1 0:20 / {tool.MADE}/proc rw shared:5 - proc proc rw\n")
    with pytest.raises(SystemExit) as exit_:
        tool.remove(tool.MADE)
    assert exit_.value.code == f"expected no mounts in {tool.MADE}, found {tool.MADE}/proc"
    assert tool.MADE.exists()
    mounts.write_text("22 1 0:20 / /proc rw shared:5 - proc proc rw\n")
    tool.remove(tool.MADE)
    assert not tool.MADE.exists()


PROGRAM = """
import signal, sys
sys.path.insert(0, sys.argv[1])
import tfx_root
signal.signal(signal.SIGTERM, tfx_root.stop)
script = 'mount -t tmpfs none "$1"; sleep 600 & touch "$1"/begun "$2"; wait'
tfx_root.isolated("sh", "-c", script, "sh", sys.argv[2], sys.argv[3])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_and_no_mount_outlive_the_tool(tool: Any, tmp_path: Path, number: signal.Signals) -> None:
    if reason := tool.missing_for_namespaces():
        pytest.skip(f"SKIPPED the namespaces of make test-tfx: expected {reason}")
    folder, begun = tmp_path / "mounted", tmp_path / "begun"
    folder.mkdir()
    command = [sys.executable, "-c", PROGRAM, str(TOOLS), str(folder), str(begun)]
    with subprocess.Popen(command) as process:
        while not begun.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
    assert process.returncode == (-9 if number == signal.SIGKILL else 128 + 15)
    end = time.monotonic() + 60
    while str(folder) in commands():
        assert time.monotonic() < end
        time.sleep(0.01)
    assert not list(folder.iterdir())
    assert str(folder) not in tool.MOUNTS.read_text()


def commands() -> str:
    """The commands of all processes."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes())
    return b"\n".join(found).decode(errors="replace")
