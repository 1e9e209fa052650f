"""The progress bar appears on a terminal only."""

import os
import struct
import sys

import pytest

from command_line import process
from conftest import BIG_ROWS

pty = pytest.importorskip("pty")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")
pytest.importorskip("tqdm")

CALLS = (
    ("stats", "--threads", "1"),
    ("convert", "--force", "-o", "out.avro"),
    ("convert", "--force", "-o", "out.arrow"),
)


def on_a_terminal(*arguments):
    """The output of a command on its own terminal, with standard output and standard error together."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-m", "arrowfeed", *map(str, arguments)])
    # 24 lines of 80 characters: tqdm shows nothing where there is no room.
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), shown.decode()


@pytest.mark.parametrize("call", CALLS)
def test_without_a_terminal_there_is_no_bar(big_file, tmp_path, call):
    done = process(*call, big_file, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\r" not in done.stdout


@pytest.mark.parametrize("call", CALLS)
def test_on_a_terminal_a_bar_appears_and_is_cleared(big_file, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    code, shown = on_a_terminal(*call, big_file)
    assert code == 0
    assert "\r" in shown
    assert "%|" in shown
    last = shown.rstrip().rpartition("\r")[2] if call[0] == "convert" else shown
    assert f"{BIG_ROWS}" in last or f"{BIG_ROWS:,}" in last


def test_rows_need_no_bar(big_file, tmp_path):
    code, shown = on_a_terminal("head", "-n", "2", big_file)
    assert (code, shown.count("\n"), "%|" in shown) == (0, 2, False)
