"""The examples of the pages on Dask, Daft, query engines and Iceberg run unchanged."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS, EXAMPLES = ROOT / "docs", str(ROOT / "examples" / "python")
sys.path.insert(0, EXAMPLES)
import people  # noqa: E402

sys.path.remove(EXAMPLES)


@pytest.mark.parametrize(
    ("page", "count"), [("dask-and-daft.md", 4), ("query-engines.md", 3), ("iceberg.md", 3)]
)
def test_the_code_of_a_page_runs(
    page: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("dask", "daft", "duckdb", "datafusion", "polars", "distributed", "pyiceberg"):
        pytest.importorskip(name)
    (tmp_path / "data").mkdir()
    people.write(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == count
    # DuckDB looks for variables of the caller, which a block has as names of its module.
    names: dict[str, Any] = {}
    for number, block in enumerate(blocks):
        if page != "iceberg.md" or not names:
            names = {"__name__": "__main__"}
        exec(compile(block, f"{page}, block {number}", "exec"), names)
        assert capsys.readouterr().out
