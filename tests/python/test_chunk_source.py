"""`ChunkSource`: the forms in which a subclass provides its attributes."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

import arrowfeed as af

SCHEMA = pa.schema({"id": pa.int64()})


class Source(af.ChunkSource):
    """Reads rows that count from 0."""

    def read_chunk(self, number, columns):
        return pa.record_batch({"id": range(10 * number, 10 * number + 10)})


class InInit(Source):
    """Sets its attributes in the constructor."""

    def __init__(self):
        self.arrow_schema = SCHEMA
        self.chunk_rows = [10, 10]
        self.name = "numbers"
        self.version = "2"


class OfClass(Source):
    """Has attributes of the class."""

    arrow_schema = SCHEMA
    chunk_rows = (10, 10)


class Properties(Source):
    """Computes its attributes."""

    @property
    def arrow_schema(self):
        return SCHEMA

    @property
    def chunk_rows(self):
        return [10, 10]


def ids(source):
    batches = af.ChunkDataset(source).record_batches(batch_size=20)
    return [number for batch in batches for number in batch["id"]]


@pytest.mark.parametrize("kind", [InInit, OfClass, Properties])
def test_attributes_are_set_in_init_in_the_class_or_by_properties(kind):
    assert ids(kind()) == ids(pickle.loads(pickle.dumps(kind()))) == list(range(20))


def test_name_and_version_have_defaults():
    assert (OfClass().name, OfClass().version) == ("OfClass", "")
    assert (InInit().name, InInit().version) == ("numbers", "2")
    states = [af.ChunkDataset(kind()).record_batches(batch_size=5).state_dict() for kind in (InInit, OfClass)]
    with pytest.raises(af.ChangedError):
        af.ChunkDataset(OfClass()).record_batches(batch_size=5).load_state_dict(states[0])


@pytest.mark.parametrize("name", ["arrow_schema", "chunk_rows"])
def test_a_missing_attribute_of_a_chunk_source_is_named(name):
    class Part(Source):
        def __init__(self):
            for other in {"arrow_schema", "chunk_rows"} - {name}:
                setattr(self, other, getattr(OfClass, other))

    message = f"^expected Part to have the attribute {name}: set it in the class or in __init__$"
    with pytest.raises(TypeError, match=message):
        af.ChunkDataset(Part())


def test_a_source_without_read_chunk_is_abstract():
    class Part(af.ChunkSource):
        arrow_schema = SCHEMA
        chunk_rows = ()

    with pytest.raises(TypeError, match="abstract"):
        Part()


def test_rows_of_a_batch_are_sliced():
    batch = next(af.ChunkDataset(OfClass()).record_batches(batch_size=20))
    assert batch[0:3].to_pyarrow()["id"].to_pylist() == [0, 1, 2]
    with pytest.raises(TypeError) as raised:
        batch[0]
    assert str(raised.value) == "key: expected the name of a column (str), or a slice of rows, found int 0"
