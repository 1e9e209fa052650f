"""`groups_of` and `balanced_groups`, which combine splits to the tasks of engines."""

import itertools
import random

import pytest

import arrowfeed as af
from arrowfeed._engines.groups import balanced_groups, groups_of, size_of
from session_seed import SEED


def splits_of(lengths):
    return [af.Split(f"{number}.avro", 7, 7 + length) for number, length in enumerate(lengths)]


def random_lengths(seed, most=40):
    chance = random.Random(seed)
    largest = chance.choice([0, 1, 10, 1000])
    return [chance.choice([0, largest, chance.randint(0, largest)]) for _ in range(chance.randint(0, most))]


@pytest.mark.parametrize("number", range(200))
def test_groups_have_each_split_once_in_order_and_are_as_long_as_possible(number):
    splits = splits_of(random_lengths(SEED + number))
    most = random.Random(SEED + number).choice([0, 1, 5, 500, 1500.5])
    groups = groups_of(splits, most)
    assert list(itertools.chain(*groups)) == splits
    assert all(groups)
    for group in groups:
        assert len(group) == 1 or size_of(group) <= most
    for group, after in itertools.pairwise(groups):
        assert size_of(group) + size_of(after[:1]) > most


@pytest.mark.parametrize("number", range(200))
def test_balanced_groups_have_each_split_once_in_order_and_about_equal_sizes(number):
    splits = splits_of(random_lengths(SEED + number))
    most = random.Random(SEED + number).randint(1, 12)
    groups = balanced_groups(splits, most)
    assert list(itertools.chain(*groups)) == splits
    assert all(groups)
    assert len(groups) <= most
    for group in groups:
        largest = max(size_of([split]) for split in group)
        assert size_of(group) <= size_of(splits) / most + largest


def test_a_first_split_without_bytes_is_a_group():
    empty, other = splits = splits_of([0, 5])
    assert groups_of(splits, 5) == [[empty, other]]
    assert groups_of(splits, 4) == [[empty], [other]]
    assert groups_of([empty], 0) == balanced_groups([empty], 3) == [[empty]]
    assert balanced_groups(splits, 2) == [[empty], [other]]
    assert groups_of([], 5) == balanced_groups([], 3) == []


def test_a_condition_ends_a_group():
    splits = splits_of([1] * 7)
    assert list(map(len, groups_of(splits, 100, lambda group: len(group) <= 3))) == [3, 3, 1]
    assert list(map(len, groups_of(splits, 2, lambda group: len(group) <= 3))) == [2, 2, 2, 1]
    assert list(map(len, groups_of(splits, 100, lambda _: False))) == [1] * 7


def test_equal_splits_are_divided_evenly():
    assert list(map(len, balanced_groups(splits_of([1] * 9), 8))) == [1, 1, 1, 1, 2, 1, 1, 1]
    assert list(map(len, balanced_groups(splits_of([7] * 12), 4))) == [3] * 4
    assert list(map(len, balanced_groups(splits_of([7] * 3), 4))) == [1] * 3
