"""`arrowfeed doctor`: versions, features and a self-test of the installation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed._rendering.table import table
from arrowfeed._rendering.text import json_text, printable
from arrowfeed.cli._installed import installed
from arrowfeed.cli._self_test import Check, self_test

if TYPE_CHECKING:
    import argparse


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "doctor",
        parents=[common],
        allow_abbrev=False,
        help="versions, features of the build, and a self-test of each format and codec",
        description="Prints versions and features. Then writes a few rows in each format and codec to a"
        " temporary directory, and reads them again. The exit code is 1 if that fails.",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object, not tables")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints all results.

    Raises:
        ArrowfeedError: A check failed.
    """
    found = {**installed(), "cores": _cores()}
    checks = list(self_test())
    if options.json:
        print(json_text({**found, "self_test": [check._asdict() for check in checks]}, indent=2))
    else:
        print(_text(found, checks), end="")
    failed = sum(check.result == "failed" for check in checks)
    if failed:
        raise arrowfeed.ArrowfeedError(
            f"self-test: expected no failed check, found {failed} of {len(checks)}"
        )


def _cores() -> int:
    """The number of cores that the process may use, which is the default number of threads."""
    with arrowfeed.read_csv(b"id\n1\n") as reader:
        list(reader)
        return reader.stats().to_dict()["cores"]


def _text(found: dict[str, Any], checks: list[Check]) -> str:
    lists = {name: ", ".join(found[name]) or "none" for name in ("build_features", "formats", "avro_codecs")}
    facts = {
        "arrowfeed": found["arrowfeed"],
        "Python": found["python"],
        "system": found["system"],
        "cores": str(found["cores"]),
        "build features": lists["build_features"],
        "formats": lists["formats"],
        "codecs of Avro": lists["avro_codecs"],
    }
    lines = "".join(f"{name:<16}{printable(value)}\n" for name, value in facts.items())
    libraries = [(name, version or "not installed") for name, version in found["libraries"].items()]
    results = [(check.name, check.result, check.message) for check in checks]
    tables = (table(("library", "version"), libraries), table(("self-test", "result", "reason"), results))
    return "\n".join([lines, *tables])
