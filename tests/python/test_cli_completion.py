"""The script of `arrowfeed completion` completes commands, options and files in bash."""

import shutil
import subprocess

import pytest

from conftest import run_script

COMPLETE = """
source "$1"
COMP_WORDS=(arrowfeed "${@:2}") COMP_CWORD=$(($# - 1))
_shtab_arrowfeed
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="expected bash, found none")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["co"], {"count", "convert", "completion"}),
        (["doctor", "--j"], {"--json"}),
        (["count", "--j"], {"--json"}),
        (["convert", "--codec", "zst"], {"zstd", "zstandard"}),
    ],
)
def test_bash_completes(arrowfeed, tmp_path, words, expected):
    ran = arrowfeed("completion", "bash")
    assert (ran.code, ran.err) == (0, "")
    (tmp_path / "completion").write_text(ran.out)
    command = ["bash", "-c", COMPLETE, "complete", tmp_path / "completion", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert {line.strip() for line in done.stdout.splitlines()} >= expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_every_shell_has_a_script(arrowfeed, shell):
    ran = arrowfeed("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert "convert" in ran.out


def test_the_files_of_a_command_are_completed():
    shtab = pytest.importorskip("shtab")
    from arrowfeed.cli._options import FILES  # noqa: PLC0415

    assert {shell: shtab.FILE[shell] for shell in FILES} == FILES


def test_without_shtab_the_message_says_how_to_get_it():
    script = (
        "import sys; sys.modules['shtab'] = None; import arrowfeed.cli as c; sys.exit(c.main(sys.argv[1:]))"
    )
    done = run_script(script, "completion", "bash")
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "arrowfeed: expected shtab to complete commands, found it not installed: pip install shtab\n",
    )
