"""The examples in docstrings of TensorFlow, PyTorch and JAX run, and print what they say."""

import sys
from pathlib import Path

import keras
import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf
import torch
from tensorflow_metadata.proto.v0 import schema_pb2

import arrowfeed as af
import arrowfeed.jax
import arrowfeed.tensorflow
import arrowfeed.torch
from arrowfeed.representations import Dense, VarLenRagged

sys.path.append(str(Path(__file__).parents[1] / "python"))
from docstring_examples import examples_of, failures

NOT_COMPARED = {
    "Dataset.report",
    "Dataset.stats",
    "Dataset.to_keras",
    "Dataset.to_tf",
    "TensorFlowDataset.set_epoch",
}
"""Docstrings whose outputs depend on files, or are figures of a training."""


class Model(keras.Model):
    """A model of the tensor `x`."""

    def __init__(self):
        super().__init__()
        self.last = keras.layers.Dense(1)

    def call(self, tensors):
        return self.last(tensors["x"])

    def train_step(self, data):
        return {"loss": tf.reduce_sum(self(data[0] if isinstance(data, tuple) else data))}


def given():
    """The names that the examples take as given."""
    x = pa.array([[number + 0.5, number + 1.5] for number in range(2000)], pa.list_(pa.float32()))
    clicked = pa.array([number % 2 for number in range(2000)])
    fields = [pa.field("x", x.type, nullable=False), pa.field("clicked", clicked.type, nullable=False)]
    importance = pa.array([1.0] * 2000)
    columns = [*fields, pa.field("importance", importance.type, nullable=False)]
    af.write_avro(pa.table([x, clicked, importance], pa.schema(columns)), "x.avro")
    x7 = pa.array([[0.5, 1.5]] * 8, pa.list_(pa.float32()))
    af.write_avro(pa.table([x7], pa.schema(fields[:1])), "x7.avro")
    tensors = {"x": Dense("x", [2]), **{name: Dense(name) for name in ("clicked", "importance")}}
    wide = pa.record_batch({"x": pa.array([[0.5] * 128] * 1024, pa.list_(pa.float32()))})
    words = pa.record_batch({"words": pa.array([[1, 2]] * 1024)})
    schema = schema_pb2.Schema(
        feature=[
            schema_pb2.Feature(
                name="image",
                type=schema_pb2.INT,
                shape={"dim": [{"size": 784}]},
                presence={"min_fraction": 1, "min_count": 1},
            ),
            schema_pb2.Feature(name="tags", type=schema_pb2.INT),
        ]
    )
    dataset = af.AvroDataset("x.avro", representations=tensors)
    model = Model()
    model.compile()
    model({"x": np.zeros((1, 2), np.float32)})
    return {
        "DataLoader": torch.utils.data.DataLoader,
        "adapter": af.TensorAdapter(wide.schema, {"x": Dense("x", [128])}),
        "arrowfeed": af,
        "representations": af.representations,
        "batch": wide,
        "dataset": dataset,
        "lengths": af.torch.lengths,
        "model": model,
        "nested": af.torch.nested,
        "numpy": np,
        "offsets": af.torch.offsets,
        "params": 0,
        "schema_bytes": schema.SerializeToString(),
        "source": dataset,
        "step": lambda params, x: params + x.sum(),
        "tensors": af.TensorAdapter(words.schema, {"words": VarLenRagged("words")}).convert(words),
        "tf": tf,
        "torch": torch,
        "train": lambda *tensors: None,
    }


@pytest.mark.parametrize("one", examples_of("frameworks"), ids=lambda one: one.id)
def test_the_examples_of_a_docstring_of_a_framework_run(tmp_path, monkeypatch, one):
    monkeypatch.chdir(tmp_path)
    names = given()
    names["to_jax"] = arrowfeed.jax.to_jax
    names["to_tensorflow"] = arrowfeed.tensorflow.to_tensorflow
    names["to_torch"] = arrowfeed.torch.to_torch
    if one.name == "Dataset.samples":
        names["dataset"] = af.AvroDataset("x7.avro", representations={"x": Dense("x", [2])})
    if one.name == "Dataset.report":
        damaged = bytearray(Path("x.avro").read_bytes())
        damaged[-1] ^= 1
        Path("part-3.avro").write_bytes(damaged)
        tensors = {"x": Dense("x", [2])}
        names["dataset"] = af.AvroDataset(["x.avro", "part-3.avro"], representations=tensors)
    assert failures(one, names, compares=one.name not in NOT_COMPARED) == ""
