"""Input files of a command: their format and their reader."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed._arrowfeed import avro_columns
from arrowfeed._dataset.look import Look, look_at
from arrowfeed._dataset.opening import PART, dataset_class, rereadable
from arrowfeed._formats import ADDED_COLUMNS, AVRO, BY_NAME, FORMATS, Format, by_suffix, suffix_of
from arrowfeed._urls import is_remote, literal, redacted
from arrowfeed.cli._formats import (
    COLUMNS,
    HEADER,
    MERGE,
    MERGING,
    OPTIONS,
    READER_SCHEMA,
    SAMPLE,
    TYPES,
    UNIONS,
)
from arrowfeed.cli._options import UsageError, header, sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from arrowfeed import AvroSchema, Dataset, RecordBatchReader, Split
    from arrowfeed.cli._standard_input import StandardInput

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
        first: The first file. Its header can be read repeatedly before the rows.
        source: Returns the `source` argument of the library for one pass.
        arguments: Read arguments that follow from the name of the first file. Options take precedence.
        stores: Arguments for access to stores, which all functions of the library accept.
        look: The result of `look_at` for the first name, if it is in a store and its format had to be
            detected.
    """

    format: Format
    evidence: str
    files: list[str]
    first: str | StandardInput
    source: Callable[[], Any]
    arguments: Mapping[str, Any]
    stores: Mapping[str, Any]
    look: Look | None

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
        return self.dataset(representations={}, **{**self._no_columns(), **sample, **merge, **given})

    def filtered(self, where: str, **options: Any) -> Dataset:
        """Opens the files as a dataset of no columns, of the rows that pass a predicate.

        The columns of the predicate have the types of `read`.
        """
        given = self._no_columns() | self.accepted(options)
        return self.dataset(representations={}, **given).filter(where)

    def _no_columns(self) -> dict[str, Any]:
        return {COLUMNS: []} if self.format.has(COLUMNS) else {}

    def splits(self, target_bytes: int, **options: Any) -> list[Split]:
        """Plans byte ranges of the files. The options are those of `read`.

        Raises:
            OptionError: Files without names cannot be split.
        """
        return self.without_columns(**options).plan_splits(target_bytes=target_bytes)

    def header(self) -> AvroSchema:
        """Reads the header of the first file, which must be an Avro file."""
        if self.look is not None:
            # The bytes read so far contain the header, unless it is long or invalid.
            with contextlib.suppress(arrowfeed.ArrowfeedError):
                return arrowfeed.avro_schema(self.look.head)
        return header(self.first, self.stores)

    def merged_schema(self) -> AvroSchema:
        """Merges the schemas of all files, which must be Avro files."""
        return arrowfeed.avro_schema(self.source(), merge=True, **self.stores)

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
        look = self.look
        if look is None:
            look = look_at(self.files[0], dict(self.stores), self.format.extension, count=0)
        if not look.is_listed:
            return [(look.name, self.files[0])]
        return [(name, literal(name)) for name, _ in look.files]

    @property
    def known_bytes(self) -> int | None:
        """Bytes of all files; None if that requires additional requests."""
        if self.look is None or len(self.files) > 1:
            return None
        known = [size for _, size in self.look.files if size is not None]
        return sum(known) if len(known) == len(self.look.files) else None

    @property
    def is_avro(self) -> bool:
        """Whether the files are Avro files."""
        return self.format is AVRO

    def _refuse(self, name: str, option: str) -> None:
        if self.format.has(name):
            return
        having = ", ".join(known.name for known in FORMATS if known.has(name))
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
    finding = {**stores} if partitioning is None else {**stores, "partitioning": partitioning}
    look: Look | None = None
    reopen: Callable[[], Any] = lambda: given  # noqa: E731
    if name is not None:
        known, evidence = BY_NAME[name], "--format says so"
        if known is not AVRO:
            reopen = rereadable(given)
    elif is_remote(files[0]):
        look = look_at(files[0], finding)
        known, evidence = _recognized(look.name, lambda: files[0], finding, look)
        if known is not AVRO:
            reopen = rereadable(given)
    elif _is_avro(given[0], stores):
        known, evidence = AVRO, AVRO.evidence
    else:
        # Standard input is read into memory, because only Avro is read as a stream.
        reopen = rereadable(given)
        known, evidence = _recognized(files[0], lambda: reopen()[0], finding, None)
    first = files[0] if look is None else look.name
    arguments = known.suffix_arguments.get(suffix_of(first), {})
    return Input(known, evidence, files, given[0], reopen, arguments, stores, look)


def _recognized(
    name: str, reopen: Callable[[], Any], finding: Mapping[str, Any], look: Look | None
) -> tuple[Format, str]:
    """Detects the format of a file that is in a store or is not Avro, and the reason."""
    is_empty = _is_empty(reopen, look)
    try:
        kind = dataset_class(reopen, dict(finding), look)
        if kind is arrowfeed.RawRecordDataset and is_empty:
            raise arrowfeed.FormatError(f"{name}: expected a file of a known format, found an empty file")  # noqa: TRY301
    except arrowfeed.FormatError as error:
        known = by_suffix(name)
        if known is None:
            names = ", ".join(BY_NAME)
            separator = PART if PART in str(error) else "; "
            raise arrowfeed.FormatError(f"{error}{separator}select one with --format: {names}") from error
        return known, _BY_SUFFIX
    if isinstance(kind, functools.partial):
        kind = kind.func
    [known] = [each for each in FORMATS if each.dataset is kind]
    return known, _BY_SUFFIX if is_empty else known.evidence


def _is_avro(first: str | StandardInput, stores: Mapping[str, Any]) -> bool:
    """Whether the file has an Avro header. Nothing else is read."""
    try:
        header(first, stores)
    except (arrowfeed.FormatError, FileNotFoundError):
        return False
    except arrowfeed.ArrowfeedError:
        return True
    return True


def _is_empty(reopen: Callable[[], Any], look: Look | None) -> bool:
    if look is not None:
        return look.head == b""
    # Files of other formats are damaged TFRecord files.
    with contextlib.suppress(arrowfeed.ArrowfeedError, OSError):
        return next(arrowfeed.read_tfrecord(reopen(), format="raw", batch_size=1, threads=1), None) is None
    return False
