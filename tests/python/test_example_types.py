"""The Python examples pass mypy and pyright in strict mode: README, pages, notebooks, and `examples`."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from example_programs import programs, write

# Types of results, and two lines that must be reported: so the checkers have read the stubs.
RESULTS = """
from typing import Any

import arrowfeed as af
from arrowfeed._frameworks.jax_iterator import JaxIterator
from arrowfeed._frameworks.torch_dataset import TorchDataset
from arrowfeed._tensorflow.wrapped import TensorFlowDataset
from typing_extensions import assert_type

representations = {"id": af.representations.Dense("id")}
dataset = af.AvroDataset("rows.avro", representations=representations)
assert_type(next(dataset.record_batches(batch_size=1)), af.RecordBatch)
assert_type(next(dataset.tensors(batch_size=1)), dict[str, Any])
assert_type(dataset.to_tf(batch_size=1), TensorFlowDataset)
assert_type(dataset.to_torch(batch_size=1), TorchDataset)
assert_type(dataset.to_jax(batch_size=1), JaxIterator)
assert_type(dataset.project(["id"]).take(1).skip(1), af.AvroDataset)
assert_type(dataset.split(0.5, seed=1), tuple[af.AvroDataset, af.AvroDataset])

tensors = {"id": af.DenseTensor([1])}
assert_type(af.TensorsToRecordBatch(dataset.specs).convert(tensors), af.RecordBatch)
assert_type(af.StructuredTensor(tensors).fields["id"].values, Any)

schema = {"id": "int64"}
af.ExampleDataset("rows.tfrecord", schema=schema).num_rows.bit_length()
sequences = {"id": "int64", "##SEQUENCE##": {"tokens": "int64"}}
af.SequenceExampleRecordDecoder(sequences)
avro_schemas = {1: af.AvroSchema("rows.avsc")}
af.AvroRecordDecoder(framing="confluent", schemas=avro_schemas)

dataset.to_tf(batch_size="1")
dataset.row
"""
REPORTED = [f"results:{1 + RESULTS.splitlines().index(line)}" for line in RESULTS.splitlines()[-2:]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The programs, and the stubs of the packages that they import."""
    folder = tmp_path_factory.mktemp("programs")
    assert len(programs()) > 30
    write(folder)
    (folder / "results.py").write_text(RESULTS, "utf-8")
    return folder


def test_mypy_accepts_the_examples(folder, monkeypatch):
    monkeypatch.setenv("MYPYPATH", str(folder / "stubs"))
    # A page gives a name several values. Classes and decorators of packages without types are Any.
    options = ["--strict", "--allow-redefinition", "--allow-subclassing-any", "--allow-untyped-decorators"]
    files = sorted(path.name for path in folder.glob("*.py"))
    command = [sys.executable, "-m", "mypy", *options, "--no-error-summary", *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = re.findall(r"^(\w+)\.py:(\d+): error", done.stdout, re.MULTILINE)
    assert [":".join(place) for place in found] == REPORTED, done.stdout + done.stderr


def test_pyright_accepts_the_examples(folder):
    settings = {
        "typeCheckingMode": "strict",
        "stubPath": "stubs",
        "exclude": ["stubs"],
        "reportMissingModuleSource": False,
        # A page shows the value of an expression in a comment.
        "reportUnusedExpression": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = [one for one in json.loads(done.stdout)["generalDiagnostics"] if not is_of_an_untyped_base(one)]
    places = {f"{Path(one['file']).stem}:{one['range']['start']['line'] + 1}" for one in found}
    assert sorted(places) == REPORTED, json.dumps(found, indent=1)


def is_of_an_untyped_base(diagnostic):
    """Whether the constructor of a class of a package without types is unknown, in `super().__init__()`."""
    return diagnostic["message"] == 'Type of "__init__" is unknown'
