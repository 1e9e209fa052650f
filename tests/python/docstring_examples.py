"""The examples in docstrings, and the files and names that they take as given."""

from __future__ import annotations

import ast
import doctest
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "arrowfeed"


PLACES = {
    "drop-ins": ("beam/", "tfio/", "tfxio/"),
    "engines": ("_stubs/iceberg.pyi", "daft.py", "dask.py", "datafusion.py", "iceberg.py", "spark/"),
    "ray": ("ray.py",),
    "tfx": ("tfx/",),
    "torchrec": ("torch.py:keyed_jagged",),
    "frameworks": (
        "_frameworks/",
        "_stubs/dataset.pyi:Dataset.report",
        "_stubs/dataset.pyi:Dataset.samples",
        "_stubs/dataset.pyi:Dataset.stats",
        "_stubs/dataset.pyi:Dataset.to_",
        "_stubs/representation.pyi:representations_from_tfmd",
        "_tensorflow/",
        "jax.py",
        "tensorflow.py",
        "torch.py",
    ),
}
"""Prefixes of the examples that need more libraries than `tests/python` has, by the tests that run them.

An example belongs to the first place that has a prefix of it, or to `python`.
"""


class Examples(NamedTuple):
    """The examples of a docstring."""

    module: str
    """Path of the file in the package."""
    name: str
    """Name of the function, class or method."""
    examples: list[doctest.Example]

    @property
    def id(self) -> str:
        """Identifies the docstring."""
        return f"{self.module}:{self.name}"

    @property
    def place(self) -> str:
        """The tests that run the examples."""
        return next((place for place, starts in PLACES.items() if self.id.startswith(starts)), "python")


def examples_of(place: str) -> list[Examples]:
    """The examples that the tests of a place run."""
    found = [one for one in all_examples() if one.place == place]
    assert found, place
    return found


def all_examples() -> list[Examples]:
    """The examples of all docstrings of the package, in the order of its files."""
    found = []
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]):
        module = path.relative_to(PACKAGE).as_posix()
        for name, text in _docstrings(ast.parse(path.read_text("utf-8")), ""):
            examples = doctest.DocTestParser().get_examples(text, f"{module}:{name}")
            if examples:
                found.append(Examples(module, name, examples))
    return found


def _docstrings(node: ast.AST, prefix: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            text = ast.get_docstring(child)
            if text:
                yield name, text
            yield from _docstrings(child, f"{name}.")


def failures(examples: Examples, names: dict[str, Any], *, compares: bool) -> str:
    """Runs examples, and returns a report of those that fail; empty if all pass.

    Args:
        examples: The examples.
        names: The names that they take as given. The names that they define are added.
        compares: Whether to compare outputs with the docstring. False: only exceptions are failures.
    """
    runner = doctest.DocTestRunner(
        checker=None if compares else _AnyOutput(),
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE,
        verbose=False,
    )
    report: list[str] = []
    test = doctest.DocTest(examples.examples, names, examples.id, None, None, None)
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    return "".join(report)


class _AnyOutput(doctest.OutputChecker):
    """Accepts every output. An exception is still a failure."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return True


def write_files(folder: Path) -> None:
    """Writes the files that the examples read: 10,000 rows of `id` and `name`, and rows of more columns."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    import arrowfeed as af  # noqa: PLC0415

    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("name", pa.string())])
    names = [["Ada", None, "Emmy", "Mary"][number % 4] for number in range(10_000)]
    rows = pa.table({"id": range(1, 10_001), "name": names}, schema)
    af.write_avro(rows, folder / "part-0.avro", codec="zstandard")
    details = [
        {
            "id": number,
            "age": 18 + number % 80,
            "label": number % 2,
            "text": f"text {number}",
            "scores": [0.5, 1.5][: number % 3],
            "tags": ["a", "b"][: number % 3],
            "user": {"scores": [number / 2], "age": number % 80},
        }
        for number in range(2000)
    ]
    table = pa.Table.from_pylist(details)
    af.write_avro(table, folder / "users.avro")
    pq.write_table(table, folder / "part-0.parquet")
    with pa.OSFile(str(folder / "data-0.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    lines = "".join(json.dumps(row) + "\n" for row in details)
    (folder / "part-0.jsonl").write_text(lines)
