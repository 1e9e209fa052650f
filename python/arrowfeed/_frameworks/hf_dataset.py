"""`Dataset.to_hf`. Imports the package datasets of Hugging Face."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import MixedDataset
from arrowfeed._errors import ConversionError, OptionError
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed._arrowfeed import Dataset, RecordBatchReader, Split
    from arrowfeed.types import OnError

_hf: Any = needed("datasets", "for Dataset.to_hf")
_pa: Any = needed("pyarrow", "for Dataset.to_hf")
_Base: Any = _hf.ArrowBasedBuilder


_SEED = 0
"""Seed of the choices of a mixture, the same in each process and in each pass."""


class _Builder(_Base):
    """Makes tables of splits.

    Args:
        dataset: The rows.
        shards: A split for each shard. None for the only shard of a dataset without splits.
        schema: The schema of the tables.
        reading: Options of the readers.
    """

    def __init__(
        self, dataset: Dataset, shards: list[Split | None], schema: Any, reading: dict[str, Any]
    ) -> None:
        self._dataset, self._shards, self._schema, self._reading = dataset, shards, schema, reading
        features = _hf.Features.from_arrow_schema(schema)
        # The constructor makes the folder of a cache that a streamed dataset does not use.
        with tempfile.TemporaryDirectory() as cache:
            _Base.__init__(self, cache_dir=cache, dataset_name="arrowfeed", features=features)

    def _info(self) -> Any:
        return _hf.DatasetInfo()

    def _split_generators(self, dl_manager: Any) -> list[Any]:
        del dl_manager
        return [_hf.SplitGenerator(name="train", gen_kwargs={"shards": self._shards})]

    def _generate_tables(self, shards: list[Split | None]) -> Iterator[tuple[tuple[int, int], Any]]:
        for number, shard in enumerate(shards):
            for index, batch in enumerate(self._batches(shard)):
                yield (number, index), _pa.Table.from_batches([batch.to_pyarrow()]).cast(self._schema)

    def _batches(self, split: Split | None) -> RecordBatchReader | Any:
        if split is None:
            return self._dataset.record_batches(threads=1, **self._reading)
        return self._dataset.read_split(split, **self._reading)


def hf_dataset(
    dataset: Dataset, *, target_bytes: int = 64 << 20, batch_size: int = 1000, on_error: OnError = "raise"
) -> Any:
    """Returns the `datasets.IterableDataset` of a dataset. See `Dataset.to_hf`."""
    fields = [_field(field.name, field) for field in _pa.schema(dataset.arrow_schema)]
    reading: dict[str, Any] = {"batch_size": batch_size, "on_error": on_error}
    if isinstance(dataset, MixedDataset):
        # A resumed reading, and each node that keeps some of the examples, must draw the same order.
        reading["seed"] = _SEED
    # The generator runs later; options that are wrong are errors here.
    dataset.record_batches(threads=1, **reading).close()
    shards: list[Split | None]
    try:
        shards = [*dataset.plan_splits(target_bytes=target_bytes)] or [None]
    except OptionError:
        # The rows have no splits: files without a path, a mixture, or the result of take, skip or split.
        shards = [None]
    return _Builder(dataset, shards, _pa.schema(fields), reading).as_streaming_dataset("train")


def _field(path: str, field: Any) -> Any:
    """Returns the field of a column after its conversion."""
    return _pa.field(field.name, _type(path, field.type), field.nullable)


def _type(path: str, of: Any) -> Any:
    """Returns the type that Hugging Face has for a type of Arrow: see the table of `Dataset.to_hf`."""
    types = _pa.types
    found = of
    if isinstance(of, _pa.BaseExtensionType):
        found = _type(path, of.storage_type)
    elif types.is_dictionary(of):
        found = _type(path, of.value_type)
    elif types.is_map(of):
        pair = _pa.struct([_field(f"{path}.key", of.key_field), _field(f"{path}.value", of.item_field)])
        found = _pa.list_(pair)
    elif types.is_struct(of):
        found = _pa.struct([_field(f"{path}.{field.name}", field) for field in of])
    elif types.is_fixed_size_list(of):
        found = _pa.list_(_field(f"{path}[]", of.value_field), of.list_size)
    elif types.is_list(of):
        found = _pa.list_(_field(f"{path}[]", of.value_field))
    elif types.is_large_list(of):
        found = _pa.large_list(_field(f"{path}[]", of.value_field))
    elif types.is_union(of) or types.is_interval(of):
        advice = "leave the column out with columns="
        advice += ', or pass unions="struct"' if types.is_union(of) else ""
        raise ConversionError(f"{path}: expected a type of Hugging Face, found {of}: {advice}")
    return found
