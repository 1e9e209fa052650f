"""`to_jax(device=, sharding=)` on devices of the CPU."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed

jax = pytest.importorskip("jax")

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: dict[str, Any] = {"batch_size": 16, "shuffle_buffer_size": 50, "seed": 1, "drop_remainder": True}

SHARDED = """
import os, sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

import arrowfeed

mesh = jax.make_mesh((4,), ("rows",))
sharding = NamedSharding(mesh, PartitionSpec("rows"))
dataset = arrowfeed.AvroDataset(sys.argv[1], columns=["x", "y"])
plain = list(dataset.to_jax(batch_size=16, drop_remainder=True))
found = list(dataset.to_jax(batch_size=16, drop_remainder=True, sharding=sharding))
assert len(plain) == len(found) == 6
for a, b in zip(plain, found, strict=True):
    assert b["x"].sharding == sharding and len(b["x"].addressable_shards) == 4
    assert b["x"].addressable_shards[1].data.shape == (4,)
    assert np.array_equal(a["x"], b["x"]) and np.array_equal(a["y"], b["y"])
[first, *_] = dataset.to_jax(batch_size=16, drop_remainder=True, sharding={"y": sharding})
assert len(first["x"].devices()) == 1 and len(first["y"].devices()) == 4
try:
    next(dataset.to_jax(batch_size=18, sharding=sharding))
except arrowfeed.ConversionError as error:
    assert str(error) == (
        "tensor 'x': expected rows that the 4 devices of its sharding divide evenly, found 18: use a "
        "batch_size= that is a multiple of 4, with drop_remainder=True"
    ), error
else:
    raise AssertionError("18 rows on 4 devices")
[first, *_] = dataset.to_jax(batch_size=16, device=jax.devices()[2])
assert first["x"].devices() == {jax.devices()[2]}
print("sharded")
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = pa.table(
        {
            "x": pa.array(range(100), pa.float32()),
            "y": pa.array(range(100), pa.int32()),
            "tags": [[n] * (n % 3) for n in range(100)],
            "name": [f"n{n}" for n in range(100)],
        }
    )
    arrowfeed.write_avro(rows, tmp_path / "x.avro", block_bytes=200)
    return tmp_path / "x.avro"


def test_batches_on_a_jax_device_are_those_without(path: Path) -> None:
    dataset = arrowfeed.AvroDataset(path)
    plain = list(dataset.to_jax(**OPTIONS, ragged="padded"))
    copied = dataset.to_jax(**OPTIONS, ragged="padded", device=jax.devices()[0], copies_ahead=3)
    assert len(copied) == 6
    for number, (a, b) in enumerate(zip(plain, copied, strict=True), 1):
        assert a.keys() == b.keys()
        assert np.array_equal(a["x"], b["x"])
        assert a["name"].values.tolist() == b["name"].values.tolist()
        resumed = dataset.to_jax(**OPTIONS, ragged="padded", device=jax.devices()[0])
        resumed.load_state_dict(copied.state_dict())
        rest = [batch["x"].tolist() for batch in resumed]
        assert rest == [batch["x"].tolist() for batch in plain[number:]]


def test_arrays_are_sharded_over_the_devices(path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", SHARDED, str(path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert found.stdout == "sharded\n", found.stderr


def test_wrong_arguments_of_jax_devices_are_refused(path: Path) -> None:
    dataset = arrowfeed.AvroDataset(path)
    device = jax.devices()[0]
    sharding = jax.sharding.SingleDeviceSharding(device)
    with pytest.raises(ValueError, match=r"^sharding: expected no sharding with device=, found both$"):
        dataset.to_jax(**OPTIONS, device=device, sharding=sharding)
    with pytest.raises(ValueError, match=r"^sharding: expected names of tensors, one of \[.*\], found 'z'$"):
        dataset.to_jax(**OPTIONS, sharding={"z": sharding})
    with pytest.raises(ValueError, match=r"^copies_ahead: expected an integer of 1 or more, found 0$"):
        dataset.to_jax(**OPTIONS, device=device, copies_ahead=0)
    message = r"^tensor 'name': expected a dense tensor of numbers to shard, found DenseTensor$"
    with pytest.raises(arrowfeed.ConversionError, match=message):
        next(dataset.to_jax(**OPTIONS, sharding={"x": sharding, "name": sharding}))
