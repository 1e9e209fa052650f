"""Files and a dataset for the training loops of all frameworks."""

import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa

import arrowfeed as af
from arrowfeed import features

ROWS = 1000
FEATURES = {
    "id": features.Dense([]),
    "x": features.Dense([4], key="x[*]"),
    "tags": features.VarLen(key="words[*]"),
    "words": features.Ragged(key="words[*]"),
    "hot": features.Sparse("indices0[*]", "values[*]", 10),
    "flag": features.Dense([]),
    "name": features.Dense([]),
    "long": features.FixedLenSequence([], default=0, key="user.scores[*]"),
}


def table(start: int, stop: int) -> pa.Table:
    """Numbered rows. `id` is the number, and the other columns are computed from it."""
    ids = range(start, stop)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "x": pa.array([[i, i / 2, -i, 0] for i in ids], pa.list_(pa.float32())),
            "words": [[f"w{n}" for n in range(i % 4)] for i in ids],
            "hot": [{"indices0": [i % 10], "values": [float(i)]} for i in ids],
            "flag": [i % 3 == 0 for i in ids],
            "name": ["" if i % 5 == 0 else f"é{i}" for i in ids],
            "user": [{"age": i, "scores": [i] * (i % 3)} for i in ids],
        }
    )


def write(directory, rows=ROWS, files=2):
    """Writes files of many small blocks, and returns their paths."""
    borders = np.linspace(0, rows, files + 1).astype(int)
    paths = []
    for number, (start, stop) in enumerate(itertools.pairwise(borders)):
        paths.append(str(directory / f"part-{number}.avro"))
        af.write_avro(table(start, stop), paths[-1], codec="null", block_bytes=2000)
    return paths


def dataset(directory, **arguments):
    """Writes files, and returns their dataset."""
    return af.AvroDataset(write(directory), features=FEATURES, **arguments)


def cut(directory):
    """A file that ends inside a block, and the message for it."""
    path = directory / "cut.avro"
    [whole] = write(directory, 100, 1)
    content = Path(whole).read_bytes()
    path.write_bytes(content[:-1000])
    try:
        list(af.read_avro(path))
    except af.TruncatedError as error:
        return str(path), str(error)
    raise AssertionError("expected a file that is cut")


def flat(lists):
    """The items of all lists."""
    return list(itertools.chain.from_iterable(lists))
