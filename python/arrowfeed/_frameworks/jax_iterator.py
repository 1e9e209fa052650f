"""`Dataset.to_jax`."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, cast

from arrowfeed._dataset import tensors_of
from arrowfeed._frameworks import (
    apply_functions,
    check_names,
    checked_function,
    names_of,
    of_tensors,
    warn_of_texts,
)
from arrowfeed._frameworks.copied_ahead import Converted, CopiedAhead, check_copies_ahead
from arrowfeed._frameworks.jax_devices import placement
from arrowfeed._frameworks.labels import labels_of
from arrowfeed.jax import Converter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from arrowfeed._arrowfeed import Dataset, LoaderStats
    from arrowfeed.types import FileMatch, Report


class JaxIterator:
    """An iterator over dicts of JAX arrays, or over tuples with labels. See `Dataset.to_jax`."""

    def __init__(
        self,
        dataset: Dataset,
        *,
        ragged: Any = "parts",
        device: Any = None,
        sharding: Any = None,
        copies_ahead: int = 2,
        label: str | Sequence[str] | None = None,
        weight: str | None = None,
        **options: Any,
    ) -> None:
        self._labels = labels_of(dataset.specs, label, weight)
        convert = Converter(ragged, names_of(dataset.specs))
        warn_of_texts("to_jax", "JAX", dataset.specs, 1)
        self._names = list(dataset.specs)
        self._functions: tuple[Callable[[Any], Any], ...] = ()
        place = None
        if device is not None or sharding is not None:
            if isinstance(sharding, dict):
                check_names("sharding", cast("dict[str, Any]", sharding), dataset.specs)
            place = placement(device, sharding)
        check_copies_ahead(copies_ahead)
        self._batches = tensors_of(dataset, options)
        self._converted: Converted[dict[str, Any]] = (
            Converted(self._batches, convert)
            if place is None
            else CopiedAhead(self._batches, lambda tensors: place(convert(tensors)), copies_ahead)
        )

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        batch = next(self._converted)
        element = batch if self._labels is None else self._labels(batch)
        return apply_functions(self._functions, element)

    def map(self, function: Callable[[Any], Any]) -> JaxIterator:
        """Returns an iterator over the results of a function of each element. Both have one position.

        The thread that iterates calls the function. `Dataset.map` is for functions of record batches.

        Args:
            function: A function of an element: a dict of arrays, or a tuple with labels.

        Raises:
            TypeError: `function` is not callable.

        Example:
            >>> batches = dataset.to_jax(batch_size=1024).map(lambda row: row["x"] / 255)
        """
        mapped = copy.copy(self)
        mapped._functions = (*self._functions, checked_function(function))  # noqa: SLF001 - its own class
        return mapped

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
        return self._converted.state_dict()

    def load_state_dict(self, state: dict[str, Any], *, match: FileMatch = "names") -> None:
        """Resumes after the batch of a checkpoint.

        Args:
            state: The result of `state_dict`.
            match: How files are compared, as in `BatchIterator.load_state_dict`.

        Raises:
            ChangedError, ValueError, TypeError: As in `BatchIterator.load_state_dict`.
        """
        self._converted.load_state_dict(state, match=match)

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
        self._converted.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
