"""Failed commands have exit codes and messages, and a traceback only on request."""

import importlib.metadata
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import arrowfeed as af
from arrowfeed import cli
from command_line import process
from conftest import in_threads, run_script, users, write

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

READS = {
    "schema": ("schema",),
    "head": ("head",),
    "stats": ("stats",),
    "stats_json": ("stats", "--json"),
    "cat": ("cat",),
    "count": ("count",),
    "splits": ("splits",),
    "explain": ("explain",),
    "avro": ("convert", "-o", "out.avro"),
    "arrow": ("convert", "-o", "out.arrow"),
    "parquet": ("convert", "-o", "out.parquet"),
    "tfrecord": ("convert", "-o", "out.tfrecord", "--exclude", "home"),
    "csv": ("convert", "-o", "out.csv", "--columns", "id,name"),
    "jsonl": ("convert", "-o", "out.jsonl"),
}
WHOLE_FILE = ("head", "cat", "stats", "stats_json", "avro", "arrow", "parquet", "tfrecord", "csv", "jsonl")


@pytest.mark.parametrize("name", READS)
def test_a_missing_file(arrowfeed, name):
    message = "arrowfeed: no.avro: No such file or directory\n"
    assert arrowfeed(*READS[name], "no.avro") == (1, "", message)


@pytest.mark.parametrize("name", READS)
def test_a_file_that_is_not_avro_is_an_error(arrowfeed, tmp_path, name):
    (tmp_path / "a.avro").write_bytes(b"RIFF....")
    message = "expected the magic bytes 4f 62 6a 01 of an Avro file, found 52 49 46 46 2e 2e 2e 2e"
    assert arrowfeed(*READS[name], "a.avro") == (1, "", f"arrowfeed: a.avro: {message}\n")
    (tmp_path / "b.avro").write_bytes(b"")
    message = "expected an Avro object container file, found an empty file"
    assert arrowfeed(*READS[name], "b.avro") == (1, "", f"arrowfeed: b.avro: {message}\n")


@pytest.mark.parametrize("name", WHOLE_FILE)
def test_a_cut_file(arrowfeed, users_file, name):
    users_file.write_bytes(users_file.read_bytes()[:2000])
    message = (
        "arrowfeed: users.avro: block 0 at byte 395: expected 2,495 bytes of data and sync marker,"
        " found the end of the file after 1,601\n"
    )
    assert arrowfeed(*READS[name], "users.avro") == (1, "", message)


def test_rows_before_an_error_are_printed(arrowfeed, tmp_path):
    path = write(tmp_path / "a.avro", users(20), sync_interval=100)
    path.write_bytes(path.read_bytes()[:-1])
    ran = arrowfeed("head", "-n", 20, "a.avro")
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert found == users(len(found))
    assert found
    assert ran.code == 1
    assert ran.err.startswith("arrowfeed: a.avro: block ")


def test_other_errors_of_the_data(arrowfeed, users_file, tmp_path):
    for options, message in (
        (
            ("head", "--columns", "nmae"),
            'users.avro: expected a field of record "tests.User" ("id", "name", "scores", "home"),'
            ' found "nmae"',
        ),
        (("stats", "--reader-schema", "no.avsc"), "no.avsc: No such file or directory"),
        (("head", "--reader-schema", "users.avro"), None),
        (("head", "no*.avro"), "no*.avro: expected files that match this glob, found none"),
    ):
        ran = arrowfeed(*options, "users.avro")
        assert (ran.code, ran.out) == (1, "")
        if message is not None:
            assert ran.err == f"arrowfeed: {message}\n"
        assert ran.err.startswith("arrowfeed: ")


WRONG_CALLS = {
    (): "arrowfeed: error: the following arguments are required: COMMAND",
    ("head",): "arrowfeed head: error: the following arguments are required: FILE",
    ("head", "-n", "-1", "a"): (
        "arrowfeed head: error: argument -n/--rows: expected an integer of 0 or more, found '-1'"
    ),
    ("stats", "--threads", "x", "a"): (
        "arrowfeed stats: error: argument --threads: expected an integer of 1 or more, found 'x'"
    ),
    ("splits", "a", "--target=5"): "arrowfeed splits: error: unrecognized arguments: --target=5",
    ("convert", "a"): "arrowfeed convert: error: the following arguments are required: -o/--output",
    ("head", "-", "-"): "arrowfeed: expected - for standard input once, found it more than once",
}


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_wrong_calls(arrowfeed, call):
    ran = arrowfeed(*call)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1] == WRONG_CALLS[call]


def test_an_unknown_option_shows_the_usage_of_its_command(arrowfeed):
    ran = arrowfeed("splits", "a.avro", "--target=5")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("usage: arrowfeed splits [-h]")


def test_tracebacks_are_shown_when_asked_for(tmp_path):
    plain = process("head", "no.avro", cwd=tmp_path)
    assert (plain.returncode, plain.stderr) == (1, b"arrowfeed: no.avro: No such file or directory\n")
    for done in (
        process("head", "--debug", "no.avro", cwd=tmp_path),
        process("head", "no.avro", cwd=tmp_path, env={"ARROWFEED_DEBUG": "1"}),
    ):
        assert done.returncode == 1
        assert done.stderr.startswith(b"Traceback (most recent call last):")
        assert done.stderr.splitlines()[-1].startswith(b"FileNotFoundError: ")


def test_a_defect_is_reported_as_one(arrowfeed, users_file, monkeypatch):
    monkeypatch.setattr("arrowfeed.cli.head.json_rows", lambda _: 1 + "1")
    ran = arrowfeed("head", "users.avro")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "arrowfeed: a defect of this program, please report it with the output of --debug: "
        "TypeError: unsupported operand type(s) for +: 'int' and 'str'\n"
    )


def test_messages_and_names_change_no_terminal(arrowfeed, tmp_path):
    ran = arrowfeed("head", "a\x1bc\n\u202e.avro")
    assert ran == (1, "", "arrowfeed: a\\u001bc\\u000a\\u202e.avro: No such file or directory\n")
    write(tmp_path / "\x1b.avro", ["x"], "string")
    assert arrowfeed("schema", "\x1b.avro", "\x1b.avro").out.startswith("==> \\u001b.avro <==\n")
    assert "\x1b" not in arrowfeed("splits", "\x1b.avro").out


def test_names_that_begin_with_a_dash(arrowfeed, tmp_path):
    write(tmp_path / "-n.avro", ["x"], "string")
    assert arrowfeed("head", "--", "-n.avro") == (0, '{"value": "x"}\n', "")
    assert arrowfeed("head", "./-n.avro") == (0, '{"value": "x"}\n', "")
    assert arrowfeed("convert", "-o", "-o.avro", "--", "-n.avro").code == 2
    assert arrowfeed("convert", "--output=-o.avro", "--", "-n.avro").code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="names that are no text")
def test_names_that_are_no_text(tmp_path):
    name = os.fsdecode(b"\xff.avro")
    write(tmp_path / name, users(1))
    done = process("splits", "--json", name, cwd=tmp_path)
    assert done.returncode in (0, 1)
    done.stdout.decode()
    done.stderr.decode()


def test_a_closed_pipe_ends_quietly(big_file):
    command = [sys.executable, "-m", "arrowfeed", "head", "-n", "100000", big_file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout.readline().startswith(b'{"id": 0,')
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
def test_a_full_device_is_an_error_of_the_command(users_file):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        command = [sys.executable, "-m", "arrowfeed", "stats", users_file]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"arrowfeed: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_has_its_own_code(tmp_path):
    command = [sys.executable, "-m", "arrowfeed", "head", "-"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1) as running:
        # After it has read a megabyte, the command has started and waits for more.
        header = write(tmp_path / "a.avro", []).read_bytes()
        running.stdin.write(header + b"\x02\x80\x80\x80\x01" + bytes(1 << 20))
        running.stdin.flush()
        running.send_signal(signal.SIGINT)
        running.wait(60)
        assert (running.returncode, running.stdout.read(), running.stderr.read()) == (130, b"", b"")


REPLACED = """
    import os, signal, sys, time

    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name == sys.argv[1]:
                try:
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(10)
                except KeyboardInterrupt:
                    raise ImportError("not Ctrl-C") from None

    sys.meta_path.insert(0, Finder())
    from arrowfeed.cli import main

    code = main(sys.argv[2:])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    sys.exit(code)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("library", ["numpy", "pyarrow"])
def test_ctrl_c_that_a_library_replaces_with_its_own_error(users_file, library):
    done = run_script(REPLACED, library, "head", "--debug", users_file)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


DROPPED = """
    import os, signal, sys, time
    from arrowfeed.cli import count, main

    class Finalized:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)

    def run(_):
        Finalized()
        while True:
            time.sleep(0.01)

    count.run = run
    sys.exit(main(["count", "a.avro"]))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_inside_a_finalizer_is_not_lost():
    done = run_script(DROPPED)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_other_errors_of_finalizers_are_shown(arrowfeed, monkeypatch):
    class Finalized:
        def __del__(self):
            raise ValueError("of a finalizer")

    shown = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: shown.append(str(unraisable.exc_value)))
    monkeypatch.setattr("arrowfeed.cli.count.run", lambda _: Finalized() and None)
    assert arrowfeed("count", "a.avro") == (0, "", "")
    assert shown == ["of a finalizer"]


def test_another_handler_of_ctrl_c_stays(arrowfeed, users_file, monkeypatch):
    handlers = []
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        found = lambda _: handlers.append(signal.getsignal(signal.SIGINT))  # noqa: E731
        monkeypatch.setattr("arrowfeed.cli.count.run", found)
        assert arrowfeed("count", "users.avro") == (0, "", "")
        assert [*handlers, signal.getsignal(signal.SIGINT)] == [signal.SIG_IGN] * 2
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_command_runs_in_any_thread(arrowfeed, users_file):
    [ran] = in_threads(1, lambda _: arrowfeed("count", "users.avro"))
    assert (ran.code, ran.err) == (0, "")


MISSING = """
    import sys

    class Without:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("pyarrow", "tqdm"):
                raise ModuleNotFoundError(name, name=name)

    sys.meta_path.insert(0, Without())
    from arrowfeed.cli import main

    sys.exit(main(sys.argv[1:]))
"""


def test_without_pyarrow_some_commands_work_and_others_say_what_to_install(users_file, tmp_path):
    works = (("schema",), ("count",), ("splits",), ("explain",), ("convert", "-o", tmp_path / "out.avro"))
    for call in works:
        done = run_script(MISSING, *call, users_file)
        assert (done.returncode, done.stderr) == (0, "")
    needs = {
        ("head",): "to look into record batches",
        ("cat",): "to look into record batches",
        ("stats",): "to look into record batches",
        ("convert", "-o", tmp_path / "out.arrow"): "to write arrow",
        ("convert", "-o", tmp_path / "out.parquet"): "to look into record batches",
    }
    for call, use in needs.items():
        done = run_script(MISSING, *call, users_file)
        message = f"expected pyarrow {use}, found it not installed: pip install pyarrow"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"arrowfeed: {message}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.avro", "users.avro"]


def test_the_package_does_not_import_the_command_line():
    done = run_script(
        "import sys, arrowfeed; print('arrowfeed.cli' in sys.modules, 'argparse' in sys.modules)"
    )
    assert done.stdout == "False False\n"


def test_the_script_is_the_entry():
    project = Path(__file__).parents[2] / "python" / "pyproject.toml"
    [[name, target]] = tomllib.loads(project.read_text("utf-8"))["project"]["scripts"].items()
    entry = importlib.metadata.EntryPoint(name, target, "console_scripts")
    assert (entry.name, entry.load()) == ("arrowfeed", cli.main)


def test_version_and_help(arrowfeed):
    assert arrowfeed("--version") == (0, f"arrowfeed {af.__version__}\n", "")
    ran = arrowfeed("--help")
    assert (ran.code, ran.err) == (0, "")
    for command in ("schema", "head", "cat", "count", "stats", "splits", "explain", "convert"):
        assert f"\n    {command} " in ran.out
        assert arrowfeed(command, "--help").code == 0


# Importing pandas takes a fifth of a second, in which a Ctrl-C may be lost.
PANDAS = """
import json, sys
from arrowfeed.cli import main

for call in json.loads(sys.argv[1]):
    code = main([*call, "a.avro"])
    print(*call, code, "pandas" in sys.modules, file=sys.stderr)
"""


SINGLE_VALUES = "id,x,at,day,clock"
WITHOUT_PANDAS = [
    ("schema",),
    ("head",),
    ("head", "--table"),
    ("cat",),
    ("cat", "--csv", "--columns", SINGLE_VALUES),
    ("count",),
    ("stats",),
    ("stats", "--json"),
    ("stats", "--html", "out.html"),
    ("splits",),
    ("explain",),
    ("convert", "-o", "out.avro"),
    ("convert", "-o", "out.arrow"),
    ("convert", "-o", "out.parquet", "--exclude", "union"),
    ("convert", "-o", "out.jsonl"),
    ("convert", "-o", "out.csv", "--columns", SINGLE_VALUES),
    ("convert", "-o", "out.tfrecord", "--columns", "id,tags"),
]


def test_no_command_imports_pandas(tmp_path, monkeypatch):
    fields = {
        "id": "long",
        "x": "double",
        "at": {"type": "long", "logicalType": "timestamp-micros"},
        "day": {"type": "int", "logicalType": "date"},
        "clock": {"type": "int", "logicalType": "time-millis"},
        "tags": {"type": "array", "items": "string"},
        "union": ["long", "string"],
    }
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": name, "type": kind} for name, kind in fields.items()],
    }
    row = {"id": 1, "x": 0.5, "at": 10**15, "day": 1, "clock": 1, "tags": ["a"], "union": "b"}
    write(tmp_path / "a.avro", [row, {**row, "union": 2}], schema)
    monkeypatch.chdir(tmp_path)
    done = run_script(PANDAS, json.dumps(WITHOUT_PANDAS))
    assert done.stderr.splitlines() == [" ".join((*call, "0", "False")) for call in WITHOUT_PANDAS]
