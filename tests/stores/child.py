"""Replaces itself by a command that the kernel kills when the parent process ends.

The arguments are the process id of the parent, then the command. `servers.py` starts each server through this
file, so that no server survives tests that were killed.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
SIGKILL = 9


def main() -> None:
    """Ask the kernel for the signal, then run the command in this process."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    # The parent may have ended before the request.
    if os.getppid() == parent:
        os.execvp(command[0], command)


if __name__ == "__main__":
    main()
