"""Properties of the generated files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import fastavro
import pytest

from datasets import GROWTH, SHAPES, Dataset
from generate import BLOCK_BYTES, CODECS, file_name, make
from manifest import Manifest

ROWS = 300


def blocks(path: Path) -> list[tuple[int, bytes]]:
    with path.open("rb") as file:
        reader: Iterable[Any] = fastavro.block_reader(file)
        return [(block.num_records, block.bytes_.getvalue()) for block in reader]


@pytest.mark.parametrize("dataset", SHAPES, ids=lambda dataset: dataset.name)
def test_every_codec_holds_the_same_blocks(dataset: Dataset, tmp_path: Path) -> None:
    make(dataset, ROWS, CODECS, Manifest(tmp_path))
    first, *others = [blocks(tmp_path / file_name(dataset.name, codec)) for codec in CODECS]
    assert sum(rows for rows, _ in first) == ROWS
    assert all(len(content) >= BLOCK_BYTES for _, content in first[:-1])
    assert others == [first] * 3


@pytest.mark.parametrize("dataset", SHAPES + GROWTH, ids=lambda dataset: dataset.name)
def test_equal_seeds_give_equal_files(dataset: Dataset, tmp_path: Path) -> None:
    contents = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        make(dataset, ROWS, ("null",), Manifest(folder))
        contents.append((folder / file_name(dataset.name, "null")).read_bytes())
    assert contents[0] == contents[1]


@pytest.mark.parametrize("dataset", SHAPES, ids=lambda dataset: dataset.name)
def test_another_seed_gives_other_records(dataset: Dataset) -> None:
    assert list(dataset.records(3, 1)) != list(dataset.records(3, 2))


def test_existing_files_are_not_generated_again(tmp_path: Path) -> None:
    dataset, path = SHAPES[3], tmp_path / file_name(SHAPES[3].name, "null")
    make(dataset, ROWS, ("null",), Manifest(tmp_path))
    made = path.stat().st_mtime_ns
    make(dataset, ROWS, ("null",), Manifest(tmp_path))
    assert path.stat().st_mtime_ns == made


def test_a_cut_file_is_made_again(tmp_path: Path) -> None:
    dataset, path = SHAPES[3], tmp_path / file_name(SHAPES[3].name, "null")
    make(dataset, ROWS, ("null",), Manifest(tmp_path))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    make(dataset, ROWS, ("null",), Manifest(tmp_path))
    assert path.read_bytes() == whole
