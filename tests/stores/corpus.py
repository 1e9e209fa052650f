"""Writes the same files to a store and to a local directory, which is the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rows import DATASETS, READERS, SCHEMAS, files_of
from stores import STORES, Store

SIZES = (100, 0, 60, 30)
"""Rows of the files."""
TOTAL = sum(SIZES)


@dataclass(frozen=True)
class Corpus:
    """Files of one format in a store and in a directory."""

    format: str
    store: Store
    directory: Path
    names: tuple[str, ...]

    @property
    def urls(self) -> list[str]:
        """The files in the store."""
        return [self.store.url_of(name) for name in self.names]

    @property
    def paths(self) -> list[str]:
        """The files in the directory."""
        return [str(self.directory / name) for name in self.names]

    @property
    def options(self) -> dict[str, Any]:
        """The options for reading from the store."""
        return {"storage_options": self.store.storage_options}

    def with_options(self, **more: str) -> dict[str, Any]:
        """The corpus with more options."""
        return {"storage_options": {**self.store.storage_options, **more}}

    def remote_reader(self, **options: Any) -> Any:
        """A reader of the store."""
        return READERS[self.format](self.urls, **self.options, **SCHEMAS[self.format], **options)

    def local_reader(self, **options: Any) -> Any:
        """A reader of the directory."""
        return READERS[self.format](self.paths, **SCHEMAS[self.format], **options)

    def remote(self, **options: Any) -> Any:
        """A dataset of the store."""
        return DATASETS[self.format](self.urls, **{**self.options, **SCHEMAS[self.format], **options})

    def local(self, **options: Any) -> Any:
        """A dataset of the directory."""
        return DATASETS[self.format](self.paths, **{**SCHEMAS[self.format], **options})

    def as_local(self, value: Any) -> Any:
        """A value, such as a report, with the local names of the files in place of their URLs."""
        if isinstance(value, str):
            return value.replace(self.store.url, str(self.directory))
        if isinstance(value, dict):
            return {key: self.as_local(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.as_local(each) for each in value]
        return value


def put_all(store: Store, files: dict[str, bytes]) -> list[str]:
    """Put objects into a store. Returns their URLs."""
    for name, body in files.items():
        store.put(name, body)
    return [store.url_of(name) for name in files]


def make_corpus(format: str, store: Store, directory: Path, files: dict[str, bytes]) -> Corpus:
    """Write the files to both places."""
    put_all(store, files)
    for name, body in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return Corpus(format, store, directory, tuple(files))


class Corpora:
    """The corpora of a test module. Each is made on first use."""

    def __init__(self, request: pytest.FixtureRequest, directories: pytest.TempPathFactory) -> None:
        self.request = request
        self.directories = directories
        self.made: dict[tuple[str, str], Corpus] = {}

    def __call__(self, kind: str, format: str, sizes: Sequence[int] = SIZES) -> Corpus:
        """The corpus of a kind of store and a format."""
        if (kind, format) not in self.made:
            server = self.request.getfixturevalue(f"{kind.partition('-')[0]}_server")
            prefix = f"{Path(str(self.request.fspath)).stem.replace('_', '-')}-{format}"
            store = STORES[kind](server, prefix)
            directory = self.directories.mktemp(f"{kind}-{format}")
            self.made[kind, format] = make_corpus(format, store, directory, files_of(format, sizes))
        return self.made[kind, format]


ProxyOf = Callable[..., Any]
