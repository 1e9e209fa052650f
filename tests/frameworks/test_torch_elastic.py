"""Global batches in PyTorch: `DataLoader` workers, other numbers of them, and ranks that are killed.

Run by `make test-torch`.
"""

import io
import itertools
import json
import os
import sys

import pytest
from elastic_training import MODEL, OPTIONS, ROWS, STEPS, assert_goes_on, run, write

import arrowfeed as af

REASON = "expected PyTorch and torchdata, found them not installed: `make test-torch` has them"
torch = pytest.importorskip("torch", reason=REASON)
pytest.importorskip("torchdata", reason=REASON)

from torch.utils.data import DataLoader  # noqa: E402
from torchdata.stateful_dataloader import StatefulDataLoader  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:'set_vital' is deprecated:UserWarning")


def made(path, **options):
    return af.AvroDataset(path).to_torch(**{**OPTIONS, "even": "drop", **options})


def ids(batches):
    return [batch["id"].tolist() for batch in batches]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write(tmp_path_factory.mktemp("torch"))


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "options", [{}, {"across_epochs": True}, {"even": None}, {"shuffle_buffer_size": 0, "seed": None}]
)
def test_workers_yield_the_batches_of_one_process_in_order(path, workers, options):
    whole = ids(DataLoader(made(path, **options), batch_size=None))
    assert ids(DataLoader(made(path, **options), batch_size=None, num_workers=workers)) == whole
    parts = [
        ids(DataLoader(made(path, **options, shard=(rank, 2)), batch_size=None, num_workers=workers))
        for rank in range(2)
    ]
    assert [one + other for one, other in itertools.zip_longest(*parts, fillvalue=[])] == whole


def test_workers_of_a_mixture_without_a_seed_share_its_order(path):
    rows = af.AvroDataset(path)
    source = af.MixedDataset([rows.take(ROWS // 3), rows.skip(ROWS // 3)])
    options = {**OPTIONS, "epochs": 1, "shuffle_buffer_size": 0, "seed": None}

    def loader(state=None, workers=2):
        torch_rows = source.to_torch(**options)
        if state is not None:
            torch_rows.load_state_dict(state)
        return DataLoader(torch_rows, batch_size=None, num_workers=workers)

    whole = ids(loader(workers=0))
    assert ids(loader()) == whole
    assert sorted(itertools.chain.from_iterable(whole)) == [*range(ROWS)]
    state = source.to_torch(**options).state_after(3)
    assert ids(loader(state)) == whole[3:]


@pytest.mark.parametrize(
    ("workers", "others", "count"),
    [(0, 2, 21), (2, 2, 0), (2, 2, 1), (2, 3, 8), (3, 0, 1), (3, 2, STEPS), (3, 3, 23)],
)
def test_a_stateful_loader_resumes_with_another_number_of_workers(path, workers, others, count):
    whole = ids(DataLoader(made(path), batch_size=None))
    loader = StatefulDataLoader(made(path), batch_size=None, num_workers=workers)
    assert ids(itertools.islice(loader, count)) == whole[:count]
    file = io.BytesIO()
    torch.save(loader.state_dict(), file)
    file.seek(0)
    state = torch.load(file, weights_only=True)
    if others == workers:
        resumed = StatefulDataLoader(made(path), batch_size=None, num_workers=workers)
        resumed.load_state_dict(state)
        assert ids(resumed) == whole[count:]
    rows = made(path)
    rows.load_state_dict(state)
    assert ids(StatefulDataLoader(rows, batch_size=None, num_workers=others)) == whole[count:]


@pytest.mark.parametrize(
    ("workers", "count", "options"), [(0, 5, {}), (2, 0, {}), (2, 21, {}), (2, 33, {"across_epochs": True})]
)
def test_a_plain_loader_resumes_after_a_count_of_batches(path, workers, count, options):
    whole = ids(DataLoader(made(path, **options), batch_size=None))
    rows = made(path, **options)
    ids(itertools.islice(DataLoader(rows, batch_size=None, num_workers=workers), count))
    state = rows.state_after(count)
    resumed = made(path, **options)
    resumed.load_state_dict(state)
    loader = DataLoader(resumed, batch_size=None, num_workers=3)
    more = ids(itertools.islice(loader, 4))
    assert more == whole[count : count + 4]
    again = made(path, **options)
    again.load_state_dict(resumed.state_after(4))
    assert ids(DataLoader(again, batch_size=None)) == whole[count + 4 :]


def test_set_epoch_selects_the_order(path):
    rows = made(path, epochs=1)
    first = ids(DataLoader(rows, batch_size=None))
    rows.set_epoch(1)
    second = ids(DataLoader(rows, batch_size=None, num_workers=2))
    assert first + second == ids(DataLoader(made(path), batch_size=None))


def test_states_without_a_position_are_refused(path):
    rows = made(path)
    with pytest.raises(ValueError, match="expected a checkpoint of this dataset or of its loader"):
        rows.load_state_dict({"_snapshot": {}})
    loader = StatefulDataLoader(rows, batch_size=None, num_workers=2, snapshot_every_n_steps=4)
    ids(itertools.islice(loader, 6))
    with pytest.raises(ValueError, match="snapshot_every_n_steps=1"):
        rows.load_state_dict(loader.state_dict())
    with pytest.raises(ValueError, match="there are fewer|expected a global batch up to"):
        rows.state_after(STEPS + 1)
    plain = af.AvroDataset(path).to_torch(batch_size=10)
    with pytest.raises(ValueError, match="state_after: expected to_torch"):
        plain.state_after(1)


TRAIN = (
    MODEL
    + """
import torch
import torch.distributed as distributed
from torchdata.stateful_dataloader import StatefulDataLoader
import arrowfeed as af

path, directory, workers, options = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
distributed.init_process_group("gloo")
weights, number, state = load(directory)
rows = af.AvroDataset(path).to_torch(**options, shard="auto")
if state is not None:
    rows.load_state_dict(state)
loader = StatefulDataLoader(rows, batch_size=None, num_workers=workers)
for batch in loader:
    gathered = [None] * distributed.get_world_size()
    distributed.all_gather_object(gathered, (batch["id"].tolist(), batch["x"].tolist()))
    x = np.array([x for _, part in gathered for x in part])
    weights, loss = step(weights, x)
    number += 1
    if distributed.get_rank() == 0:
        log(directory, number, loss, [n for part, _ in gathered for n in part])
        save(directory, weights, number, loader.state_dict())
    distributed.barrier()
distributed.destroy_process_group()
"""
)


def test_killed_ranks_go_on_with_fewer_ranks_and_other_workers(tmp_path, path):
    program = tmp_path / "train.py"
    program.write_text(TRAIN)

    def train(directory, ranks, workers, kill_at=None):
        launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
        arguments = [str(path), str(directory), str(workers), json.dumps(OPTIONS)]
        command = [sys.executable, *launcher, str(program), *arguments]
        run(command, {"OMP_NUM_THREADS": "1"}, kill_at=kill_at, directory=directory)

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    train(whole, 1, 0)
    train(killed, 4, 0, kill_at=13)
    train(killed, 2, 2)
    assert_goes_on(whole, killed)


def test_ranks_over_rows_that_do_not_divide_make_equal_steps(tmp_path, path):
    assert ROWS == 1003
    program = tmp_path / "steps.py"
    program.write_text(
        "import sys, torch.distributed as distributed\n"
        "import arrowfeed as af\n"
        "distributed.init_process_group('gloo')\n"
        "rows = af.AvroDataset(sys.argv[1]).to_torch(global_batch_size=96, streams=12)\n"
        "count = 0\n"
        "for batch in rows:\n"
        "    distributed.barrier()\n"
        "    count += 1\n"
        "assert count == 1003 // 96, count\n"
        "distributed.destroy_process_group()\n"
    )
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=4"]
    command = [sys.executable, *launcher, str(program), str(path)]
    run(command, {**os.environ, "OMP_NUM_THREADS": "1"}, directory=tmp_path)
