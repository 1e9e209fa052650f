"""`arrowfeed schema`: the format and the schema of files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed._rendering.text import json_text, printable
from arrowfeed.cli._formats import MERGE, READER_SCHEMA, add_format
from arrowfeed.cli._input import Input, opened
from arrowfeed.cli._options import (
    STANDARD_INPUT,
    UsageError,
    add_files,
    add_partitioning,
    add_reader_schema,
    add_text,
    reader_schema_of,
    sources,
    stores_of,
    text_options,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from arrowfeed import AvroSchema, Schema


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "schema",
        parents=[common],
        allow_abbrev=False,
        help="the format and the schema of each file",
        description="Prints the Avro schema of each Avro file, and the format and the Arrow schema of each"
        " other file. An option selects another part.",
    )
    add_files(parser)
    part = parser.add_mutually_exclusive_group()
    for name, about in (
        ("detect", "the format, and how it was detected"),
        ("arrow", "the Arrow schema of the record batches"),
        ("canonical", "Avro only: the Parsing Canonical Form"),
        ("fingerprint", "Avro only: the Rabin fingerprint of the canonical form, 16 hexadecimal digits"),
        ("codec", "Avro only: the codec"),
        ("metadata", "Avro only: the metadata, except avro.schema and avro.codec, as a JSON object"),
        ("json", "all of these, as a JSON object in one line"),
    ):
        part.add_argument(f"--{name}", dest="part", action="store_const", const=name, help=about)
    add_format(parser)
    add_text(parser)
    add_partitioning(parser)
    add_reader_schema(parser)
    parser.set_defaults(run=run, part="schema")


def run(options: argparse.Namespace) -> None:
    """Prints the selected part of each file, below its name if there are several, except in JSON lines."""
    sources(options.files)
    # One schema has the columns of all files.
    merges = options.reader_schema == MERGE
    inputs = [options.files] if merges else [[name] for name in options.files]
    named = len(inputs) > 1 and options.part != "json"
    for at, names in enumerate(inputs):
        file = opened(names, options.format, stores_of(options), options.partitioning)
        given = file.accepted(
            text_options(options)
            | {"partitioning": options.partitioning, "reader_schema": reader_schema_of(options)}
        )
        if named:
            print(f"{'' if at == 0 else chr(10)}==> {printable(file.shown)} <==")
        print(_text_of(file, options.part, given))


def _text_of(file: Input, part: str, given: dict[str, Any]) -> str:
    if part == "detect":
        return _detected(file)
    if part == "json":
        return json_text(_json(file, given))
    if part == "arrow":
        return _arrow(_arrow_schema(file, given))
    if file.is_avro:
        of_file = part in ("codec", "metadata")
        return _PARTS[part](file.header() if of_file else _avro_schema(file, given))
    if part != "schema":
        found = f"{file.shown} of {file.format.name}"
        raise UsageError(f"--{part}: expected a file of avro, found {found}, which has no such part")
    return f"{_detected(file)}\n{_arrow(_arrow_schema(file, given))}"


def _detected(file: Input) -> str:
    return f"format {file.format.name}: {file.evidence}"


def _avro_schema(file: Input, given: dict[str, Any]) -> AvroSchema:
    """The reader schema: that of the first file if the options have none."""
    schema = given.get(READER_SCHEMA)
    if schema is None:
        return file.header()
    return file.merged_schema() if schema == MERGE else arrowfeed.AvroSchema(schema)


def _arrow_schema(file: Input, given: dict[str, Any]) -> Schema:
    if file.is_avro and "partitioning" not in given:
        return _avro_schema(file, given).arrow
    with file.read(batch_size=1, threads=1, **given) as reader:
        return reader.schema


def _json(file: Input, given: dict[str, Any]) -> dict[str, Any]:
    shared = {
        "file": None if file.shown == STANDARD_INPUT else file.shown,
        "format": file.format.name,
        "detected_by": file.evidence,
    }
    if not file.is_avro:
        return {**shared, "arrow": str(_arrow_schema(file, given))}
    header, schema = file.header(), _avro_schema(file, given)
    return {
        **shared,
        "codec": header.codec,
        "fingerprint": _fingerprint(schema),
        "metadata": _metadata(header),
        "schema": json.loads(schema.json),
        "canonical": schema.canonical,
        "arrow": str(_arrow_schema(file, given)),
        "warnings": schema.warnings,
    }


def _avro(schema: AvroSchema) -> str:
    return json_text(json.loads(schema.json), indent=2)


def _fingerprint(schema: AvroSchema) -> str:
    return f"{schema.fingerprint:016x}"


def _metadata(schema: AvroSchema) -> dict[str, str]:
    """Metadata as text. Bytes that are not UTF-8 become the characters with their codes."""
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


def _arrow(schema: Schema) -> str:
    """One line per column, without the first line of the repr."""
    lines = str(schema).split("\n")[1:]
    return "\n".join(printable(line.strip()) for line in lines)


_PARTS: dict[str, Callable[[AvroSchema], str]] = {
    "schema": _avro,
    "canonical": lambda schema: printable(schema.canonical),
    "fingerprint": _fingerprint,
    "codec": lambda schema: printable(str(schema.codec)),
    "metadata": lambda schema: json_text(_metadata(schema), indent=2),
}
