"""`Dataset.to_hf` has rows, shards and states of Hugging Face. Run by `make test-torch`."""

import datetime as dt
import itertools
import pickle
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af

datasets = pytest.importorskip(
    "datasets", reason="expected datasets, found it not installed: `make test-torch` has it"
)

from datasets.distributed import split_dataset_by_node  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402
from torchdata.stateful_dataloader import StatefulDataLoader  # noqa: E402

ROWS = 3_000
MOMENT = dt.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=dt.timezone.utc)


def table(rows=ROWS):
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "name": [f"name {row}" if row % 3 else None for row in range(rows)],
            "words": [[f"w{row}"] * (row % 4) for row in range(rows)],
            "at": pa.array([MOMENT] * rows, pa.timestamp("us", "UTC")),
            "user": [{"age": row, "tags": [row, None]} for row in range(rows)],
        }
    )


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "rows.avro"
    af.write_avro(table(), found, block_bytes=4_000)
    return found


def test_rows_and_features_are_those_of_the_dataset(path):
    rows = af.open_dataset(path).to_hf()
    assert isinstance(rows, datasets.IterableDataset)
    assert list(rows) == table().to_pylist()
    assert rows.features["user"] == {
        "age": datasets.Value("int64"),
        "tags": datasets.List(datasets.Value("int64")),
    }


def test_formats_of_batches(path):
    rows = af.open_dataset(path, columns=["id", "words"]).to_hf(batch_size=7)
    first = next(rows.with_format("arrow").iter(batch_size=100))
    assert first.to_pylist() == table().select(["id", "words"]).to_pylist()[:100]
    assert next(iter(rows.with_format("torch")))["id"].tolist() == 0


def test_splits_are_shards_that_workers_divide(path):
    rows = af.open_dataset(path, columns=["id"]).to_hf(target_bytes=4_000)
    assert rows.num_shards > 4
    loader = DataLoader(rows.with_format("torch"), batch_size=64, num_workers=2)
    found = [number for batch in loader for number in batch["id"].tolist()]
    assert found != [*range(ROWS)]
    assert sorted(found) == [*range(ROWS)]
    shuffled = [row["id"] for row in rows.shuffle(seed=3, buffer_size=100)]
    assert shuffled != [*range(ROWS)]
    assert sorted(shuffled) == [*range(ROWS)]


@pytest.mark.parametrize("count", [0, 1, 1_234, ROWS])
def test_a_state_resumes_after_the_row(path, count):
    def made():
        return af.open_dataset(path, columns=["id"]).to_hf(target_bytes=4_000)

    rows = made()
    iterator = iter(rows)
    first = [next(iterator)["id"] for _ in range(count)]
    state = rows.state_dict()
    resumed = pickle.loads(pickle.dumps(made()))
    resumed.load_state_dict(state)
    assert first + [row["id"] for row in resumed] == [*range(ROWS)]


def test_a_stateful_loader_of_to_hf_resumes(path):
    def made():
        rows = af.open_dataset(path, columns=["id"]).to_hf(target_bytes=4_000).with_format("torch")
        return StatefulDataLoader(rows, batch_size=100, num_workers=2)

    whole = [batch["id"].tolist() for batch in made()]
    loader = made()
    iterator = iter(loader)
    first = [next(iterator)["id"].tolist() for _ in range(7)]
    resumed = made()
    resumed.load_state_dict(loader.state_dict())
    assert first + [batch["id"].tolist() for batch in resumed] == whole


@pytest.mark.parametrize("of", ["take", "filter", "bytes", "mixture", "empty"])
def test_every_dataset(path, of):
    rows = af.open_dataset(path, columns=["id"])
    made = {
        "take": lambda: (rows.skip(5).take(10), [*range(5, 15)]),
        "filter": lambda: (rows.filter("id < 20"), [*range(20)]),
        "bytes": lambda: (af.open_dataset(path.read_bytes(), columns=["id"]), [*range(ROWS)]),
        "mixture": lambda: (af.MixedDataset([rows.take(3), rows.take(3)]), [0, 0, 1, 1, 2, 2]),
        "empty": lambda: (rows.filter("id < 0"), []),
    }
    dataset, expected = made[of]()
    found = [row["id"] for row in dataset.to_hf()]
    assert sorted(found) == expected


def test_a_mixture_resumes_and_is_divided_among_nodes(path):
    rows = af.open_dataset(path, columns=["id"])
    mixed = af.MixedDataset([rows.take(40), rows.skip(40)])
    whole = [row["id"] for row in mixed.to_hf()]
    assert sorted(whole) == [*range(ROWS)]
    first = mixed.to_hf()
    given = [row["id"] for row in itertools.islice(first, 30)]
    resumed = mixed.to_hf()
    resumed.load_state_dict(first.state_dict())
    assert given + [row["id"] for row in resumed] == whole
    nodes = [split_dataset_by_node(mixed.to_hf(), rank=rank, world_size=2) for rank in range(2)]
    assert sorted(row["id"] for node in nodes for row in node) == [*range(ROWS)]


def test_types_that_hugging_face_does_not_have_are_converted(tmp_path):
    one = uuid.UUID(int=7)
    columns = {
        "enum": pa.array(["a", "b"]).dictionary_encode(),
        "map": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32())),
        "uuid": pa.array([one.bytes, one.bytes], pa.binary(16)).cast(pa.uuid()),
        "deep": pa.array(
            [[{"e": "x"}], []], pa.list_(pa.struct({"e": pa.dictionary(pa.int32(), pa.string())}))
        ),
    }
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    found = list(af.open_dataset(tmp_path / "rows.parquet").to_hf())
    assert found == [
        {"enum": "a", "map": [{"key": "k", "value": 1}], "uuid": one.bytes, "deep": [{"e": "x"}]},
        {"enum": "b", "map": [], "uuid": one.bytes, "deep": []},
    ]


def test_unions_are_refused(tmp_path):
    union = pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["a"])]
    )
    af.write_avro(pa.record_batch({"u": union}), tmp_path / "rows.avro")
    dataset = af.open_dataset(tmp_path / "rows.avro")
    with pytest.raises(af.ConversionError) as raised:
        dataset.to_hf()
    expected = f"u: expected a type of Hugging Face, found {pa.schema(dataset.arrow_schema).field('u').type}"
    assert str(raised.value) == f'{expected}: leave the column out with columns=, or pass unions="struct"'
    struct = af.open_dataset(tmp_path / "rows.avro", unions="struct")
    assert len(list(struct.to_hf())) == 2


def test_wrong_options_are_errors_of_the_call(path):
    dataset = af.open_dataset(path)
    with pytest.raises(ValueError, match="^batch_size: expected an integer of 1 or more, found int 0$"):
        dataset.to_hf(batch_size=0)
    with pytest.raises(ValueError, match='^on_error: expected "raise", "skip_block" or "skip_file", found '):
        dataset.to_hf(on_error="ignore")
    with pytest.raises(TypeError, match="unexpected keyword argument 'shards'"):
        dataset.to_hf(shards=2)
