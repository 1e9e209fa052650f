"""The wait of a training is measured with the figures of its iterator."""

import arrowfeed as af
import pyarrow as pa

from training_wait import STEP, wait


def test_the_figures_are_those_of_the_steps(tmp_path):
    af.write_avro(pa.table({"id": range(1000)}), tmp_path / "x.avro")
    figures = wait(tmp_path / "x.avro", 2, 100, steps=20).to_dict()
    assert (figures["batches"], figures["rows"], figures["threads"]) == (20, 2000, 2)
    assert 0 <= figures["wait_share"] < 1
    assert figures["seconds"] >= 19 * STEP
