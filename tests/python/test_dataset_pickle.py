"""A pickled dataset is the same dataset in another process."""

import functools
import inspect
import io
import multiprocessing
import pickle

import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed._formats import FORMATS, options_of
from arrowfeed.representations import Dense
from dataset_files import all_ids, digest

OPTIONS = {"batch_size": 32, "shuffle_buffer_size": 60, "seed": 5, "threads": 2}
FEATURES = {
    "id": features.Dense([]),
    "last": features.Dense([], default=b"?", key="name.last"),
    "friends": features.Ragged(key="friends[*].name.first"),
}


def datasets(people):
    """Datasets of every kind of argument."""
    data = people[0].read_bytes()
    by_feature = af.AvroDataset(people, features=FEATURES)
    schema = af.avro_schema(people[0])
    return {
        "paths": af.AvroDataset(people),
        "glob": af.AvroDataset(f"{people[0].parent}/*.avro", columns=["id", "name.first"], encoding="tfx"),
        "bytes": af.AvroDataset([data, bytearray(data), io.BytesIO(data)]),
        "schema": af.AvroDataset(people, reader_schema=schema, limits=af.Limits(batch_bytes=1 << 20)),
        "features": by_feature,
        "projected": by_feature.project(["friends", "id"]),
        "selected": by_feature.project(["friends", "id"]).skip(20).take(100),
        "representations": af.AvroDataset(people, representations={"id": Dense("id")}),
    }


KINDS = ["paths", "glob", "bytes", "schema", "features", "projected", "selected", "representations"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_has_the_same_parts_and_batches(people, kind):
    dataset = datasets(people)[kind]
    copy = pickle.loads(pickle.dumps(dataset))
    assert copy.arrow_schema == dataset.arrow_schema
    assert copy.specs == dataset.specs
    assert copy.tensor_representations == dataset.tensor_representations
    assert (copy.num_rows, copy.fingerprint, repr(copy)) == (
        dataset.num_rows,
        dataset.fingerprint,
        repr(dataset),
    )
    assert digest(copy.record_batches(**OPTIONS)) == digest(dataset.record_batches(**OPTIONS))


def test_a_copy_compiles_no_source(people, monkeypatch):
    # CPython 3.11 raises SystemError if two threads compile to a syntax tree at once (python/cpython#106905).
    dataset = af.AvroDataset(people)
    monkeypatch.setattr("builtins.compile", None)
    with pytest.raises(TypeError):
        inspect.signature(af.AvroDataset)
    assert pickle.loads(pickle.dumps(dataset)).num_rows == dataset.num_rows


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_the_options_of_a_format_are_those_of_its_signature(known):
    assert {"source", *options_of(known.dataset)} == {*inspect.signature(known.dataset).parameters}
    with_option = functools.partial(known.dataset, index="x.index")
    assert options_of(with_option) == options_of(known.dataset)


def test_a_copy_of_a_file_object_takes_the_states_of_the_first(people):
    with people[0].open("rb") as file:
        dataset = af.AvroDataset([file, people[2].read_bytes()], columns=["id"])
    batches = dataset.record_batches(**OPTIONS)
    next(batches)
    resumed = pickle.loads(pickle.dumps(dataset)).record_batches(**OPTIONS)
    resumed.load_state_dict(batches.state_dict())
    assert all_ids(resumed) == all_ids(batches)


def work(dataset, state):
    """The rows of a dataset and a state in another process."""
    batches = dataset.tensors(**OPTIONS)
    batches.load_state_dict(state)
    return list(dataset.specs), all_ids(batches)


@pytest.mark.parametrize("how", ["spawn", "forkserver"])
def test_a_spawned_process_goes_on(people, how):
    context = multiprocessing.get_context(how)
    dataset = af.AvroDataset(people, features=FEATURES).project(["friends", "id"])
    batches = dataset.tensors(**OPTIONS)
    next(batches)
    with context.Pool(1) as pool:
        made = pool.apply_async(work, (dataset, batches.state_dict())).get(60)
    assert made == (["friends", "id"], all_ids(batches))


def test_iterators_stay_where_they_are(people):
    batches = af.AvroDataset(people).record_batches(batch_size=3)
    with pytest.raises(TypeError, match="^cannot pickle 'arrowfeed.BatchIterator' object$"):
        pickle.dumps(batches)
