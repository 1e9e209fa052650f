"""Every store returns the batches of local files, for every format and way of reading."""

from __future__ import annotations

import itertools
import json
import pickle
from pathlib import Path
from typing import Any

import arrowfeed as af
import pytest
from conftest import KINDS
from corpus import TOTAL, Corpora, Corpus
from rows import FORMATS, expected, frames, ids, plan_splits, read_split, rows_of

ORDERS: dict[str, dict[str, Any]] = {
    "file-order": {},
    "epochs": {"epochs": 3, "across_epochs": True},
    "shuffled": {"shuffle_buffer_size": 70, "seed": 7, "epochs": 2},
    "shard": {"shard": (1, 3)},
    "shuffled-shard": {"shuffle_buffer_size": 50, "seed": 8, "shard": (0, 2), "drop_remainder": True},
}


@pytest.fixture(scope="module")
def corpora(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpora:
    """The files of this module, which are only read."""
    return Corpora(request, tmp_path_factory)


@pytest.fixture(params=FORMATS)
def format(request: pytest.FixtureRequest) -> str:
    """The format of the files."""
    return request.param


@pytest.fixture(params=KINDS)
def corpus(request: pytest.FixtureRequest, corpora: Corpora, format: str) -> Corpus:
    """Files of each format in each store."""
    return corpora(request.param, format)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_reader_gives_the_batches_of_local_files(corpus: Corpus, threads: int) -> None:
    reader = corpus.remote_reader(threads=threads, batch_size=17)
    found = frames(reader)
    assert found == frames(corpus.local_reader(threads=threads, batch_size=17))
    assert rows_of(found) == expected(range(TOTAL))
    requests = reader.report()["requests"]
    if corpus.store.kind != "hdfs":
        assert requests["requests"] >= len(corpus.names)
        assert requests["bytes"] > 0
    # A server may end an idle connection, which causes a retry.
    assert requests["retries"] <= 2
    assert (requests["cached_bytes"], requests["without_ranges"]) == (0, 0)


def test_a_projection_reads_the_columns_that_were_asked_for(corpus: Corpus) -> None:
    for threads in (1, 2):
        found = frames(corpus.remote_reader(columns=["score", "id"], threads=threads))
        assert found == frames(corpus.local_reader(columns=["score", "id"]))
        assert found[0].schema.names == ["score", "id"]
    found = frames(corpus.remote(columns=["id"]).record_batches(batch_size=40))
    assert found == frames(corpus.local(columns=["id"]).record_batches(batch_size=40))
    assert ids(found) == list(range(TOTAL))


def test_columns_are_inferred_as_those_of_local_files(corpus: Corpus) -> None:
    remote = af.open_dataset(corpus.urls, **corpus.options)
    local = af.open_dataset(corpus.paths)
    assert type(remote) is type(local) is type(corpus.remote())
    assert remote.arrow_schema == local.arrow_schema
    found = frames(remote.record_batches(batch_size=64, threads=2))
    assert found == frames(local.record_batches(batch_size=64))
    assert ids(found) == list(range(TOTAL))


@pytest.mark.parametrize("order", ORDERS)
def test_a_dataset_gives_the_batches_of_local_files(corpus: Corpus, order: str) -> None:
    options = {"batch_size": 23, **ORDERS[order]}
    local = frames(corpus.local().record_batches(threads=1, **options))
    assert len(local) > 1
    dataset = corpus.remote()
    for threads in (1, 2):
        assert frames(dataset.record_batches(threads=threads, **options)) == local


def test_tensors_are_those_of_local_files(corpus: Corpus) -> None:
    options = {"batch_size": 31, "shuffle_buffer_size": 60, "seed": 3}
    names = ["id", "score"]
    local = list(corpus.local(columns=names).tensors(threads=1, **options))
    remote = list(corpus.remote(columns=names).tensors(threads=2, **options))
    assert [str(each) for each in remote] == [str(each) for each in local]
    assert [each["id"].values.tolist() for each in remote] == [each["id"].values.tolist() for each in local]
    assert len(remote) == 7


def test_shards_have_every_row_once(corpus: Corpus) -> None:
    dataset = corpus.remote()
    shards = [ids(dataset.record_batches(batch_size=9, shard=(number, 4))) for number in range(4)]
    assert sorted(itertools.chain.from_iterable(shards)) == list(range(TOTAL))
    assert {len(shard) for shard in shards} <= {TOTAL // 4, TOTAL // 4 + 1}


def test_rows_are_counted(corpus: Corpus) -> None:
    assert corpus.remote().num_rows == TOTAL


def test_an_index_replaces_reads_of_block_heads(corpus: Corpus, tmp_path: Path) -> None:
    index = tmp_path / "index.json"
    corpus.remote().save_index(index)
    dataset = corpus.remote(index=index)
    assert dataset.num_rows == TOTAL
    for order in ("file-order", "shuffled", "shard"):
        options = {"batch_size": 23, **ORDERS[order]}
        found = frames(dataset.record_batches(threads=2, **options))
        assert found == frames(corpus.local().record_batches(**options))


@pytest.mark.parametrize("order", ["file-order", "shuffled", "shard"])
def test_an_iteration_goes_on_from_its_state(corpus: Corpus, order: str) -> None:
    options = {"batch_size": 23, "epochs": 2, **ORDERS[order]}
    whole = frames(corpus.local().record_batches(**options))
    for given in (1, 3, len(whole) - 1):
        with corpus.remote().record_batches(threads=2, **options) as batches:
            assert frames(itertools.islice(batches, given)) == whole[:given]
            state = json.loads(json.dumps(batches.state_dict()))
        again = corpus.remote().record_batches(threads=1, **options)
        again.load_state_dict(state)
        assert frames(again) == whole[given:]


def test_splits_of_a_dataset_have_every_row_once(corpus: Corpus) -> None:
    dataset = corpus.remote()
    size = max(len(corpus.store.get(name)) for name in corpus.names)
    splits = dataset.plan_splits(target_bytes=size // 3)
    local = corpus.local().plan_splits(target_bytes=size // 3)
    assert [(each.start, each.end) for each in splits] == [(each.start, each.end) for each in local]
    assert len(splits) > len(corpus.names)
    copies = [pickle.loads(pickle.dumps(split)) for split in splits]
    assert copies == splits
    assert rows_of(itertools.chain(*map(dataset.read_split, copies))) == expected(range(TOTAL))
    for split in splits:
        data = pickle.dumps(split)
        assert len(data) < 1000
        for value in corpus.store.storage_options.values():
            if len(value) > 6:
                assert value.encode() not in data


@pytest.mark.parametrize(("format", "kind"), [("avro", af.AvroDataset), ("parquet", af.ParquetDataset)])
def test_splits_of_single_files_have_every_row_once(corpus: Corpus, kind: Any) -> None:
    if corpus.format == "avro":
        splits = plan_splits(corpus.urls, target_bytes=600, **corpus.options)
        assert splits == corpus.remote().plan_splits(target_bytes=600)
    else:
        splits = corpus.remote().plan_splits(target_bytes=600)
    assert len(splits) > len(corpus.names)
    batches = [batch for split in splits for batch in read_split(split, kind, **corpus.options)]
    assert rows_of(batches) == expected(range(TOTAL))


@pytest.mark.parametrize("format", ["avro"])
def test_the_schema_of_a_file_is_that_of_the_local_file(corpus: Corpus) -> None:
    schema = af.avro_schema(corpus.urls[0], **corpus.options)
    assert schema == af.avro_schema(corpus.paths[0])
    assert (schema.codec, schema.arrow.names) == ("deflate", ["id", "text", "score"])
