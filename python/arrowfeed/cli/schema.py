"""`arrowfeed schema`: what the header of a file says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed.cli._options import STANDARD_INPUT, add_files, sources
from arrowfeed.cli._text import json_text, printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from arrowfeed import AvroSchema


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options."""
    parser = commands.add_parser(
        "schema",
        parents=[common],
        allow_abbrev=False,
        help="the schema, codec and metadata of a header",
        description="Prints the Avro schema of each file, or another part of its header.",
    )
    add_files(parser)
    part = parser.add_mutually_exclusive_group()
    for name, about in (
        ("arrow", "the Arrow schema that read_avro gives"),
        ("canonical", "the Parsing Canonical Form"),
        ("fingerprint", "the Rabin fingerprint of the canonical form, 16 hexadecimal digits"),
        ("codec", "the codec"),
        ("metadata", "the metadata but for avro.schema and avro.codec, as a JSON object"),
        ("json", "all of these, as a JSON object on a line"),
    ):
        part.add_argument(f"--{name}", dest="part", action="store_const", const=name, help=about)
    parser.set_defaults(run=run, part="avro")


def run(options: argparse.Namespace) -> None:
    """Prints the part of each file; where there are several, below its name, but for JSON lines."""
    sources(options.files)
    named = len(options.files) > 1 and options.part != "json"
    for at, name in enumerate(options.files):
        schema = arrowfeed.avro_schema(sources([name])[0])
        if named:
            print(f"{'' if at == 0 else chr(10)}==> {printable(name)} <==")
        if options.part == "json":
            print(json_text({"file": None if name == STANDARD_INPUT else name, **_all(schema)}))
        else:
            print(_PARTS[options.part](schema))


def _all(schema: AvroSchema) -> dict[str, Any]:
    return {
        "codec": schema.codec,
        "fingerprint": _fingerprint(schema),
        "metadata": _metadata(schema),
        "schema": json.loads(schema.json),
        "canonical": schema.canonical,
        "arrow": str(schema.arrow),
        "warnings": schema.warnings,
    }


def _avro(schema: AvroSchema) -> str:
    return json_text(json.loads(schema.json), indent=2)


def _fingerprint(schema: AvroSchema) -> str:
    return f"{schema.fingerprint:016x}"


def _metadata(schema: AvroSchema) -> dict[str, str]:
    """Text where it is text, else, as bytes everywhere, the characters of their numbers."""
    return {
        key: _text(value)
        for key, value in schema.metadata.items()
        if key not in ("avro.schema", "avro.codec")
    }


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _arrow(schema: AvroSchema) -> str:
    """One column a line, without the line of Python."""
    lines = str(schema.arrow).split("\n")[1:]
    return "\n".join(printable(line.strip()) for line in lines)


_PARTS: dict[str, Callable[[AvroSchema], str]] = {
    "avro": _avro,
    "arrow": _arrow,
    "canonical": lambda schema: printable(schema.canonical),
    "fingerprint": _fingerprint,
    "codec": lambda schema: printable(str(schema.codec)),
    "metadata": lambda schema: json_text(_metadata(schema), indent=2),
}
