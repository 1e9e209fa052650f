"""The index of a pandas frame is written as pyarrow converts it; a named range is a column too."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense

PLAIN = pd.DataFrame({"a": [1, 2, 3], "b": [3, 4, 5]})

# pyarrow leaves out every range by default. `preserve_index=True` keeps it.
FRAMES = {
    "unnamed range": (PLAIN, None),
    "unnamed range, sliced": (PLAIN[1:], None),
    "named range": (PLAIN.rename_axis("n"), True),
    "named range of a column": (PLAIN.set_index("a"), None if pd.__version__ < "3.1" else True),
    "named range, sliced": (PLAIN.rename_axis("n")[::2], True),
    "named range with the name of a column": (PLAIN.rename_axis("a"), True),
    "named range without rows": (PLAIN.rename_axis("n")[:0], True),
    "range named by a number": (PLAIN.rename_axis(7), True),
    "named index": (PLAIN.set_index(pd.Index([5, 5, 9], name="n")), None),
    "unnamed strings": (PLAIN.set_axis(["x", "y", "z"]), None),
    "named dates": (PLAIN.set_index(pd.date_range("2026-01-01", periods=3, name="day")), None),
    "named categories": (PLAIN.set_index(pd.CategoricalIndex(["u", "v", "u"], name="c")), None),
    "two levels": (PLAIN.assign(c=[7, 8, 9]).set_index(["a", "b"]), None),
    "unnamed levels": (PLAIN.set_axis(pd.MultiIndex.from_tuples([(1, 2), (3, 4), (5, 6)])), None),
}


@pytest.mark.parametrize("name", FRAMES)
def test_an_index_is_written_as_pyarrow_converts_it(tmp_path, name):
    frame, preserve = FRAMES[name]
    expected = pa.Table.from_pandas(frame, preserve_index=preserve)
    af.write_avro(frame, tmp_path / "frame.avro")
    found = pa.table(af.read_avro(tmp_path / "frame.avro"))
    assert (found.schema.names, found.to_pydict()) == (expected.schema.names, expected.to_pydict())


def test_every_function_of_frames_has_a_named_range(tmp_path):
    frame = PLAIN.rename_axis("n")
    path = tmp_path / "frames"
    with af.AvroWriter(path) as writer:
        writer.write(frame)
    assert pa.table(af.read_avro(path))["n"].to_pylist() == [0, 1, 2]
    af.write_avro((frame[start:] for start in (1, 0)), path)
    assert pa.table(af.read_avro(path))["n"].to_pylist() == [1, 2, 0, 1, 2]
    af.write_tfrecord(frame, path)
    assert af.ExampleDataset(path).specs.keys() == {"a", "b", "n"}
    assert af.encode_examples(frame) == af.encode_examples(pa.Table.from_pandas(frame, preserve_index=True))
    adapter = af.TensorAdapter(pa.Table.from_pandas(frame, preserve_index=True).schema, {"n": Dense("n", [])})
    assert np.from_dlpack(adapter.convert(frame)["n"]).tolist() == [0, 1, 2]


def test_a_frame_makes_the_round_trip(tmp_path):
    frame = PLAIN.set_index("a")
    af.write_avro(frame, tmp_path / "frame.avro")
    again = af.read_avro(tmp_path / "frame.avro").to_pandas().set_index("a")
    pd.testing.assert_frame_equal(again, frame)
