"""Batches that a thread makes ahead, for devices: the order, states, errors and the end of the iterator."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import arrowfeed
from arrowfeed._frameworks.copied_ahead import CopiedAhead

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def dataset(tmp_path: Path) -> arrowfeed.Dataset:
    arrowfeed.write_avro(pa.table({"x": range(100)}), tmp_path / "x.avro", block_bytes=100)
    return arrowfeed.AvroDataset(tmp_path / "x.avro")


def numbers(tensors: dict[str, Any]) -> list[int]:
    return tensors["x"].values.tolist()


OPTIONS: dict[str, Any] = {"batch_size": 7, "shuffle_buffer_size": 30, "seed": 2}


@pytest.mark.parametrize("most", [1, 2, 50])
def test_batches_and_states_are_those_of_the_iterator(dataset: arrowfeed.Dataset, most: int) -> None:
    plain = dataset.tensors(**OPTIONS)
    states, expected = [plain.state_dict()], list[list[int]]()
    for tensors in plain:
        expected.append(numbers(tensors))
        states.append(plain.state_dict())
    ahead = CopiedAhead(dataset.tensors(**OPTIONS), numbers, most)
    found = [ahead.state_dict()]
    batches = list[list[int]]()
    for batch in ahead:
        batches.append(batch)
        found.append(ahead.state_dict())
    assert batches == expected
    assert found == states
    assert list(ahead) == []
    for number in (5, 0, 3, len(expected)):
        ahead.load_state_dict(states[number])
        assert next(ahead, None) == next(iter(expected[number:]), None)
        ahead.load_state_dict(states[number])
        assert list(ahead) == expected[number:]
    ahead.close()


def test_only_a_few_batches_are_made_ahead(dataset: arrowfeed.Dataset) -> None:
    made, returned = list[list[int]](), 0
    most_ahead = 0
    changed = threading.Condition()

    def begin(tensors: dict[str, Any]) -> list[int]:
        nonlocal most_ahead
        with changed:
            made.append(numbers(tensors))
            most_ahead = max(most_ahead, len(made) - returned)
            changed.notify()
        return made[-1]

    ahead = CopiedAhead(dataset.tensors(**OPTIONS), begin, 3, lambda batch: [*batch, -1])
    for batch in ahead:
        assert batch[-1] == -1
        with changed:
            returned += 1
            while len(made) < min(15, returned + 3):
                assert changed.wait(timeout=60)
    # One batch is returned while three are made.
    assert most_ahead in (3, 4)
    ahead.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("arrowfeed-copies")]


def test_an_error_comes_after_the_batches_before_it(tmp_path: Path) -> None:
    path = tmp_path / "damaged.avro"
    arrowfeed.write_avro(pa.table({"x": range(100)}), path, block_bytes=100)
    content = bytearray(path.read_bytes())
    content[-40:] = bytes(40)
    path.write_bytes(content)
    plain = arrowfeed.AvroDataset(path).tensors(batch_size=7, threads=1)
    expected = list[list[int]]()
    with pytest.raises(arrowfeed.ArrowfeedError) as raised:
        expected.extend(map(numbers, plain))
    ahead = CopiedAhead(arrowfeed.AvroDataset(path).tensors(batch_size=7, threads=1), numbers, 2)
    found = list[list[int]]()
    with pytest.raises(type(raised.value)) as again:
        found.extend(ahead)
    assert found == expected
    assert len(found) > 3
    assert str(again.value) == str(raised.value)
    assert ahead.state_dict() == plain.state_dict()


def test_an_error_of_the_conversion_is_raised(dataset: arrowfeed.Dataset) -> None:
    def refuse(tensors: dict[str, Any]) -> list[int]:
        if len(seen) == 2:
            raise ValueError("expected")
        seen.append(numbers(tensors))
        return seen[-1]

    seen = list[list[int]]()
    ahead = CopiedAhead(dataset.tensors(**OPTIONS), refuse, 2)
    assert next(ahead) == seen[0]
    assert next(ahead) == seen[1]
    with pytest.raises(ValueError, match="^expected$"):
        next(ahead)
    ahead.close()
