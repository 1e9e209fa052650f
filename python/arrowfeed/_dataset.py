"""What datasets need of Python."""

from __future__ import annotations

import io
from typing import Any

from arrowfeed._arrowfeed import AvroDataset


class KeptFile(io.BytesIO):
    """What was read of a file object, under its name: in messages, in fingerprints and in states."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def restored(source: Any, options: dict[str, Any], names: list[str] | None) -> AvroDataset:
    """The dataset that was pickled.

    Args:
        source: Its files.
        options: What it was made with.
        names: The tensors that it was projected to; None: it was not.
    """
    dataset = AvroDataset(source, **options)
    return dataset if names is None else dataset.project(names)
