"""No command prints control characters of files, arguments or errors to a terminal."""

import io
import json
import random
import sys
import unicodedata

import fastavro
import pytest

from arrowfeed._rendering.text import json_text, printable, printable_lines
from command_line import process
from session_seed import SEED, cases

CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
JOINERS = "\u200c\u200d"
HOSTILE = (
    *"\x00\x07\b\t\n\v\f\r\x1b\x7f\x85\x9b\xad\u0600\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a\u202e",
    *"\u2060\u2066\u2069\ufeff\ufff9\U0001d173\U000e0001\U000e0041",
    "\x1b]0;title\x07",
    "\x1b[2J",
    "\u202efdp.",
)
HONEST = (
    "größe",
    "نمی\u200cرود",
    "👩\u200d🚀",
    "हिन्दी",
    "a.b",
    "it's",
    '"',
    "\\",
    "<b>",
    "&",
    "a b",
    "['x']",
    ",",
    "[",
)


def active(text: str) -> set[str]:
    """The control characters of a text, except line feeds."""
    return {
        f"U+{ord(character):04X}"
        for character in text
        if unicodedata.category(character) in CATEGORIES and character not in JOINERS + "\n"
    }


def hostile(rng: random.Random, without: str = "") -> str:
    pieces = [piece for piece in HOSTILE if not set(piece) & set(without)]
    text = "".join(rng.choice(pieces if rng.random() < 0.6 else HONEST) for _ in range(rng.randint(1, 6)))
    return f"{text}{rng.choice(pieces)}"


def test_every_character_of_the_categories_is_escaped_but_the_joiners():
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        category = unicodedata.category(character)
        if category in CATEGORIES and character not in JOINERS:
            assert printable(character).isascii(), f"U+{number:04X}"
        elif category != "Cn":
            assert printable(character) == character, f"U+{number:04X}"


def test_escapes_are_those_of_json():
    text = "".join(HOSTILE) + "a\ud800 " + JOINERS
    assert json.loads(json_text(text)) == text
    assert json.loads(json_text({text: [text]}, indent=2)) == {text: [text]}
    assert printable("\x1b\U000e0001\u200f") == "\\u001b\\udb40\\udc01\\u200f"
    assert printable_lines("a\n\r\x1bb\n") == "a\n\\u000d\\u001bb\n"


def schema_of(rng: random.Random) -> tuple[dict, dict]:
    """A schema with hostile names, and a record of it."""
    zero = "\0"
    field, inner, record, union = (hostile(rng, zero) for _ in range(4))
    symbol, text, key = (hostile(rng) for _ in range(3))
    schema = {
        "type": "record",
        "name": record,
        "doc": text,
        "fields": [
            {"name": f"{field}1", "type": "string"},
            {"name": f"{field}2", "type": {"type": "enum", "name": f"E{record}", "symbols": [symbol]}},
            {"name": f"{field}3", "type": {"type": "map", "values": "string"}},
            {
                "name": f"{field}4",
                "type": {
                    "type": "record",
                    "name": f"I{record}",
                    "fields": [{"name": inner, "type": {"type": "string", "logicalType": text}}],
                },
            },
            {
                "name": f"{field}5",
                "type": ["int", "string", {"type": "fixed", "name": f"F{union}", "size": 2}],
            },
            {"name": f"{field}6", "type": "bytes"},
        ],
    }
    data = {
        f"{field}1": text,
        f"{field}2": symbol,
        f"{field}3": {key: text},
        f"{field}4": {inner: text},
        f"{field}5": text,
        f"{field}6": text.encode("utf-8", "surrogatepass"),
    }
    return schema, data


def file_of(schema: dict, data: dict, metadata: dict[str, str]) -> bytes:
    """A file with the hostile schema in its header. Its blocks have a schema that fastavro accepts."""
    tame = json.loads(json.dumps(schema))
    tame["fields"][1]["type"]["symbols"] = ["S"]
    tame_data = data | {tame["fields"][1]["name"]: "S"}
    body = io.BytesIO()
    fastavro.writer(body, tame, [tame_data] * 3, sync_marker=b"0123456789abcdef")
    blocks = body.getvalue().split(b"0123456789abcdef", 1)[1]
    header = io.BytesIO()
    entries = {"avro.schema": json.dumps(schema), "avro.codec": "null", **metadata}
    container = {
        "magic": b"Obj\x01",
        "meta": {k: v.encode() for k, v in entries.items()},
        "sync": b"0123456789abcdef",
    }
    fastavro.schemaless_writer(header, fastavro.parse_schema(HEADER), container)
    return header.getvalue() + blocks


HEADER = {
    "type": "record",
    "name": "Header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "Magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "Sync", "size": 16}},
    ],
}


@pytest.mark.parametrize("number", range(cases(4)))
def test_no_command_prints_control_characters(arrowfeed, tmp_path, number):
    rng = random.Random(SEED + number)
    schema, data = schema_of(rng)
    good = file_of(schema, data, {hostile(rng): hostile(rng)})
    name = f"{hostile(rng, chr(0) + '/')}.avro"
    (tmp_path / name).write_bytes(good)
    cut = f"cut{name}"
    (tmp_path / cut).write_bytes(good[:-20])
    codec = f"codec{name}"
    text = hostile(rng)
    (tmp_path / codec).write_bytes(
        good.replace(b"\x08null", bytes([len(text.encode()) * 2]) + text.encode(), 1)
    )
    unknown = f"unknown{name}"
    wrong = schema | {"fields": [{"name": schema["fields"][0]["name"], "type": hostile(rng)}]}
    (tmp_path / unknown).write_bytes(file_of(schema, data, {"avro.schema": json.dumps(wrong)}))
    specification = tmp_path / f"{hostile(rng, chr(0) + '/')}.json"
    specification.write_text(json.dumps({hostile(rng): {"dense": [], "key": hostile(rng)}}), "utf-8")
    argument = hostile(rng, "\0")
    reads = (
        *(
            ("schema", f"--{part}")
            for part in ("detect", "arrow", "canonical", "fingerprint", "codec", "metadata", "json")
        ),
        ("schema",),
        ("head",),
        ("head", "--table"),
        ("cat",),
        ("cat", "--exclude", argument),
        ("cat", "--scalars", argument),
        ("count",),
        ("count", "--json"),
        ("stats",),
        ("stats", "--json"),
        ("stats", "--html", f"{name}.html", "--force"),
        ("splits",),
        ("splits", "--json"),
        ("explain",),
        ("explain", "--features", str(specification)),
        ("explain", "--representations", str(specification)),
        ("head", "--columns", argument),
        ("head", "--on-error", "skip_block"),
        ("head", "--on-error", argument),
        ("head", "--reader-schema", name),
        ("stats", "--threads", argument),
        ("head", "-n", argument),
        ("head", f"--{argument}"),
        (argument,),
        ("head", "--debug", argument),
        ("convert", "--force", "-o", f"{name}.parquet"),
        ("convert", "--force", "-o", f"{name}.arrow"),
        ("convert", "--force", "-o", f"{name}.out.avro"),
        ("convert", "--force", "-o", f"{name}.jsonl"),
        ("convert", "--force", "-o", f"{name}.csv"),
        ("convert", "--force", "-o", f"{name}.tfrecord"),
        ("convert", "-o", argument),
    )
    good_calls = 0
    for call in reads:
        for files in ((name,), (name, name), (cut,), (codec,), (unknown,), (f"no{name}",)):
            ran = arrowfeed(*call, "--", *files) if call[0] in COMMANDS else arrowfeed(*call, *files)
            assert active(ran.out + ran.err) == set(), (call, files)
            assert ran.err.count("\n") <= 20 or "--debug" in call, (call, files)
            assert "a defect" not in ran.err, (call, files, ran.err)
            good_calls += ran.code == 0
    assert good_calls > 20
    assert active((tmp_path / f"{name}.html").read_text("utf-8")) == set()


COMMANDS = ("schema", "head", "cat", "count", "stats", "splits", "explain", "convert")


def test_tracebacks_are_escaped(tmp_path):
    done = process("head", "--debug", "a\x1b[2J\u202e.avro", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(b"Traceback (most recent call last):")
    assert active(done.stderr.decode()) == set()


def test_an_argument_is_escaped_in_the_error_of_the_call(arrowfeed):
    ran = arrowfeed("head", "--x\x1b[2J\u200f", "a.avro")
    assert ran.err.splitlines()[-1] == "arrowfeed head: error: unrecognized arguments: --x\\u001b[2J\\u200f"


def test_a_name_in_the_overview_of_stats_is_escaped(arrowfeed, tmp_path):
    name = "x\x1b]0;owned\x07\x1b[2J\rfiles            innocent\u202e.avro"
    fastavro.writer(io.BytesIO(), "string", [])
    with (tmp_path / name).open("wb") as file:
        fastavro.writer(file, "string", ["a"])
    line = "files            x\\u001b]0;owned\\u0007\\u001b[2J\\u000dfiles            innocent\\u202e.avro"
    assert arrowfeed("stats", name).out.splitlines()[0] == line


def test_honest_text_is_printed_as_it_is(arrowfeed, tmp_path):
    with (tmp_path / "größe.avro").open("wb") as file:
        fastavro.writer(file, "string", ["می\u200cرود 👩\u200d🚀"])
    assert arrowfeed("head", "größe.avro").out == '{"value": "می\u200cرود 👩\u200d🚀"}\n'
