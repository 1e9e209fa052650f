"""`arrowfeed stats` prints these outputs, and agrees with counts in Python on random files."""

import json
import math
import random
import sys
from collections import Counter

import fastavro
import pytest

import arrowfeed as af
from command_line import lines_on_a_terminal, process
from conftest import BIG_ROWS, run_script, users, write
from random_avro import Generator
from session_seed import seeds

TABLE = """\
files            users.avro
format           avro
codecs           null
rows             100
blocks           1
bytes in blocks  2,499
bytes in Arrow   4,165, 1.67 times those

field      type    count  nulls  NaN  min     max          lengths  distinct  bytes  share
id         int64     100      0       0       99                         100    800  19.2%
name       string    100     20       user 1  user 99  6 / 6.9 / 7        80    965  23.2%
scores     list      100      0                        0 / 1.5 / 3            1,000  24.0%
scores[*]  float     150      0    0  0.0     24.75                      100    600  14.4%
home       struct    100      0                                               1,400  33.6%
home.city  string    100      0       city 0  city 9   6 / 6.0 / 6        10  1,000  24.0%
home.zip   int32     100      0       0       99                         100    400   9.6%

field      most frequent values
scores[*]  0.25 (2), 0.75 (2), 1.25 (2)
home.city  city 0 (10), city 1 (10), city 2 (10)
"""


def test_stats_prints_a_table(arrowfeed, users_file):
    assert arrowfeed("stats", "users.avro") == (0, TABLE, "")


def test_standard_input_gives_the_same(users_file):
    done = process("stats", "-", input=users_file.read_bytes())
    assert done.stdout.decode() == TABLE.replace("users.avro", "standard input")


NESTED = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "user_of_the_session", "type": "string"},
        {
            "name": "device",
            "type": {
                "type": "record",
                "name": "Device",
                "fields": [
                    {"name": "width_of_its_screen", "type": "int"},
                    {"name": "height_of_its_screen", "type": "int"},
                ],
            },
        },
    ],
}

OVERVIEW = """\
files            a.avro
format           avro
codecs           null
rows             20
blocks           1
bytes in blocks  539
bytes in Arrow   660, 1.22 times those

"""

FITTED = {
    80: """\
field                     type    count  nulls  min          max           share
user_of_the_session       string     20      0  user of th…  user of the…  75.8%
device                    struct     20      0                             24.2%
…ice.width_of_its_screen  int32      20      0  1,000        1,000         12.1%
…ce.height_of_its_screen  int32      20      0  2,000        2,000         12.1%
left out to fit the terminal: lengths, distinct, bytes

field                        most frequent values
user_of_the_session          user of the session 0 (7), user of the session 1 (…
device.width_of_its_screen   1,000 (20)
device.height_of_its_screen  2,000 (20)
""",
    120: """\
field                     type    count  nulls  min              max                     lengths  distinct  bytes  share
user_of_the_session       string     20      0  user of the se…  user of the se…  21 / 21.0 / 21         3    500  75.8%
device                    struct     20      0                                                                160  24.2%
…ice.width_of_its_screen  int32      20      0  1,000            1,000                                   1     80  12.1%
…ce.height_of_its_screen  int32      20      0  2,000            2,000                                   1     80  12.1%

field                        most frequent values
user_of_the_session          user of the session 0 (7), user of the session 1 (7), user of the session 2 (6)
device.width_of_its_screen   1,000 (20)
device.height_of_its_screen  2,000 (20)
""",  # noqa: E501
}


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
@pytest.mark.parametrize("columns", FITTED)
def test_the_tables_fit_the_terminal(tmp_path, monkeypatch, columns):
    monkeypatch.chdir(tmp_path)
    screen = {"width_of_its_screen": 1000, "height_of_its_screen": 2000}
    rows = [{"user_of_the_session": f"user of the session {at % 3}", "device": screen} for at in range(20)]
    write(tmp_path / "a.avro", rows, NESTED)
    lines = lines_on_a_terminal(columns, "stats", "a.avro")
    assert lines == (OVERVIEW + FITTED[columns]).splitlines()
    assert max(map(len, lines)) == columns


def field(path, kind, count, nulls, **more):
    rest = dict.fromkeys(("nans", "min", "max", "lengths", "distinct", "top"))
    return {"path": path, "type": kind, "count": count, "nulls": nulls} | rest | more


def test_the_json(arrowfeed, tmp_path):
    schema = {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "x", "type": ["null", "double"]},
            {
                "name": "m",
                "type": {"type": "map", "values": {"type": "enum", "name": "E", "symbols": ["B", "A"]}},
            },
            {"name": "u", "type": ["null", "string", "boolean"]},
        ],
    }
    rows = [
        {"x": math.nan, "m": {"a": "A", "b": "B"}, "u": "y" * 50},
        {"x": None, "m": {}, "u": None},
        {"x": -1.5, "m": {"c": "A"}, "u": True},
    ]
    write(tmp_path / "a.avro", rows, schema)
    ran = arrowfeed("stats", "--json", "a.avro")
    found = json.loads(ran.out)
    fields = found.pop("fields")
    assert (ran.code, ran.err) == (0, "")
    assert found == {
        "files": ["a.avro"],
        "format": "avro",
        "codecs": ["null"],
        "rows": 3,
        "blocks": 1,
        "file_bytes": found["file_bytes"],
        "arrow_bytes": 134,
        "ratio": float(f"{134 / found['file_bytes']:.4g}"),
        "skipped": [],
    }
    few = {"exact": True}
    text = "y" * 39 + "…"
    assert fields == [
        field(
            "x",
            "double",
            3,
            1,
            nans=1,
            min=-1.5,
            max=-1.5,
            distinct={"count": 2, **few},
            bytes=25,
            share=0.1866,
        ),
        field("m", "map", 3, 0, lengths={"min": 0, "mean": 1.0, "max": 2}, bytes=39, share=0.291),
        field(
            "m{keys}",
            "string",
            3,
            0,
            min="a",
            max="c",
            lengths={"min": 1, "mean": 1.0, "max": 1},
            distinct={"count": 3, **few},
            bytes=15,
            share=0.1119,
        ),
        field(
            "m[*]",
            "enum",
            3,
            0,
            min="A",
            max="B",
            distinct={"count": 2, **few},
            top=[{"value": "A", "count": 2}, {"value": "B", "count": 1}],
            bytes=12,
            share=0.08955,
        ),
        field("u", "union", 3, 1, bytes=70, share=0.5224),
        field(
            "u:string",
            "string",
            1,
            0,
            min=text,
            max=text,
            lengths={"min": 50, "mean": 50.0, "max": 50},
            distinct={"count": 1, **few},
            bytes=54,
            share=0.403,
        ),
        field(
            "u:boolean",
            "bool",
            1,
            0,
            min=True,
            max=True,
            distinct={"count": 1, **few},
            bytes=1,
            share=0.007463,
        ),
    ]


def test_distinct_values_are_counted_to_a_limit(arrowfeed, big_file):
    ran = arrowfeed("stats", "--json", "--columns", "id,home", big_file)
    found = json.loads(ran.out)
    counts = {entry["path"]: entry["distinct"] for entry in found["fields"]}
    assert found["rows"] == BIG_ROWS
    assert counts == {
        "id": {"count": 1000, "exact": False},
        "home": None,
        "home.city": {"count": 10, "exact": True},
        "home.zip": {"count": 1000, "exact": True},
    }


def test_threads_and_cuts_change_nothing(arrowfeed, big_file, tmp_path):
    whole = arrowfeed("stats", "--threads", 1, big_file)
    assert arrowfeed("stats", "--threads", 2, big_file) == whole
    assert whole.code == 0


def test_codecs_of_all_files_are_named(arrowfeed, tmp_path):
    for name, codec in (("a", "deflate"), ("b", "null"), ("c", "deflate")):
        write(tmp_path / f"{name}.avro", users(10), codec=codec)
    found = json.loads(arrowfeed("stats", "--json", ".").out)
    assert (found["codecs"], found["rows"], found["files"]) == (["deflate", "null"], 30, ["."])


def test_parts_that_on_error_skips_are_counted(arrowfeed, tmp_path):
    write(tmp_path / "a.avro", users(10))
    (tmp_path / "b.avro").write_bytes(b"PAR1")
    found = arrowfeed("stats", "--json", "--on-error", "skip_file", "a.avro", "b.avro")
    [skipped] = json.loads(found.out)["skipped"]
    assert (found.code, found.err) == (0, f"arrowfeed: skipped: {skipped['error']}\n")
    assert (skipped["path"], json.loads(found.out)["rows"]) == ("b.avro", 10)
    table = arrowfeed("stats", "--on-error", "skip_file", "a.avro", "b.avro").out
    assert "\nskipped          1\n" in table


def test_stats_of_files_without_rows(arrowfeed, tmp_path):
    write(tmp_path / "a.avro", [], {"type": "array", "items": "string"})
    ran = arrowfeed("stats", "a.avro")
    assert ran == (
        0,
        "files            a.avro\nformat           avro\ncodecs           null\nrows             0\n"
        "blocks           0\nbytes in blocks  0\nbytes in Arrow   0\n\n"
        "field     type    count  nulls  NaN  min  max  lengths  distinct  bytes  share\n"
        "value     list        0      0                                        0   0.0%\n"
        "value[*]  string      0      0                                 0      0   0.0%\n",
        "",
    )


class Plain:
    """Counts of values that fastavro read, by path."""

    def __init__(self, named):
        self.named = named
        self.fields = {}

    def add(self, path, schema, value):
        if isinstance(schema, list):
            self.add_union(path, schema, value)
            return
        schema = self.named.get(schema, schema) if isinstance(schema, str) else schema
        kind = schema if isinstance(schema, str) else schema["type"]
        self.fields.setdefault(path, []).append(value)
        if value is None:
            return
        if kind == "record":
            for inner in schema["fields"]:
                self.add(f"{path}.{inner['name']}", inner["type"], value[inner["name"]])
        elif kind == "array":
            for item in value:
                self.add(f"{path}[*]", schema["items"], item)
        elif kind == "map":
            for key, item in value.items():
                self.add(f"{path}{{keys}}", "string", key)
                self.add(f"{path}[*]", schema["values"], item)

    def add_union(self, path, branches, value):
        names = [branch if isinstance(branch, str) else branch["type"] for branch in branches]
        if len(branches) == 2 and "null" in names:
            if value is None:
                self.fields.setdefault(path, []).append(None)
            else:
                self.add(path, branches[1 - names.index("null")], value)
            return
        self.fields.setdefault(path, []).append(None if value is None else branches)
        kinds = {bool: "boolean", int: "long", float: "double", str: "string", bytes: "bytes", list: "array"}
        if value is not None:
            name = kinds.get(type(value), "map")
            self.add(f"{path}:{name}", branches[names.index(name)], value)


@pytest.mark.parametrize("chunk", range(4))
def test_random_files_are_counted_as_by_plain_python(arrowfeed, tmp_path, chunk):
    compared = 0
    for number, seed in enumerate(seeds(chunk * 25, chunk * 25 + 25)):
        generator = Generator(seed)
        schema = generator.root()
        records = [generator.value(schema) for _ in range(number % 30)]
        interval = random.Random(seed).choice([1, 100, 16_000])
        path = write(tmp_path / "a.avro", records, schema, sync_interval=interval)
        plain = Plain(generator.named)
        is_record = isinstance(schema, dict) and schema["type"] == "record"
        with path.open("rb") as file:
            for row in fastavro.reader(file):
                for entry in schema["fields"] if is_record else ():
                    plain.add(entry["name"], entry["type"], row[entry["name"]])
                if not is_record:
                    plain.add("value", schema, row)
        found = json.loads(arrowfeed("stats", "--json", "a.avro").out)
        assert found["rows"] == len(records)
        for entry in found["fields"]:
            compare(entry, plain.fields.pop(entry["path"], []), f"seed {seed}")
            compared += 1
        assert not plain.fields
    assert compared > 50


def compare(entry, values, seed):
    place = (seed, entry["path"])
    present = [value for value in values if value is not None]
    assert (entry["count"], entry["nulls"]) == (len(values), len(values) - len(present)), place
    if entry["lengths"] is not None:
        sizes = [len(value.encode() if isinstance(value, str) else value) for value in present]
        mean = float(f"{sum(sizes) / len(sizes):.4g}")
        assert entry["lengths"] == {"min": min(sizes), "mean": mean, "max": max(sizes)}, place
    numbers = [value for value in present if value == value]  # noqa: PLR0124
    if entry["nans"] is not None:
        assert entry["nans"] == len(present) - len(numbers), place
    if entry["type"] in ("int32", "int64", "bool") and numbers:
        assert (entry["min"], entry["max"]) == (min(numbers), max(numbers)), place
    if entry["type"] in ("int32", "int64", "string", "binary", "enum"):
        assert entry["distinct"] == {"count": len(set(present)), "exact": True}, place
        counts = Counter(present).most_common(10)
        if len(set(present)) in {0, len(present)}:
            assert entry["top"] is None, place
        else:
            assert [found["count"] for found in entry["top"]] == [count for _, count in counts], place
            for found, (value, _) in zip(entry["top"], counts, strict=True):
                text = value.decode("latin-1") if isinstance(value, bytes) else value
                is_cut = isinstance(text, str) and len(text) > 39
                assert is_cut or found["value"] == text, place


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in /proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"id": range(100_000), "text": ["x" * 100] * 100_000})
    small, large = tmp_path / "small.avro", tmp_path / "large.avro"
    af.write_avro(pa.concat_tables([table] * 2), small, codec="null")
    af.write_avro(pa.concat_tables([table] * 40), large, codec="null")
    peaks = []
    for path in (small, large):
        done = run_script(PEAK, path)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout.split()[-2]) // 1024)
    assert large.stat().st_size > 400 << 20
    assert peaks[1] - peaks[0] < 150, (
        f"MiB of {small.stat().st_size} and {large.stat().st_size} bytes: {peaks}"
    )


PEAK = """
    import sys
    from arrowfeed.cli import main

    assert main(["stats", sys.argv[1]]) == 0
    print([line for line in open("/proc/self/status") if line.startswith("VmHWM")][0].removeprefix("VmHWM:"))
"""
