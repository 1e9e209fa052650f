"""Datasets as JAX has them: `Dataset.to_jax`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._frameworks import framework
from arrowfeed.jax import to_jax

if TYPE_CHECKING:
    from typing_extensions import Self

    from arrowfeed._arrowfeed import Dataset
    from arrowfeed.types import Report


class JaxIterator:
    """Dicts of what `arrowfeed.jax.to_jax` makes of a dataset's tensors. See `Dataset.to_jax`."""

    def __init__(self, dataset: Dataset, **options: Any) -> None:
        framework("jax")
        self._batches = dataset.tensors(**options)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> dict[str, Any]:
        return to_jax(next(self._batches))

    def state_dict(self) -> dict[str, Any]:
        """Where the iteration stands after the last batch that was given. JSON can hold it."""
        return self._batches.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on after the batch that a state is of.

        Raises:
            ValueError: The state is of other files or options.
        """
        self._batches.load_state_dict(state)

    def report(self) -> Report:
        """What has been read and what was left out so far, as of `BatchIterator`."""
        return self._batches.report()

    def close(self) -> None:
        """Ends the iteration, and the threads that decode ahead."""
        self._batches.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
