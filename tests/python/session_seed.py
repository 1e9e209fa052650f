"""The seed of a test run. All random tests derive their cases from it.

The seed differs from run to run. The header of pytest and each failure print it. `ARROWFEED_SEED` sets it.
"""

from __future__ import annotations

import os
import random

VARIABLE = "ARROWFEED_SEED"

# The workers of pytest-xdist and the processes that tests start inherit the variable: all have the same seed.
SEED = int(os.environ.setdefault(VARIABLE, str(random.SystemRandom().randrange(1 << 32))))


def seeds(first: int, end: int) -> range:
    """The seeds of the cases from number `first` up to number `end`."""
    return range(SEED + first, SEED + end)


def chance(*names: object) -> random.Random:
    """A generator for one test. The names distinguish it from the generators of other tests."""
    return random.Random(" ".join(map(str, (SEED, *names))))


def cases(number: int) -> int:
    """The number of random cases: `number` of them. `make test-long` has ten times as many.

    `ARROWFEED_CASES` scales it. The default of 200 leaves `number` as it is.
    """
    return max(number * int(os.environ.get("ARROWFEED_CASES", "200")) // 200, 1)
