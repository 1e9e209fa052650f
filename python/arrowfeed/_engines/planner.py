"""`SplitPlanner`, which plans the splits of some of the files in any process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._dataset.detected import is_listed, source_options, stored_files
from arrowfeed._engines.splits import SPLIT_BYTES
from arrowfeed._formats import extension_of
from arrowfeed._urls import is_remote, literal, redacted, scheme_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset, Split
    from arrowfeed._engines.splits import SplitSource


def planner_of(source: SplitSource) -> SplitPlanner:
    """Returns the planner of the files of a source. It lists the files, and opens none of them."""
    files = files_of(source.dataset, source.options)
    return SplitPlanner(source.kind, files, source.options)


class SplitPlanner:
    """Plans the splits of some of the files in any process, so that several workers can plan many files.

    Args:
        kind: The dataset class of the format.
        files: All files.
        options: Options of the class, with the inferred columns.
    """

    def __init__(self, kind: Callable[..., Dataset], files: list[Any], options: dict[str, Any]) -> None:
        self._kind = kind
        self._files = files
        self._options = options

    def __len__(self) -> int:
        """Number of files. An HTTP URL, or one that contains a secret, is one file, even if it is a glob."""
        return len(self._files)

    def plan(self, start: int, stop: int, target_bytes: int = SPLIT_BYTES) -> list[Split]:
        """Plans the splits of the files with the numbers from `start` up to `stop`.

        Raises:
            Exception: As in `Dataset.plan_splits`.
        """
        # The options contain the inferred columns, so these files alone have the columns of all files.
        dataset = self._kind(self._files[start:stop], **self._options)
        return dataset.plan_splits(target_bytes=target_bytes)


def files_of(dataset: Dataset, options: dict[str, Any]) -> list[Any]:
    """Lists the files of a dataset with these options."""
    stores = source_options(options)
    # The arguments of a pickled dataset contain the local files by name.
    _, (_, sources, *_) = dataset.__reduce__()
    return [file for one in sources for file in _files_of(one, stores, extension_of(dataset))]


def _files_of(source: Any, stores: dict[str, Any], extension: str) -> list[Any]:
    """Lists the files of a URL. A local file, and a URL that contains a secret, are passed through."""
    url = text_of(source)
    if not is_remote(source, stores.get("store")):
        return [source]
    if redacted(url) != url or scheme_of(url) in ("http", "https"):
        return [source]
    files = stored_files(source, stores, extension)
    return [literal(name) if is_listed(source, files) else source for name, _ in files]
