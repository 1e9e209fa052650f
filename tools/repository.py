"""The files of the repository, without built and installed files."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = {"target", "data", "site", "node_modules", "__pycache__"}


def files(suffix: str) -> list[Path]:
    """All files with this suffix, sorted."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in BUILT and not name.startswith(".")]
        found += [Path(folder, name) for name in names if name.endswith(suffix)]
    return sorted(found)
