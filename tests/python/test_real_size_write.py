"""The laws of the writers at real size: a file has all rows, whatever the batches that were written."""

import random
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import arrowfeed as af
from real_readers import read_avro, read_examples, read_raw
from real_rows import CASES, DATASETS, IS_LONG, SHAPES, check_table
from session_seed import seeds

CODECS = ["null", "deflate", "snappy", "zstandard"]
MOST_DICTS = 20_000


class Rows:
    """The same rows in one of the forms that writers accept.

    Args:
        table: The rows.
        paths: Arrow IPC files of the rows.
        chance: The generator of the case.
    """

    def __init__(self, table, paths, chance):
        self.table, self.paths, self.chance = table, paths, chance
        forms = [self.whole, self.pieces, self.iterator, self.frame, self.lazy]
        self.form = chance.choice(forms + [self.dicts] * (len(table) <= MOST_DICTS))

    def whole(self):
        return self.table

    def pieces(self):
        """Batches of any number of rows, some without rows."""
        total = len(self.table)
        borders = sorted(self.chance.randrange(total + 1) for _ in range(self.chance.choice([2, 60])))
        return (self.table.slice(start, end - start) for start, end in pairwise([0, *borders, total]))

    def iterator(self):
        """An iterator of a dataset."""
        dataset = DATASETS["arrow"](self.paths, representations={})
        return dataset.record_batches(batch_size=self.chance.choice([100, 8_193, 300_000]))

    def frame(self):
        return pl.DataFrame(self.table)

    def lazy(self):
        return pl.LazyFrame(self.table)

    def dicts(self):
        return iter(self.table.to_pylist())


def rows_of(name, chance, real_files):
    shape = SHAPES[name]
    return Rows(shape.rows(np.arange(shape.total)), real_files(name, "arrow"), chance)


@pytest.mark.parametrize("name", SHAPES)
def test_an_avro_file_has_the_rows_of_all_batches(name, tmp_path, real_files):
    for seed in seeds(0, CASES):
        chance = random.Random(f"{seed} {name}")
        rows = rows_of(name, chance, real_files)
        options = {
            "codec": chance.choice(CODECS),
            "block_bytes": chance.choice([64 << 10, 64 << 10, 1 << 10, 1 << 20, 128 << 20]),
            "threads": chance.choice([1, 2, None]),
        }
        path = tmp_path / f"{seed}.avro"
        shown = f"seed {seed}: {rows.form.__name__}, {options}"
        expected, how = rows.table, chance.choice(["function", "writer", "append"])
        if how == "function":
            assert af.write_avro(rows.form(), path, **options) == len(rows.table), shown
        elif how == "writer":
            with af.AvroWriter(path, **options) as writer:
                for piece in rows.pieces():
                    writer.write(piece)
            assert writer.rows == len(rows.table), shown
        else:
            assert af.write_avro(rows.pieces(), path, **options) == len(rows.table), shown
            assert af.write_avro(rows.form(), path, append=True, threads=2) == len(rows.table), shown
            expected = pa.concat_tables([rows.table] * 2)
        check_table(read_avro(path), expected, f"{shown}, {how}")
        path.unlink()


@pytest.mark.parametrize("name", SHAPES)
def test_records_do_not_depend_on_batches(name, tmp_path, real_files):
    for seed in seeds(0, CASES):
        chance = random.Random(f"{seed} {name}")
        rows = rows_of(name, chance, real_files)
        # Compression of a million rows takes long.
        is_slow = name == "a million small rows" and not IS_LONG
        compression = "none" if is_slow else chance.choice(["none", "gzip", "zlib"])
        path = tmp_path / f"{seed}.tfrecord"
        shown = f"seed {seed}: {rows.form.__name__}, {compression}"
        assert af.write_tfrecord(rows.form(), path, compression=compression) == len(rows.table), shown
        check_table(read_examples(path), rows.table, shown)
        some = sorted(chance.sample(range(len(rows.table)), 200))
        records = read_raw(path)["text"].take(some).to_pylist()
        assert records == af.encode_examples(rows.table.take(some)), shown
        path.unlink()


@pytest.mark.parametrize("name", SHAPES)
def test_encoded_records_are_decoded(name, real_files):
    for seed in seeds(0, CASES):
        chance = random.Random(f"{seed} {name}")
        rows = rows_of(name, chance, real_files)
        table = rows.table.slice(0, 100_000)
        schema = af.avro_schema(real_files(name, "avro")[0])
        records = af.encode_avro_records(table, schema)
        decoder = af.AvroRecordDecoder(schema)
        check_table(pa.table(decoder.decode(records)), table, f"seed {seed}")
