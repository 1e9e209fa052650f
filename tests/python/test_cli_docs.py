"""The examples of docs/command-line.md have the printed outputs on the events of `make demo`.

URLs of S3 are replaced by memory URLs, which accept no options of S3.
"""

import json
import re
import shlex
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import arrowfeed as af
from example_programs import people

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command-line.md").read_text("utf-8")
BLOCK = re.compile(r"(?:^    .*\n|^\n(?=    ))+", re.MULTILINE)
SIZES = re.compile(
    r"(?<=^blocks           ).*|(?<=^bytes in blocks  ).*|, \S+ times those$|\d+ bytes$", re.MULTILINE
)
"""The outputs that depend on the version of a codec."""
S3 = "s3://bucket"


def examples():
    """Commands and their outputs."""
    for block in BLOCK.findall(PAGE):
        text = "".join(line[4:] or "\n" for line in block.splitlines(keepends=True)).strip("\n")
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.rstrip("\n")


@pytest.fixture
def events(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "python"))
    import events  # noqa: PLC0415

    for codec in ("null", "zstandard"):
        reader = pa.RecordBatchReader.from_batches(events.SCHEMA, events.event_batches())
        af.write_avro(reader, tmp_path / f"events.{codec}.avro", codec=codec)
    dataset = af.AvroDataset(tmp_path / "events.null.avro")
    batches = dataset.record_batches(batch_size=1000, shuffle_buffer_size=50_000, seed=7)
    for _ in range(40):
        next(batches)
    (tmp_path / "state.json").write_text(json.dumps(batches.state_dict()))


@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")
def test_the_examples_print_what_the_page_says(arrowfeed, events, tmp_path):
    ran, memory = 0, f"memory://{tmp_path.name}"
    for line, output in examples():
        command, _, tail = line.partition(" | tail -n ")
        program, *arguments = shlex.split(command)
        if program == "cat":
            (tmp_path / arguments[0]).write_text(output)
            continue
        if "--storage-option" in arguments:
            at = arguments.index("--storage-option")
            arguments = [name.replace(S3, memory) for name in arguments[:at] + arguments[at + 2 :]]
        found = arrowfeed(*arguments)
        assert (program, found.code, found.err) == ("arrowfeed", 0, ""), command
        printed = found.out.replace(memory, S3)
        shown = "\n".join(printed.rstrip("\n").split("\n")[-int(tail or 0) :])
        assert SIZES.sub("", shown) == SIZES.sub("", output), command
        ran += 1
    assert ran == 18


CONSOLE = re.compile(r"^ *```console\n(.*?)^ *```", re.MULTILINE | re.DOTALL)

NOT_RUN = [
    "mvn dependency:copy -Dartifact=org.apache.spark:spark-avro_2.13:4.1.1 -DoutputDirectory=target/spark",
    "PYTHONPATH=python python benches/engines/spark_speed.py target/spark/spark-avro_2.13-4.1.1.jar",
]
"""Commands of other programs, which need Spark."""


def test_the_commands_of_all_pages_run(arrowfeed, tmp_path):
    (tmp_path / "data").mkdir()
    people.write(tmp_path / "data")
    batches = af.AvroDataset(tmp_path / "data" / "part-*.avro").record_batches(batch_size=64)
    next(batches)
    (tmp_path / "state.json").write_text(json.dumps(batches.state_dict()))
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    blocks = [block for page in pages for block in CONSOLE.findall(page.read_text("utf-8"))]
    commands = [
        line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")
    ]
    ran = [line for line in commands if line.startswith("arrowfeed ")]
    assert (len(ran), [line for line in commands if line not in ran]) == (4, NOT_RUN)
    for line in ran:
        found = arrowfeed(*shlex.split(line)[1:])
        assert (found.code, found.err) == (0, ""), line
        assert found.out, line
