"""`arrowfeed stats --html` writes a well-formed page without scripts and without other files."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from arrowfeed._statistics.distribution import BINS, Histogram, Lengths
from conftest import users, write
from session_seed import seeds


def page(path):
    text = path.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>\n")
    document = text.removeprefix("<!DOCTYPE html>\n").replace('<meta charset="utf-8">', "")
    return text, ET.fromstring(document)


def test_the_page_has_the_table_and_its_plots(arrowfeed, users_file, tmp_path):
    assert arrowfeed("stats", "--html", "out.html", "users.avro") == (0, "", "")
    text, root = page(tmp_path / "out.html")
    facts, fields = root.iter("table")
    assert ["".join(row.itertext()) for row in facts][:3] == ["filesusers.avro", "formatavro", "codecsnull"]
    rows = [[cell.text or "" for cell in row] for row in fields]
    plots = ["share of bytes", "share of nulls", "spread of lengths", "spread of values"]
    assert rows[0][:7] == ["field", "type", *plots, "count"]
    assert rows[2][:2] == ["name", "string"]
    assert rows[2][6:14] == [
        "100",
        "20",
        "",
        "user 1",
        "user 99",
        "6 / 6.9 / 7",
        "80",
        "965",
    ]
    bars = [[rect.find("title").text for rect in cell.iter("rect")] for cell in list(fields[1])[2:6]]
    assert bars[:3] == [["19.2%"], ["0.0%"], []]
    assert bars[3][0] == "0 to 2: 3"
    assert sum(int(bar.split(": ")[1]) for bar in bars[3]) == 100
    lengths = [rect.find("title").text for rect in list(fields[3])[4].iter("rect")]
    assert lengths == ["0: 25", "1: 25", "2 to 3: 50"]
    assert (rows[0][-1], rows[6][-1]) == ("most frequent values", "city 0 (10), city 1 (10), city 2 (10)")
    assert "@media (prefers-color-scheme: dark)" in text
    for outside in ("http", "<script", "<img", "<link", "@import", "url("):
        assert outside not in text


@pytest.fixture
def style(arrowfeed, users_file, tmp_path):
    """The style sheet: its rules for all pages, and those of its dark mode."""
    assert arrowfeed("stats", "--html", "out.html", "users.avro").code == 0
    _, root = page(tmp_path / "out.html")
    rules, dark = root.find("head/style").text.split("@media (prefers-color-scheme: dark) {\n")
    return rules, dark


def test_the_wide_table_scrolls_inside_the_page(style, tmp_path):
    _, root = page(tmp_path / "out.html")
    _, fields = root.iter("table")
    [frame] = root.findall("body/div")
    # An element with a tabindex can have the focus, and then keys scroll it.
    assert (frame.attrib, list(frame)) == ({"class": "fields", "tabindex": "0"}, [fields])
    [rule] = re.findall(r"^\.fields \{(.*)\}$", style[0], re.MULTILINE)
    properties = dict(re.findall(r"([a-z-]+): ([^;]+);", rule))
    assert (properties["overflow"], properties["max-width"]) == ("auto", "100%")
    # Long texts have several lines, so they do not make the table wider.
    [rule] = re.findall(r"^\.fields :is\(th, td\) \{(.*)\}$", style[0], re.MULTILINE)
    assert dict(re.findall(r"([a-z-]+): ([^;]+);", rule))["max-width"] == "14em"
    assert re.findall(r"^(.*) \{.*white-space: nowrap", style[0], re.MULTILINE) == [
        ".fields :is(td:first-child, .number)"
    ]


COLOR = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|color)\(|\b(?:black|white|gr[ae]y)\b(?!-)")


def test_dark_mode_sets_every_color(style, tmp_path):
    rules, dark = style
    variables, others = re.search(r"^:root \{(.*)\}$((?s:.*))", rules, re.MULTILINE).groups()
    named = re.findall(r"--([a-z]+): (\S+);", variables)
    assert [name for name, _ in named] == ["text", "page", "line", "plot", "bar"]
    assert all(COLOR.fullmatch(color) for _, color in named)
    assert COLOR.findall(others) == []
    assert set(re.findall(r"var\(--([a-z]+)\)", others)) == {name for name, _ in named}
    [set_again] = re.findall(r"^  :root \{(.*)\}$", dark, re.MULTILINE)
    colors = dict(re.findall(r"--([a-z]+): (\S+);", set_again))
    assert colors.keys() == dict(named).keys()
    assert not set(colors.values()) & set(dict(named).values())
    _, root = page(tmp_path / "out.html")
    assert not {"style", "fill", "stroke"} & {name for element in root.iter() for name in element.attrib}


def test_texts_of_the_file_are_escaped(arrowfeed, tmp_path):
    text = "<script>alert('&')</script>\x1b[31m"
    write(tmp_path / "<b>.avro", [text], "string")
    assert arrowfeed("stats", "--html", "out.html", "<b>.avro").code == 0
    content, root = page(tmp_path / "out.html")
    assert "<script" not in content
    assert "<b>" not in content
    assert "\x1b" not in content
    assert any(cell.text == "<script>alert('&')</script>\\u001b[31m" for cell in root.iter("td"))


def test_a_page_is_not_replaced_unless_asked(arrowfeed, users_file, tmp_path):
    (tmp_path / "out.html").write_text("mine")
    ran = arrowfeed("stats", "--html", "out.html", "users.avro")
    assert ran == (
        2,
        "",
        "arrowfeed: out.html: expected no file of this name, found one: --force replaces it\n",
    )
    assert (tmp_path / "out.html").read_text() == "mine"
    assert arrowfeed("stats", "--html", "out.html", "--force", "--json", "users.avro").out.startswith("{\n")
    assert (tmp_path / "out.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_page_of_a_broken_file_is_not_there(arrowfeed, users_file, tmp_path):
    users_file.write_bytes(users_file.read_bytes()[:-1])
    assert arrowfeed("stats", "--html", "out.html", "users.avro").code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["users.avro"]


def test_a_page_of_a_file_without_rows(arrowfeed, tmp_path):
    write(tmp_path / "a.avro", users(0))
    assert arrowfeed("stats", "--html", "out.html", "a.avro").code == 0
    _, root = page(tmp_path / "out.html")
    assert len(list(root.iter("tr"))) == 7 + 1 + 7


@pytest.mark.parametrize("whole", [True, False])
def test_histograms_are_exact_in_any_order(whole):
    compared = 0
    for seed in seeds(0, 200):
        random = np.random.default_rng(seed)
        scale = 10.0 ** random.integers(0 if whole else -300, 15 if whole else 300)
        values = random.normal(random.normal() * 5, 1, random.integers(1, 500)) * scale
        values = np.rint(values) if whole else values
        pieces = np.array_split(values, random.integers(1, 10))
        one, other = Histogram(whole=whole), Histogram(whole=whole)
        for piece in pieces:
            one.add(piece)
        for piece in reversed(pieces):
            other.add(piece[::-1])
        bins = one.bins()
        assert other.bins() == bins, seed
        assert sum(count for _, count, _ in bins) == len(values)
        assert bins[0][1] > 0 < bins[-1][1]
        assert len(bins) <= BINS
        compared += len(bins)
    assert compared > 200


@pytest.mark.parametrize("numbers", [2, 31, 33, 63, 100, 1000, 1100, 10_000, 1_000_000])
@pytest.mark.parametrize("first", [0, -500, 12_345])
def test_uniform_numbers_have_bars_of_the_same_height(numbers, first):
    integers = np.arange(first, first + numbers, dtype=np.float64)
    for whole in (True, False):
        histogram = Histogram(whole=whole)
        histogram.add(integers if whole else integers / 7)
        bins = histogram.bins()
        assert sum(count for _, count, _ in bins) == numbers
        if whole:
            assert len(bins) == min(numbers, BINS)
        if whole or numbers >= 1000:
            heights = [count / width for _, count, width in bins]
            # Only the first and the last of the narrower bins may be filled in part.
            assert min(heights) > 0.9 * max(heights)


def test_histograms_take_extreme_numbers():
    histogram = Histogram(whole=False)
    histogram.add(np.array([5e-324, 0.0, np.inf, -np.inf, np.nan]))
    histogram.add(np.array([1.7e308, -1.7e308]))
    counts = [count for _, count, _ in histogram.bins() if count]
    assert counts == [1, 2, 1]
    histogram = Histogram(whole=True)
    histogram.add(np.array([-(2.0**63), 2.0**63]))
    assert sum(count for _, count, _ in histogram.bins()) == 2


def test_lengths_go_into_powers_of_two():
    lengths = Lengths()
    lengths.add(np.array([0, 1, 2, 3, 4, 7, 8], np.int32))
    lengths.add(np.array([1_000], np.int32))
    assert (lengths.least, lengths.mean, lengths.most) == (0, 128.125, 1000)
    filled = [entry for entry in lengths.bins() if entry[1]]
    assert filled == [("0", 1), ("1", 1), ("2 to 3", 2), ("4 to 7", 2), ("8 to 15", 1), ("512 to 1,023", 1)]
