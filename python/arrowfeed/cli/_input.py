"""Input files of a command: their format and their reader."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, cast

import arrowfeed
from arrowfeed._arrowfeed import avro_columns
from arrowfeed._dataset.detected import Detected, detected, is_listed, stored_files
from arrowfeed._dataset.opening import rereadable
from arrowfeed._formats import ADDED_COLUMNS, AVRO, BY_NAME, CSV, FORMATS, Format, options_of, suffix_of
from arrowfeed._urls import is_remote, literal, redacted
from arrowfeed.cli._formats import (
    COLUMNS,
    HEADER,
    MERGE,
    MERGING,
    OPTIONS,
    OTHERS,
    READER_SCHEMA,
    SAMPLE,
    TYPES,
    UNIONS,
)
from arrowfeed.cli._options import UsageError, header, sources
from arrowfeed.cli._standard_input import StandardInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from arrowfeed import AvroSchema, Dataset, RecordBatchReader, Split

_READ_ROWS = 1 << 13
"""Maximum number of rows of a batch, for formats that do not limit its bytes."""

_BY_SUFFIX = "the suffix of its name says so"
"""The evidence of a format that the content does not determine."""


@dataclasses.dataclass(frozen=True)
class Input:
    """Files of one format.

    Args:
        format: Their format.
        evidence: The reason for the detected format.
        files: Their names, as passed by the caller.
        given: The sources. The header of the first one can be read repeatedly before the rows.
        source: Returns the `source` argument of the library for one pass.
        arguments: Read arguments that follow from the name of the first file. Options take precedence.
        stores: Arguments for access to stores, which all functions of the library accept.
        partitioning: The option `--partitioning`.
        detected: The result of the detection, if the first name is in a store and no format is given.
    """

    format: Format
    evidence: str
    files: list[str]
    given: list[str | StandardInput]
    source: Callable[[], Any]
    arguments: Mapping[str, Any]
    stores: Mapping[str, Any]
    partitioning: str | None
    detected: Detected | None

    def read(
        self,
        *,
        batch_size: int,
        batch_bytes: int | None = None,
        exclude: list[str] | None = None,
        **options: Any,
    ) -> RecordBatchReader:
        """Opens a reader of the rows.

        Args:
            batch_size: Maximum number of rows of a batch.
            batch_bytes: Bytes after which a batch ends early, for formats that support it.
            exclude: Names of columns to leave out. None: no column.
            **options: Options of the read function. None means that the option is not set.

        Raises:
            UsageError: The format does not support an option, or `exclude` has an unknown name.
            Errors of the read function are passed on.
        """
        given = self.accepted(options)
        if exclude is not None:
            self._refuse(COLUMNS, "--exclude")
            others = self._others(exclude, given)
            # A selection of columns also has the added ones.
            adds = any(name in given for name in ADDED_COLUMNS)
            given.update({"exclude": list(dict.fromkeys(exclude))} if adds else {COLUMNS: others})
        cut = self.format.bytes_argument
        if cut is None:
            batch_size = min(batch_size, _READ_ROWS)
        elif batch_bytes is not None:
            given[cut] = batch_bytes if cut != "limits" else arrowfeed.Limits(batch_bytes=batch_bytes)
        arguments = {**given, **self.format.arguments, **self.stores}
        return self.format.read(self.source(), batch_size=batch_size, **arguments)

    def accepted(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the options that are set.

        Raises:
            UsageError: The format does not support one of them.
        """
        given = {name: value for name, value in options.items() if value is not None}
        if given.get(READER_SCHEMA) == MERGE and self.format.name in MERGING:
            given["schema"] = given.pop(READER_SCHEMA)
        for name, option in OPTIONS.items():
            if name in given:
                self._refuse(name, option)
        others = given.pop(OTHERS, {})
        for name in others:
            self._refuse(name, f"--option {name}")
        given |= others
        return {**self.arguments, **given}

    def dataset(self, **options: Any) -> Dataset:
        """Opens the files as a dataset."""
        return self.format.dataset(self.source(), **{**self.arguments, **options, **self.stores})

    def without_columns(self, **options: Any) -> Dataset:
        """Opens the files as a dataset of no columns, which does not infer a schema from all rows.

        The files may have different schemas.
        """
        sample = {SAMPLE: 1} if self.format.has(SAMPLE) else {}
        given = self.accepted(options)
        # CSV compares the columns in the headers of its files, although none is read.
        merge = {"schema": MERGE} if self.format.name == "csv" and given.get(HEADER, True) else {}
        # The first record need not have the columns whose types are given.
        given.pop(TYPES, None)
        return self.dataset(representations={}, **{**self._selected([]), **sample, **merge, **given})

    def filtered(self, where: str, **options: Any) -> Dataset:
        """Opens the files as a dataset of no columns, of the rows that pass a predicate.

        The columns of the predicate have the types of `read`.
        """
        return self.with_columns([], **options).filter(where)

    def with_columns(self, columns: list[str], **options: Any) -> Dataset:
        """Opens the files as a dataset of some columns, without tensors. The options are those of `read`."""
        return self.dataset(representations={}, **self._selected(columns) | self.accepted(options))

    def _selected(self, columns: list[str]) -> dict[str, Any]:
        return {COLUMNS: columns} if self.format.has(COLUMNS) else {}

    def splits(self, target_bytes: int, **options: Any) -> list[Split]:
        """Plans byte ranges of the files. The options are those of `read`.

        Raises:
            OptionError: Files without names cannot be split.
        """
        return self.without_columns(**options).plan_splits(target_bytes=target_bytes)

    def header(self) -> AvroSchema:
        """Reads the header of the first file, which must be an Avro file."""
        if self.detected is not None:
            # The bytes read so far contain the header, unless it is long or invalid.
            with contextlib.suppress(arrowfeed.ArrowfeedError):
                return arrowfeed.avro_schema(self.detected.start)
        return header(next(self._headers()), self.stores)

    def merged_schema(self) -> AvroSchema:
        """Merges the schemas of all files, which must be Avro files."""
        return arrowfeed.avro_schema(list(self._headers()), merge=True, **self.stores)

    def _headers(self) -> Iterator[str | StandardInput]:
        """The files for functions that read headers.

        These functions have no partitioning, with which a directory stands for the files of all directories
        below.
        """
        finding = {**self.stores, "partitioning": self.partitioning}
        for one in self.given:
            if self.partitioning is None or isinstance(one, StandardInput):
                yield one
            elif is_remote(one):
                files = stored_files(one, finding, AVRO.extension)
                yield from (literal(name) if is_listed(one, files) else one for name, _ in files)
            else:
                yield from (name for name, _ in detected(one, finding).files)

    @property
    def shown(self) -> str:
        """The first name, as displayed in messages."""
        return redacted(self.files[0])

    @property
    def is_remote(self) -> bool:
        """Whether some of the files are in a store."""
        return any(map(is_remote, self.files))

    def listed(self) -> list[tuple[str, str]]:
        """Lists the files of the first name, which is in a store, each as displayed and as opened."""
        first = self.files[0]
        if self.detected is not None:
            files = self.detected.files
        else:
            files = stored_files(first, dict(self.stores), self.format.extension)
        return [(name, literal(name) if is_listed(first, files) else first) for name, _ in files]

    @property
    def known_bytes(self) -> int | None:
        """Bytes of all files; None if that requires additional requests."""
        if self.detected is None or len(self.files) > 1:
            return None
        sizes = [size for _, size in self.detected.files]
        return None if None in sizes else sum(cast("list[int]", sizes))

    @property
    def is_avro(self) -> bool:
        """Whether the files are Avro files."""
        return self.format is AVRO

    def _refuse(self, name: str, option: str) -> None:
        if self.format.has(name):
            return
        having = ", ".join(known.name for known in FORMATS if known.has(name))
        if not having:
            known = ", ".join(sorted(options_of(self.format.dataset)))
            raise UsageError(f"{option}: expected an option of {self.format.name}: {known}")
        found = f"{self.shown} of {self.format.name}"
        raise UsageError(f"{option}: expected a file of {having}, found {found}, which has no such option")

    def _others(self, exclude: Iterable[str], options: Mapping[str, Any]) -> list[str]:
        """Paths of all columns except the excluded ones."""
        if COLUMNS in options:
            raise UsageError("--exclude: expected either --exclude or --columns, found both")
        names = self._names(options)
        left_out, existing = dict.fromkeys(exclude), set(names)
        for name in left_out:
            if name not in existing:
                known = ", ".join(f'"{each}"' for each in names)
                raise UsageError(f'--exclude: expected a column, one of {known}, found "{name}"')
        return [f"['{name.replace(chr(39), 2 * chr(39))}']" for name in names if name not in left_out]

    def _names(self, options: Mapping[str, Any]) -> list[str]:
        """Names of all columns. The options are those of the read function."""
        if self.is_avro and not any(name in options for name in ADDED_COLUMNS):
            # The reader below refuses recursive columns. It raises the error of a wrong header or option.
            used = {name: options[name] for name in (READER_SCHEMA, UNIONS) if name in options}
            with contextlib.suppress(arrowfeed.ArrowfeedError):
                return avro_columns(self.header(), **used).names
        alone: dict[str, Any] = {**options, "threads": 1}
        with self.read(batch_size=1, **alone) as reader:
            return list(reader.schema.names)


def opened(
    files: list[str], name: str | None, stores: Mapping[str, Any], partitioning: str | None = None
) -> Input:
    """Opens files as input.

    Args:
        files: Names, as passed by the caller.
        name: Name of their format. None: the content of the first file determines it, or else its suffix.
        stores: Arguments for access to stores, which all functions of the library accept.
        partitioning: The option `--partitioning`, with which a directory has the files of all directories
            below.

    Raises:
        UsageError: Standard input is requested twice.
        FormatError: No format is recognized.
        OSError: A file cannot be read.
    """
    given = sources(files)
    first = given[0]
    finding = {**stores} if partitioning is None else {**stores, "partitioning": partitioning}
    reopen: Callable[[], Any] | None = None
    found: Detected | None = None
    arguments: dict[str, Any] = {}
    if name is not None:
        known, evidence = BY_NAME[name], "--format says so"
        if known is CSV and suffix_of(files[0]) == ".tsv":
            arguments = {"delimiter": "\t"}
    elif isinstance(first, StandardInput) and _is_avro(first):
        known, evidence = AVRO, AVRO.evidence
    else:
        if isinstance(first, StandardInput):
            # Only Avro is read as a stream.
            reopen = rereadable(given)
        found = _recognized(first if reopen is None else reopen()[0], finding)
        known, arguments = found.format, found.arguments
        is_by_name = found.is_empty or (found.evidence == "name" and known is not CSV)
        evidence = _BY_SUFFIX if is_by_name else known.evidence
    if reopen is None:
        reopen = (lambda: given) if known is AVRO else rereadable(given)
    stored = found if is_remote(files[0]) else None
    return Input(known, evidence, files, given, reopen, arguments, stores, partitioning, stored)


def _recognized(source: Any, finding: dict[str, Any]) -> Detected:
    """Detects the format of a source."""
    advice = f"select one with --format: {', '.join(BY_NAME)}"
    try:
        found = detected(source, finding)
    except arrowfeed.FormatError as error:
        raise arrowfeed.FormatError(f"{error}; {advice}") from error
    if found.evidence == "nothing":
        text = f"{found.name}: expected a file of a known format, found an empty file; {advice}"
        raise arrowfeed.FormatError(text)
    return found


def _is_avro(first: StandardInput) -> bool:
    """Whether standard input has an Avro header. Nothing else is read."""
    try:
        first.schema()
    except arrowfeed.FormatError:
        return False
    except arrowfeed.ArrowfeedError:
        pass
    return True
