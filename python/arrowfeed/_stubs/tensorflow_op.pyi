from collections.abc import Callable
from typing import Any

from typing_extensions import Self

from arrowfeed._stubs.batch_iterator import BatchIterator
from arrowfeed._stubs.dataset import Dataset
from arrowfeed.types import AnyTensor, AvroSchemaLike

class TensorFlowSource:
    """The source over which the TensorFlow op iterates: a dataset and its options.

    The op finds the source by its key as long as this object exists.
    """

    def __new__(cls, key: str | None, dataset: Dataset, **options: Any) -> Self: ...
    @staticmethod
    def of_records(dataset: Dataset, schema: AvroSchemaLike, **options: Any) -> TensorFlowSource:
        """Creates a source of the records of a dataset in Avro's binary encoding: one string vector per
        batch.
        """

    @staticmethod
    def made_by(key: str, make: Callable[[list[bytes]], TensorFlowSource | None]) -> TensorFlowSource:
        """Creates a source that is built at the start of an iteration, from arguments of the graph.

        Args:
            key: Key under which the op finds the source.
            make: Function of the arguments. It returns a source, or None if there is nothing to iterate over.
        """

    def batches(self, state: bytes) -> tuple[bytes, BatchIterator[dict[str, AnyTensor]] | None]:
        """Returns the batches of a pass for eager code, and the prefix of the op's state.

        The state of the op is this prefix, followed by the state of the batches.

        Args:
            state: State of the op. Empty: the start of the next pass.

        Returns:
            The prefix, and the batches (None: there is nothing to iterate over).
        """
    def set_next_pass(self, number: int) -> None:
        """Sets the number of the next pass."""

def register_tensorflow_ops(library: str) -> None:
    """Registers the TensorFlow ops. A second call does nothing.

    Args:
        library: Path of `libtensorflow_framework`.

    Raises:
        RuntimeError: The library does not have the functions of the C API.
    """
