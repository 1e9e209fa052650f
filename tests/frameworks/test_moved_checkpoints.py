"""Checkpoints of TensorFlow and JAX whose files have moved or were renamed, and of fewer epochs."""

import itertools
import json
from pathlib import Path

import jax
import pytest
import tensorflow as tf
from feature_files import FEATURES, write

import arrowfeed as af

NUMBERS = {name: FEATURES[name] for name in ("id", "x")}
SHUFFLE = {"batch_size": 64, "shuffle_buffer_size": 300, "seed": 7}
ORDERS = {"in order": {"batch_size": 64}, "shuffled": SHUFFLE}


def dataset(paths):
    return af.AvroDataset([str(path) for path in paths], features=NUMBERS)


def ids(batches):
    return [
        batch["id"].tolist() if isinstance(batch["id"], jax.Array) else ids_of(batch) for batch in batches
    ]


def ids_of(batch):
    return batch["id"].numpy().tolist()


@pytest.fixture
def files(tmp_path):
    """Files in a directory, and a function that moves and renames them."""
    (tmp_path / "old").mkdir()
    paths = [Path(path) for path in write(tmp_path / "old")]

    def moved(prefix=""):
        (tmp_path / "new").mkdir()
        return [path.rename(tmp_path / "new" / f"{prefix}{path.name}") for path in paths]

    return paths, moved


@pytest.mark.parametrize("move", [("", "names"), ("of-monday-", "contents")])
@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("in_graph", [False, True])
def test_a_checkpoint_of_tensorflow_moves(tmp_path, files, options, move, in_graph):
    (paths, moved), (prefix, match) = files, move
    batches = iter(dataset(paths).to_tf(**options))
    if in_graph:
        batches.get_next_as_optional()
    else:
        next(batches)
    path = tf.train.Checkpoint(batches=batches).save(str(tmp_path / "checkpoint"))
    rest = ids(batches)
    assert len(rest) == 15
    resumed = iter(dataset(moved(prefix)).to_tf(match=match, **options))
    tf.train.Checkpoint(batches=resumed).restore(path)
    assert ids(resumed) == rest


@pytest.mark.parametrize(("prefix", "match"), [("", "names"), ("of-monday-", "contents")])
@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
def test_a_checkpoint_of_jax_moves(files, options, prefix, match):
    paths, moved = files
    batches = dataset(paths).to_jax(**options)
    first = next(batches)["id"].tolist()
    state = json.dumps(batches.state_dict())
    whole = [first, *ids(batches)]
    resumed = dataset(moved(prefix)).to_jax(**options, epochs=2)
    resumed.load_state_dict(json.loads(state), match=match)
    longer = ids(resumed)
    assert longer[:15] == whole[1:]
    assert sorted(itertools.chain.from_iterable(longer[15:])) == list(range(1000))


def test_passes_after_the_first_have_orders_of_their_own(files):
    paths, _ = files
    rows = dataset(paths).to_tf(epochs=2, **SHUFFLE)
    passes = [ids(rows) for _ in range(2)]
    later = dataset(paths).tensors(start_epoch=2, epochs=2, **SHUFFLE)
    assert passes[1] == [batch["id"].values.tolist() for batch in later]
    assert passes[0] != passes[1]


@pytest.mark.parametrize("method", ["to_tf", "to_torch"])
def test_methods_of_frameworks_refuse_other_values_of_match(files, method):
    if method == "to_torch":
        pytest.importorskip("torch")
    paths, _ = files
    with pytest.raises(ValueError, match="^match: ") as caught:
        getattr(dataset(paths), method)(batch_size=64, match="paths")
    assert str(caught.value) == 'match: expected "names" or "contents", found str \'paths\''
