"""The options of an iteration in the stub of `Dataset` and in `arrowfeed.types`, from one table."""

import re
import textwrap
from pathlib import Path
from typing import Any

import tomllib

from repository import ROOT

PACKAGE = ROOT / "python" / "arrowfeed"
TABLE = PACKAGE / "_stubs" / "iteration_options.toml"
STUB = PACKAGE / "_stubs" / "dataset.pyi"
TYPES = PACKAGE / "types.py"

METHODS = ("num_batches", "record_batches", "tensors", "to_tf", "to_torch", "to_jax")
WIDTH = 110


def filled() -> dict[Path, str]:
    """The texts of the files with the options of the table."""
    options = tomllib.loads(TABLE.read_text("utf-8"))
    return {STUB: filled_stub(options), TYPES: filled_types(options)}


def filled_stub(options: dict[str, Any]) -> str:
    """The stub with the options in the signature and in `Args` of each method."""
    stub = STUB.read_text("utf-8")
    names = "|".join(options)
    for method in METHODS:
        start = stub.index(f"    def {method}(")
        end = stub.index("\n        Raises:", start)
        # Other parameters of a method follow the options.
        signature = rf"( +\*,\n)(?:        .*\n)*        (?:{names}): .*\n"
        entries = rf"( +Args:\n)(?:            .*\n)*            (?:{names}): .*\n(?: {{16}}.*\n)*"
        text = replaced(signature, parameters(options, method), stub[start:end])
        text = replaced(entries, documents(options, method), text)
        stub = stub[:start] + text + stub[end:]
    return stub


def filled_types(options: dict[str, Any]) -> str:
    """`arrowfeed.types` with the options in its last class, `IterationOptions`."""
    fields = []
    for name, option in options.items():
        # The document of `tensors` refers to no other method.
        text = textwrap.fill(f'"""{option.get("tensors", option["text"])}"""', WIDTH - 4)
        fields.append(f"{name}: {option.get('field', option['type'])}\n{text}\n")
    heading = r'(class IterationOptions\(TypedDict, total=False\):\n    """.*"""\n\n)[\s\S]*'
    return replaced(heading, textwrap.indent("".join(fields), "    "), TYPES.read_text("utf-8"))


def replaced(pattern: str, options: str, text: str) -> str:
    """The text with the options after the first group of the pattern.

    Raises:
        ValueError: The text does not have the pattern.
    """
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"expected options of an iteration, found none in: {text[:60]}")
    return text[: found.end(1)] + options + text[found.end() :]


def parameters(options: dict[str, Any], method: str) -> str:
    """The parameters of a signature. A method may have another type and default than the others."""
    lines = []
    for name, common in options.items():
        option = {**common, **common.get("in", {}).get(method, {})}
        default = f" = {option['default']}" if "default" in option else ""
        lines.append(f"        {name}: {option['type']}{default},\n")
    return "".join(lines)


def documents(options: dict[str, Any], method: str) -> str:
    """The entries of `Args`."""
    texts = (f"{name}: {option.get(method, option['text'])}" for name, option in options.items())
    indents = {"initial_indent": " " * 12, "subsequent_indent": " " * 16}
    wrapped = (textwrap.fill(text, WIDTH, break_on_hyphens=False, **indents) for text in texts)
    return "".join(f"{text}\n" for text in wrapped)
