"""Fixtures: the files that all tests read, and one Spark session, because its start is slow."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import clusters
import pytest
import rows

import arrowfeed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# A proxy of the environment must not see requests to 127.0.0.1.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of Avro files: one large file and several small ones."""
    return rows.write(tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="session")
def expected(files: Path) -> rows.Checksum:
    """The checksum of all rows, as this process reads them."""
    found = rows.total(rows.checksum(batch.to_pyarrow()) for batch in arrowfeed.read_avro(files))
    assert found.rows == rows.ROWS
    return found


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session on a cluster of two executors."""
    with clusters.spark_session(tmp_path_factory.mktemp("warehouse")) as session:
        yield session
