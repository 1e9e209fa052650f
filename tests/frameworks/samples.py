"""A sample of slow cases. `make test-long` has all of them."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

Case = TypeVar("Case")

IS_LONG = int(os.environ.get("ARROWFEED_CASES", "200")) >= 1000


def sample(cases: Iterable[Case], count: int) -> list[Case]:
    """All cases of a long run, and otherwise `count` of them, others in each run."""
    found = list(cases)
    return found if IS_LONG else random.sample(found, count)
