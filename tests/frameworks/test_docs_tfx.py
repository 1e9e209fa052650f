"""The examples of the pages on tfx_bsl, TFRecord and Beam run unchanged."""

import re
from pathlib import Path

import pytest
import tensorflow as tf
import tensorflow_transform as tft
from avro_record_cases import SCHEMA, pair
from readme_code import people
from tensorflow_metadata.proto.v0 import schema_pb2

from arrowfeed import tfxio

DOCS = Path(__file__).resolve().parents[2] / "docs"


def examples(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Writes rows in both formats, with numbers as labels, to the paths of the pages."""
    monkeypatch.chdir(tmp_path)
    found = pair(tmp_path)
    (tmp_path / "x.avro").rename(tmp_path / "rows-0.avro")
    (tmp_path / "x.tfrecord").rename(tmp_path / "rows-0.tfrecord")
    return found


def test_the_way_from_tfx_bsl_runs(rows):
    schema = schema_pb2.Schema.FromString(SCHEMA.SerializeToString())
    # `make test-tfx` runs the last one.
    before, after, transform, decoder, adapter, _ = examples("from-tfx-bsl.md")
    totals = []
    for example in (before, after):
        names = {"schema": schema}
        exec(compile(example.replace('"label"', '"id"'), "from-tfx-bsl.md", "exec"), names)
        totals.append(names["total"])
        features = names["features"]
    assert totals[0] == totals[1]
    assert "id" not in features
    assert len(features) == len(names["source"].TensorRepresentations()) - 1
    names["preprocessing_fn"] = lambda inputs: {"weight": tft.scale_to_0_1(inputs["weight"])}
    exec(compile(transform, "from-tfx-bsl.md", "exec"), names)
    with tf.io.TFRecordWriter("records-0.tfrecord") as file:
        for number in range(40):
            file.write(str(number))
    numbers: dict = {}
    exec(compile(decoder, "from-tfx-bsl.md", "exec"), numbers)
    assert len(numbers["tensors"]["number"]) == 8
    assert 28 <= numbers["total"] <= 284
    source = names["source"]
    (batch,) = source.RecordBatches(tfxio.RecordBatchesOptions(100, num_epochs=1))
    names = {
        "arrow_schema": source.ArrowSchema(),
        "tensor_representations": source.TensorRepresentations(),
        "record_batch": batch,
    }
    exec(compile(adapter, "from-tfx-bsl.md", "exec"), names)
    assert names["tensors"]["id"].shape == (len(rows.rows),)


def test_the_lines_that_change_are_two():
    before, after, *_ = (example.splitlines() for example in examples("from-tfx-bsl.md"))
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 2


def test_the_page_on_beam_runs(tmp_path, monkeypatch, capfd):
    (tmp_path / "data").mkdir()
    people.write(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    found = examples("beam.md")
    assert len(found) == 2
    for example in found:
        exec(compile(example, "beam.md", "exec"), {})
        assert sum(map(int, capfd.readouterr().out.split())) == people.FILES * people.ROWS
    assert len(list((tmp_path / "data").glob("ids-*.avro"))) == 4


def test_the_page_on_tfrecord_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = examples("tfrecord.md")
    assert len(found) == 6
    names: dict = {}
    for number, example in enumerate(found):
        exec(compile(example, f"tfrecord.md, example {number}", "exec"), names)
    assert len(names["raw"]) == 3
