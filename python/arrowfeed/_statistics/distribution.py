"""Streaming distributions of numbers, with a fixed maximum number of bins."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:
    from arrowfeed._rendering import lazy_numpy as np


BINS = 32
_COUNTED = 32 * BINS
"""Maximum number of bins in which a histogram counts. A bin that it returns consists of some of them."""
_LEAST_EXPONENT = -1000
_DIGITS = 50
"""Maximum number of bits of a float that determine its bin."""


class Lengths:
    """Lengths of lists and strings: exact minimum, mean and maximum, and counts by powers of two."""

    def __init__(self) -> None:
        self.count = self.total = self.most = 0
        self.least: int | None = None
        self.powers = np.zeros(BINS + 1, np.int64)
        """Counts of 0, 1, 2 to 3, 4 to 7, and so on."""

    def add(self, lengths: np.ndarray[Any, Any]) -> None:
        """Adds an array of at least one length."""
        least = int(lengths.min())
        self.least = least if self.least is None else min(self.least, least)
        self.most = max(self.most, int(lengths.max()))
        self.count += len(lengths)
        self.total += int(lengths.sum(dtype=np.int64))
        _, bits = np.frexp(lengths.astype(np.float64))
        self.powers += np.bincount(bits, minlength=len(self.powers))

    @property
    def mean(self) -> float | None:
        """The mean length. None: nothing was counted."""
        return self.total / self.count if self.count else None

    def bins(self) -> list[tuple[str, int]]:
        """Names and counts of the bins, up to the last bin that is not empty."""
        last = int(self.most).bit_length()
        return [(_power(bits), int(self.powers[bits])) for bits in range(last + 1)]


class Moments:
    """The mean and the standard deviation of the finite numbers, which are merged batch by batch.

    The formulas are those of Chan, Golub and LeVeque for parts of a sample, which lose no digits to sums of
    squares.
    """

    def __init__(self) -> None:
        self._count = 0
        self._mean = self._squares = 0.0

    def add(self, values: np.ndarray[Any, np.dtype[np.float64]]) -> None:
        """Adds an array of numbers."""
        finite = values[np.isfinite(values)]
        if len(finite) == 0:
            return
        with np.errstate(over="ignore", invalid="ignore"):
            mean = finite.mean()
            squares = np.square(finite - mean).sum()
            total, apart = self._count + len(finite), mean - self._mean
            self._squares += float(squares + apart * apart * self._count * len(finite) / total)
            self._mean += float(apart * len(finite) / total)
        self._count = total

    @property
    def mean(self) -> float | None:
        """The mean. None: there is no number, or the sums of the numbers exceed the range of floats."""
        return self._mean if self._count and math.isfinite(self._mean) else None

    @property
    def std(self) -> float | None:
        """The standard deviation of the numbers, not of a sample of more. None: as for `mean`."""
        return (
            math.sqrt(self._squares / self._count) if self._count and math.isfinite(self._squares) else None
        )


class Histogram:
    """A histogram with at most `BINS` bins of about equal width, from the least to the greatest number.

    The numbers are counted in narrower bins, whose width is a power of two, and which begin at multiples of
    it. A number outside of them makes all of them wider, and each old one goes as a whole into a new one. The
    counts are therefore exact, in any order of the numbers.

    Args:
        whole: Whether the numbers are integers, so that a bin covers at least one integer.
    """

    def __init__(self, *, whole: bool) -> None:
        self._exponent: int = 0 if whole else _LEAST_EXPONENT
        self._whole = whole
        self._first = 0
        self._counts = np.zeros(0, np.int64)

    def add(self, values: np.ndarray[Any, np.dtype[np.float64]]) -> None:
        """Adds the finite values of an array."""
        finite = values[np.isfinite(values)]
        if len(finite) == 0:
            return
        self._widen(float(finite.min()), float(finite.max()))
        places = np.floor(np.ldexp(finite, -self._exponent)).astype(np.int64)
        self._put(places)

    def bins(self) -> list[tuple[str, int, int]]:
        """Names, counts and widths of the bins, from the first to the last bin that is not empty.

        The width is the number of the narrower bins. If it differs, compare the counts per width.
        """
        width, counted = math.ldexp(1.0, self._exponent), len(self._counts)
        shown = min(counted, BINS)
        places = [number * counted // shown for number in range(shown + 1)] if shown else [0]
        sums = np.concatenate([[0], np.cumsum(self._counts)])[places]
        edges = [(self._first + place) * width for place in places]
        names = [self._name(start, end) for start, end in itertools.pairwise(edges)]
        return list(zip(names, np.diff(sums).tolist(), np.diff(places).tolist(), strict=True))

    def _name(self, start: float, end: float) -> str:
        """The numbers of a bin, whose end is not one of them."""
        if not self._whole:
            return f"{start:,.6g} to {end:,.6g}"
        return f"{start:,.0f}" if start == end - 1 else f"{start:,.0f} to {end - 1:,.0f}"

    def _widen(self, least: float, most: float) -> None:
        """Widens the bins until they cover this range and their current content."""
        before = self._exponent
        exponent = max(before, math.frexp(max(abs(least), abs(most)))[1] - _DIGITS)
        while self._span(exponent, least, most) > _COUNTED:
            exponent += 1
        self._exponent = exponent
        if len(self._counts):
            old = self._first + np.arange(len(self._counts))
            counts, self._counts = self._counts, np.zeros(0, np.int64)
            self._put(old >> (exponent - before), counts)

    def _span(self, exponent: int, least: float, most: float) -> int:
        first = math.floor(math.ldexp(least, -exponent))
        last = math.floor(math.ldexp(most, -exponent))
        if len(self._counts):
            shift = exponent - self._exponent
            first = min(first, self._first >> shift)
            last = max(last, (self._first + len(self._counts) - 1) >> shift)
        return last - first + 1

    def _put(self, places: np.ndarray[Any, Any], counts: np.ndarray[Any, Any] | None = None) -> None:
        """Adds 1 to the bin of each place, or the given counts."""
        first, last = int(places.min()), int(places.max())
        if len(self._counts):
            first, last = min(first, self._first), max(last, self._first + len(self._counts) - 1)
        wider = np.bincount(places - first, counts, minlength=last - first + 1).astype(np.int64)
        if len(self._counts):
            wider[self._first - first :][: len(self._counts)] += self._counts
        self._first, self._counts = first, wider


def _power(bits: int) -> str:
    first, last = 1 << bits >> 1, (1 << bits) - 1
    return f"{last:,}" if first >= last else f"{first:,} to {last:,}"
