"""Inferred columns: copies of a dataset, and readers of splits elsewhere, do not infer them again."""

import json
import multiprocessing
import pickle
from pathlib import Path

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed._engines import splits as engine_splits
from arrowfeed._engines.planner import planner_of
from arrowfeed._engines.splits import SplitSource
from arrowfeed.representations import Dense, Ragged

ROWS = 200_000
STEPS = pa.large_list(pa.large_list(pa.int64()))
SEQUENCE = pa.struct([("t", STEPS), ("w", STEPS), ("z", STEPS)])
LISTS = {"multivalent_columns": ["tags"], "secondary_delimiter": "|"}
COUNTERS = Path("/proc/self/io")


def csv_files(directory, header):
    rows = [f"{n},{n / 4},a|b,,text {n}\n" for n in range(1000)]
    for name, extra in (("0.csv", ""), ("1.csv", "7,x,c,,9\n")):
        (directory / name).write_text(header + "".join(rows) + extra)
    return [directory / "0.csv", directory / "1.csv"]


def json_files(directory):
    rows = [json.dumps({"id": n, "user": {"age": n, "none": None}, "l": []}) + "\n" for n in range(1000)]
    for name, extra in (("0.jsonl", ""), ("1.jsonl", '{"id": 1.5, "more": [{"q": "x"}]}\n')):
        (directory / name).write_text("".join(rows) + extra)
    return [directory / "0.jsonl", directory / "1.jsonl"]


def example_files(directory):
    paths = [directory / "0.tfrecord", directory / "1.tfrecord"]
    ids = [[n] for n in range(1000)]
    af.write_tfrecord(pa.table({"id": ids, "name": [["x"]] * 1000, "empty": ids}), paths[0])
    # A feature that never has a list.
    nulls = pa.array([None] * 1000, pa.int64())
    more = af.encode_examples(pa.table({"id": ids, "more": [[1.5]] * 1000, "z": nulls}), null_features=True)
    af.write_tfrecord(pa.table({"record": pa.array(more, pa.large_binary())}), paths[1], format="raw")
    return paths


def sequence_files(directory):
    paths = [directory / "0.tfrecord", directory / "1.tfrecord"]
    # No step of `z` has a list.
    steps = [{"t": [[n, 1], []], "w": None, "z": [None, None]} for n in range(1000)]
    more = [{"t": None, "w": [[n]], "z": None} for n in range(1000)]
    for path, values in zip(paths, (steps, more), strict=True):
        context = pa.array([[n] for n in range(1000)], pa.large_list(pa.int64()))
        table = pa.table({"user": context, "##SEQUENCE##": pa.array(values, SEQUENCE)})
        af.write_tfrecord(table, path, format="sequence_example")
    return paths


FILES = {
    "csv": lambda directory: csv_files(directory, "id,value,tags,empty,text\n"),
    "headerless csv": lambda directory: csv_files(directory, ""),
    "json lines": json_files,
    "examples": example_files,
    "sequences": sequence_files,
}
"""Two files of each class that infers columns. The second file changes the columns."""

VARIANTS = {
    "csv": [
        {},
        LISTS,
        {"columns": ["text", "id"]},
        {"columns": ["tags", "id"], **LISTS},
        {"columns": ["empty"]},
        {"columns": []},
        {"sample": 1000},
        {"names": ["a", "b", "c", "d", "e"], "columns": ["e", "a"]},
        {"names": ["a", "b", "c", "d", "e"]},
        {"raw": True},
        {"representations": {"x": Dense("id", default=0)}},
        {"features": {"id": af.features.Dense([], default=0)}},
    ],
    "headerless csv": [
        {"header": False},
        {"header": False, "columns": ["column_5", "column_1"]},
        {"header": False, "columns": []},
        {"header": False, "columns": ["column_1"], **LISTS, "multivalent_columns": ["column_3"]},
        {"header": False, "names": ["a", "b", "c", "d", "e"], "columns": ["c"]},
        {"header": False, "representations": {"x": Dense("column_1", default=0)}, "sample": 1},
    ],
    "json lines": [
        {},
        {"columns": ["user", "id"]},
        {"columns": ["user.age"]},
        {"columns": []},
        {"sample": 1000},
        {"representations": {"x": Dense("id")}},
        {"features": {"id": af.features.Dense([], default=0.5)}},
    ],
    "examples": [
        {},
        {"columns": ["more", "id"]},
        {"columns": [], "encoding": "feature"},
        {"encoding": "feature"},
        {"sample": 1},
        {"representations": {"x": Ragged("id")}, "encoding": "feature"},
        {"features": {"id": af.features.Ragged()}},
    ],
    "sequences": [
        {},
        {"encoding": "feature"},
        {"columns": ["##SEQUENCE##.w", "user"]},
        {"columns": ["user"], "encoding": "feature"},
        {"columns": []},
        {"sample": 1},
        {"representations": {"x": Ragged(["##SEQUENCE##", "t"])}},
    ],
}


@pytest.fixture(params=[(kind, number) for kind, all_ in VARIANTS.items() for number in range(len(all_))])
def variant(request, tmp_path):
    """Files, and options of their class."""
    kind, number = request.param
    return FILES[kind](tmp_path), VARIANTS[kind][number]


def damage(paths):
    """Makes an inference from all files fail."""
    before = [path.read_bytes() for path in paths]
    paths[1].write_bytes(b"\xff\xff\xff")
    return before


def rows_of(batches):
    return [batch.to_pyarrow() for batch in batches]


def test_a_reader_has_the_columns_without_reading_all_files(variant):
    paths, options = variant
    source = SplitSource(paths, options)
    splits = [split for split in source.plan(4 << 10) if split.path == str(paths[0])]
    expected = [batch for split in splits for batch in rows_of(source.dataset.read_split(split))]
    assert sum(batch.num_rows for batch in expected) == 1000
    data = pickle.dumps(source.reader())
    damage(paths)
    engine_splits._open.clear()
    reader = pickle.loads(data)
    assert [batch for split in splits for batch in reader.read(split)] == expected
    assert reader._opened().specs == source.dataset.specs
    names = source.schema.names
    for columns in ([], names[::-1], names[:1]):
        found = [batch for split in splits for batch in reader.select(columns).read(split)]
        assert found == [batch.select(columns) for batch in expected]


def test_a_copy_has_the_columns_without_reading_all_files(variant):
    paths, options = variant
    dataset = af.open_dataset(paths, **options)
    data = pickle.dumps((dataset, dataset.project(list(dataset.specs)[:1]), dataset.skip(10).take(5)))
    before = damage(paths)
    copies = pickle.loads(data)
    paths[1].write_bytes(before[1])
    assert copies[0].fingerprint == dataset.fingerprint
    assert copies[0].arrow_schema == dataset.arrow_schema
    assert copies[0].specs == dataset.specs
    assert copies[0].tensor_representations == dataset.tensor_representations
    assert copies[1].arrow_schema == dataset.project(list(dataset.specs)[:1]).arrow_schema
    assert rows_of(copies[2].record_batches(batch_size=9)) == rows_of(
        dataset.skip(10).take(5).record_batches(batch_size=9)
    )
    again = pickle.loads(pickle.dumps(copies[0]))
    assert again.fingerprint == dataset.fingerprint


@pytest.mark.parametrize("kind", FILES)
def test_a_group_of_files_is_planned_without_reading_the_others(tmp_path, kind):
    paths = FILES[kind](tmp_path)
    source = SplitSource(paths, {"header": False} if kind == "headerless csv" else {})
    planner = planner_of(source)
    splits = [split for split in source.plan(4 << 10) if split.path == str(paths[0])]
    damage(paths)
    assert pickle.loads(pickle.dumps(planner)).plan(0, 1, 4 << 10) == splits


def write_large(kind, path):
    if kind == "csv":
        path.write_text("id,text\n" + "".join(f"{n},some text {n}\n" for n in range(ROWS)))
    elif kind == "jsonl":
        path.write_text("".join(f'{{"id": {n}, "text": "some text"}}\n' for n in range(ROWS)))
    elif kind == "example.tfrecord":
        af.write_tfrecord(pa.table({"id": [[n] for n in range(ROWS)]}), path)
    else:
        steps = pa.array([{"t": [[n]], "w": []} for n in range(ROWS)], SEQUENCE)
        af.write_tfrecord(pa.table({"##SEQUENCE##": steps}), path, format="sequence_example")


def bytes_read(data, queue):
    """Reads a split. Puts its rows, and the number of bytes that the process has read for it."""

    def count():
        return int(COUNTERS.read_text().split()[1])

    reader, split = pickle.loads(data)
    before = count()
    rows = sum(batch.num_rows for batch in reader.read(split))
    queue.put((rows, count() - before))


@pytest.mark.skipif(not COUNTERS.exists(), reason="/proc/self/io counts the bytes that a process reads")
@pytest.mark.parametrize("kind", ["csv", "jsonl", "example.tfrecord", "sequence.tfrecord"])
def test_a_process_reads_only_its_split(tmp_path, kind):
    path = tmp_path / f"a.{kind}"
    write_large(kind, path)
    source = SplitSource(path, {})
    size = path.stat().st_size
    first = source.plan(size // 10)[0]
    expected = sum(batch.num_rows for batch in source.dataset.read_split(first))
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=bytes_read, args=(pickle.dumps((source.reader(), first)), queue))
    process.start()
    rows, read = queue.get(timeout=60)
    process.join()
    assert 0 < rows == expected < ROWS / 4
    # The inference would read all bytes.
    assert 0 < read < 0.7 * size
