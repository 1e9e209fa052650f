"""The content of a data folder: rows and bytes of every file, and the version of the generator."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

VERSION = 1
"""Increases with every change of the data. Files of an older version are generated again."""


@dataclass(frozen=True)
class Entry:
    """The files of one dataset; `bytes` maps their names to their sizes."""

    version: int
    rows: int
    bytes: dict[str, int]


class Manifest:
    """`manifest.json` of a data folder. It lists a file only after the file is complete."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / "manifest.json"
        self._entries: dict[str, Entry] = {}
        if self._path.exists():
            entries = json.loads(self._path.read_text())
            self._entries = {name: Entry(**entry) for name, entry in entries.items()}

    def holds(self, name: str, rows: int) -> bool:
        """Whether the files of a dataset exist in this version and with this number of rows."""
        entry = self._entries.get(name)
        if entry is None or (entry.version, entry.rows) != (VERSION, rows):
            return False
        return all(_size(self.folder / file) == size for file, size in entry.bytes.items())

    def add(self, name: str, rows: int, files: list[str]) -> None:
        """Adds the complete files of a dataset."""
        sizes = {file: (self.folder / file).stat().st_size for file in files}
        self._entries[name] = Entry(VERSION, rows, sizes)
        entries = {name: asdict(entry) for name, entry in self._entries.items()}
        draft = self._path.with_suffix(".part")
        draft.write_text(json.dumps(entries, indent=1) + "\n")
        draft.replace(self._path)


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.exists() else None
