"""Values as fastavro and arrowfeed read them, on random schemas and rows that fastavro wrote.

Every difference is listed here.
"""

import io
import math
import random

import fastavro
import pyarrow as pa
import pytest

import arrowfeed as af
from random_avro import Generator
from session_seed import cases, seeds

CODECS = ("null", "deflate", "snappy", "zstandard", "bzip2", "xz")
CHUNK = 25


def plain(value):
    """A value in the form that both sides share."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return value


def rows_of(reader, is_record):
    table = pa.table(reader)
    # Arrow's maps are lists of pairs; pyarrow makes dicts of them when asked.
    rows = table.to_pylist(maps_as_pydicts="strict")
    return [plain(row if is_record else row["value"]) for row in rows]


@pytest.mark.parametrize("chunk", range(max(cases(500) // CHUNK, 1)))
def test_values_are_those_of_fastavro(chunk):
    compared = 0
    for seed in seeds(chunk * CHUNK, (chunk + 1) * CHUNK):
        generator = Generator(seed)
        schema = generator.root()
        rng = random.Random(seed)
        records = [generator.value(schema) for _ in range(rng.choice([0, 1, 10, 40]))]
        file = io.BytesIO()
        fastavro.writer(
            file,
            fastavro.parse_schema(schema),
            records,
            codec=rng.choice(CODECS),
            sync_interval=rng.choice([1, 100, 16_000]),
        )
        file.seek(0)
        expected = [plain(row) for row in fastavro.reader(file)]
        is_record = isinstance(schema, dict) and schema["type"] == "record"
        options = {"batch_size": rng.choice([1, 3, 8192]), "threads": rng.choice([1, 2])}
        found = rows_of(af.read_avro(file.getvalue(), **options), is_record)
        assert found == expected, f"seed {seed}: {schema}"
        compared += 1
    assert compared == CHUNK
