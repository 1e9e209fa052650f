"""The Python examples as programs for type checkers: those of the README, of the pages, and of `examples`."""

import ast
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = str(ROOT / "examples" / "python")
sys.path.insert(0, EXAMPLES)
import people  # noqa: E402, F401 - for the tests of pages

sys.path.remove(EXAMPLES)

BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)

# Definitions of the names that a page takes as given.
GIVEN = {
    "from-tensorflow-io.md": 'paths, schema = ["rows.avro"], "{}"\n',
    "from-tfx-bsl.md": """
from typing import Any

def preprocessing_fn(inputs: dict[str, Any]) -> dict[str, Any]:
    return inputs

def given() -> Any: ...

schema, arrow_schema, tensor_representations, record_batch = given(), given(), given(), given()
model, eval_config = given(), given()
""",
    "sequences.md": 'path = "sequences.avro"\n',
    "stores.md": """
from typing import Any

import pyarrow as pa

def train(tensors: dict[str, Any]) -> None: ...

table = pa.table({"id": [1]})
""",
    "training.md": 'paths, checkpoint = ["rows.avro"], "checkpoint"\n',
}

# The packages whose types are checked. Those of others are Any, whether or not they are installed.
TYPED = {"arrowfeed", "numpy", *sys.stdlib_module_names}


def programs() -> dict[str, str]:
    """The text of each program by the name of its module."""
    readme = _sections((ROOT / "README.md").read_text("utf-8"))
    first = readme["Quick start"] + readme["NumPy"]
    found = {f"readme_{name.lower()}": first + readme[name] for name in ("TensorFlow", "PyTorch", "JAX")}
    for page in sorted(DOCS.glob("*.md")):
        blocks = BLOCK.findall(page.read_text("utf-8"))
        if page.name == "cookbook.md":
            # Each recipe is a program.
            found |= {f"page_cookbook_{number}": block for number, block in enumerate(blocks)}
        elif blocks:
            # A page has the name of the package that it describes, such as tfx.
            found[f"page_{page.stem.replace('-', '_')}"] = GIVEN.get(page.name, "") + "\n".join(blocks)
    for notebook in sorted(ROOT.glob("examples/notebooks/*.ipynb")):
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        found[notebook.stem] = "\n\n".join(code) + "\n"
    for file in sorted(ROOT.glob("examples/python/**/*.py")):
        found[file.stem] = file.read_text("utf-8")
    return found


def _sections(page: str) -> dict[str, str]:
    """The code of a page by the heading that it is under."""
    parts = re.split(r"^##+ (.*)$", page, flags=re.MULTILINE)
    return {
        heading: "\n".join(BLOCK.findall(text))
        for heading, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def write(folder: Path) -> list[Path]:
    """Writes the programs into `folder`, and stubs of the packages that they import into `folder/stubs`."""
    texts = programs()
    paths = [folder / f"{name}.py" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, "utf-8")
    for module in sorted(set().union(*map(_imported, texts.values()))):
        package, _, _ = module.partition(".")
        if package not in TYPED and package not in texts:
            _write_stub(folder / "stubs", module)
    return paths


def _imported(text: str) -> set[str]:
    """The modules that a program imports."""
    nodes = list(ast.walk(ast.parse(text)))
    names = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return names | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


def _write_stub(stubs: Path, module: str) -> None:
    """Writes a stub in which each name of a module is Any, and the same for the packages around it."""
    folder = stubs
    for part in module.split("."):
        folder = folder / part
        folder.mkdir(parents=True, exist_ok=True)
        text = "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n"
        (folder / "__init__.pyi").write_text(text, "utf-8")
