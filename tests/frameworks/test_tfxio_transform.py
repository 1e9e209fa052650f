"""TensorFlow Transform accepts our config, with the results of tfx_bsl's config."""

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf
import tensorflow_transform as tft
import tensorflow_transform.beam as tft_beam
from apache_beam.testing.util import assert_that
from tensorflow_transform.beam import impl
from tfx_bsl.tfxio import tensor_adapter

from arrowfeed import tfxio
from arrowfeed.representations import Dense, Ragged, VarLenSparse

BATCH = pa.record_batch(
    {
        "x": pa.array([[1.0], [2.0], [3.0]], pa.large_list(pa.float32())),
        "words": pa.array([[b"a", b"b"], None, [b"a"]], pa.large_list(pa.large_binary())),
        "counts": pa.array([[1, 2], [], [3]], pa.large_list(pa.int64())),
    }
)
REPRESENTATIONS = {
    "x": Dense("x", [1]),
    "words": VarLenSparse("words"),
    "counts": Ragged("counts"),
}


def preprocess(inputs: dict) -> dict:
    """Computes a value that needs a pass over all data, for a tensor of each kind."""
    return {
        "x": tft.scale_to_0_1(inputs["x"]),
        "words": tft.compute_and_apply_vocabulary(inputs["words"]),
        "sums": tf.cast(tf.reduce_sum(inputs["counts"], axis=1), tf.float32) + tft.mean(inputs["x"]),
    }


def transformed(config: object, folder: object, check: object) -> None:
    """Analyzes and transforms the batch."""
    with beam.Pipeline() as pipeline, tft_beam.Context(temp_dir=str(folder)):
        batches = pipeline | beam.Create([BATCH])
        analyze = tft_beam.AnalyzeAndTransformDataset(preprocess, output_record_batches=True)
        (output, _), _ = (batches, config) | analyze
        assert_that(output | beam.Map(lambda pair: pair[0].to_pydict()), check)


def expected(rows: list) -> None:
    """Checks the transformed rows, in batches of any size."""
    columns = {name: [value for batch in rows for value in batch[name]] for name in rows[0]}
    np.testing.assert_allclose(columns["x"], [[0], [0.5], [1]])
    assert columns["words"] == [[0, 1], [], [0]]
    np.testing.assert_allclose(columns["sums"], [[5], [2], [5]])


@pytest.mark.parametrize(
    "adapter", [tensor_adapter.TensorAdapter, tfxio.TensorAdapter], ids=["tfx_bsl", "ours"]
)
def test_transform_takes_the_config(tmp_path, monkeypatch, adapter):
    monkeypatch.setattr(impl, "TensorAdapter", adapter)
    transformed(tfxio.TensorAdapterConfig(BATCH.schema, REPRESENTATIONS), tmp_path, expected)
