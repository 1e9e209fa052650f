"""Datasets accept the sources of `read_avro`, and many files."""

import io
import itertools
import pickle

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from dataset_files import all_ids, people_files


def rows(source, **options):
    batches = af.AvroDataset(source, columns=["id"]).record_batches(batch_size=50, **options)
    return list(itertools.chain(*all_ids(batches)))


def test_paths_globs_directories_urls_and_lists(people):
    folder = people[0].parent
    whole = list(range(300))
    for source in (folder, f"{folder}/*.avro", folder.as_uri(), people, tuple(map(str, people))):
        assert rows(source) == whole
    assert rows([f"{folder}/part-0000[12].avro", people[0].as_uri()]) == [*range(110, 187), *range(110)]
    assert rows(people[::-1]) == [*range(187, 300), *range(110, 187), *range(110)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shuffle_buffer_size", [0, 1000])
def test_bytes_and_file_objects_are_read_again_and_again(people, threads, shuffle_buffer_size):
    data = [path.read_bytes() for path in people]
    with people[2].open("rb") as file:
        sources = [data[0], memoryview(data[1]), file, io.BytesIO(data[3])]
        dataset = af.AvroDataset(sources, columns=["id"])
    options = {"batch_size": 64, "shuffle_buffer_size": shuffle_buffer_size, "threads": threads, "epochs": 2}
    for _ in range(2):
        given = list(itertools.chain(*all_ids(dataset.record_batches(**options))))
        assert [sorted(given[:300]), sorted(given[300:])] == [list(range(300))] * 2
    assert dataset.num_rows == 300


def test_a_dataset_reads_a_file_object_from_its_position(people):
    file = io.BytesIO(b"before" + people[0].read_bytes())
    file.seek(6)
    assert rows(file, epochs=2) == [*range(110), *range(110)]


def test_files_of_fsspec_are_read_when_they_are_needed(people):
    filesystem = fsspec.filesystem("memory")
    for path in people:
        filesystem.pipe(f"/people/{path.name}", path.read_bytes())
    dataset = af.AvroDataset("memory://people/*.avro", columns=["id"])
    for threads in (1, 2):
        batches = dataset.record_batches(batch_size=99, threads=threads)
        assert list(itertools.chain(*all_ids(batches))) == list(range(300))
    filesystem.rm("/people", recursive=True)
    with pytest.raises(FileNotFoundError):
        next(dataset.record_batches(batch_size=99))


@pytest.mark.parametrize("empty", [[], ()])
def test_an_empty_list_is_refused(empty):
    with pytest.raises(ValueError, match="^source: expected at least one file, found an empty list$"):
        af.AvroDataset(empty)


def test_missing_files_are_not_found(people, tmp_path):
    for source, message in (
        (tmp_path / "no.avro", f"[Errno 2] No such file or directory: '{tmp_path}/no.avro'"),
        (
            f"{tmp_path}/*.avro",
            f"[Errno 2] expected files that match this glob, found none: '{tmp_path}/*.avro'",
        ),
        (
            [people[0], tmp_path],
            f"[Errno 2] expected a directory with files named *.avro, found none: '{tmp_path}'",
        ),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            af.AvroDataset(source)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    "opened", [af.ParquetDataset, af.open_dataset, af.read_parquet], ids=["dataset", "open_dataset", "read"]
)
def test_files_in_directories_below_are_named(tmp_path, opened):
    below = tmp_path / "dt=2026-01-01"
    below.mkdir()
    pq.write_table(pa.table({"id": [1]}), below / "part-0.parquet")
    with pytest.raises(FileNotFoundError) as caught:
        opened(tmp_path)
    assert str(caught.value) == (
        "[Errno 2] expected a directory with files named *.parquet, found some only in directories below it: "
        "read them with the glob **/*.parquet, or with a partitioning if the names of the directories are "
        f"values: '{tmp_path}'"
    )
    assert af.ParquetDataset(tmp_path / "**/*.parquet").num_rows == 1
    assert af.open_dataset(tmp_path, partitioning="hive").num_rows == 1


@pytest.mark.parametrize("shuffle_buffer_size", [0, 100])
def test_a_removed_file_is_not_found_when_it_is_opened(tmp_path, shuffle_buffer_size):
    paths = people_files(tmp_path, [20, 20])
    dataset = af.AvroDataset(paths, columns=["id"])
    paths[1].unlink()
    batches = dataset.record_batches(batch_size=20, shuffle_buffer_size=shuffle_buffer_size)
    if shuffle_buffer_size == 0:
        assert next(batches).num_rows == 20
    with pytest.raises(FileNotFoundError) as caught:
        next(batches)
    assert str(caught.value) == f"[Errno 2] No such file or directory: '{paths[1]}'"


@pytest.fixture(scope="session")
def many(tmp_path_factory):
    """10,000 files of one row each."""
    folder = tmp_path_factory.mktemp("many")
    [path] = people_files(folder, [1])
    data = path.read_bytes()
    path.unlink()
    for number in range(10_000):
        (folder / f"{number:05}.avro").write_bytes(data)
    return folder


@pytest.mark.parametrize("shuffle_buffer_size", [0, 100])
def test_ten_thousand_files_of_a_row(many, shuffle_buffer_size):
    dataset = af.AvroDataset(many, columns=["id"])
    options = {"batch_size": 999, "threads": 2, "shuffle_buffer_size": shuffle_buffer_size}
    batches = dataset.record_batches(**options)
    assert next(batches).num_rows == 999
    state = batches.state_dict()
    assert len(pickle.dumps(state)) < 64 << 10
    assert [batch.num_rows for batch in batches] == [999] * 9 + [10]
    resumed = dataset.record_batches(**options)
    resumed.load_state_dict(state)
    assert [batch.num_rows for batch in resumed] == [999] * 9 + [10]
    assert dataset.num_rows == 10_000
