from collections.abc import Callable
from typing import Any

from typing_extensions import Self

from arrowfeed._stubs.batch_iterator import BatchIterator
from arrowfeed._stubs.dataset import Dataset
from arrowfeed.types import AvroSchemaLike, Tensor

class TensorFlowSource:
    """What the op of TensorFlow iterates over: a dataset and its options.

    The op finds it under its key as long as this object lives.
    """

    def __new__(cls, key: str | None, dataset: Dataset, **options: Any) -> Self: ...
    @staticmethod
    def of_records(dataset: Dataset, schema: AvroSchemaLike, **options: Any) -> TensorFlowSource:
        """The records of a dataset, each in Avro's binary encoding, a vector of strings for each batch."""

    @staticmethod
    def made_by(key: str, make: Callable[[list[bytes]], TensorFlowSource | None]) -> TensorFlowSource:
        """A source that is made when an iteration begins, of arguments that only the graph knows.

        Args:
            key: Under which the op finds it.
            make: Called with the arguments. Gives a source, or None where there is nothing to iterate over.
        """

    def batches(self, state: bytes) -> tuple[bytes, BatchIterator[dict[str, Tensor]] | None]:
        """The tensors of a pass, for eager code, and what stands before their state in that of the op.

        Args:
            state: As of the op: empty, the next pass begins.

        Returns:
            The prefix of the state, and the batches. None: there is nothing to iterate over.
        """
    def set_next_pass(self, number: int) -> None:
        """Gives the next pass this number."""

def register_tensorflow_ops(library: str) -> None:
    """Registers the ops of TensorFlow, once.

    Args:
        library: Path of `libtensorflow_framework`.

    Raises:
        RuntimeError: The library has not the functions of the C API.
    """
