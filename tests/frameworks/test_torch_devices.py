"""`to_torch(device=, pin_memory=)` on devices of every machine: the CPU, and `meta`, which has no values.

`benches/gpu.py` runs on a GPU.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import arrowfeed

torch = pytest.importorskip("torch")

from arrowfeed._frameworks.torch_devices import mapped  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: dict[str, Any] = {"batch_size": 16, "shuffle_buffer_size": 50, "seed": 1}


@pytest.fixture
def dataset(tmp_path: Path) -> arrowfeed.Dataset:
    rows = pa.table(
        {
            "x": pa.array(range(100), pa.float32()),
            "tags": [[n] * (n % 3) for n in range(100)],
            "name": [f"n{n}" for n in range(100)],
            "user": [{"age": n, "seen": [n, n]} for n in range(100)],
        }
    )
    arrowfeed.write_avro(rows, tmp_path / "x.avro", block_bytes=200)
    ragged = arrowfeed.representations.Ragged("tags")
    structured = arrowfeed.infer_representations(rows.schema)
    return arrowfeed.AvroDataset(tmp_path / "x.avro", representations={**structured, "ragged": ragged})


def same(a: Any, b: Any) -> bool:
    """Whether two batches have the same tensors."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, tuple):
        # A loader makes lists of tuples without names.
        return (type(a) is type(b) or isinstance(b, list)) and all(map(same, a, b))
    if isinstance(a, torch.Tensor):
        if a.is_nested:
            return torch.equal(a.values(), b.values()) and torch.equal(a.offsets(), b.offsets())
        if a.is_sparse:
            return torch.equal(a.to_dense(), b.to_dense())
        return torch.equal(a, b)
    return a.values.tolist() == b.values.tolist()


def devices(value: Any) -> set[str]:
    """The devices of the tensors of a batch."""
    found = set()
    mapped(value, lambda tensor: found.add(tensor.device.type))
    return found


@pytest.mark.parametrize("ragged", ["parts", "nested", "offsets", "lengths"])
@pytest.mark.parametrize("copies", [1, 3])
def test_batches_on_a_torch_device_are_those_without(
    dataset: arrowfeed.Dataset, ragged: Any, copies: int
) -> None:
    plain = list(dataset.to_torch(**OPTIONS, ragged=ragged))
    copied = dataset.to_torch(**OPTIONS, ragged=ragged, device="cpu", copies_ahead=copies)
    found = list(copied)
    assert len(found) == len(plain) == 7
    assert all(map(same, plain, found))
    assert devices(found[0]) == {"cpu"}
    meta = dataset.to_torch(**OPTIONS, ragged=ragged, device=torch.device("meta"))
    [first, *_] = meta
    assert devices(first) == {"meta"}
    assert first["name"].values.tolist() == plain[0]["name"].values.tolist()


def test_a_state_is_that_of_the_last_batch_that_was_returned(dataset: arrowfeed.Dataset) -> None:
    plain = list(dataset.to_torch(**OPTIONS))
    copied = dataset.to_torch(**OPTIONS, device="cpu", copies_ahead=4)
    for number, batch in enumerate(copied, 1):
        assert same(batch, plain[number - 1])
        resumed = dataset.to_torch(**OPTIONS, device="cpu")
        resumed.load_state_dict(copied.state_dict())
        assert all(map(same, plain[number:], list(resumed)))
    again = pickle.loads(pickle.dumps(copied))
    assert all(map(same, plain, list(again)))


@pytest.mark.skipif(torch.cuda.is_available(), reason="expected no CUDA")
def test_without_cuda_memory_is_not_pinned(dataset: arrowfeed.Dataset) -> None:
    plain = list(dataset.to_torch(**OPTIONS))
    with pytest.warns(
        RuntimeWarning, match=r"^pin_memory: expected a device of CUDA, found none: batches stay in"
    ) as seen:
        found = list(dataset.to_torch(**OPTIONS, pin_memory=True))
    of_memory = [warning for warning in seen if warning.category is RuntimeWarning]
    assert [warning.filename for warning in of_memory] == [__file__]
    assert all(map(same, plain, found))


@pytest.mark.parametrize("ragged", ["parts", "nested", "offsets", "lengths"])
@pytest.mark.filterwarnings("ignore:'pin_memory' argument is set as true")
def test_a_loader_may_pin_every_form(dataset: arrowfeed.Dataset, ragged: Any) -> None:
    rows = dataset.to_torch(**OPTIONS, ragged=ragged)
    found = list(torch.utils.data.DataLoader(rows, batch_size=None, pin_memory=True))
    assert all(map(same, list(dataset.to_torch(**OPTIONS, ragged=ragged)), found))


def test_wrong_arguments_of_torch_devices_are_refused(dataset: arrowfeed.Dataset) -> None:
    with pytest.raises(TypeError, match=r"^pin_memory: expected a bool, found int 1$"):
        dataset.to_torch(**OPTIONS, pin_memory=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^copies_ahead: expected an integer of 1 or more, found 0$"):
        dataset.to_torch(**OPTIONS, device="cpu", copies_ahead=0)
    with pytest.raises(TypeError, match=r"^copies_ahead: expected an integer of 1 or more, found str 'x'$"):
        dataset.to_torch(**OPTIONS, device="cpu", copies_ahead="x")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="nowhere"):
        dataset.to_torch(**OPTIONS, device="nowhere")
    loader = torch.utils.data.DataLoader(
        dataset.to_torch(**OPTIONS, device="cpu"), batch_size=None, num_workers=1
    )
    message = (
        "device: expected no workers, found a worker of a DataLoader: pass pin_memory=True to the DataLoader"
    )
    with pytest.raises(ValueError, match=message):
        list(loader)


def test_an_iteration_that_is_left_stops_its_thread(dataset: arrowfeed.Dataset) -> None:
    import threading  # noqa: PLC0415

    for _ in dataset.to_torch(**OPTIONS, device="cpu"):
        break
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("arrowfeed-copies")]
