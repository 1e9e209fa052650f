"""`ATDSDataset`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import AvroDataset, TensorFlowSource
from arrowfeed._features.arguments import found
from arrowfeed._frameworks import framework
from arrowfeed._tensorflow import (
    OpDataset,
    op_of_arguments,
    state_of_arguments,
    texts_of,
)
from arrowfeed.tfio._arguments import names, number, threads
from arrowfeed.tfio._atds_features import OPEN, DenseFeature, FeatureT, SparseFeature, VarlenFeature
from arrowfeed.tfio._features import checked_dict, converted

if TYPE_CHECKING:
    from arrowfeed.features import Feature

_tf: Any = framework("tensorflow")
_KINDS = (DenseFeature, SparseFeature, VarlenFeature)


class ATDSDataset(OpDataset):
    """A dataset of batches of Avro records. One op reads, shuffles, decodes and converts the records.

    Elements are dicts of `tf.Tensor` and `tf.SparseTensor`, sorted by name. The records of all files must
    have one schema. Fields that no feature names are skipped, and may have any type.

    Args:
        filenames: One file name, several file names, or a tensor of names.
        batch_size: Number of rows of a batch, at least 1.
        features: Dict of field names to `DenseFeature`, `SparseFeature` or `VarlenFeature`.
        drop_remainder: Drops the last batch if it has fewer rows. The `element_spec` then states the batch
            size.
        reader_buffer_size: Ignored, because files are read in whole blocks.
        shuffle_buffer_size: Minimum number of rows that are shuffled together. None or 0: file order.
        num_parallel_calls: Number of decoding threads. None: 1. `tf.data.AUTOTUNE`: one per core.
        num_parallel_parser_calls: As in `make_avro_record_dataset`, used if `num_parallel_calls` is None.

    Raises:
        ValueError: An argument has an invalid value.
        TypeError: `filenames` are not names.
        tf.errors.InvalidArgumentError: During the iteration, a file is damaged.
        tf.errors.NotFoundError: During the iteration, a file does not exist.

    Example:
        >>> features = {"x": DenseFeature([8], tf.float32), "tags": VarlenFeature([-1], tf.string)}
        >>> for batch in ATDSDataset(["part-0.avro"], batch_size=128, features=features):
        ...     train(batch["x"], batch["tags"])
    """

    def __init__(  # noqa: PLR0917 - the signature is tensorflow-io's
        self,
        filenames: Any,
        batch_size: Any,
        features: dict[str, FeatureT],
        drop_remainder: Any = False,  # noqa: FBT002
        reader_buffer_size: Any = None,
        shuffle_buffer_size: Any = None,
        num_parallel_calls: Any = None,
        *,
        num_parallel_parser_calls: Any = None,
    ) -> None:
        _check(features)
        number("reader_buffer_size", reader_buffer_size, 1)
        rows = number("batch_size", batch_size, 1)
        drop = _tf.convert_to_tensor(drop_remainder, _tf.bool)
        shuffled = number("shuffle_buffer_size", shuffle_buffer_size, 0)
        name, threads_given = "num_parallel_calls", num_parallel_calls
        if num_parallel_calls is None:
            name, threads_given = "num_parallel_parser_calls", num_parallel_parser_calls
        calls = number(name, threads_given, 1, automatic=True)
        static = _tf.get_static_value(rows) if _tf.get_static_value(drop) else None
        specs = {name: _spec(features[name], static) for name in sorted(features)}
        texts = texts_of([rows, drop, shuffled, calls, names(filenames)])
        op = op_of_arguments(_Source(converted(features)), specs)
        super().__init__(op, specs, state=state_of_arguments(texts))


def _check(features: Any) -> None:
    given = checked_dict(features)
    wrong = [name for name, feature in given.items() if not isinstance(feature, _KINDS)]
    if wrong:
        expected = "a DenseFeature, SparseFeature or VarlenFeature"
        raise ValueError(f'features["{wrong[0]}"]: expected {expected}, found {found(given[wrong[0]])}')


def _spec(feature: Any, rows: int | None) -> Any:
    sizes = [None if size == OPEN else size for size in feature.shape]
    if isinstance(feature, DenseFeature):
        return _tf.TensorSpec([rows, *sizes], feature.dtype)
    return _tf.SparseTensorSpec([rows, *sizes], feature.dtype)


class _Source(NamedTuple):
    """A function that makes the source of a dataset from its arguments.

    Attributes:
        features: The features of the tensors.
    """

    features: dict[str, Feature]

    def __call__(self, arguments: list[bytes]) -> TensorFlowSource | None:
        batch_size, drop_remainder, shuffle_buffer_size, calls, *files = arguments
        if not files:
            return None
        dataset = AvroDataset([os.fsdecode(file) for file in files], features=self.features)
        return TensorFlowSource(
            None,
            dataset,
            batch_size=int(batch_size),
            drop_remainder=drop_remainder == b"true",
            shuffle_buffer_size=int(shuffle_buffer_size),
            threads=threads(int(calls)),
        )
