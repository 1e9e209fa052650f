"""The datasets of the benchmarks, one per module. `generate.py` writes their files."""

from datasets.columns import COLUMNS
from datasets.dataset import Dataset
from datasets.growth import GROWTH, SMALL_FILE, SMALL_FOLDER, SMALL_HALVES, small_files
from datasets.linkedin import LINKEDIN
from datasets.nested import NESTED
from datasets.strings import STRINGS
from datasets.wide_flat import WIDE_FLAT

SHAPES: tuple[Dataset, ...] = (LINKEDIN, WIDE_FLAT, NESTED, STRINGS)

__all__ = [
    "COLUMNS",
    "GROWTH",
    "SHAPES",
    "SMALL_FILE",
    "SMALL_FOLDER",
    "SMALL_HALVES",
    "Dataset",
    "small_files",
]
