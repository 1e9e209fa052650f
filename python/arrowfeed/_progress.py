"""Progress bars of readers and iterators, for the argument `progress`."""

from __future__ import annotations

import threading
from typing import Any

from arrowfeed._libraries import needed


class Progress:
    """A tqdm bar that counts rows. The compiled module creates and updates it.

    Raises:
        ImportError: tqdm is not installed.
    """

    def __init__(self) -> None:
        self._tqdm: Any = needed("tqdm.auto", "for progress=True").tqdm
        self._bar: Any = None
        # Several threads may iterate.
        self._lock = threading.Lock()

    def start(self, total: int | None) -> None:
        """Shows the bar. `total` is the number of rows; None: unknown."""
        self._bar = self._tqdm(total=total, unit=" rows", unit_scale=True)

    def show(self, shown: tuple[int, float] | None) -> None:
        """Moves the bar to a number of rows, and shows the share of the time in which the caller waited.

        None: unknown, so the bar stays.
        """
        with self._lock:
            self._move(shown)

    def close(self, shown: tuple[int, float] | None) -> None:
        """Moves the bar for the last time. A second call does nothing."""
        with self._lock:
            self._move(shown)
            if self._bar is not None:
                self._bar.close()
                self._bar = None

    def _move(self, shown: tuple[int, float] | None) -> None:
        if self._bar is None or shown is None:
            return
        rows, wait_share = shown
        self._bar.set_postfix_str(f"wait {wait_share:.0%}", refresh=False)
        if rows != self._bar.n:
            self._bar.update(rows - self._bar.n)
