"""`Dataset.to_jax`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._frameworks import names_of, of_tensors
from arrowfeed.jax import Converter

if TYPE_CHECKING:
    from typing_extensions import Self

    from arrowfeed._arrowfeed import Dataset, LoaderStats
    from arrowfeed.types import Report


class JaxIterator:
    """An iterator over dicts of JAX arrays. See `Dataset.to_jax`."""

    def __init__(self, dataset: Dataset, *, ragged: Any = "parts", **options: Any) -> None:
        self._convert = Converter(ragged, names_of(dataset.specs))
        self._names = list(dataset.specs)
        self._batches = dataset.tensors(**options)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> dict[str, Any]:
        return self._convert(next(self._batches))

    def __len__(self) -> int:
        """Returns the number of batches of the whole iteration, as `len` of a `BatchIterator`.

        Raises:
            TypeError: The number is unknown, or the iteration is endless.
        """
        return len(self._batches)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return of_tensors("JaxIterator", self._names)

    def state_dict(self) -> dict[str, Any]:
        """Returns a checkpoint of the iteration after the last returned batch, which can be saved as JSON."""
        return self._batches.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resumes after the batch of a checkpoint.

        Args:
            state: The result of `state_dict`.

        Raises:
            ChangedError, ValueError, TypeError: As in `BatchIterator.load_state_dict`.
        """
        self._batches.load_state_dict(state)

    def report(self) -> Report:
        """Returns the counts of rows, blocks and bytes read so far, and the skipped parts, as in
        `BatchIterator`.
        """
        return self._batches.report()

    def stats(self) -> LoaderStats:
        """Returns the figures of the iteration, as in `BatchIterator`."""
        return self._batches.stats()

    def close(self) -> None:
        """Stops the iteration and its worker threads."""
        self._batches.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
