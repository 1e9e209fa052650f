"""Figures of an iteration: `LoaderStats`."""

from typing import final

from arrowfeed.types import LoaderFigures

@final
class LoaderStats:
    """The figures of an iteration at one moment: where its time went, and how long its caller waited.

    `stats()` of an iterator, of a reader or of a dataset returns it. `print` shows it as a table, and a
    notebook as tables in HTML. A later call of `stats()` returns new figures.

    Example:
        >>> batches = dataset.tensors(batch_size=1024)
        >>> for tensors in batches:
        ...     train(tensors)
        >>> print(batches.stats().verdict)
        the loader is the bottleneck: 71 % of its time is zstandard; add threads or use snappy
    """

    @property
    def verdict(self) -> str:
        """A sentence that names the bottleneck, the loader or its consumer, and what would help."""

    @property
    def wait_share(self) -> float:
        """The share of the time since the first batch in which the caller waited for batches, from 0 to 1."""

    @property
    def rows_per_second(self) -> float:
        """Rows of the returned batches per second."""

    @property
    def bytes_per_second(self) -> float:
        """Bytes of the decoded blocks, as they are in the files, per second."""

    def to_dict(self) -> LoaderFigures:
        """Returns all figures as numbers, strings, lists and dicts, which can be saved as JSON.

        Example:
            >>> wandb.log({"loader": batches.stats().to_dict()})
        """
