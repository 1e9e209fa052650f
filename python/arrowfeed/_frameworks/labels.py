"""Labels and sample weights, which a training loop gets apart from the features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Labels:
    """Divides dicts of tensors into features, labels and sample weights, as `model.fit` expects. Picklable.

    Args:
        tensors: Names of all tensors.
        label: Name of the label, or a sequence of names for a dict of labels.
        weight: Name of the sample weights. None: no weights.

    Raises:
        ValueError: A name is not the name of a tensor, or the label and the weight are the same tensor.
    """

    def __init__(self, tensors: Iterable[str], label: str | Sequence[str], weight: str | None = None) -> None:
        self._label = label if isinstance(label, str) else tuple(label)
        self._weight = weight
        labels = [label] if isinstance(label, str) else list(label)
        weights = [] if weight is None else [weight]
        self._apart = {*labels, *weights}
        known = list(tensors)
        if not labels:
            raise ValueError("label: expected a name, found none")
        for argument, names in (("label", labels), ("weight", weights)):
            for name in names:
                if name not in known:
                    found = f"{', '.join(known)}, found {name!r}"
                    raise ValueError(f"{argument}: expected one of the tensors {found}")
        if weight in labels:
            raise ValueError(f"weight: expected a tensor other than the label, found {weight!r}")

    def __call__(self, tensors: Mapping[str, Any]) -> tuple[Any, ...]:
        """Returns the features, the labels and, if there are any, the weights."""
        features = {name: tensor for name, tensor in tensors.items() if name not in self._apart}
        if isinstance(self._label, str):
            label = tensors[self._label]
        else:
            label = {name: tensors[name] for name in self._label}
        return (features, label) if self._weight is None else (features, label, tensors[self._weight])


def labels_of(tensors: Iterable[str], label: str | Sequence[str] | None, weight: str | None) -> Labels | None:
    """Returns the division of tensors for the options `label` and `weight`. None: there is no label.

    Raises:
        ValueError: As in `Labels`, or there is a weight without a label.
    """
    if label is not None:
        return Labels(tensors, label, weight)
    if weight is not None:
        raise ValueError(f"weight: expected a label too, found only the weight {weight!r}")
    return None
