"""What every source of tensors has, whatever its format."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import Dataset, TensorAdapter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from typing_extensions import Unpack

    from arrowfeed._arrowfeed import TensorSpec
    from arrowfeed.types import (
        ArrowArrayExportable,
        ArrowSchemaExportable,
        IterationOptions,
        Tensor,
    )


class Tfxio(abc.ABC):
    """A source of record batches, the schema that they have, and the tensors that are made of them.

    It is what the standardized TFX inputs call a TFXIO. A class for another format gives the four abstract
    parts; the rest follows. `Dataset` is one, for `isinstance` and `issubclass`.

    Example:
        >>> class Numbers(arrowfeed.Tfxio):
        ...     arrow_schema = pyarrow.schema({"n": pyarrow.int64()})
        ...     tensor_representations = {"n": arrowfeed.Dense("n")}
        ...
        ...     def record_batches(self, *, batch_size):
        ...         yield pyarrow.record_batch({"n": range(batch_size)}, self.arrow_schema)
        ...
        ...     def project(self, names):
        ...         raise NotImplementedError
        >>> next(Numbers().tensors(batch_size=3))["n"].values
        array([0, 1, 2])
    """

    __slots__ = ()

    @property
    @abc.abstractmethod
    def arrow_schema(self) -> ArrowSchemaExportable:
        """The schema of every batch, of any Arrow library."""

    @property
    @abc.abstractmethod
    def tensor_representations(self) -> Mapping[str, Any]:
        """What each tensor is made of, by name: representations of columns, or features of keys."""

    @abc.abstractmethod
    def record_batches(self, **options: Unpack[IterationOptions]) -> Iterator[ArrowArrayExportable]:
        """Record batches of exactly `batch_size` rows, but for the last one of each epoch.

        Args:
            **options: Those of `Dataset.record_batches`. A source may know fewer of them.

        Raises:
            TypeError: An option that the source does not know.
        """

    @abc.abstractmethod
    def project(self, names: Iterable[str]) -> Tfxio:
        """The same source for some of the tensors, in this order; it need not read more than they need."""

    def tensor_adapter(self) -> TensorAdapter:
        """What makes tensors of the record batches.

        Raises:
            RepresentationError: A tensor cannot be made of such batches.
        """
        made_of = dict(self.tensor_representations)
        if any(_is_feature(one) for one in made_of.values()):
            return TensorAdapter.from_features(self.arrow_schema, made_of)
        return TensorAdapter(self.arrow_schema, made_of)

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """What is known of each tensor before any batch, by name."""
        return self.tensor_adapter().specs

    def tensors(self, **options: Unpack[IterationOptions]) -> Iterator[dict[str, Tensor]]:
        """The tensors of each batch of `record_batches`, by name.

        Args:
            **options: As in `record_batches`.

        Raises:
            RepresentationError: As `tensor_adapter`. ConversionError: a batch does not fit its tensors; it
                is raised when its turn comes.
        """
        return map(self.tensor_adapter().convert, self.record_batches(**options))


def _is_feature(made_of: object) -> bool:
    from arrowfeed.features import Feature  # noqa: PLC0415 - on use

    return isinstance(made_of, Feature)


# Users know it by this name, in messages and in pickles.
Tfxio.__module__ = "arrowfeed"
Tfxio.register(Dataset)
