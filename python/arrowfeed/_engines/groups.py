"""Groups of splits that follow each other: starting a task may take longer than reading a small file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arrowfeed._arrowfeed import Split


def size_of(splits: Iterable[Split]) -> int:
    """Returns the size of splits in bytes."""
    return sum(split.end - split.start for split in splits)


def groups_of(
    splits: Iterable[Split], most_bytes: float, fits: Callable[[list[Split]], bool] | None = None
) -> list[list[Split]]:
    """Groups splits in their order, for engines that run any number of tasks. A group is as long as possible.

    Args:
        splits: The splits.
        most_bytes: Maximum size of several splits in a group. A larger split is a group of its own.
        fits: Another condition for several splits in a group. None: no other condition.
    """
    groups: list[list[Split]] = []
    size = 0
    for split in splits:
        length = split.end - split.start
        if groups and size + length <= most_bytes and (fits is None or fits([*groups[-1], split])):
            groups[-1].append(split)
            size += length
        else:
            groups.append([split])
            size = length
    return groups


def balanced_groups(splits: list[Split], most: int) -> list[list[Split]]:
    """Groups splits in their order, for engines that read all groups at the same time.

    Args:
        splits: The splits.
        most: Maximum number of groups, at least 1. A group exceeds the mean size by less than its largest
            split.
    """
    total = max(1, size_of(splits))
    groups: dict[int, list[Split]] = {}
    before = 0
    for split in splits:
        length = split.end - split.start
        # The group in which the middle of the split would be, if all groups had the same size.
        number = min(most - 1, (2 * before + length) * most // (2 * total))
        groups.setdefault(number, []).append(split)
        before += length
    return list(groups.values())
