"""A saved index gives the same batches without a scan, and is rejected for other files."""

import os
import pickle

import pytest

import arrowfeed as af
from dataset_files import all_ids, people_files

OPTIONS = {"batch_size": 32, "shuffle_buffer_size": 60, "seed": 5, "threads": 2}


@pytest.fixture
def files(tmp_path):
    """Files of people."""
    return people_files(tmp_path, [110, 0, 77])


@pytest.fixture
def index(files, tmp_path):
    """The path of their index."""
    path = tmp_path / "people.index.json"
    af.AvroDataset(files).save_index(path)
    return path


@pytest.mark.parametrize("kind", [str, os.fspath, lambda path: path])
def test_an_index_is_a_path_and_changes_no_batch(files, index, kind):
    scanned, indexed = af.AvroDataset(files), af.AvroDataset(files, index=kind(index))
    assert indexed.num_rows == scanned.num_rows == 187
    assert indexed.fingerprint == scanned.fingerprint
    for options in (OPTIONS, {"batch_size": 32, "shard": (1, 3)}, {"batch_size": 32}):
        assert all_ids(indexed.record_batches(**options)) == all_ids(scanned.record_batches(**options))


def test_copies_and_projections_keep_their_index(files, index):
    dataset = af.AvroDataset(files, index=index)
    copy = pickle.loads(pickle.dumps(dataset))
    assert all_ids(copy.record_batches(**OPTIONS)) == all_ids(dataset.record_batches(**OPTIONS))
    # Each file is damaged after its header, which only a scan would find.
    projected = dataset.project(["id"])
    for path in files:
        data = path.read_bytes()
        path.write_bytes(data[:-16] + bytes(16))
    assert (dataset.num_rows, copy.num_rows, projected.num_rows) == (187, 187, 187)
    assert pickle.loads(pickle.dumps(projected)).num_rows == 187
    with pytest.raises(af.CorruptBlockError):
        _ = af.AvroDataset(files).num_rows


def test_changed_files_are_located_errors(files, index):
    with pytest.raises(af.ChangedError, match=r"^.*: expected an index of 2 files, found one of 3$"):
        af.AvroDataset(files[:2], index=index)
    people_files(files[0].parent, [110, 0, 77])
    dataset = af.AvroDataset(files, index=index)
    message = r"expected the file to be unchanged since its index was saved \(sync marker"
    with pytest.raises(af.ChangedError, match=message) as error:
        all_ids(dataset.record_batches(**OPTIONS))
    assert error.value.path in {str(path) for path in files}


def test_wrong_indexes_and_arguments_are_errors(files, index, tmp_path):
    with pytest.raises(FileNotFoundError):
        af.AvroDataset(files, index=tmp_path / "none")
    index.write_text('{"version": 2}')
    with pytest.raises(af.FormatError) as error:
        af.AvroDataset(files, index=index)
    expected = "expected an index of version 1, found version 2: save it again with this version of arrowfeed"
    assert str(error.value) == f"{index}: {expected}"
    with pytest.raises(TypeError, match=r"^index: expected a path \(str or os.PathLike\), found int 3$"):
        af.AvroDataset(files, index=3)
    with pytest.raises(TypeError, match=r"^path: expected a path \(str or os.PathLike\), found None"):
        af.AvroDataset(files).save_index(None)
    with pytest.raises(OSError, match="No such file"):
        af.AvroDataset(files).save_index(tmp_path / "none" / "index.json")
