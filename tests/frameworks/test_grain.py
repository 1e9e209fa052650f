"""`Dataset.samples` is a `RandomAccessDataSource` of Grain. Run by `make test-frameworks`."""

import numpy as np
import pytest
from feature_files import FEATURES, ROWS, write

import arrowfeed as af

grain = pytest.importorskip(
    "grain", reason="expected Grain, found it not installed: `make test-frameworks` has it"
)
flags = pytest.importorskip("absl.flags")

NUMBERS = {name: FEATURES[name] for name in ("id", "x")}


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    # Worker processes of Grain read flags of absl, which `app.run` of absl would parse.
    flags.FLAGS.mark_as_parsed()
    directory = tmp_path_factory.mktemp("rows")
    paths, index = write(directory), directory / "index.json"
    af.AvroDataset(paths, features=NUMBERS).save_index(index)
    return af.AvroDataset(paths, features=NUMBERS, index=index).samples()


def flat(batches):
    return [number for batch in batches for number in batch["id"].tolist()]


def test_samples_are_a_source_of_grain(samples):
    assert isinstance(samples, grain.sources.RandomAccessDataSource)
    rows = grain.MapDataset.source(samples)
    assert (len(rows), rows[7]["id"]) == (ROWS, 7)
    assert rows.batch(4)[1]["x"].tolist() == [[i, i / 2, -i, 0] for i in range(4, 8)]


@pytest.mark.parametrize("threads", [0, 1, 16])
def test_a_shuffled_source_has_each_row_once(samples, threads):
    rows = grain.MapDataset.source(samples).shuffle(seed=1)
    order = [int(rows[number]["id"]) for number in range(ROWS)]
    assert sorted(order) == [*range(ROWS)]
    assert order != sorted(order)
    batches = rows.to_iter_dataset(grain.ReadOptions(num_threads=threads)).batch(64)
    assert flat(batches) == order


def test_worker_processes_have_each_row_once(samples):
    rows = grain.MapDataset.source(samples).shuffle(seed=1)
    batches = rows.to_iter_dataset().batch(50)
    found = flat(batches.mp_prefetch(grain.multiprocessing.MultiprocessingOptions(num_workers=2)))
    assert sorted(found) == [*range(ROWS)]


def test_a_state_of_grain_resumes_in_the_middle(samples):
    rows = grain.MapDataset.source(samples).shuffle(seed=2).repeat(2).to_iter_dataset().batch(64)
    whole = flat(rows)
    batches = iter(rows)
    given = flat(next(batches) for _ in range(5))
    state = batches.get_state()
    resumed = iter(rows)
    resumed.set_state(state)
    assert given + flat(resumed) == whole


@pytest.mark.parametrize("workers", [0, 2])
def test_the_data_loader_of_grain_reads_shards(samples, workers):
    found = []
    for shard in range(2):
        sampler = grain.samplers.IndexSampler(
            len(samples),
            shuffle=True,
            seed=1,
            num_epochs=1,
            shard_options=grain.sharding.ShardOptions(shard, 2),
        )
        operations = [grain.transforms.Batch(8, drop_remainder=False)]
        loader = grain.DataLoader(
            data_source=samples, sampler=sampler, operations=operations, worker_count=workers
        )
        found.append(flat(loader))
    assert sorted(found[0] + found[1]) == [*range(ROWS)]


def test_batches_become_arrays_of_jax(samples):
    jax = pytest.importorskip("jax")
    rows = grain.MapDataset.source(samples).batch(10)
    batch = jax.tree.map(jax.numpy.asarray, rows[0])
    np.testing.assert_array_equal(batch["id"], np.arange(10))
