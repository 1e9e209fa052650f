"""Runs scripts in separate interpreters. A script gets a JSON value in `given` and prints one."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
START = f"""
import json, os, signal, sys, time, warnings
sys.path.insert(0, {str(HERE)!r})
import arrowfeed as af
given = json.loads(sys.argv[1])
"""


def command(code: str, given: Any) -> list[str]:
    """The command that runs a script."""
    script = START + textwrap.dedent(code)
    return [sys.executable, "-W", "ignore", "-c", script, json.dumps(given)]


def run_script(code: str, given: Any, seconds: float = 60) -> Any:
    """The output of a script as JSON."""
    run = subprocess.run(command(code, given), capture_output=True, text=True, timeout=seconds, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def start_script(code: str, given: Any) -> subprocess.Popen[str]:
    """A script that runs."""
    return subprocess.Popen(command(code, given), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
