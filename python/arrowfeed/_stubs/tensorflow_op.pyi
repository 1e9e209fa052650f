from typing import Any

from typing_extensions import Self

from arrowfeed._stubs.dataset import Dataset

class TensorFlowSource:
    """A dataset and its options. The op of TensorFlow finds them under a key as long as this object lives."""

    def __new__(cls, key: str, dataset: Dataset, **options: Any) -> Self: ...
    def next_pass(self) -> int:
        """The number of a pass that begins now, which others do not get."""

def register_tensorflow_op(library: str) -> None:
    """Registers the op of TensorFlow, once.

    Args:
        library: Path of `libtensorflow_framework`.

    Raises:
        RuntimeError: The library has not the functions of the C API.
    """
