"""`Tfxio`, the base class of all sources of tensors."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import Dataset, TensorAdapter
from arrowfeed._dataset.attributes import let_instances_set, missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from typing_extensions import Unpack

    from arrowfeed._arrowfeed import TensorSpec
    from arrowfeed.types import (
        AnyTensor,
        ArrowArrayExportable,
        ArrowSchemaExportable,
        IterationOptions,
    )


class Tfxio(abc.ABC):
    """A source of record batches with one schema, and of the tensors that are made from them.

    The class corresponds to the TFXIO of the standardized TFX inputs. A class for another format has the
    attributes `arrow_schema` and `tensor_representations`: as attributes of the class, attributes that
    `__init__` sets, or properties. It implements `record_batches` and `project`. The other methods use these
    four. `Dataset` is registered as a subclass.

    Example:
        >>> class Numbers(arrowfeed.Tfxio):
        ...     arrow_schema = pyarrow.schema({"n": pyarrow.int64()})
        ...     tensor_representations = {"n": representations.Dense("n")}
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
    def arrow_schema(self) -> ArrowSchemaExportable:
        """The schema of every batch, as a schema of any Arrow library."""
        raise missing(self, "arrow_schema")

    @property
    def tensor_representations(self) -> Mapping[str, Any]:
        """Definitions of the tensors by name: representations of columns, or features of keys."""
        raise missing(self, "tensor_representations")

    # With `*_` and `**options` of Any, type checkers accept a source with fewer options.
    @abc.abstractmethod
    def record_batches(self, *_: Any, **options: Any) -> Iterator[ArrowArrayExportable]:
        """Iterates over batches of exactly `batch_size` rows; the last batch of an epoch may be shorter.

        Args:
            **options: Options of `Dataset.record_batches`, by keyword. A source may support fewer options.

        Raises:
            TypeError: The source does not support an option.
        """

    @abc.abstractmethod
    def project(self, names: Iterable[str]) -> Tfxio:
        """Returns a source of some of the tensors, in the order of `names`.

        The new source may skip the columns that these tensors do not need.

        Args:
            names: Names of tensors.
        """

    def tensor_adapter(self) -> TensorAdapter:
        """Returns the adapter that converts the record batches to tensors.

        Raises:
            RepresentationError: A tensor cannot be built from such batches.
        """
        made_of = dict(self.tensor_representations)
        if any(_is_feature(one) for one in made_of.values()):
            return TensorAdapter.from_features(self.arrow_schema, made_of)
        return TensorAdapter(self.arrow_schema, made_of)

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """Specs of the tensors by name, known before any batch is read."""
        return self.tensor_adapter().specs

    def tensors(self, **options: Unpack[IterationOptions]) -> Iterator[dict[str, AnyTensor]]:
        """Iterates over the tensors of the batches of `record_batches`, as dicts.

        Args:
            **options: As in `record_batches`.

        Raises:
            RepresentationError: As in `tensor_adapter`.
            ConversionError: A row does not fit its tensors. The iterator raises this error.
        """
        return map(self.tensor_adapter().convert, self.record_batches(**options))


def _is_feature(made_of: object) -> bool:
    from arrowfeed.features import Feature  # noqa: PLC0415 - on use

    return isinstance(made_of, Feature)


let_instances_set(Tfxio, "arrow_schema", "tensor_representations")
# The public name, which messages and pickles use.
Tfxio.__module__ = "arrowfeed"
Tfxio.register(Dataset)
