"""`Dataset.map` and checkpoints of moved files in `DataLoader` workers and torchdata's `StatefulDataLoader`.

Run by `make test-torch`.
"""

import itertools
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from feature_files import write

import arrowfeed as af

REASON = "expected PyTorch and torchdata, found them not installed: `make test-torch` has them"
torch = pytest.importorskip("torch", reason=REASON)
pytest.importorskip("torchdata", reason=REASON)

from torchdata.stateful_dataloader import StatefulDataLoader  # noqa: E402

SHUFFLE = {"batch_size": 64, "shuffle_buffer_size": 300, "seed": 7}

pytestmark = pytest.mark.filterwarnings("ignore:'set_vital' is deprecated:UserWarning")


def doubled(batch):
    table = pa.table(batch)
    return table.append_column("double", pc.multiply(table["id"], 2))


def total(row):
    return row["id"] + row["double"]


def loader(rows, workers, **options):
    return StatefulDataLoader(rows, batch_size=None, num_workers=workers, **options)


@pytest.mark.parametrize(
    ("workers", "context", "processes"), [(0, None, 0), (2, "fork", 0), (2, "spawn", 0), (2, "fork", 2)]
)
def test_a_loader_yields_the_results_and_resumes(tmp_path, workers, context, processes):
    source = af.AvroDataset(write(tmp_path), columns=["id"])
    options = {"multiprocessing_context": context} if context else {}

    def made():
        rows = source.map(doubled, workers=processes).to_torch(**SHUFFLE).map(total)
        return loader(rows, workers, **options)

    whole = [batch.tolist() for batch in made()]
    assert sorted(itertools.chain.from_iterable(whole)) == [3 * number for number in range(1000)]
    first = made()
    begun = [batch.tolist() for batch in itertools.islice(first, 5)]
    resumed = made()
    resumed.load_state_dict(first.state_dict())
    assert begun + [batch.tolist() for batch in resumed] == whole


@pytest.mark.parametrize(("prefix", "match"), [("", "names"), ("of-monday-", "contents")])
@pytest.mark.parametrize("workers", [0, 2])
def test_a_checkpoint_of_a_loader_moves(tmp_path, workers, prefix, match):
    def made(paths, **options):
        rows = af.AvroDataset([str(path) for path in paths], columns=["id"]).to_torch(**SHUFFLE, **options)
        return loader(rows, workers)

    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    paths = [Path(path) for path in write(tmp_path / "old")]
    whole = [batch["id"].tolist() for batch in made(paths)]
    first = made(paths)
    begun = [batch["id"].tolist() for batch in itertools.islice(first, 5)]
    state = first.state_dict()
    del first
    moved = [path.rename(tmp_path / "new" / f"{prefix}{path.name}") for path in paths]
    resumed = made(moved, match=match)
    resumed.load_state_dict(state)
    assert begun + [batch["id"].tolist() for batch in resumed] == whole


def test_a_checkpoint_of_the_dataset_moves_with_more_epochs(tmp_path):
    options = {**SHUFFLE, "epochs": 1}
    paths = write(tmp_path)
    rows = af.AvroDataset(paths, columns=["id"]).to_torch(**options)
    begun = [batch["id"].tolist() for batch in itertools.islice(rows, 3)]
    state = rows.state_dict()
    renamed = [str(Path(path).rename(tmp_path / f"renamed-{Path(path).name}")) for path in paths]
    longer = af.AvroDataset(renamed, columns=["id"]).to_torch(**{**options, "epochs": 2})
    longer.load_state_dict(state, match="contents")
    found = list(itertools.chain.from_iterable([*begun, *(batch["id"].tolist() for batch in longer)]))
    assert sorted(found) == sorted(2 * list(range(1000)))
    with pytest.raises(ValueError, match='^match: expected "names" or "contents", found str \'paths\'$'):
        longer.load_state_dict(state, match="paths")


def test_another_kind_of_function_is_refused(tmp_path):
    rows = af.AvroDataset(write(tmp_path), columns=["id"]).to_torch(**SHUFFLE)
    with pytest.raises(TypeError) as caught:
        rows.map(3)
    assert str(caught.value) == "function: expected a function of an element, found int 3"
