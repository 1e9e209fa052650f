"""The versions of Python, of this package, and of the libraries that it works with."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any, get_args

from arrowfeed import __version__
from arrowfeed._arrowfeed import build_features
from arrowfeed._formats import FORMATS
from arrowfeed.types import Codec

_LIBRARIES = (
    "numpy",
    "pyarrow",
    "pandas",
    "polars",
    "duckdb",
    "datafusion",
    "tensorflow",
    "keras",
    "torch",
    "torchdata",
    "torchrec",
    "jax",
    "grain",
    "tfx",
    "tfx_bsl",
    "tensorflow_transform",
    "tensorflow_data_validation",
    "apache_beam",
    "ray",
    "pyspark",
    "dask",
    "daft",
    "pyiceberg",
    "fsspec",
    "obstore",
    "tqdm",
    "shtab",
)
"""Names of modules."""

AVRO_CODECS = tuple(codec for codec in get_args(Codec) if codec != "zstd")
"""The codecs of Avro files, each with one of its names."""


def installed() -> dict[str, Any]:
    """Returns versions and features as JSON values. No library is imported."""
    return {
        "arrowfeed": __version__,
        "build_features": list(build_features),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform(),
        "formats": [known.name for known in FORMATS],
        "avro_codecs": list(AVRO_CODECS),
        "libraries": _versions(),
    }


def _versions() -> dict[str, str | None]:
    """The version of each library. None: it is not installed."""
    distributions = metadata.packages_distributions()
    return {name: _version(name, distributions.get(name, [])) for name in _LIBRARIES}


def _version(module: str, distributions: list[str]) -> str | None:
    if not distributions:
        return None
    # Several distributions may install files in the directory of a module.
    own = [name for name in distributions if name.lower().replace("-", "_") == module]
    return metadata.version((own or distributions)[0])
