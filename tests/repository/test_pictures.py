"""The texts of the drawings stay inside their boxes and the picture."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "images"
SVG = "{http://www.w3.org/2000/svg}"

# Width of a character relative to the size of the font, in DejaVu Sans, one of the widest fonts of systems.
WIDTH = 0.53


def text_boxes(root):
    """Each text with its left and right end, and the point that its position gives."""
    # A later style of a class is for dark pages, and has only colours.
    styles = dict(reversed(re.findall(r"\.(\w+) \{([^}]*)\}", root.find(f"{SVG}style").text)))
    anchors = {text: group for group in root.iter(f"{SVG}g") for text in group.iter(f"{SVG}text")}
    for text in root.iter(f"{SVG}text"):
        found = re.search(r"(\d+)px", styles.get(text.get("class"), ""))
        size = float(found[1] if found else root.get("font-size"))
        width, x = WIDTH * size * len(text.text), float(text.get("x"))
        anchor = text.get("text-anchor") or anchors.get(text, text).get("text-anchor", "start")
        left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
        yield text.text, left, left + width, (x, float(text.get("y")) - size / 3)


def leaving(root):
    """The texts that exceed the picture or their box."""
    _, _, width, _ = map(float, root.get("viewBox").split())
    names = ("x", "y", "width", "height")
    boxes = [[float(box.get(name)) for name in names] for box in root.iter(f"{SVG}rect")]
    for text, left, right, (x, y) in text_boxes(root):
        around = [(0, width)]
        around += [(at, at + w) for at, top, w, h in boxes if at <= x <= at + w and top <= y <= top + h]
        if any(left < first or right > last for first, last in around):
            yield text


@pytest.mark.parametrize("name", ["batches", "flow", "layouts", "shuffle"])
def test_texts_stay_inside(name):
    root = ET.fromstring((PICTURES / f"{name}.svg").read_text("utf-8"))
    assert len(list(text_boxes(root))) > 15
    assert list(leaving(root)) == []
