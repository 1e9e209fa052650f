"""Each option of datasets and iterations has its effect, and wrong values have these messages."""

import inspect

import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import Dense
from dataset_files import all_ids

ITERATION = (
    "(*, batch_size=None, global_batch_size=None, batches=None, streams=64, even='auto', "
    "drop_remainder=False, epochs=1, shuffle_buffer_size=0, seed=None, shard=(0, 1), threads=None, "
    "prefetch_bytes=67108864, on_error='raise', across_epochs=False, start_epoch=0)"
)


@pytest.fixture(scope="module")
def dataset(people):
    return af.AvroDataset(people, columns=["id"])


def test_signatures_are_those_of_the_documentation(dataset):
    assert str(inspect.signature(af.AvroDataset)) == (
        "(source, *, features=None, representations=None, columns=None, exclude=None, reader_schema=None, "
        "encoding='native', double_as_float=False, string_type='utf8', unions='dense', fixed_lengths=None, "
        "raw=False, limits=None, index=None, partitioning=None, file_column=None, row_column=None, "
        "storage_options=None, store=None, cache=None, cache_bytes=None)"
    )
    iteration = ITERATION.removesuffix(")") + ", progress=False"
    assert str(inspect.signature(dataset.record_batches)) == f"{iteration})"
    assert str(inspect.signature(dataset.tensors)) == f"{iteration}, label=None, weight=None)"


def test_sizes_epochs_and_shards_reach_the_iteration(dataset):
    expected = [list(range(at, min(at + 128, 300))) for at in range(0, 300, 128)]
    assert all_ids(dataset.record_batches(batch_size=128, epochs=2)) == expected * 2
    assert all_ids(dataset.record_batches(batch_size=128, drop_remainder=True)) == expected[:-1]
    endless = dataset.record_batches(batch_size=100, epochs=None)
    assert [next(endless).num_rows for _ in range(50)] == [100] * 50
    for options in ({}, {"shuffle_buffer_size": 50, "seed": 1}):
        shards = [dataset.record_batches(batch_size=9, shard=(index, 301), **options) for index in range(301)]
        rows = [row for shard in shards for [row] in all_ids(shard)]
        assert (sorted(rows) if options else rows) == list(range(300))


def test_options_may_be_none_where_that_is_their_default(people):
    none = dict.fromkeys(["features", "representations", "columns", "reader_schema", "limits"])
    batches = af.AvroDataset(people, **none).record_batches(batch_size=300, seed=None, threads=None)
    assert [batch.num_rows for batch in batches] == [300]


PAIR = 'shard: expected "auto", or a pair of the index of this shard and the number of shards, found '
ON_ERROR = 'on_error: expected "raise", "skip_block" or "skip_file", found '


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({}, TypeError, "{}() missing 1 required keyword-only argument: 'batch_size'"),
        ({"batch_size": 0}, ValueError, "batch_size: expected an integer of 1 or more, found int 0"),
        ({"batch_size": None}, TypeError, "batch_size: expected an integer of 1 or more, found None"),
        ({"batch_size": 1.5}, TypeError, "batch_size: expected an integer of 1 or more, found float 1.5"),
        ({"batch_size": 1, "size": 1}, TypeError, "{}() got an unexpected keyword argument 'size'"),
        (
            {"batch_size": 1, "shuffle": True},
            TypeError,
            "{}() got an unexpected keyword argument 'shuffle': use shuffle_buffer_size=",
        ),
        (
            {"batch_size": 1, "drop_last": True},
            TypeError,
            "{}() got an unexpected keyword argument 'drop_last': use drop_remainder=",
        ),
        ({"drop_remainder": 1}, TypeError, "drop_remainder: expected True or False, found int 1"),
        ({"epochs": 0}, ValueError, "epochs: expected an integer of 1 or more, found int 0"),
        (
            {"shuffle_buffer_size": -1},
            ValueError,
            "shuffle_buffer_size: expected an integer of 0 or more, found int -1",
        ),
        (
            {"shuffle_buffer_size": True},
            TypeError,
            "shuffle_buffer_size: expected an integer of 0 or more, found bool True",
        ),
        ({"seed": "7"}, TypeError, "seed: expected an integer of 0 or more, found str '7'"),
        (
            {"seed": 1 << 64},
            ValueError,
            "seed: expected an integer of 64 bits, found int 18446744073709551616",
        ),
        ({"shard": (2, 2)}, ValueError, "shard: expected an index below the count, found tuple (2, 2)"),
        ({"shard": (0, 0)}, ValueError, "shard: expected an integer of 1 or more, found int 0"),
        (
            {"shard": (0, 2), "shuffle_buffer_size": 10},
            ValueError,
            "seed: expected an integer, the same for all shards, found None",
        ),
        ({"shard": 0}, TypeError, f"{PAIR}int 0"),
        ({"shard": "Auto"}, TypeError, f"{PAIR}str 'Auto'"),
        ({"shard": (0, 1, 2)}, TypeError, f"{PAIR}tuple (0, 1, 2)"),
        ({"threads": 0}, ValueError, "threads: expected an integer of 1 or more, found int 0"),
        ({"threads": 1025}, af.OptionError, "threads: expected at most 1,024, found 1,025"),
        (
            {"prefetch_bytes": -1},
            ValueError,
            "prefetch_bytes: expected an integer of 0 or more, found int -1",
        ),
        ({"on_error": "skip"}, ValueError, f"{ON_ERROR}str 'skip'"),
        ({"on_error": None}, TypeError, f"{ON_ERROR}None"),
    ],
)
@pytest.mark.parametrize("method", ["record_batches", "tensors"])
def test_wrong_options_are_named(dataset, method, options, kind, message):
    if options and "batch_size" not in options:
        options = {"batch_size": 10, **options}
    with pytest.raises(kind) as caught:
        getattr(dataset, method)(**options)
    assert (type(caught.value), str(caught.value)) == (kind, message.format(method))


COLUMNS = '["id", "name", "weight", "paid", "vector", "friends", "counts"]'
ENCODING = 'encoding: expected "native", "feature" or "tfx", found '


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"features": {"id": features.Dense([])}, "representations": {"id": Dense("id")}},
            ValueError,
            "features: expected either features or representations, found both",
        ),
        ({"threads": 1}, TypeError, "AvroDataset.__new__() got an unexpected keyword argument 'threads'"),
        (
            {"where": "id > 3"},
            TypeError,
            "AvroDataset.__new__() got an unexpected keyword argument 'where': use the method filter() of "
            "the dataset",
        ),
        ({"columns": "id"}, TypeError, "columns: expected a list of field paths (str), found str 'id'"),
        (
            {"columns": ["no"]},
            af.SchemaError,
            'PATH: expected a field of record "Person" ("id", "name", "weight", "paid", "vector", "friends", '
            '"counts"), found "no"',
        ),
        ({"encoding": "arrow"}, ValueError, f"{ENCODING}str 'arrow'"),
        ({"limits": 3}, TypeError, "limits: expected a Limits, found int 3"),
        (
            {"representations": [1]},
            TypeError,
            "representations: expected a dict of names to representations, found list [1]",
        ),
        (
            {"features": {"id": 3}},
            TypeError,
            'features["id"]: expected Dense, FixedLenSequence, VarLen, Sparse or Ragged of'
            " arrowfeed.features, or FixedLenFeature, FixedLenSequenceFeature, VarLenFeature,"
            " VarLenFeatureWithRank, SparseFeature, RaggedFeature, DenseFeature, VarlenFeature,"
            " found int 3",
        ),
        (
            {"features": {"no": features.Dense([])}},
            af.RepresentationError,
            f'key "no", character 1: expected a column of this name, one of {COLUMNS}, found "no"',
        ),
        (
            {"representations": {"x": Dense("no")}},
            af.RepresentationError,
            f'tensor "x", column "no": expected a column of this name, one of {COLUMNS}, found none',
        ),
        (
            {"reader_schema": "{"},
            af.SchemaError,
            "expected a schema in JSON, found: EOF while parsing an object at line 1 column 1",
        ),
        (
            {"limits": af.Limits(header_bytes=10)},
            af.LimitError,
            "PATH: byte 6: expected a file header of at most 10 bytes, found 16 or more",
        ),
    ],
)
def test_wrong_arguments_of_a_dataset_are_named(people, options, kind, message):
    with pytest.raises(kind) as caught:
        af.AvroDataset(people[0], **options)
    assert (type(caught.value), str(caught.value)) == (kind, message.replace("PATH", str(people[0])))


def test_options_come_by_keyword_only(dataset, people):
    with pytest.raises(TypeError):
        dataset.record_batches(10)
    with pytest.raises(TypeError):
        af.AvroDataset(people, {"id": features.Dense([])})
