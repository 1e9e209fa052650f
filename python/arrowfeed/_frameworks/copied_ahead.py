"""Batches that are converted when they are requested, or copied to a device before. Imports no framework."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from arrowfeed._arrowfeed import BatchIterator
    from arrowfeed.types import AnyTensor, FileMatch

T = TypeVar("T")


class _Copy(NamedTuple):
    """A batch whose copy has begun, or the error in its place, with the state after it."""

    batch: Any
    error: Exception | None
    state: dict[str, Any]


def check_copies_ahead(count: Any) -> None:
    """Raises a `TypeError` or `ValueError` if the argument is not an integer of 1 or more."""
    expected = "copies_ahead: expected an integer of 1 or more"
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{expected}, found {type(count).__name__} {count!r}")
    if count < 1:
        raise ValueError(f"{expected}, found {count}")


class Converted(Generic[T]):
    """An iterator that converts each batch when it is requested.

    Args:
        batches: The tensors of each batch.
        convert: Converts the tensors of a batch.
    """

    def __init__(
        self, batches: BatchIterator[dict[str, AnyTensor]], convert: Callable[[dict[str, AnyTensor]], T]
    ) -> None:
        self._batches, self._convert = batches, convert

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        return self._convert(next(self._batches))

    def state_dict(self) -> dict[str, Any]:
        """The state after the last batch that was returned."""
        return self._batches.state_dict()

    def load_state_dict(self, state: dict[str, Any], *, match: FileMatch = "names") -> None:
        """Resumes after the batch of a state."""
        self._batches.load_state_dict(state, match=match)

    def close(self) -> None:
        """Stops the iteration and the threads."""
        self._batches.close()


class CopiedAhead(Converted[T]):
    """An iterator whose thread converts the next batches and begins to copy them.

    The thread makes one batch after the other, so that their order is that of the iterator.

    Args:
        batches: The tensors of each batch.
        begin: Converts the tensors of a batch, and begins to copy them.
        most: Number of batches that have been made and not yet returned, at least 1.
        finish: Makes the copies of a batch usable in the thread of the caller. None: they are.
    """

    def __init__(
        self,
        batches: BatchIterator[dict[str, AnyTensor]],
        begin: Callable[[dict[str, AnyTensor]], Any],
        most: int,
        finish: Callable[[Any], T] | None = None,
    ) -> None:
        super().__init__(batches, begin)
        self._finish, self._most = finish, most
        self._copies = deque[Future[_Copy | None]]()
        self._thread: ThreadPoolExecutor | None = None
        # The state after the last batch that was returned. None: that of the iterator.
        self._state: dict[str, Any] | None = None

    def __next__(self) -> T:
        if self._thread is None:
            self._state = self._batches.state_dict()
            self._thread = ThreadPoolExecutor(1, "arrowfeed-copies")
        while len(self._copies) < self._most:
            self._copies.append(self._thread.submit(self._copy))
        copy = self._copies[0].result()
        if copy is None:
            raise StopIteration
        self._copies.popleft()
        self._state = copy.state
        if copy.error is not None:
            raise copy.error
        self._copies.append(self._thread.submit(self._copy))
        return copy.batch if self._finish is None else self._finish(copy.batch)

    def _copy(self) -> _Copy | None:
        """The next batch; None at the end."""
        try:
            tensors = next(self._batches)
            return _Copy(self._convert(tensors), None, self._batches.state_dict())
        except StopIteration:
            return None
        except Exception as error:  # noqa: BLE001 - it is raised after the batches before it
            return _Copy(None, error, self._batches.state_dict())

    def state_dict(self) -> dict[str, Any]:
        """The state after the last batch that was returned."""
        return self._batches.state_dict() if self._state is None else self._state

    def load_state_dict(self, state: dict[str, Any], *, match: FileMatch = "names") -> None:
        """Resumes after the batch of a state, and drops the batches that were made ahead."""
        self._stop()
        self._batches.load_state_dict(state, match=match)

    def close(self) -> None:
        """Stops the iteration and the threads."""
        self._stop()
        self._batches.close()

    def _stop(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.shutdown(cancel_futures=True)
        self._copies.clear()
        self._state = None
