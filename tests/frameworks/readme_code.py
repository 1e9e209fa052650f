"""Runs the Python code of the README: the first examples, and those of one framework."""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
EXAMPLES = str(README.parent / "examples" / "python")
sys.path.insert(0, EXAMPLES)
import people  # noqa: E402, F401 - for the tests of pages

sys.path.remove(EXAMPLES)


def run(framework, folder, monkeypatch):
    """Runs the code under "Quick start", "NumPy" and the framework in a folder, and returns its names."""
    monkeypatch.chdir(folder)
    text, names = README.read_text(), {}
    for heading in ("Quick start", "NumPy", framework):
        start = re.search(rf"^##+ {heading}$", text, re.MULTILINE).end()
        section = re.split(r"^##+ ", text[start:], maxsplit=1, flags=re.MULTILINE)[0]
        [block] = re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
        exec(compile(block, f"README, {heading}", "exec"), names)
    return names
