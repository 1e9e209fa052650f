"""The laws of `arrowfeed convert` at real size: the rows of all files, in order, in whole row groups."""

import random
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from arrowfeed.cli._targets import BY_NAME
from real_readers import READERS, group_rows
from real_rows import CASES, DATASETS, IS_LONG, SHAPES, check_table, without_lists
from session_seed import seeds

BATCH_BYTES = 64 << 20


def targets_of(name, source):
    """The formats that can store the rows, without those that take too long for few cases."""
    names = [*BY_NAME]
    if name == "a million small rows" and not IS_LONG:
        names.remove("jsonl")
    if name != "rows of 100 kB" or source == "tfrecord":
        names.remove("tfrecord-raw")
    return names


def codecs_of(name, target):
    """The codecs of a format, without those that take too long."""
    slow = [] if name == "hundreds of files" else ["bzip2", "xz"]
    if name == "a million small rows" and not IS_LONG:
        slow += ["deflate", "gzip", "zlib"]
    return [codec for codec in BY_NAME[target].codecs if codec not in slow]


def options_of(source, target, expected):
    """The options for a pair of formats, and the rows that they leave."""
    options = []
    if target == "csv":
        options += ["--exclude", "list"] * ("list" in expected.schema.names and source != "csv")
        expected = without_lists(expected)
    if target == "tfrecord-raw":
        options += ["--columns", "text"]
        expected = expected.select(["text"])
    if source == "tfrecord" and target == "csv":
        names = [name for name in expected.schema.names if name != "list"]
        options += ["--scalars", ",".join(names)]
    if target in ("tfrecord", "tfrecord-sequence"):
        options += ["--double-as-float"]
    return options, expected


def converted(arrowfeed, chance, paths, *options):
    """Converts files, named one by one or by a glob."""
    named = chance.choice([paths, [paths[0].parent / "part-*"]])
    ran = arrowfeed("convert", *named, *options)
    assert (ran.code, ran.err) == (0, ""), options
    return ran.out


@pytest.mark.parametrize("name", SHAPES)
def test_a_converted_file_has_the_rows_of_all_files(name, arrowfeed, tmp_path, real_files):
    shape = SHAPES[name]
    for seed in seeds(0, CASES):
        chance = random.Random(f"{seed} {name}")
        source = chance.choice(list(DATASETS))
        target = chance.choice(targets_of(name, source))
        codec = chance.choice(codecs_of(name, target))
        size = chance.choice([None, 1_000, 8_193, 300_000])
        expected = shape.rows(np.arange(shape.total))
        expected = without_lists(expected) if source == "csv" else expected
        options, expected = options_of(source, target, expected)
        if source != "tfrecord" and target != "tfrecord-raw" and chance.random() < 0.3:
            start, count = (chance.randrange(shape.total) for _ in range(2))
            options += ["--where", f"id >= {start} and id < {start + count}"]
            expected = expected.slice(start, count)
        options += ["--to", target, "--codec", codec, *(["--batch-size", size] if size else [])]
        shown = f"seed {seed}: {source} {options}"
        path = tmp_path / f"{seed}.{codec if codec == 'zlib' else target}"
        out = converted(arrowfeed, chance, real_files(name, source), "-o", path, *options)
        assert out.startswith(f"{path}: {len(expected)} rows, "), shown
        check_table(READERS[target](path), expected, shown)
        if BY_NAME[target].is_batched:
            check_groups(path, size or 1 << 16, expected, shown)
        path.unlink()


def check_groups(path, size, rows, shown):
    """A row group has a batch, unless it would be too large."""
    groups = group_rows(path)
    whole = [min(size, len(rows) - at) for at in range(0, len(rows), size)]
    if size * rows.nbytes / max(1, len(rows)) < BATCH_BYTES / 2:
        assert groups == whole, shown
    else:
        assert sum(groups) == len(rows), shown
        assert len(groups) <= len(whole) + 2 * rows.nbytes // BATCH_BYTES, shown


@pytest.mark.parametrize("name", ["a million small rows", "hundreds of files"])
def test_directories_have_each_row_once(name, arrowfeed, tmp_path, real_files):
    shape = SHAPES[name]
    for seed in seeds(0, CASES):
        chance = random.Random(f"{seed} {name}")
        source, target = (
            chance.choice(["avro", "parquet", "arrow"]),
            chance.choice(["avro", "parquet", "arrow", "csv"]),
        )
        expected = shape.rows(np.arange(shape.total))
        options, expected = options_of(source, target, expected)
        size = chance.choice([8_193, 1 << 16])
        options += ["--to", target, "--partition-by", "key", "--batch-size", size]
        shown = f"seed {seed}: {source} {options}"
        tree = tmp_path / str(seed)
        out = converted(arrowfeed, chance, real_files(name, source), "-o", tree, *options)
        assert out == f"{tree}: {shape.total} rows\n", shown
        tables = []
        for path in sorted(tree.glob(f"*/part-0.{target}")):
            key = unquote(path.parent.name.removeprefix("key="))
            key = None if key == "__HIVE_DEFAULT_PARTITION__" else key
            rows = READERS[target](path)
            assert (np.diff(rows["id"].to_numpy()) > 0).all(), f"{shown}: {path.parent.name}"
            tables.append(rows.append_column("key", pa.array([key] * len(rows), pa.string())))
        assert len(tables) == len(pc.unique(expected["key"])), shown
        found = pa.concat_tables(tables, promote_options="permissive").sort_by("id")
        check_table(found, expected, shown)
