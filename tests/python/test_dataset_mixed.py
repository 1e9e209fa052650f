"""`split` and `MixedDataset` work in every framework and in pickles."""

import pickle

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed._dataset.copies import batches_of_pass
from dataset_files import all_ids


@pytest.fixture(scope="module")
def dataset(people):
    return af.AvroDataset(people, columns=["id"])


def flat(batches):
    return [row for batch in all_ids(batches) for row in batch]


def test_parts_can_be_selected_projected_and_divided_again(dataset):
    train, rest = dataset.skip(20).split(0.5, seed=1)
    rows = flat(rest.record_batches(batch_size=100))
    assert min(rows) >= 20
    assert flat(rest.skip(3).take(10).record_batches(batch_size=100)) == rows[3:13]
    validation, test = rest.split(0.5, seed=1)
    parts = [flat(part.record_batches(batch_size=100)) for part in (train, validation, test)]
    assert sorted(row for part in parts for row in part) == list(range(20, 300))
    assert [len(part) for part in parts] == [part.num_rows for part in (train, validation, test)]
    assert all(len(part) > 40 for part in parts)
    projected = rest.project(["id"]).tensors(batch_size=300)
    assert next(projected)["id"].values.tolist() == rows
    assert "\nrows from 20 on, split(0.5, seed=1)[1]" in rest.explain()


@pytest.mark.parametrize(
    "made",
    [
        lambda d: d.split(0.7, seed=2)[1],
        lambda d: d.take(250).split(0.7, seed=2)[0].skip(5).split(0.5, seed=9)[1].take(40),
    ],
)
def test_a_part_is_pickled(dataset, made):
    part = made(dataset)
    copy = pickle.loads(pickle.dumps(part))
    assert type(copy) is af.AvroDataset
    assert flat(copy.record_batches(batch_size=10)) == flat(part.record_batches(batch_size=10))
    assert copy.fingerprint == part.fingerprint != dataset.fingerprint


@pytest.mark.parametrize(
    ("fraction", "seed", "kind", "message"),
    [
        (1.5, 1, ValueError, "fraction: expected a number from 0 to 1, found 1.5"),
        (-0.5, 1, ValueError, "fraction: expected a number from 0 to 1, found -0.5"),
        (float("nan"), 1, ValueError, "fraction: expected a number from 0 to 1, found NaN"),
        ("0.5", 1, TypeError, "fraction: expected a number, found str '0.5'"),
        (True, 1, TypeError, "fraction: expected a number, found bool True"),
        (0.5, -1, ValueError, "seed: expected an integer of 0 or more, found int -1"),
        (0.5, None, TypeError, "seed: expected an integer of 0 or more, found None"),
    ],
)
def test_other_parts_are_refused(dataset, fraction, seed, kind, message):
    with pytest.raises(kind) as error:
        dataset.split(fraction, seed=seed)
    assert str(error.value) == message


@pytest.fixture(scope="module")
def mixed(dataset):
    return af.MixedDataset([dataset.take(200), dataset.skip(200)], weights=[2, 1])


def test_a_mixture_is_resumed(mixed):
    options = {"batch_size": 32, "shuffle_buffer_size": 80, "epochs": 2}
    batches = mixed.record_batches(**options)
    first = [next(batches) for _ in range(3)]
    state, rest = batches.state_dict(), flat(batches)
    resumed = mixed.tensors(**options)
    resumed.load_state_dict(state)
    assert [row for tensors in resumed for row in tensors["id"].values.tolist()] == rest
    assert sorted(flat(first) + rest) == sorted([*range(300), *range(300)])
    assert resumed.report()["rows"] == 600
    assert (mixed.num_rows, mixed.num_batches(**options)) == (300, 19)
    assert mixed.num_batches(batch_size=10, epochs=None) is None


def test_a_mixture_is_pickled_and_projected(mixed):
    copy = pickle.loads(pickle.dumps(mixed.project(["id"])))
    assert type(copy) is af.MixedDataset
    options = {"batch_size": 32, "seed": 4}
    assert flat(copy.record_batches(**options)) == flat(mixed.record_batches(**options))
    assert copy.fingerprint == mixed.fingerprint
    assert copy.explain().startswith("weight 2: ")
    assert repr(copy).startswith("<arrowfeed.MixedDataset of 1 tensor>")
    assert set(copy.tensor_representations) == {"id"}


def test_datasets_of_several_formats_are_mixed(tmp_path, dataset):
    path = tmp_path / "more.parquet"
    af_rows = pa.table({"id": pa.array(range(1000, 1100), pa.int64())})
    pa.parquet = pytest.importorskip("pyarrow.parquet")
    pa.parquet.write_table(af_rows.cast(pa.schema([pa.field("id", pa.int64(), nullable=False)])), path)
    features = {"id": af.features.Dense([], "int64")}
    avro = af.AvroDataset(dataset_paths(dataset), features=features)
    parquet = af.ParquetDataset(str(path), features=features)
    mixed = af.MixedDataset([avro, parquet])
    assert sorted(flat(mixed.record_batches(batch_size=64, seed=1))) == [*range(300), *range(1000, 1100)]
    assert mixed.tensor_representations == features


def dataset_paths(dataset):
    """The files in the pickle of a dataset."""
    return dataset.__reduce__()[1][1]


def test_passes_of_a_mixture_follow_each_other(mixed):
    options = {"batch_size": 32, "shuffle_buffer_size": 80, "seed": 1}
    passes = [flat(batches_of_pass(mixed, number, options)) for number in range(2)]
    assert sorted(passes[0]) == sorted(passes[1]) == list(range(300))
    assert passes[0] != passes[1]
    later = mixed.record_batches(**options, start_epoch=1)
    assert passes[1] == flat(later)


@pytest.mark.parametrize(
    ("arguments", "keywords", "kind", "message"),
    [
        ([], {}, ValueError, "datasets: expected one or more, found none"),
        (3, {}, TypeError, "datasets: expected a list or tuple of datasets, found int 3"),
        (["a"], {}, TypeError, "datasets: expected a list or tuple of datasets, found str 'a'"),
        (
            None,
            {"weights": [1]},
            ValueError,
            "weights: expected a weight for each of the 2 datasets, found list [1]",
        ),
        (None, {"weights": [1, 0]}, ValueError, "weights: expected numbers above 0, found 0"),
        (None, {"weights": [1, "x"]}, TypeError, "weights: expected a number, found str 'x'"),
        (None, {"weights": 1}, TypeError, "weights: expected a list or tuple of numbers, found int 1"),
    ],
)
def test_other_mixtures_are_refused(dataset, arguments, keywords, kind, message):
    datasets = [dataset, dataset] if arguments is None else arguments
    with pytest.raises(kind) as error:
        af.MixedDataset(datasets, **keywords)
    assert str(error.value) == message


def test_selections_come_before_a_mixture(mixed):
    message = (
        "expected all rows of a mixed dataset, found one after take or skip: take and skip rows of the "
        "datasets before they are mixed"
    )
    for select in (mixed.take, mixed.skip):
        with pytest.raises(af.OptionError) as error:
            select(10)
        assert str(error.value) == message
    assert mixed.skip(0).num_rows == mixed.num_rows
    with pytest.raises(ValueError, match="^split: expected a dataset of files, found a mixed dataset"):
        mixed.split(0.5, seed=1)
